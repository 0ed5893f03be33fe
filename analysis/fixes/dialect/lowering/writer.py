"""Tools shared by all parts of the lowering: fresh names, statements before an expression, comments, notes.

An expression becomes `Code`, its text with the level of its outermost operator. Statements that have to run first are put into
`before`; `captured` collects them where they may not leave a branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from analysis.fixes.dialect.reading.scanner import Comment
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head, is_known, written
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.typing.program import Program
from analysis.suggestions.library_words import LIBRARIES
from analysis.text.edits import Edit

ANY, OR, AND, EQUAL, COMPARE, CONCAT, ADD, MULTIPLY, UNARY, POSTFIX = range(10)
"""Levels of operators, the loosest first. `ANY` is for `if`, `match` and blocks, which stand in parentheses as operands."""
_KEYS: Final = ("Int", "Bool", "Tuple")
_RESERVED: Final = frozenset(
    "fn let mut if else match return type enum module import export true false None Some Ok Err requires ensures intent spawn "
    "send receive emit while for in".split()
)
_FIELDS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_TUPLES: Final = {2: "Pair", 3: "Triple", 4: "Quad"}


class Code(NamedTuple):
    text: str
    level: int = POSTFIX

    def at(self, level: int) -> str:
        """The text where an operator of a level takes it."""
        return self.text if self.level >= level else f"({self.text})"


@dataclass
class Loop:
    """A loop being written: the flags that stand for `break` and `continue`, once they are used."""

    stop: str = ""
    skip: str = ""
    value: str = ""


@dataclass
class Additions:
    """Parts of a translated file besides its items."""

    libraries: set[str] = field(default_factory=set)
    records: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Records for tuples: the types' text → the record's name and its text."""
    functions: list[str] = field(default_factory=list)
    first_values: list[tuple[str, str]] = field(default_factory=list)
    """Names and invented values of variables that may be read before they get one."""
    guesses: list[tuple[str, str]] = field(default_factory=list)
    """Words of the text that were chosen for values whose type is unknown, and what was chosen."""


BEYOND: Final = "9007199254740991"
"""A number that stands for an endless one among Ints, where numbers are only compared with it."""
TRUTHS: Final = {
    "List": ("!__builtin_list_is_empty({})", UNARY), "String": ('{} != ""', EQUAL), "Int": ("{} != 0", EQUAL),
    "Map": ("__builtin_map_len({}) != 0", EQUAL), "Option": ("match {} {{ Some(_) => true, None => false }}", ANY),
}  # fmt: skip
"""True if a value is something, for the types that other languages take as conditions."""


class Writer:
    """State of the lowering of one file; `used` are all names of the function at hand."""

    def __init__(self, program: Program, comments: list[Comment]) -> None:
        self.program = program
        self.added = Additions()
        self.unlike: list[tuple[int, str]] = []
        """Forms that are refused since `.ax` reads them otherwise, with their offsets."""
        self.helpers: dict[str, str] = {}
        """The functions of `script_helpers` that were written, by name and types."""
        self.before: list[str] = []
        self.loops: list[Loop] = []
        self.used: set[str] = set()
        self.variables: set[str] = set()
        """Parameters and names that patterns bind in the function at hand."""
        self.function: n.Function | None = None
        self.result: Type | None = None
        self._comments = comments
        self._comment = 0
        self.effort = 0
        self.protects = True
        self.all_is_true = False
        """True if the program's language takes every value as true but false and none."""

    def guess(self, word: str, meaning: str) -> None:
        """Notes that a form was chosen by a type that nothing says."""
        self.added.guesses.append((word, meaning))

    def note_unwrapped(self, node: n.Expr, text: str) -> None:
        """Marks a call by the name that it has here: no form of the program says what becomes of its None."""
        if self.program.habit or not isinstance(node, n.Call) or not isinstance(node.function, n.Name):
            return
        if node.operation is None and node.function.name not in self.program.functions:
            self.guess(f"option_unwrap({text}", f"`{text}` is read as a value that is there")

    def failure_without_text(self) -> str:
        """An `Err` for a `None` that becomes a Result, which nothing gives a text."""
        self.guess('Err("")', "the failure has no text")
        return 'Err("")'

    # ---- names ----

    def refuse_own_type(self, name: str, node: n.Expr) -> None:
        """Refuses a record or an enum as a condition: the checker takes any value behind `!`, the run only a truth."""
        if name in self.program.records or name in self.program.enums:
            raise Untranslatable("a value that is no truth, as a condition", node.start)

    def fresh(self, base: str) -> str:
        """A name that the function does not use yet."""
        name, number = base, 1
        while name in self.used or name in _RESERVED or name in self.program.functions:
            number += 1
            name = f"{base}{number}"
        self.used.add(name)
        return name

    def spelled(self, name: str) -> str:
        """A name of the program, changed where it is a keyword here."""
        return f"{name}_" if name in _RESERVED and name not in ("true", "false", "None") else name

    def library(self, name: str) -> str:
        """The name of a library's function, whose import is noted; the program's own function of that name wins."""
        if name in LIBRARIES and name not in self.program.functions:
            self.added.libraries.add(LIBRARIES[name])
        return name

    # ---- statements before an expression ----

    @contextmanager
    def captured(self) -> Iterator[list[str]]:
        outer, self.before = self.before, []
        try:
            yield self.before
        finally:
            self.before = outer

    def named(self, code: Code, base: str) -> str:
        """A name for a value, which is computed once; names stay what they are."""
        if code.text.isidentifier():
            return code.text
        name = self.fresh(base)
        self.before.append(f"let {name} = {code.text}")
        return name

    def spend(self) -> None:
        """Counts what is written: forms that multiply have an end."""
        self.effort += 1
        if self.effort > 20_000:
            raise Untranslatable("its translation grows too long")

    # ---- types and tuples ----

    def type_text(self, kind: Type | None) -> str:
        """A type as `.ax` writes it; tuples are records of their own."""
        resolved = kind.resolved() if kind is not None else Type()
        if not resolved.name:
            raise Untranslatable("a type that cannot be told")
        parts = resolved.arguments
        if resolved.name == "Tuple":
            return self.tuple_record(resolved)
        if resolved.name == "Fn":
            if not parts:
                raise Untranslatable("a function type without parameters and result")
            return f"Fn({', '.join(self.type_text(part) for part in parts[:-1])}) -> {self.type_text(parts[-1])}"
        if resolved.name == "Map" and self._is_written_as_text(parts[0]):
            # Keys are texts here, and every use of this map writes them so.
            return f"Map<String, {self.type_text(parts[1])}>"
        if resolved.name in self.program.objects:
            self.object_type(resolved.name)
        if resolved.name in ("List", "Option", "Result", "Map"):
            return f"{resolved.name}<{', '.join(self.type_text(part) for part in parts)}>"
        return resolved.name

    def _is_written_as_text(self, kind: Type) -> bool:
        return head(kind) in _KEYS or head(kind) in self.program.records or head(kind) in self.program.enums

    def type_or_nothing(self, kind: Type | None, prefix: str = ": ") -> str:
        """An annotation, "" where the type is not known."""
        return prefix + self.type_text(kind) if is_known(kind) else ""

    def tuple_record(self, kind: Type) -> str:
        """The name of the record that stands for tuples of a type."""
        parts = kind.resolved().arguments
        if len(parts) > len(_FIELDS) or not all(is_known(part) for part in parts):
            raise Untranslatable(f"a tuple whose types cannot be told: {written(kind)}")
        types = [self.type_text(part) for part in parts]
        key = ", ".join(types)
        if key not in self.added.records:
            base, number = _TUPLES.get(len(parts), "Tuple"), 1
            taken = {name for name, _ in self.added.records.values()} | set(self.program.records) | set(self.program.enums)
            name = base
            while name in taken:
                number += 1
                name = f"{base}{number}"
            self.added.records[key] = (name, "")
            fields = ", ".join(f"{field}: {part}" for field, part in zip(_FIELDS, types, strict=False))
            self.added.records[key] = (name, f"type {name} {{ {fields} }}")
        return self.added.records[key][0]

    def object_type(self, name: str) -> None:
        """Notes that the file needs the record that stands for an object."""
        key = f"object {name}"
        if key not in self.added.records:
            self.added.records[key] = (name, "")
            pairs = self.program.records[name].fields.items()
            fields = ", ".join(f"{field}: {self.type_text(kind)}" for field, kind in pairs)
            self.added.records[key] = (name, f"type {name} {{ {fields} }}")

    def tuple_field(self, place: int) -> str:
        return _FIELDS[place] if place < len(_FIELDS) else str(place)

    def is_option_field(self, kind: Type, field: str) -> bool:
        """True if values of a record's type have a field that may be absent."""
        record = self.program.records.get(head(kind))
        return record is not None and head(record.fields.get(field)) == "Option"

    def payload_fields(self, variant: n.Variant) -> list[str]:
        """The fields of the record that holds a variant's values, of which there are several."""
        return variant.names or [_FIELDS[place] for place in range(len(variant.payload))]

    def payload_record(self, enum: n.Enum, variant: n.Variant) -> str:
        return f"{enum.name}{variant.name}"

    def is_bundled(self, variant: n.Variant) -> bool:
        """True if a variant has several values, or named ones: here it has one record."""
        return len(variant.payload) > 1 or bool(variant.names)

    # ---- comments ----

    def comments_before(self, offset: int) -> list[str]:
        """The comments up to an offset that were not written yet, as `//` lines."""
        lines: list[str] = []
        while self._comment < len(self._comments) and self._comments[self._comment].start < offset:
            lines += as_lines(self._comments[self._comment].text)
            self._comment += 1
        return lines

    def skip_comments(self, offset: int) -> None:
        """Leaves out the comments before an offset, which stay where they are."""
        while self._comment < len(self._comments) and self._comments[self._comment].start < offset:
            self._comment += 1


def with_comments(edits: tuple[Edit, ...], comments: list[Comment], items: list[n.Item]) -> tuple[Edit, ...]:
    """The edits with those of the comments of other languages between the items, and behind the last line of one."""
    spans = [(item.start, item.end) for item in items if not isinstance(item, n.Verbatim) or item.reason]
    spans += [edit.span for edit in edits]
    free = [each for each in comments if not any(start < each.end and each.start < end for start, end in spans)]
    rewritten = [Edit((each.start, each.end), "\n".join(as_lines(each.text))) for each in free if each.text[:2] != "//"]
    return tuple(sorted([*edits, *rewritten], key=lambda edit: edit.span))


def as_lines(text: str) -> list[str]:
    """A comment of any language as `//` lines."""
    if text.startswith("//"):
        return [text]
    if text[:1] == "#" or text[:2] == "--":
        return [f"// {text.lstrip('#-').strip()}"]
    inner = text[2:-2].strip("* \n")
    return [f"// {line.strip().lstrip('*').strip()}".rstrip() for line in inner.split("\n")]


def braced(text: str) -> str:
    """A text as a block, which it may be already."""
    depth = 0
    if text.startswith("{"):
        for place, sign in enumerate(text):
            depth += (sign == "{") - (sign == "}")
            if depth == 0:
                if place == len(text) - 1:
                    return text
                break
    return f"{{ {text} }}"


def mentions(text: str, name: str) -> bool:
    return any(word == name for word in _split_words(text))


def _split_words(text: str) -> list[str]:
    return "".join(sign if sign.isalnum() or sign == "_" else " " for sign in text).split()
