"""Facts about a chunk that other items depend on: signatures, type definitions, imports. Values without positions.

An edit of a function's body leaves them equal, and everything that depends on them stops there.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import chain
from typing import Final, NamedTuple

from analysis.data_classes import dataclass, field
from analysis.database import Database, checkpoint, paced, query
from analysis.inputs import BLOCK, CHUNK, FILE, FileId, source
from analysis.semantics.tools.call_syntax import name_of
from analysis.semantics.tools.modules import module_path
from analysis.syntax.block_answers import of_blocks
from analysis.syntax.lexer import IDENT, Tokens
from analysis.syntax.parser import ChunkTree, parse
from analysis.syntax.tree import Enum, Expr, Function, Import, Module, Record, type_text, walk
from analysis.text.blocks import Block

RESIDENT_TREES: Final = 4_000
"""Trees that stay in memory, more than the largest file has: those of 100,000 lines take as much as all else together, and
what depends on a tree has kept the little that it needs. One that is asked for again is parsed again, in a tenth of a
millisecond.
"""
NO_NAMES: Final[frozenset[str]] = frozenset()
"""One for all: an empty set of its own for each chunk would take 2 MB in 100,000 lines."""


@dataclass(frozen=True, slots=True)
class FunctionFact:
    """`parameters` are pairs of name and type; a result of None was not written. `broken`: the header could not be read whole."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    result: str | None
    capabilities: tuple[str, ...]
    exported: bool
    broken: bool
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        # Facts are parts of the keys of hundreds of answers: hashed once.
        object.__setattr__(self, "_hash", hash((self.name, self.parameters, self.result, self.capabilities, self.broken)))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, slots=True)
class TypeFact:
    """A record (`members` are fields and their types) or an enum (variants and their payloads, None without one)."""

    name: str
    is_enum: bool
    members: tuple[tuple[str, str | None], ...]
    exported: bool
    broken: bool
    _hash: int = field(init=False, compare=False, repr=False)
    _table: dict[str, str | None] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.name, self.is_enum, self.members, self.broken)))
        # If several members have one name, the first counts.
        object.__setattr__(self, "_table", dict(reversed(self.members)))

    def __hash__(self) -> int:
        return self._hash

    def member(self, name: str) -> str | None:
        """The type of a field or payload; None if there is none."""
        return self._table.get(name)

    def has(self, name: str) -> bool:
        return name in self._table


@dataclass(frozen=True, slots=True)
class ImportFact:
    """`form` is `bare`, `dashed`, `quoted` or `mcp`; `path` for a server that the path of a tool names."""

    name: str
    form: str


@dataclass(frozen=True, slots=True)
class Declarations:
    """Declarations of one chunk, in order. `doubtful` holds names that a broken item may have been meant to declare."""

    functions: tuple[FunctionFact, ...] = ()
    types: tuple[TypeFact, ...] = ()
    imports: tuple[ImportFact, ...] = ()
    doubtful: frozenset[str] = NO_NAMES


@query(limit=RESIDENT_TREES, subject=CHUNK)
def chunk_tree(db: Database, text: str) -> ChunkTree:
    """The syntax tree of a chunk's text."""
    return parse(text)


@query(limit=100_000, subject=CHUNK)
def declarations(db: Database, text: str) -> Declarations:
    """Declarations of a chunk."""
    tree = chunk_tree(db, text)
    functions: list[FunctionFact] = []
    types: list[TypeFact] = []
    imports: list[ImportFact] = []
    for item in tree.items:
        match item:
            case Function():
                parameters = tuple((parameter.name, type_text(parameter.type)) for parameter in paced(item.parameters))
                result = type_text(item.result) if item.result else None
                capabilities = tuple(capability.name for capability in item.capabilities)
                # A character that is no token leaves out what it means: `n: Int?`.
                broken = item.broken or tree.tokens.has_error(item.start, item.body.start)
                functions.append(FunctionFact(item.name, parameters, result, capabilities, item.exported, broken))
            case Record(fields=fields):
                members = tuple((member.name, type_text(member.type)) for member in paced(fields))
                types.append(TypeFact(item.name, False, members, item.exported, item.broken))
            case Enum(variants=variants):
                payloads = tuple(
                    (variant.name, type_text(variant.payload) if variant.payload else None) for variant in paced(variants)
                )
                types.append(TypeFact(item.name, True, payloads, item.exported, item.broken))
            case Import(form=form):
                imports.append(ImportFact(module_path(item.name) if form == "mcp" else item.name, form))
    whole = not tree.errors or all(isinstance(item, Module) or not item.broken for item in tree.items)
    covers = whole and bool(tree.items or not tree.errors) and not _has_junk(tree)
    doubtful = NO_NAMES if covers else _outer_names(tree.tokens)
    return Declarations(tuple(functions), tuple(types), tuple(imports), doubtful)


def _has_junk(tree: ChunkTree) -> bool:
    """True if an error lies outside all items: then an intended item was not recognised."""
    starts = [item.start for item in tree.items]
    for error in tree.errors:
        place = bisect_right(starts, error.start)
        if not any(item.start <= error.start <= item.end for item in tree.items[max(0, place - 2) : place]):
            return True
    return False


def _outer_names(tokens: Tokens) -> frozenset[str]:
    """The identifiers outside all braces."""
    names, depth = set(), 0
    for index, kind in enumerate(paced(tokens.kinds, 2_000)):
        depth += (kind == "{") - (kind == "}")
        if kind == IDENT and depth <= 0:
            names.add(tokens.word(index))
    return frozenset(names)


@query(subject=BLOCK)
def block_declarations(db: Database, texts: Block) -> tuple[Declarations, ...]:
    """Declarations of each chunk of a block."""
    return tuple([declarations(db, text) for text in texts])


class BlockNames(NamedTuple):
    """The names that a block declares; `all` are those of functions, types, fields and variants.

    `facts` are its functions by name (of several the last one), `order` their order, which dictionaries do not compare,
    `doubtful` the names that its broken items may declare.
    """

    functions: frozenset[str]
    types: frozenset[str]
    all: frozenset[str]
    definitions: int
    has_capabilities: bool
    facts: dict[str, FunctionFact]
    order: tuple[str, ...]
    doubtful: frozenset[str]


@query(subject=BLOCK)
def block_names(db: Database, texts: Block) -> BlockNames:
    """The names that a block declares."""
    facts = block_declarations(db, texts)
    functions = [function for fact in facts for function in fact.functions]
    types = [type_fact for fact in facts for type_fact in fact.types]
    function_names, type_names = frozenset([fact.name for fact in functions]), frozenset([fact.name for fact in types])
    checkpoint()
    members = frozenset([member for fact in types for member, _ in paced(fact.members)])
    checkpoint()
    by_name = {fact.name: fact for fact in functions}
    return BlockNames(
        function_names,
        type_names,
        function_names | type_names | members,
        len(functions) + len(types),
        any(fact.capabilities for fact in functions),
        by_name,
        tuple(by_name),
        NO_NAMES.union(*[fact.doubtful for fact in facts]),
    )


@query(subject=FILE)
def file_names(db: Database, file: FileId) -> tuple[BlockNames, ...]:
    """The names that a file declares, block by block."""
    return tuple(of_blocks(db, file, block_names))


@query(subject=FILE)
def _blocks_declarations(db: Database, file: FileId) -> tuple[tuple[Declarations, ...], ...]:
    """`file_declarations` for each block: after a keystroke in a body nothing is put together and compared for each chunk."""
    return tuple(of_blocks(db, file, block_declarations))


@query(subject=FILE)
def file_declarations(db: Database, file: FileId) -> tuple[Declarations, ...]:
    """Declarations of each chunk of a file; equal as long as only bodies change."""
    return tuple(chain.from_iterable(_blocks_declarations(db, file)))


@query(subject=FILE)
def file_types(db: Database, file: FileId) -> tuple[TypeFact, ...]:
    """The types that a file declares, in their order; equal as long as only functions change."""
    declared = paced(file_declarations(db, file), 2_000)
    return tuple([fact for chunk_facts in declared if chunk_facts.types for fact in chunk_facts.types])


@query(subject=FILE)
def block_starts(db: Database, file: FileId) -> tuple[int, ...]:
    """The chunks with which the blocks of a file begin; equal as long as no item comes or goes."""
    return source(db, file).grouped.starts


@query(subject=BLOCK)
def block_imports(db: Database, texts: Block) -> tuple[ImportFact, ...]:
    """The imports of a block. Only chunks that can have one are parsed for it."""
    imports = [fact for text in texts if "import" in text for fact in declarations(db, text).imports]
    return (*imports, *[fact for text in texts if _PATH in text for fact in tool_paths(db, text)])


_PATH: Final = "mcp"
"""First part of a path that names a server."""


@query(limit=20_000, subject=CHUNK)
def tool_paths(db: Database, text: str) -> tuple[ImportFact, ...]:
    """The servers that a chunk names by the paths of their tools; `mcp` for the functions of `mcp` itself."""
    names = [name_of(node) for item in chunk_tree(db, text).items for node in walk(item) if isinstance(node, Expr)]
    paths = [name.split("::") for name in names if name is not None and name.startswith("mcp::")]
    return tuple([ImportFact(".".join(path[:-1]), "path") for path in sorted(paths)])


@query(subject=FILE)
def file_imports(db: Database, file: FileId) -> tuple[ImportFact, ...]:
    """All imports of a file, in order. Only chunks that may hold one are parsed."""
    return tuple(chain.from_iterable(of_blocks(db, file, block_imports)))
