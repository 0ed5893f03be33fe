"""Completions at the cursor: names that mean something there, the best matches first.

`completion_context.py` determines what is wanted; this module lists it. Texts to insert are snippets of the protocol
(`$1`, `${1:name}`, `$0`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

from analysis.database import Database, query
from analysis.ide import glossary
from analysis.ide.app_documentation import effect_kinds, skeletons
from analysis.ide.completion_context import Context, Wanted, context_at, word_end
from analysis.ide.name_meanings import Kind
from analysis.ide.name_types import scope_types
from analysis.ide.offers import Completion, Group, Offer, Offers
from analysis.ide.server_tools import methods_offered, modules_offered, paths_offered, servers_offered
from analysis.ide.workspace_symbols import BEGINNING, ranking
from analysis.inputs import FILE, FileId, libraries, source
from analysis.semantics import ty
from analysis.semantics.builtins import BUILTIN_TYPES, BUILTINS, Builtin
from analysis.semantics.declarations import FunctionFact, TypeFact, file_declarations
from analysis.semantics.environment import environment
from analysis.semantics.imports import imported_files
from analysis.semantics.tools.modules import RESULT
from analysis.semantics.ty import Ty
from analysis.semantics.type_text import split_type

_BLOCKS: Final = {
    "if": "if $1 {\n    $0\n}",
    "match": "match $1 {\n    $0\n}",
    "while": "while $1 {\n    $0\n}",
    "for": "for ${1:item} in $2 {\n    $0\n}",
    "let": "let $0",
    "return": "return $0",
}
_FIELD_VALUE: Final = re.compile(r"\b(\w+):[ ]?\Z")
_TYPED_NAME: Final = re.compile(r"\b([a-z]\w*+)[ ]?:[ ]?(?:[A-Z]\w*+<)*+\Z")
_FARTHEST_FIELD: Final = 200
_FREQUENT: Final = 5
"""Number of types that precede all others: the ones that a file uses most."""
_TYPE_NAME: Final = re.compile(r"[A-Z][A-Za-z0-9_]*+")
_VALUES: Final = {"true": "true", "false": "false", "None": "None", "Some": "Some($1)", "Ok": "Ok($1)", "Err": "Err($1)"}
_ITEMS: Final = {
    "fn": "fn ${1:name}($2) -> ${3:Int} {\n    $0\n}",
    "type": "type ${1:Name} { $0 }",
    "enum": "enum ${1:Name} { $0 }",
    "import": 'import "$0"',
    "export": "export $0",
}
_CLAUSES: Final = {"requires": "requires $0", "ensures": "ensures $0", "intent": 'intent "$0"'}
_GENERICS: Final = {
    "List": "List<$1>",
    "Option": "Option<$1>",
    "Result": "Result<$1, $2>",
    "Map": "Map<String, $1>",
    "Fn": "Fn($1) -> $2",
}
_MATCHED: Final = frozenset(("enum", "Option", "Result"))
"""Heads of types that are mostly used in a match."""
_PARTS: Final = {"Option": ("Some", "None"), "Result": ("Ok", "Err"), "Bool": ("true", "false")}
"""The patterns of values whose types no program declares."""


class Completions(NamedTuple):
    """Wanted kind of completion, the candidates that fit, and the span that they replace."""

    span: tuple[int, int]
    candidates: tuple[Completion, ...]
    wanted: Wanted


def completions(db: Database, file: FileId, offset: int) -> Completions:
    """All candidates at an offset that match the word there, the best first."""
    asked = context_at(db, file, offset)
    source_of = _SOURCES.get(asked.wanted)
    rank, ranked, seen = ranking(asked.prefix), [], set()
    for number, candidate in enumerate(source_of(db, file, asked, offset) if source_of else ()):
        if (fit := rank(candidate.label)) is not None:
            # Names that start with the word come first; among them, those that fit the place better.
            ranked.append((_match(fit) if asked.prefix else 0, candidate.group, fit if asked.prefix else 0, number, candidate))
    ranked.sort()
    candidates = []
    for *_, candidate in ranked:
        # Of two candidates with one name, the first hides the other.
        if candidate.label not in seen:
            seen.add(candidate.label)
            candidates.append(candidate)
    return Completions((asked.start, offset), tuple(candidates), asked.wanted)


def _match(fit: int) -> int:
    return 0 if fit <= BEGINNING else 1


# ---- values ---------------------------------------------------------------------------------------------------------


def _values(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    called = _is_called(source(db, file).text, offset)
    fits = _fitting(db, file, asked)
    if (field := _FIELD_VALUE.search(source(db, file).text, max(asked.start - _FARTHEST_FIELD, 0), asked.start)) is not None:
        for value, meaning in effect_kinds(field[1], environment(db, file).types.values()):
            yield Completion(value, Kind.KEYWORD, value, meaning, Group.NEAR)
    for name, held in reversed(asked.visible):
        group = Group.NEAR if _fits(held, asked) else Group.FITTING if asked.prefix else Group.LOCAL
        yield Completion(name, Kind.LOCAL, name, told_plainly(held), group)
    yield from (
        Completion(name, Kind.KEYWORD, f"{name} {{\n    $0\n}}", glossary.KEYWORDS[name], Group.NEAR) for name in asked.keywords
    )
    for name in () if asked.is_matched else _constants_of(asked.expected):
        # `if true` is never intended.
        yield Completion(
            name,
            Kind.KEYWORD,
            _VALUES[name],
            glossary.KEYWORDS[name],
            Group.OWN if asked.is_condition else Group.FITTING,
        )
    visible = environment(db, file)
    for offers in (functions_offered(db, file), values_offered(db, file)):
        for completion, result, is_ranked in offers.like(asked.prefix):
            yield _placed(completion, Group.FITTING if is_ranked and fits(result) else completion.group, called)
    for completion, result, _ in _builtins().like(asked.prefix):
        if completion.label not in visible.functions:
            yield _placed(completion, Group.TYPES if fits(result) else completion.group, called)
    for name in modules_offered(db, file):
        yield Completion(name, Kind.SERVER, f"{name}::$0", "MCP server", Group.TYPES)
    # Where a statement can begin, two letters of a keyword mostly mean the keyword.
    group = (Group.FITTING if len(asked.prefix) > 1 else Group.TYPES) if asked.prefix and asked.begins else Group.KEYWORD
    for keyword in _keywords(_BLOCKS):
        if asked.begins or keyword.label in ("if", "match"):
            yield keyword._replace(group=group)
    yield from _keywords(_VALUES)
    if asked.prefix:
        for completion, _, _ in functions_elsewhere(db, file).like(asked.prefix):
            yield _placed(completion, completion.group, called)


def _placed(completion: Completion, group: int, called: bool) -> Completion:
    """A completion in another group; without arguments if they are already written."""
    if completion.group == group and not called:
        return completion
    return completion._replace(group=group, insert=completion.label if called else completion.insert)


def _quoted_kinds(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    for literal, meaning in effect_kinds("kind", environment(db, file).types.values()):
        kind = literal.strip('"')
        yield Completion(kind, Kind.KEYWORD, kind, meaning, Group.NEAR)


def _is_called(text: str, offset: int) -> bool:
    """True if arguments already follow the word."""
    end = word_end(text, offset)
    return text[end : end + 1] == "("


def told_plainly(held: Ty) -> str:
    """The text of a type for readers; "" where nothing is known of it."""
    return (ty.partial_text(held) or "").replace("?", "_")


def _fits(held: Ty, asked: Context) -> bool:
    """True if a value of a type is certainly what is expected."""
    if asked.is_matched:
        return held.head in _MATCHED
    return held.is_known and asked.expected.is_known and ty.fits(held, asked.expected)


def _fitting(db: Database, file: FileId, asked: Context) -> Callable[[str | None], bool]:
    """Like `_fits`, for a type given as text."""
    if not asked.expected.is_known and not asked.is_matched:
        return lambda text: False
    facts = scope_types(db, file)

    @cache
    def fits(text: str | None) -> bool:
        return _fits(facts.read(text), asked)

    return fits


def _constants_of(expected: Ty) -> tuple[str, ...]:
    return {"Bool": ("true", "false"), "Option": ("Some", "None"), "Result": ("Ok", "Err")}.get(expected.head, ())


def _keyword(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    for name in asked.keywords:
        yield Completion(name, Kind.KEYWORD, f"{name} $0", glossary.KEYWORDS[name], Group.NEAR)


@query(subject=FILE)
def functions_offered(db: Database, file: FileId) -> Offers:
    """The functions that a file can call; its own move up where their result type is expected."""
    own = {fact.name for facts in file_declarations(db, file) for fact in facts.functions}
    functions = environment(db, file).functions.values()
    return Offers(Offer(_function(fact, Group.OWN), fact.result, fact.name in own) for fact in functions if fact.name != "main")


@query(subject=FILE)
def values_offered(db: Database, file: FileId) -> Offers:
    """The values of types that a file can write down."""
    types = environment(db, file).types.values()
    return Offers(Offer(completion, declared.name) for declared in types for completion in _values_of(declared, Group.TYPES))


@cache
def _builtins() -> Offers:
    """The builtin functions."""
    return Offers(Offer(_builtin(builtin), builtin.result) for builtin in BUILTINS.values())


def _builtin(builtin: Builtin) -> Completion:
    detail = builtin.signature.partition(builtin.name)[2]
    return Completion(builtin.name, Kind.BUILTIN, _with_arguments(builtin.name, builtin.arity), detail, Group.BUILT_IN)


def _function(fact: FunctionFact, group: int) -> Completion:
    parameters = ", ".join(f"{name}: {kind}" for name, kind in fact.parameters)
    result = f" -> {fact.result}" if fact.result else ""
    insert = _with_arguments(fact.name, len(fact.parameters))
    return Completion(fact.name, Kind.FUNCTION, insert, f"({parameters}){result}", group)


def _with_arguments(name: str, count: int) -> str:
    return f"{name}($0)" if count else f"{name}()"


def _values_of(fact: TypeFact, group: int) -> Iterator[Completion]:
    """The values of a type: the literal of a record, the variants of an enum."""
    if fact.is_enum:
        for name, payload in fact.members:
            rest = "($0)" if payload else ""
            yield Completion(f"{fact.name}::{name}", Kind.VARIANT, f"{fact.name}::{name}{rest}", payload or "", group)
    else:
        fields = ", ".join(f"{name}: ${number}" for number, (name, _) in enumerate(fact.members, 1))
        yield Completion(fact.name, Kind.RECORD, f"{fact.name} {{ {fields} }}" if fields else f"{fact.name} {{}}", "", group)


def _keywords(table: dict[str, str]) -> Iterator[Completion]:
    for name, insert in table.items():
        yield Completion(name, Kind.KEYWORD, insert, glossary.KEYWORDS[name], Group.KEYWORD)


@query(subject=FILE)
def functions_elsewhere(db: Database, file: FileId) -> Offers:
    """The functions of libraries that are not imported yet."""
    return Offers(_elsewhere(db, file, lambda facts: facts.functions, lambda fact: _function(fact, Group.ELSEWHERE)))


@query(subject=FILE)
def types_elsewhere(db: Database, file: FileId) -> Offers:
    """The types of libraries that are not imported yet."""
    return Offers(_elsewhere(db, file, lambda facts: facts.types, _type))


def _elsewhere(
    db: Database, file: FileId, facts_of: Callable[..., tuple[FunctionFact | TypeFact, ...]], make: Callable[..., Completion]
) -> Iterator[Offer]:
    there = {*imported_files(db, file), file}
    visible = environment(db, file)
    for name, library in libraries(db, file.workspace, file.libs).files:
        if library in there or library.path == file.path:
            continue
        for facts in file_declarations(db, library):
            for fact in facts_of(facts):
                if fact.name != "main" and fact.name not in visible.functions and fact.name not in visible.types:
                    yield Offer(make(fact)._replace(library=name, group=Group.ELSEWHERE), None, False)


# ---- the rest -------------------------------------------------------------------------------------------------------


def _fields(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    visible = environment(db, file)
    owner = asked.owner
    if owner in (None, RESULT):
        for method in methods_offered(db, file):
            yield Completion(method.name, Kind.TOOL, f"{method.name}()", f"() -> {method.result}")
    if owner is not None:
        facts = [visible.types[owner]] if owner in visible.types and not visible.types[owner].is_enum else []
    else:
        facts = [fact for fact in visible.types.values() if not fact.is_enum]
    fits = _fitting(db, file, asked)
    for fact in facts:
        for name, kind in fact.members:
            detail = kind or "" if owner else f"{kind}, of {fact.name}"
            yield Completion(name, Kind.FIELD, name, detail, Group.NEAR if fits(kind) else Group.FITTING)


def _literal_fields(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    fact = environment(db, file).types.get(str(asked.owner))
    for name, kind in fact.members if fact is not None and not fact.is_enum else ():
        if name not in asked.given:
            yield Completion(name, Kind.FIELD, f"{name}: $0", kind or "", Group.NEAR)
    # Another record comes before the fields.
    if source(db, file).text[max(asked.start - _FARTHEST_FIELD, 0) : asked.start].rstrip().endswith("{"):
        yield Completion("..", Kind.KEYWORD, "..$0", "the other fields of a record", Group.KEYWORD)


def _variants(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    for path in paths_offered(db, file, str(asked.owner)) if asked.owner not in environment(db, file).types else ():
        insert = f"{path.name}::$0" if path.is_module else f"{path.name}($0)" if path.has_arguments else f"{path.name}()"
        yield Completion(path.name, Kind.SERVER if path.is_module else Kind.TOOL, insert, path.detail, Group.NEAR)
    fact = environment(db, file).types.get(str(asked.owner))
    called = _is_called(source(db, file).text, offset)
    for name, payload in fact.members if fact is not None and fact.is_enum else ():
        yield Completion(name, Kind.VARIANT, f"{name}($0)" if payload and not called else name, payload or "", Group.NEAR)


def _patterns(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    visible = environment(db, file)
    owner = asked.owner
    behind = source(db, file).text[offset:].lstrip()
    arm = " => $0," if asked.begins and not behind.startswith(("=>", "(")) else ""
    head = split_type(owner)[0] if owner is not None else None
    facts = [visible.types[owner]] if owner in visible.types else list(visible.types.values()) if owner is None else []
    for fact in facts:
        for name, payload in fact.members if fact.is_enum else ():
            yield Completion(name, Kind.VARIANT, _bound(name, payload is not None) + arm, payload or fact.name, Group.NEAR)
    for kind, names in _PARTS.items():
        for name in names if head in (None, kind) else ():
            yield Completion(name, Kind.KEYWORD, _bound(name, name in ("Some", "Ok", "Err")) + arm, kind, Group.FITTING)
    yield Completion("_", Kind.KEYWORD, f"_{arm}", "every other value", Group.KEYWORD)


def _bound(name: str, has_payload: bool) -> str:
    return f"{name}(${{1:value}})" if has_payload else name


@query(subject=FILE)
def types_by_use(db: Database, file: FileId) -> tuple[str, ...]:
    """The types that stand in the signatures and type declarations of a file, the most frequent first."""
    counts: Counter[str] = Counter()
    for facts in file_declarations(db, file):
        for function in facts.functions:
            counts.update(_TYPE_NAME.findall(" ".join((*(kind for _, kind in function.parameters), function.result or ""))))
        for declared in facts.types:
            counts.update(_TYPE_NAME.findall(" ".join(kind or "" for _, kind in declared.members)))
    return tuple([name for name, _ in counts.most_common()])


def _types(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    frequent = {name: number for number, name in enumerate(types_by_use(db, file)[:_FREQUENT])}
    offered = list(_all_types(db, file, asked))
    # `order: Order`, `items: List<Item>`; then the types that the file already uses.
    typed = _TYPED_NAME.search(source(db, file).text, max(asked.start - _FARTHEST_FIELD, 0), asked.start)
    name = typed[1].replace("_", "").lower() if typed is not None else ""
    namesakes = {completion.label for completion in offered if completion.label.lower() in (name, name.removesuffix("s"))}
    if typed is not None and not typed[0].endswith("<") and name not in {namesake.lower() for namesake in namesakes}:
        # A name in the plural is a list of them.
        yield from (completion._replace(group=Group.NEAR) for completion in offered if completion.label == "List" and namesakes)
    yield from (completion._replace(group=Group.NEAR) for completion in offered if completion.label in namesakes)
    yield from sorted(
        (completion._replace(group=Group.NEAR) for completion in offered if completion.label in frequent),
        key=lambda completion: frequent[completion.label],
    )
    yield from (completion for completion in offered if completion.label not in frequent)


def _all_types(db: Database, file: FileId, asked: Context) -> Iterator[Completion]:
    yield from map(_type, environment(db, file).types.values())
    for name in sorted(BUILTIN_TYPES):
        yield Completion(name, Kind.BUILTIN_TYPE, name, glossary.TYPES.get(name, ""), Group.TYPES)
    for name, insert in _GENERICS.items():
        yield Completion(name, Kind.BUILTIN_TYPE, insert, glossary.TYPES[name], Group.TYPES)
    if asked.prefix:
        yield from (completion for completion, _, _ in types_elsewhere(db, file).like(asked.prefix))


def _type(fact: TypeFact) -> Completion:
    return Completion(fact.name, Kind.ENUM if fact.is_enum else Kind.RECORD, fact.name)


def _capabilities(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    for name, meaning in glossary.CAPABILITIES.items():
        yield Completion(name, Kind.CAPABILITY, name, meaning)


def _libraries(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    text = source(db, file).text
    is_quoted = text[asked.start - 1 : asked.start] == '"'
    closing = "" if text[offset : offset + 1] == '"' else '"'
    for name, _ in libraries(db, file.workspace, file.libs).files:
        yield Completion(name, Kind.LIBRARY, f"{name}{closing}" if is_quoted else f'"{name}"')
    if not is_quoted:
        for name in servers_offered(db, file):
            yield Completion(name, Kind.SERVER, name, "MCP server")


def _items(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    yield from _keywords(_ITEMS)
    facts = file_declarations(db, file)
    functions = [function.name for fact in facts for function in fact.functions]
    for label, text, meaning in skeletons(functions, [type_fact.name for fact in facts for type_fact in fact.types]):
        yield Completion(label, Kind.KEYWORD, text, meaning, Group.KEYWORD)


def _clauses(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    yield from _keywords(_CLAUSES)


_SOURCES: Final[dict[Wanted, Callable[[Database, FileId, Context, int], Iterator[Completion]]]] = {
    Wanted.VALUE: _values,
    Wanted.FIELD: _fields,
    Wanted.LITERAL_FIELD: _literal_fields,
    Wanted.VARIANT: _variants,
    Wanted.PATTERN: _patterns,
    Wanted.TYPE: _types,
    Wanted.CAPABILITY: _capabilities,
    Wanted.EFFECT_KIND: _quoted_kinds,
    Wanted.LIBRARY: _libraries,
    Wanted.ITEM: _items,
    Wanted.CLAUSE: _clauses,
    Wanted.KEYWORD: _keyword,
}
