"""Result of a step's program, and its uses of the inputs, as far as both are certain (spec chapter 16, section 6).

An input is the JSON text of another step's result: `{"Int":42}`. A program cuts the value out by position, so the position
reveals the type that it expects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from analysis.database import Database, query
from analysis.ide.name_types import item_named
from analysis.inputs import CHUNK, FILE, FileId, libraries, source
from analysis.semantics import ty
from analysis.semantics.anonymous import anonymous_fields
from analysis.semantics.declarations import chunk_tree
from analysis.semantics.environment import environment
from analysis.semantics.imports import imported_files
from analysis.semantics.infer import inference
from analysis.semantics.infer.result import Inference, Role
from analysis.semantics.summary import item_index
from analysis.syntax import tree as t
from analysis.text.edits import Span

_TAGS: Final = ("Int", "Float", "Bool", "String", "List", "Map", "Record", "Enum")
HEADS: Final = {tag: f'{{"{tag}":' for tag in _TAGS}
"""Text before the value, by type."""
_SCALARS: Final = frozenset(("Int", "Float", "Bool"))
_STARTS: Final = {len(head): tag for tag, head in HEADS.items() if tag in _SCALARS} | {len(HEADS["String"]) + 1: "String"}
"""Position at which a program cuts a value out, and the type that it expects then."""
_NUMBERS: Final = frozenset(("parse_int", "try_parse_int"))
_LIBRARY: Final = "std-steps"
_HELPERS: Final = {"step_int": "Int", "step_float": "Float", "step_bool": "Bool", "step_text": "String"}
_SLICE: Final = "__builtin_string_slice"
_READ: Final = "step_input"


class Result(NamedTuple):
    """The type that a program returns, as written or else inferred, and the tag of its JSON text, "" if that is not known."""

    type: str
    tag: str


class Use(NamedTuple):
    """Use of an input's text by a program.

    `kind` is "cut" (out of it, as a value of the type `meant`), "helper" (a function of std-steps takes it for that type),
    "number" (takes all of it for one) or "compared" (with `meant`).
    """

    input: str
    kind: str
    meant: str
    offset: int


class Reads(NamedTuple):
    """The inputs that a program reads, each with where it does so first; `is_all` is False if it reads more by computed names."""

    names: tuple[tuple[str, Span], ...]
    uses: tuple[Use, ...]
    is_all: bool


@query(subject=FILE)
def step_result(db: Database, file: FileId) -> Result | None:
    """Result of a step's program; None if it is not certain."""
    definition = item_named(db, file, "main", t.Function)
    if definition is None or not isinstance(definition.item, t.Function) or definition.item.broken:
        return None
    text = source(db, definition.file).chunks[definition.chunk].text
    scope = environment(db, file).item_scope(item_index(db, text).free_names, anonymous_fields(db, file))
    inferred = inference(db, text, scope)
    if definition.item.result is None:
        return _inferred(inferred, definition.item)
    # A declared result type is not enforced: a body with a value of another type returns that.
    if any(mismatch.want.role in (Role.RESULT, Role.RETURN) for mismatch in inferred.mismatches):
        return None
    written = t.type_text(definition.item.result)
    declared = environment(db, file).types.get(written)
    if declared is not None:
        return Result(written, "Enum" if declared.is_enum else "Record")
    head = written.partition("<")[0]
    return Result(written, head if head in HEADS else "")


def _inferred(inference: Inference, item: t.Function) -> Result | None:
    """The one type of the body's end and of all values that are returned before it."""
    held = inference.of(item.body)
    for node in _nodes(item.body):
        if isinstance(node, t.Return):
            held = ty.join(held, inference.of(node.value) if node.value is not None else ty.UNIT)
    if not held.is_known:
        return None
    tag = {"record": "Record", "enum": "Enum"}.get(held.head, held.head)
    return Result(ty.text_of(held), tag if tag in HEADS else "")


@query(subject=FILE)
def step_reads(db: Database, file: FileId) -> Reads:
    """The inputs that a program reads."""
    text = source(db, file)
    names: dict[str, Span] = {}
    uses: list[Use] = []
    # A library may read inputs, too.
    imported = imported_files(db, file)
    read_there = [chunk_reads(db, chunk.text) for library in imported for chunk in source(db, library).chunks]
    is_all = all(reads.is_all and not reads.names for reads in read_there)
    has_helpers = libraries(db, file.workspace, file.libs).get(_LIBRARY) in imported
    for chunk, start in zip(text.chunks, text.offsets, strict=True):
        reads = chunk_reads(db, chunk.text)
        for name, (first, last) in reads.names:
            names.setdefault(name, (start + first, start + last))
        uses += [use._replace(offset=start + use.offset) for use in reads.uses if use.kind != "helper" or has_helpers]
        is_all = is_all and reads.is_all
    return Reads(tuple(names.items()), tuple(uses), is_all)


@query(subject=CHUNK)
def chunk_reads(db: Database, text: str) -> Reads:
    """The inputs that a chunk reads, offsets relative to it."""
    if _READ not in text:
        return Reads((), (), True)
    names: dict[str, Span] = {}
    uses: list[Use] = []
    is_all = True
    for item in chunk_tree(db, text).items:
        nodes = list(_nodes(item))
        held = _inputs_of_locals(nodes)
        for node in nodes:
            if isinstance(node, t.Call) and _name_of_callee(node) == _READ:
                name = _name_read(node)
                if name is None:
                    is_all = False
                else:
                    names.setdefault(name, (node.start, node.end))
            uses += _uses(node, held)
    return Reads(tuple(names.items()), tuple(uses), is_all)


def _nodes(item: t.Node) -> Iterator[t.Node]:
    waiting: list[t.Node] = [item]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(t.children(node))


def _inputs_of_locals(nodes: list[t.Node]) -> dict[str, str]:
    """The inputs that locals hold: by the names of those that are bound once and never changed."""
    bound = Counter(node.name for node in nodes if isinstance(node, t.Let | t.For | t.Parameter | t.NamePattern | t.Assign))
    held = {}
    for node in nodes:
        if (
            isinstance(node, t.Let)
            and not node.mutable
            and bound[node.name] == 1
            and (name := _name_read(node.value)) is not None
        ):
            held[node.name] = name
    return held


def _name_of_callee(node: t.Node) -> str:
    return node.callee.name if isinstance(node, t.Call) and isinstance(node.callee, t.Name) else ""


def _name_read(node: t.Node) -> str | None:
    """The input that an expression reads, None if it is no call of `step_input` with a literal."""
    if not isinstance(node, t.Call) or _name_of_callee(node) != _READ or len(node.arguments) != 1:
        return None
    argument = node.arguments[0]
    return argument.raw if isinstance(argument, t.StringLiteral) and "\\" not in argument.raw else None


def _uses(node: t.Node, held: dict[str, str]) -> Iterator[Use]:
    def read(expression: t.Node) -> str | None:
        return held.get(expression.name) if isinstance(expression, t.Name) else _name_read(expression)

    called = _name_of_callee(node)
    if isinstance(node, t.Call) and called in _HELPERS and node.arguments and (name := read(node.arguments[0])) is not None:
        yield Use(name, "helper", _HELPERS[called], node.start)
    elif isinstance(node, t.Call) and called in _NUMBERS and node.arguments and (name := read(node.arguments[0])) is not None:
        yield Use(name, "number", called, node.start)
    elif isinstance(node, t.Call) and called == _SLICE and len(node.arguments) == 3:
        name, first = read(node.arguments[0]), node.arguments[1]
        meant = _STARTS.get(int(first.text)) if isinstance(first, t.IntLiteral) and len(first.text) < 5 else None
        if name is not None and meant is not None:
            yield Use(name, "cut", meant, node.start)
    elif isinstance(node, t.Binary) and node.operator in ("==", "!="):
        for operand, literal in ((node.left, node.right), (node.right, node.left)):
            name = read(operand)
            # Outside of a workflow an input is the empty text: a comparison with it is no mistake.
            if name is not None and isinstance(literal, t.StringLiteral) and literal.raw:
                yield Use(name, "compared", literal.raw.replace('\\"', '"'), node.start)


def clash(use: Use, given: Result) -> bool:
    """True if a program's use of an input certainly does not fit the type that it gets."""
    if use.kind == "number":
        return True
    head = HEADS.get(given.tag)
    if head is None:
        return False
    if use.kind == "helper":
        return use.meant != given.tag
    if use.kind == "compared":
        return not use.meant.startswith(head)
    if given.tag in _SCALARS or given.tag == "String":
        return use.meant != given.tag
    # A list, a map or a record is also cut further inside.
    start = len(HEADS[use.meant]) + (use.meant == "String")
    return start < len(head)
