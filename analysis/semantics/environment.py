"""Names visible in a file: its own definitions, those of imported libraries, and the builtins.

The diagnostics of a chunk depend on the environment only through an `ItemScope`: facts about the names that it mentions. So a
changed signature affects only its callers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Final, NamedTuple

from analysis.data_classes import dataclass, field
from analysis.database import Database, checkpoint, paced, query
from analysis.database.caches import cached
from analysis.inputs import FILE, FileId
from analysis.semantics.builtins import BUILTIN_TYPES, BUILTINS
from analysis.semantics.declarations import (
    NO_NAMES,
    BlockNames,
    FunctionFact,
    TypeFact,
    file_names,
    file_types,
)
from analysis.semantics.imports import direct_imports, imported_files, tools_of
from analysis.semantics.spelling import NearNames
from analysis.semantics.tool_names import NO_TOOLS, TOOL_TYPES, Tool, Tools
from analysis.text.blocks import Block


class Names:
    """A tuple of names that hashes quickly, since it is part of many keys."""

    __slots__ = ("_hash", "names", "near")

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self._hash = hash(names)
        self.near = NearNames(names)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Names) and self._hash == other._hash and self.names == other.names)


_NONE: Final = Names(())


class FreeNames(NamedTuple):
    """The outer names that a chunk mentions, by namespace, each sorted."""

    values: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


class ItemScope(NamedTuple):
    """The facts about the names of a `FreeNames`, in the same order.

    `functions` and `types` hold None for what is not declared (builtins are not in it: they never change). `variants` and
    `fields` hold all enums and records that have such a member. `function_names` and `type_names` are given only where the
    chunk mentions an unknown name, for suggestions. `doubtful` are mentioned names that a broken item may declare,
    `reached` are types that the chunk does not write down but meets through results, fields and payloads, `anonymous` the
    mentioned fields that records without a type have, `kinds` further types of which no member is asked: pairs of name and
    whether it is an enum. `tools` is empty for a program that uses no MCP servers.
    """

    functions: tuple[FunctionFact | None, ...] = ()
    types: tuple[TypeFact | None, ...] = ()
    variants: tuple[tuple[TypeFact, ...], ...] = ()
    fields: tuple[tuple[TypeFact, ...], ...] = ()
    function_names: Names | None = None
    type_names: Names | None = None
    doubtful: frozenset[str] = frozenset()
    reached: tuple[TypeFact, ...] = ()
    anonymous: frozenset[str] = frozenset()
    kinds: tuple[tuple[str, bool], ...] = ()
    tools: tuple[Tool | None, ...] = ()


class BlockScope:
    """The facts about the names of a block: the scope of all of them, those of its names and types that are doubtful.

    It is part of a key for each block of a file: hashed once. It gives its items the same scopes as the whole environment.
    """

    __slots__ = ("_hash", "_items", "doubtful", "free_names", "is_partial", "scope")

    def __init__(self, free_names: FreeNames, scope: ItemScope, doubtful: frozenset[str], is_partial: bool) -> None:
        self.free_names = free_names
        self.scope = scope
        self.doubtful = doubtful
        self.is_partial = is_partial
        self._hash = hash(self._value())
        self._items: dict[tuple[FreeNames, frozenset[str]], ItemScope] = {}
        """The scopes that were asked for: most items of an edited block are the ones of the block before."""

    def _value(self) -> tuple[FreeNames, ItemScope, frozenset[str], bool]:
        return self.free_names, self.scope, self.doubtful, self.is_partial

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, BlockScope) and self._hash == other._hash and self._value() == other._value())

    def item_scopes(self, mentioned: Iterable[FreeNames], anonymous: frozenset[str]) -> list[ItemScope]:
        """The scopes of items of the block; `anonymous` are the fields of records without a type."""
        around: Environment | None = None
        scopes = []
        for free_names in mentioned:
            if (scope := self._items.get((free_names, anonymous))) is None:
                around = around or Environment.of_block(self)
                if len(self._items) >= _MOST_ITEM_SCOPES:
                    self._items.clear()
                scope = self._items[free_names, anonymous] = around.item_scope(free_names, anonymous)
            scopes.append(scope)
        return scopes


@dataclass(slots=True)
class Environment:
    """All facts by name; of several definitions the last one counts (chapter 26 S12), the file's own over a library's.

    `is_partial`: a library is missing, and with it unknown names.
    """

    functions: dict[str, FunctionFact]
    types: dict[str, TypeFact]
    variants: dict[str, tuple[TypeFact, ...]]
    fields: dict[str, tuple[TypeFact, ...]]
    doubtful: frozenset[str]
    function_names: Names
    type_names: Names
    is_partial: bool = False
    tools: Tools = NO_TOOLS
    earlier: EarlierScopes | None = None
    """See `TypeTable`; None for the environment of a block."""
    _scopes: dict[int, tuple[Block, BlockScope]] = field(default_factory=dict, compare=False, repr=False)
    """Those of the blocks that the file has, and of few that it had, by the block's id: to hash all texts of a file takes as long
    as all else after a keystroke."""

    def item_scope(self, free_names: FreeNames, anonymous: frozenset[str] = frozenset()) -> ItemScope:
        """The facts about mentioned names; `anonymous` are the fields of records without a type."""
        values, named, variants, fields, used_tools = free_names
        pause = checkpoint if len(variants) + len(fields) > _LONG else _nothing
        functions = tuple(map(self.functions.get, values))
        types = tuple(map(self.types.get, named))
        # `None in` would call the comparison of each fact, and this is asked for every item of every file.
        unknown_value = not all(functions) and any(
            fact is None and name not in BUILTINS for name, fact in zip(values, functions, strict=True)
        )
        unknown_type = not all(types) and any(
            fact is None and name not in BUILTIN_TYPES for name, fact in zip(named, types, strict=True)
        )
        doubtful = NO_NAMES
        if self.doubtful:
            doubtful = self.doubtful.intersection((*values, *named, *variants, *fields))
        if self.is_partial:
            doubtful |= self._unknown(free_names)
        pause()
        reached = self._types_reached(free_names, functions, types) if fields or variants else ()
        pause()
        tools = self._tools(used_tools) if used_tools and self.tools else ()
        if tools:
            reached += tuple(
                [fact for fact in TOOL_TYPES if self.types.get(fact.name) is fact and fact not in (*types, *reached)]
            )
        return ItemScope(
            functions,
            types,
            tuple([self.variants.get(name, ()) for name in variants]) if variants else (),
            tuple([self.fields.get(name, ()) for name in fields]) if fields else (),
            self.function_names if unknown_value else None,
            self.type_names if unknown_type else None,
            doubtful,
            reached,
            anonymous.intersection(fields) if anonymous else anonymous,
            self._kinds(free_names, functions, types, reached),
            tools,
        )

    def _tools(self, names: tuple[str, ...]) -> tuple[Tool | None, ...]:
        return tuple([self.tools.find(name, self.types, self.fields) for name in names])

    def block_scopes(self, blocks: Sequence[Block], free_names: Callable[[Block], FreeNames]) -> list[BlockScope]:
        """The facts that concern the chunks of each block: equal as long as only others are declared, changed or removed."""
        if self.earlier is not None and len(self.earlier) > _SPARE_EARLIER + 4 * len(blocks):
            self.earlier.clear()
        scopes = self._scopes
        if unknown := [texts for texts in blocks if id(texts) not in scopes]:
            scopes |= {id(texts): (texts, self.block_scope(free_names(texts))) for texts in unknown}
            if len(scopes) > len(blocks) + _SPARE_SCOPES:
                scopes = self._scopes = {id(texts): scopes[id(texts)] for texts in blocks}
        return [scopes[id(texts)][1] for texts in blocks]

    def block_scope(self, free_names: FreeNames) -> BlockScope:
        """The facts of this environment about these names: enough for the scope of any item that mentions no others."""
        if self.earlier is None:
            return self._block_scope(free_names)
        cached = self.earlier.get(free_names)
        if cached is None or not self._is_as_before(cached, free_names):
            cached = self.earlier[free_names] = self._block_scope(free_names), self.doubtful
        return cached[0]

    def _is_as_before(self, cached: tuple[BlockScope, frozenset[str]], free_names: FreeNames) -> bool:
        """True if a cached scope and its doubtful names, from an environment with the same types, are valid here."""
        before, doubtful = cached
        scope = before.scope
        return (
            scope.functions == tuple(map(self.functions.get, free_names.values))
            and doubtful == self.doubtful
            and before.is_partial == self.is_partial
            and (scope.function_names is None or scope.function_names == self.function_names)
        )

    def _block_scope(self, free_names: FreeNames) -> BlockScope:
        scope = self.item_scope(free_names)
        doubtful = self.doubtful
        if doubtful:
            doubtful = doubtful.intersection(chain(*free_names, [fact.name for fact in scope.reached]))
        return BlockScope(free_names, scope, doubtful, self.is_partial)

    @classmethod
    def of_block(cls, block_scope: BlockScope) -> Environment:
        """An environment that gives the items of a block the same scopes as the whole one."""
        free_names, scope = block_scope.free_names, block_scope.scope
        functions = {name: fact for name, fact in zip(free_names.values, scope.functions, strict=True) if fact is not None}
        types = {name: TypeFact(name, is_enum, (), exported=False, broken=False) for name, is_enum in scope.kinds}
        types |= {fact.name: fact for fact in (*scope.types, *scope.reached) if fact is not None}
        variants = {name: facts for name, facts in zip(free_names.variants, scope.variants, strict=True) if facts}
        fields = {name: facts for name, facts in zip(free_names.fields, scope.fields, strict=True) if facts}
        names = scope.function_names or _NONE, scope.type_names or _NONE
        tools = Tools(True, by_name=dict(zip(free_names.tools, scope.tools, strict=True))) if scope.tools else NO_TOOLS
        return cls(functions, types, variants, fields, block_scope.doubtful, *names, block_scope.is_partial, tools)

    def _unknown(self, free_names: FreeNames) -> frozenset[str]:
        """The mentioned names without a visible declaration."""
        names = {name for name in free_names.values if name not in self.functions and name not in BUILTINS}
        names.update(name for name in free_names.types if name not in self.types)
        names.update(name for name in free_names.variants if name not in self.variants)
        names.update(name for name in free_names.fields if name not in self.fields)
        return frozenset(names)

    def _types_reached(
        self, free_names: FreeNames, functions: tuple[FunctionFact | None, ...], types: tuple[TypeFact | None, ...]
    ) -> tuple[TypeFact, ...]:
        """The types whose values the chunk can reach: through results, then through the members that it names."""
        members = {*free_names.fields, *free_names.variants}
        seen = set(free_names.types)
        todo = [name for function in functions if function is not None and function.result for name in names_in(function.result)]
        todo += [name for fact in types if fact is not None for name in _member_types(fact, members)]
        facts: list[TypeFact] = []
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            fact = self.types.get(name)
            if fact is not None:
                facts.append(fact)
                todo += _member_types(fact, members)
        return tuple(facts)

    def _kinds(
        self,
        free_names: FreeNames,
        functions: tuple[FunctionFact | None, ...],
        types: tuple[TypeFact | None, ...],
        reached: tuple[TypeFact, ...],
    ) -> tuple[tuple[str, bool], ...]:
        """The other types in signatures and members: their names, and whether they are enums."""
        names: set[str] = set()
        for fact in (*functions, *types, *reached):
            if fact is not None:
                names |= names_of(fact)
        names.intersection_update(self.types)
        if not names:
            return ()
        names.difference_update(free_names.types, [fact.name for fact in reached], self.doubtful)
        facts = [self.types[name] for name in sorted(names)]
        return tuple([(fact.name, fact.is_enum) for fact in facts if not fact.broken])


EarlierScopes = dict[FreeNames, tuple[BlockScope, frozenset[str]]]
"""The scopes of blocks as they were computed last, each with all doubtful names of its environment."""
_SPARE_SCOPES: Final = 20
"""Scopes of blocks that are gone which are kept: every key leaves one."""
_SPARE_EARLIER: Final = 50
"""Scopes that are kept beyond four for each block: every key leaves another one."""
_MOST_ITEM_SCOPES: Final = 200


def _nothing() -> None:
    """In place of a checkpoint where there is little to do."""


def _member_types(fact: TypeFact, members: set[str]) -> list[str]:
    rows = fact.members if len(fact.members) <= _LONG else paced(fact.members, 1_000)
    return [name for member, kind in rows if kind is not None and member in members for name in names_in(kind)]


_LONG: Final = 256
"""Members or parameters from which few facts are kept: each key in a type of a megabyte makes another fact of that size."""


def names_of(fact: FunctionFact | TypeFact) -> frozenset[str]:
    """The names in the types of a signature, or of a type's members."""
    is_long = len(fact.members if isinstance(fact, TypeFact) else fact.parameters) > _LONG
    return _names_of_long(fact) if is_long else _names_of_short(fact)


def _computed_names(fact: FunctionFact | TypeFact) -> frozenset[str]:
    if isinstance(fact, TypeFact):
        texts = [kind for _, kind in paced(fact.members, 1_000) if kind is not None]
    else:
        texts = [kind for _, kind in fact.parameters]
        texts += [fact.result] if fact.result is not None else []
    return frozenset([name for text in paced(texts, 1_000) for name in names_in(text)])


@cached(16)
def _names(names: tuple[str, ...]) -> Names:
    """The same object for the same names: a changed signature does not index them again."""
    return Names(names)


_names_of_short = cached(4_096)(_computed_names)
_names_of_long = cached(4)(_computed_names)


@cached(16_384)
def names_in(text: str) -> tuple[str, ...]:
    """The names in a type's text."""
    return tuple(_NAME.findall(text))


_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(slots=True)
class TypeTable:
    """The types that a file can name, by name; the enums with a variant, the records with a field; those that are broken.

    `tools` are those that a program can name beside the types, since both decide what a name means. `earlier` are the scopes of
    blocks that environments with these types and tools had; it is no part of the value.
    """

    types: dict[str, TypeFact]
    variants: dict[str, tuple[TypeFact, ...]]
    fields: dict[str, tuple[TypeFact, ...]]
    broken: frozenset[str]
    order: tuple[str, ...]
    """The names as they are suggested: dictionaries are equal whatever their order."""
    tools: Tools = NO_TOOLS
    earlier: EarlierScopes = field(default_factory=dict, compare=False, repr=False)


@query(subject=FILE)
def type_table(db: Database, file: FileId) -> TypeTable:
    """The types of a file and its libraries; the same object as long as no type comes, goes or changes."""
    types: dict[str, TypeFact] = {}
    for part in (*imported_files(db, file), file):
        types.update({fact.name: fact for fact in paced(file_types(db, part))})
    variants: dict[str, list[TypeFact]] = {}
    fields: dict[str, list[TypeFact]] = {}
    for fact in paced(types.values()):
        table = variants if fact.is_enum else fields
        for name in paced(dict.fromkeys(name for name, _ in paced(fact.members, 1_000)), 1_000):
            table.setdefault(name, []).append(fact)
    broken = frozenset([fact.name for fact in types.values() if fact.broken])
    return TypeTable(types, _fixed(variants), _fixed(fields), broken, tuple(types))


def _fixed(table: dict[str, list[TypeFact]]) -> dict[str, tuple[TypeFact, ...]]:
    return {name: tuple(facts) for name, facts in paced(table.items())}


@query(subject=FILE)
def tool_table(db: Database, file: FileId) -> TypeTable:
    """That of a file that uses tools, with the types of their results: the same object as long as no type and no tool changes."""
    table = type_table(db, file)
    types, fields = dict(table.types), dict(table.fields)
    for fact in TOOL_TYPES:
        if fact.name not in types:
            types[fact.name] = fact
            for name, _ in fact.members:
                fields[name] = (*fields.get(name, ()), fact)
    return TypeTable(types, table.variants, fields, table.broken, tuple(types), tools_of(db, file))


@query(subject=FILE)
def environment(db: Database, file: FileId) -> Environment:
    """Everything that a file can name besides builtins and locals."""
    functions: dict[str, FunctionFact] = {}
    table = tool_table(db, file) if tools_of(db, file) else type_table(db, file)
    doubtful = set(table.broken)
    for part in imported_files(db, file):
        _add(file_names(db, part), functions, doubtful, is_library=True)
    _add(file_names(db, file), functions, doubtful, is_library=False)
    names = _names(tuple(functions)), _names(table.order)
    whole = Environment(functions, table.types, table.variants, table.fields, frozenset(doubtful), *names)
    whole.tools, whole.earlier = table.tools, table.earlier
    whole.is_partial = any(
        imported.file is None and imported.fact.form in ("quoted", "dashed") for imported in direct_imports(db, file)
    )
    return whole


def _add(blocks: Iterable[BlockNames], functions: dict[str, FunctionFact], doubtful: set[str], is_library: bool) -> None:
    added: dict[str, FunctionFact] = {}
    for names in paced(blocks):
        added.update(names.facts)
        doubtful |= names.doubtful
    if is_library:
        added.pop("main", None)
    functions.update(added)
