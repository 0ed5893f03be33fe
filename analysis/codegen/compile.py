"""A file as a module (chapters 06 and 07), or why it does not compile: the reference's error first, then all others.

The code of each chunk comes from `codegen.generate`; here it is put together: libraries before the file, constants one list.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Final, NamedTuple

from analysis.bytecode.module import Constant, FunctionCode, Module, Op, Origin
from analysis.codegen.generate import Unit, generated
from analysis.codegen.index import Given, index, is_imported, mentioned, program_files
from analysis.data_classes import dataclass
from analysis.database import Database, paced, query
from analysis.diagnostics.check import check_file, item_diagnostics
from analysis.diagnostics.diagnostic import Diagnostic, Severity, Topic
from analysis.diagnostics.syntax_errors import first_error, unsound_chunks
from analysis.inputs import BLOCK, CHUNK, FILE, FileId, defect, source
from analysis.semantics.environment import environment
from analysis.semantics.imports import imports_seen_from
from analysis.semantics.summary import item_index
from analysis.text.blocks import Block

_PREFIXES: Final = {"E008": "codegen error: ", "E009": "type error: "}
VERSION: Final = 1
"""Of modules; the only one there is."""
REFUSING: Final = frozenset(("E001", "E002", "E003", "E008", "E009", "E013", "E014", "E015", "E016", "E017"))
"""Codes of diagnostics that keep a program from compiling."""
_WITH_CONSTANT: Final = frozenset(("PushConst", "Assert", "GetNamed", "MakeAnonymous"))


@dataclass(frozen=True, slots=True)
class CompileError:
    """One reason why a file does not compile. `start` and `end` are the true place, absolute in `file`.

    `line` and `column` (from 1, in bytes) are given where the reference reports others than those of the place.
    """

    code: str
    message: str
    file: FileId
    start: int
    end: int
    line: int | None = None
    column: int | None = None
    help: str = ""
    is_of_call: bool = False
    """True if it says that a call has too many or too few arguments."""

    @property
    def sentence(self) -> str:
        """The error as command lines have always printed it."""
        if self.line is not None and self.column is not None:
            return f"lexer error at line {self.line}, col {self.column}: {self.message}"
        if self.line is not None:
            return f"parse error at line {self.line}: {self.message}"
        return _PREFIXES.get(self.code, "") + self.message


@dataclass(frozen=True, slots=True)
class Compiled:
    """Either a module or errors."""

    module: Module | None
    errors: tuple[CompileError, ...]


@query(limit=1000, subject=FILE)
def compile_file(db: Database, file: FileId, name: str) -> Compiled:
    """Compiles a file with what it imports."""
    parts = program_files(db, file)
    if any(_is_unreadable(db, part) for part in parts):
        return Compiled(None, tuple(_errors(db, file, parts, [])))
    blocks = [block for part in parts for block in _blocks(db, file, part)]
    if not any(block.units.is_refused for block in blocks) and not any(_unknown_imports(db, file, part) for part in parts):
        return Compiled(_module(db, file, name, blocks), ())
    return Compiled(None, tuple(_errors(db, file, parts, [placed for block in blocks for placed in paced(block.placed())])))


class ModuleSize(NamedTuple):
    """Number of functions, types and constants in a module, and the index of its entry function."""

    functions: int
    types: int
    constants: int
    entry: int


@query(subject=FILE)
def module_size(db: Database, file: FileId) -> ModuleSize | None:
    """The size of the module of a file, whose functions are not put in their places for it; None if there are errors."""
    parts = program_files(db, file)
    if any(_is_unreadable(db, part) for part in parts):
        return None
    blocks = [units for part in parts for units in _part_units(db, file, part)]
    if any(units.is_refused for units in blocks) or any(_unknown_imports(db, file, part) for part in parts):
        return None
    functions, constants = sum(len(units.rows) for units in blocks), sum(len(units.constants) for units in blocks)
    program = index(db, file)
    return ModuleSize(functions, len(program.entries), constants, program.entry)


def _part_units(db: Database, file: FileId, part: FileId) -> list[BlockUnits]:
    """The functions of one file of a program, block by block."""
    return [block_units(db, file, texts, part != file) for texts in source(db, part).blocks]


def _is_unreadable(db: Database, file: FileId) -> bool:
    return bool(defect(db, file)) or bool(unsound_chunks(db, file))


class BlockUnits(NamedTuple):
    """The functions of a block that become part of a program: the chunk of each, its number in it, and what its names mean.

    `constants` are those of all of them; `is_refused`: one of them keeps the program from compiling.
    """

    rows: tuple[tuple[int, int, Given, Unit], ...]
    constants: tuple[Constant, ...]
    is_refused: bool


class _Block(NamedTuple):
    """A block of a file of a program; `offsets` are where its chunks start."""

    part: FileId
    texts: Block
    offsets: list[int]
    is_library: bool
    units: BlockUnits

    def placed(self) -> Iterator[tuple[Unit, Origin]]:
        """The functions and where they come from."""
        for chunk, _, _, unit in self.units.rows:
            yield unit, Origin(self.part, self.offsets[chunk])


def _blocks(db: Database, file: FileId, part: FileId) -> Iterator[_Block]:
    """The functions of one file of a program, block by block."""
    text = source(db, part)
    is_library = part != file
    for texts, start in zip(text.blocks, text.grouped.starts, strict=True):
        offsets = text.offsets[start : start + len(texts)]
        yield _Block(part, texts, offsets, is_library, block_units(db, file, texts, is_library))


@query(limit=20_000, subject=(FILE, BLOCK))
def block_units(db: Database, file: FileId, texts: Block, is_library: bool) -> BlockUnits:
    """The functions of a block as part of the program of a file."""
    names = index(db, file)
    rows: list[tuple[int, int, Given, Unit]] = []
    for chunk, text in enumerate(texts):
        given = names.facts_about(mentioned(db, text))
        for number, unit in enumerate(generated(db, text, given)):
            if is_imported(unit.name, is_library):
                rows.append((chunk, number, given, unit))
    constants = tuple([constant for *_, unit in rows for constant in unit.constants])
    return BlockUnits(tuple(rows), constants, any(unit.refused or unit.problem for *_, unit in rows))


# ---- putting together -----------------------------------------------------------------------------------------------


def _module(db: Database, file: FileId, name: str, blocks: list[_Block]) -> Module:
    program = index(db, file)
    functions: list[FunctionCode] = []
    constants: list[Constant] = []
    for block in blocks:
        functions += placed_code(db, file, block.texts, block.part, block.offsets[0], len(constants))
        constants += block.units.constants
    return Module(name, VERSION, tuple(constants), (), program.entries, tuple(functions), program.entry)


@query(limit=400, subject=(FILE, BLOCK))
def placed_code(
    db: Database, file: FileId, texts: Block, part: FileId, offset: int, first_constant: int
) -> tuple[FunctionCode, ...]:
    """The block's functions at an offset of a part of the program: those before an edit keep their place."""
    is_library = part != file
    codes = block_code(db, file, texts, is_library, first_constant)
    offsets = list(accumulate(map(len, texts), initial=offset))
    rows = block_units(db, file, texts, is_library).rows
    return tuple([code.placed(Origin(part, offsets[row[0]])) for row, code in zip(rows, codes, strict=True)])


@query(limit=20_000, subject=(FILE, BLOCK))
def block_code(db: Database, file: FileId, texts: Block, is_library: bool, first_constant: int) -> tuple[FunctionCode, ...]:
    """The functions of a block whose constants begin at an index of the module's list."""
    codes = []
    for chunk, number, given, unit in paced(block_units(db, file, texts, is_library).rows):
        codes.append(relocated(db, texts[chunk], given, number, first_constant))
        first_constant += len(unit.constants)
    return tuple(codes)


@query(limit=20_000, subject=CHUNK)
def relocated(db: Database, text: str, given: Given, number: int, first_constant: int) -> FunctionCode:
    """A function of a chunk whose constants begin at an index of the module's list."""
    unit = generated(db, text, given)[number]
    return FunctionCode(
        unit.name,
        unit.arity,
        unit.locals,
        tuple([_moved(op, first_constant) for op in paced(unit.code, 1_000)]) if first_constant else unit.code,
        unit.capabilities,
        unit.intent,
        unit.match_tables,
        unit.spans,
        unit.field_names,
        unit.parameters,
        compiled=True,
        local_names=unit.local_names,
    )


def _moved(op: Op, by: int) -> Op:
    return (op[0], op[1] + by, *op[2:]) if op[0] in _WITH_CONSTANT else op


# ---- errors ---------------------------------------------------------------------------------------------------------


def _errors(db: Database, file: FileId, parts: tuple[FileId, ...], placed: list[tuple[Unit, Origin]]) -> list[CompileError]:
    """All errors, the one that the reference reports first."""
    diagnostics = [error for part in parts for error in paced(_diagnostics(db, file, part))]
    first = _first(db, parts, placed, diagnostics)
    if first is None:
        return diagnostics
    return [first, *(error for error in diagnostics if not _is_same(error, first))]


def _is_same(compile_error: CompileError, first: CompileError) -> bool:
    if compile_error.file != first.file or compile_error.code != first.code:
        return False
    return compile_error.message == first.message and compile_error.start <= first.end and first.start <= compile_error.end


def _first(
    db: Database, parts: tuple[FileId, ...], placed: list[tuple[Unit, Origin]], compile_errors: list[CompileError]
) -> CompileError | None:
    for part in parts:
        syntax = first_error(db, part)
        if syntax is not None:
            same = [
                error
                for error in compile_errors
                if error.file == part and error.code == syntax.code and error.message == syntax.message
            ]
            place = min(same, key=lambda error: abs(_line(db, error) - syntax.line), default=None)
            start, end, help = (place.start, place.end, place.help) if place else (*_line_span(db, part, syntax.line), "")
            return CompileError(syntax.code, syntax.message, part, start, end, syntax.line, syntax.column, help)
    imports = next((error for error in compile_errors if error.code == "E013"), None)
    if imports is not None:
        return imports
    # The checker visits arguments before their call: calls are checked at their end.
    rules = [error for error in compile_errors if error.code == "E009"]
    order = {part: place for place, part in enumerate(parts)}
    if rules:
        return min(rules, key=lambda error: (order[error.file], error.end if error.is_of_call else error.start))
    for unit, origin in placed:
        if unit.problem is not None:
            start, end = unit.problem.span
            reported = next(
                (error for error in compile_errors if error.message == unit.problem.message and error.file == origin.file), None
            )
            help = reported.help if reported is not None else ""
            return CompileError("E008", unit.problem.message, origin.file, origin.base + start, origin.base + end, help=help)
    return None


def _line(db: Database, compile_error: CompileError) -> int:
    return source(db, compile_error.file).position(compile_error.start)[0] + 1


def _line_span(db: Database, file: FileId, line: int) -> tuple[int, int]:
    """The span of a line, counted from 1; the end of the text if it has fewer."""
    text = source(db, file).text
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
        if not start:
            return len(text), len(text)
    end = text.find("\n", start)
    return start, len(text) if end < 0 else end


def _diagnostics(db: Database, file: FileId, part: FileId) -> Iterator[CompileError]:
    """The diagnostics that keep a file of a program from compiling, in order of position."""
    for start, entry in _placed_diagnostics(db, file, part):
        if entry.severity is Severity.ERROR and entry.code in REFUSING:
            code = "E009" if entry.code == "E003" else entry.code
            span = start + entry.span[0], start + entry.span[1]
            is_of_call = entry.topic is Topic.CALL_ARITY
            yield CompileError(code, entry.message, part, *span, help=entry.help, is_of_call=is_of_call)


def _placed_diagnostics(db: Database, file: FileId, part: FileId) -> Iterator[tuple[int, Diagnostic]]:
    """Diagnostics with the offsets of their chunks. Those of a library are checked as part of the program, not by itself."""
    text = source(db, part)
    placed = check_file(db, part).placed(text)
    if part == file:
        yield from placed
        return
    unknown = _unknown_imports(db, file, part)
    for start, entry in placed:
        if entry.code in ("E001", "E002", "E014") or (entry.code == "E013" and entry.name in unknown):
            yield start, entry
    around = environment(db, file)
    for start, chunk in zip(text.offsets, text.chunks, strict=True):
        for entry in item_diagnostics(db, chunk.text, around.item_scope(item_index(db, chunk.text).free_names)):
            yield start, entry


def _unknown_imports(db: Database, file: FileId, part: FileId) -> list[str]:
    """The libraries that a file of a program imports and that do not exist."""
    return [
        imported.fact.name
        for imported in imports_seen_from(db, part, file.workspace, file.libs)
        if imported.file is None and imported.fact.form in ("quoted", "dashed")
    ]
