"""What can be written at the cursor: names that mean something there, those first that fit best.

What is wanted says `completion_context.py`; here stands what there is of it. Texts to insert are snippets of the protocol
(`$1`, `${1:name}`, `$0`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

from analysis.database import Database, query
from analysis.ide import words
from analysis.ide.app_documentation import effect_kinds, skeletons
from analysis.ide.completion_context import Context, Wanted, context_at, word_end
from analysis.ide.name_types import known_in
from analysis.ide.names import Kind
from analysis.ide.tools import methods_offered, modules_offered, paths_offered, servers_offered
from analysis.ide.workspace_symbols import BEGINNING, ranking
from analysis.inputs import FILE, FileId, libraries, source
from analysis.semantics import ty
from analysis.semantics.builtins import BUILTIN_TYPES, BUILTINS, Builtin
from analysis.semantics.declarations import FunctionFact, TypeFact, file_declarations
from analysis.semantics.environment import environment, imported_files
from analysis.semantics.ty import Ty
from analysis.semantics.type_text import split_type
from analysis.tools.modules import RESULT

_NEAR: Final = 0
"""What fits best: locals of the expected type, fields, variants."""
_FITTING: Final = 1
_LOCAL: Final = 2
_OWN: Final = 3
_TYPES: Final = 4
_BUILT_IN: Final = 5
_KEYWORD: Final = 6
_ELSEWHERE: Final = 7
_BLOCKS: Final = {
    "if": "if $1 {\n    $0\n}",
    "match": "match $1 {\n    $0\n}",
    "while": "while $1 {\n    $0\n}",
    "for": "for ${1:item} in $2 {\n    $0\n}",
    "let": "let $0",
    "return": "return $0",
}
_FIELD_VALUE: Final = re.compile(r"\b(\w+):[ ]?\Z")
_FARTHEST_FIELD: Final = 200
_FREQUENT: Final = 5
"""How many of the types that a file uses most come before all others."""
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
"""What is mostly matched."""
_PARTS: Final = {"Option": ("Some", "None"), "Result": ("Ok", "Err"), "Bool": ("true", "false")}
"""The patterns of values whose types no program declares."""


class Completion(NamedTuple):
    """Something to write. Lower groups come first; `library` is one that has to be imported for it."""

    label: str
    kind: Kind
    insert: str
    detail: str = ""
    group: int = _OWN
    library: str = ""


class Completions(NamedTuple):
    """What is wanted, what there is of it that fits, and the span that it replaces."""

    span: tuple[int, int]
    found: tuple[Completion, ...]
    wanted: Wanted


def completions(db: Database, file: FileId, offset: int) -> Completions:
    """Everything that can be written at an offset and fits what is written already, the best first."""
    asked = context_at(db, file, offset)
    source_of = _SOURCES.get(asked.wanted)
    rank, ranked, seen = ranking(asked.prefix), [], set()
    for number, one in enumerate(source_of(db, file, asked, offset) if source_of else ()):
        if (fit := rank(one.label)) is not None:
            # Names that begin as the word does come before all others; of those, what fits the place better.
            ranked.append((_match(fit) if asked.prefix else 0, one.group, fit if asked.prefix else 0, number, one))
    ranked.sort()
    found = []
    for *_, one in ranked:
        # A name that hides another one comes before it.
        if one.label not in seen:
            seen.add(one.label)
            found.append(one)
    return Completions((asked.start, offset), tuple(found), asked.wanted)


def _match(fit: int) -> int:
    return 0 if fit <= BEGINNING else 1


# ---- values ---------------------------------------------------------------------------------------------------------


def _values(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    called = _is_called(source(db, file).text, offset)
    fits = _fitting(db, file, asked)
    if (field := _FIELD_VALUE.search(source(db, file).text, max(asked.start - _FARTHEST_FIELD, 0), asked.start)) is not None:
        for value, meaning in effect_kinds(field[1], environment(db, file).types.values()):
            yield Completion(value, Kind.KEYWORD, value, meaning, _NEAR)
    for name, held in reversed(asked.visible):
        group = _NEAR if _fits(held, asked) else _FITTING if asked.prefix else _LOCAL
        yield Completion(name, Kind.LOCAL, name, told_plainly(held), group)
    yield from (Completion(name, Kind.KEYWORD, f"{name} {{\n    $0\n}}", words.KEYWORDS[name], _NEAR) for name in asked.keywords)
    for name in () if asked.is_matched else _constants_of(asked.expected):
        # Nobody writes `if true`.
        yield Completion(name, Kind.KEYWORD, _VALUES[name], words.KEYWORDS[name], _OWN if asked.is_condition else _FITTING)
    known = environment(db, file)
    for one, result, is_own in functions_offered(db, file):
        # What is offered in a long file are mostly its functions: they are made once.
        if is_own and fits(result):
            one = one._replace(group=_FITTING)
        yield one._replace(insert=one.label) if called else one
    for one, name in values_offered(db, file):
        yield (one._replace(insert=one.label) if called else one)._replace(group=_FITTING if fits(name) else one.group)
    for one, result in _builtins():
        if one.label not in known.functions:
            one = one._replace(group=_TYPES) if fits(result) else one
            yield one._replace(insert=one.label) if called else one
    for name in modules_offered(db, file):
        yield Completion(name, Kind.SERVER, f"{name}::$0", "MCP server", _TYPES)
    # Who has begun to write a keyword where a statement can begin mostly means it.
    group = _FITTING if len(asked.prefix) > 1 and asked.begins else _KEYWORD
    for one in _keywords(_BLOCKS):
        if asked.begins or one.label in ("if", "match"):
            yield one._replace(group=group)
    yield from _keywords(_VALUES)
    if asked.prefix:
        yield from _elsewhere(db, file, lambda facts: facts.functions, lambda one: _function(one, _ELSEWHERE, called))


def _quoted_kinds(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    for literal, meaning in effect_kinds("kind", environment(db, file).types.values()):
        kind = literal.strip('"')
        yield Completion(kind, Kind.KEYWORD, kind, meaning, _NEAR)


def _is_called(text: str, offset: int) -> bool:
    """Whether arguments stand behind the word already."""
    end = word_end(text, offset)
    return text[end : end + 1] == "("


def told_plainly(held: Ty) -> str:
    """The text of a type for readers; "" where nothing is known of it."""
    return (ty.told(held) or "").replace("?", "_")


def _fits(held: Ty, asked: Context) -> bool:
    """Whether a value of a type is certainly what is expected."""
    if asked.is_matched:
        return held.head in _MATCHED
    return held.is_known and asked.expected.is_known and ty.fits(held, asked.expected)


def _fitting(db: Database, file: FileId, asked: Context) -> Callable[[str | None], bool]:
    """The same of a type that is given by its text."""
    if not asked.expected.is_known and not asked.is_matched:
        return lambda text: False
    facts = known_in(db, file)

    @cache
    def fits(text: str | None) -> bool:
        return _fits(facts.read(text), asked)

    return fits


def _constants_of(expected: Ty) -> tuple[str, ...]:
    return {"Bool": ("true", "false"), "Option": ("Some", "None"), "Result": ("Ok", "Err")}.get(expected.head, ())


def _keyword(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    for name in asked.keywords:
        yield Completion(name, Kind.KEYWORD, f"{name} $0", words.KEYWORDS[name], _NEAR)


@query(subject=FILE)
def functions_offered(db: Database, file: FileId) -> tuple[tuple[Completion, str | None, bool], ...]:
    """The functions that a file can call, each with its result and whether it is the file's own."""
    own = {fact.name for facts in file_declarations(db, file) for fact in facts.functions}
    functions = environment(db, file).functions.values()
    return tuple([(_function(made, _OWN, False), made.result, made.name in own) for made in functions if made.name != "main"])


@query(subject=FILE)
def values_offered(db: Database, file: FileId) -> tuple[tuple[Completion, str], ...]:
    """The values of types that a file can write down, each with its type."""
    types = environment(db, file).types.values()
    return tuple([(one, declared.name) for declared in types for one in _made(declared, _TYPES)])


@cache
def _builtins() -> tuple[tuple[Completion, str], ...]:
    """The builtin functions, each with its result."""
    return tuple([(_builtin(one), one.result) for one in BUILTINS.values()])


def _builtin(one: Builtin) -> Completion:
    detail = one.signature.partition(one.name)[2]
    return Completion(one.name, Kind.BUILTIN, _with_arguments(one.name, one.arity), detail, _BUILT_IN)


def _function(fact: FunctionFact, group: int, called: bool) -> Completion:
    parameters = ", ".join(f"{name}: {kind}" for name, kind in fact.parameters)
    result = f" -> {fact.result}" if fact.result else ""
    insert = fact.name if called else _with_arguments(fact.name, len(fact.parameters))
    return Completion(fact.name, Kind.FUNCTION, insert, f"({parameters}){result}", group)


def _with_arguments(name: str, count: int) -> str:
    return f"{name}($0)" if count else f"{name}()"


def _made(fact: TypeFact, group: int) -> Iterator[Completion]:
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
        yield Completion(name, Kind.KEYWORD, insert, words.KEYWORDS[name], _KEYWORD)


def _elsewhere(
    db: Database, file: FileId, facts_of: Callable[..., tuple[FunctionFact | TypeFact, ...]], make: Callable[..., Completion]
) -> Iterator[Completion]:
    """What libraries have that are not imported yet."""
    there = {*imported_files(db, file), file}
    known = environment(db, file)
    for name, library in libraries(db, file.workspace, file.libs).files:
        if library in there or library.path == file.path:
            continue
        for facts in file_declarations(db, library):
            for fact in facts_of(facts):
                if fact.name != "main" and fact.name not in known.functions and fact.name not in known.types:
                    yield make(fact)._replace(library=name, group=_ELSEWHERE)


# ---- the rest -------------------------------------------------------------------------------------------------------


def _fields(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    known = environment(db, file)
    owner = asked.owner
    if owner in (None, RESULT):
        for method in methods_offered(db, file):
            yield Completion(method.name, Kind.TOOL, f"{method.name}()", f"() -> {method.result}")
    if owner is not None:
        facts = [known.types[owner]] if owner in known.types and not known.types[owner].is_enum else []
    else:
        facts = [fact for fact in known.types.values() if not fact.is_enum]
    fits = _fitting(db, file, asked)
    for fact in facts:
        for name, kind in fact.members:
            detail = kind or "" if owner else f"{kind}, of {fact.name}"
            yield Completion(name, Kind.FIELD, name, detail, _NEAR if fits(kind) else _FITTING)


def _literal_fields(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    fact = environment(db, file).types.get(str(asked.owner))
    for name, kind in fact.members if fact is not None and not fact.is_enum else ():
        if name not in asked.given:
            yield Completion(name, Kind.FIELD, f"{name}: $0", kind or "", _NEAR)
    yield Completion("..", Kind.KEYWORD, "..$0", "the other fields of a record", _KEYWORD)


def _variants(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    for one in paths_offered(db, file, str(asked.owner)) if asked.owner not in environment(db, file).types else ():
        insert = f"{one.name}::$0" if one.is_module else f"{one.name}($0)" if one.has_arguments else f"{one.name}()"
        yield Completion(one.name, Kind.SERVER if one.is_module else Kind.TOOL, insert, one.detail, _NEAR)
    fact = environment(db, file).types.get(str(asked.owner))
    called = _is_called(source(db, file).text, offset)
    for name, payload in fact.members if fact is not None and fact.is_enum else ():
        yield Completion(name, Kind.VARIANT, f"{name}($0)" if payload and not called else name, payload or "", _NEAR)


def _patterns(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    known = environment(db, file)
    owner = asked.owner
    behind = source(db, file).text[offset:].lstrip()
    arm = " => $0," if asked.begins and not behind.startswith(("=>", "(")) else ""
    head = split_type(owner)[0] if owner is not None else None
    facts = [known.types[owner]] if owner in known.types else list(known.types.values()) if owner is None else []
    for fact in facts:
        for name, payload in fact.members if fact.is_enum else ():
            yield Completion(name, Kind.VARIANT, _bound(name, payload is not None) + arm, payload or fact.name, _NEAR)
    for kind, names in _PARTS.items():
        for name in names if head in (None, kind) else ():
            yield Completion(name, Kind.KEYWORD, _bound(name, name in ("Some", "Ok", "Err")) + arm, kind, _FITTING)
    yield Completion("_", Kind.KEYWORD, f"_{arm}", "every other value", _KEYWORD)


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
    # What a file speaks of, it speaks of again.
    yield from sorted(
        (one._replace(group=_NEAR) for one in offered if one.label in frequent), key=lambda one: frequent[one.label]
    )
    yield from (one for one in offered if one.label not in frequent)


def _all_types(db: Database, file: FileId, asked: Context) -> Iterator[Completion]:
    for declared in environment(db, file).types.values():
        yield Completion(declared.name, Kind.ENUM if declared.is_enum else Kind.RECORD, declared.name)
    for name in sorted(BUILTIN_TYPES):
        yield Completion(name, Kind.BUILTIN_TYPE, name, words.TYPES.get(name, ""), _TYPES)
    for name, insert in _GENERICS.items():
        yield Completion(name, Kind.BUILTIN_TYPE, insert, words.TYPES[name], _TYPES)
    if asked.prefix:
        yield from _elsewhere(
            db,
            file,
            lambda facts: facts.types,
            lambda one: Completion(one.name, Kind.ENUM if one.is_enum else Kind.RECORD, one.name),
        )


def _capabilities(db: Database, file: FileId, asked: Context, offset: int) -> Iterator[Completion]:
    for name, meaning in words.CAPABILITIES.items():
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
    functions = [made.name for fact in facts for made in fact.functions]
    for label, text, meaning in skeletons(functions, [made.name for fact in facts for made in fact.types]):
        yield Completion(label, Kind.KEYWORD, text, meaning, _KEYWORD)


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
