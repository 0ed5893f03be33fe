"""Common parts of the tools that take a place in a program: code or path, a position or a symbol path."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, TypeVar

from pydantic import Field

from analysis.diagnostics.syntax_errors import error_around
from analysis.ide.definition import definition
from analysis.ide.symbol_paths import Candidate, find_symbol
from analysis.ide.target import target_at
from analysis.inputs import FileId, defect, source
from boruna_ls.answers.analysis import candidates
from boruna_ls.answers.positions import offset_of, place
from boruna_ls.mcp.arguments import Arguments, Offset, refusal
from boruna_ls.mcp.tool import CODE_NAME, Call, RefusedCall
from boruna_ls.workspace import FileUnavailable


class CodeArguments(Arguments):
    """Arguments of a tool about one program; other tools call them `source`, other servers `file`."""

    other_names = {"source": "code", "file": "path"}  # noqa: RUF012
    program_text = "code"

    code: str | None = Field(None, description="Program text; this or `path`", min_length=1, max_length=1_000_000)
    path: str | None = Field(None, description="File", min_length=1, max_length=4096)


class Position(Arguments):
    """A place in a program, in one of the two ways to count."""

    line: Offset | None = Field(None, description="From 1")
    col: Offset | None = Field(None, description="From 1, UTF-8 bytes")
    column: Offset | None = Field(None, description="Or from 0, characters")

    def as_dict(self) -> dict[str, int]:
        """The given fields."""
        given = {"line": self.line, "col": self.col, "column": self.column}
        return {name: value for name, value in given.items() if value is not None}


class PlaceArguments(CodeArguments):
    """Arguments of a tool about one name in a program."""

    position: Position | None = Field(None, description="Where the name is")
    symbol: str | None = Field(
        None, description="Instead: `name`, `Type.field`, `Enum::Variant`, `file.ax:name`", min_length=1, max_length=200
    )


C = TypeVar("C", bound=CodeArguments)
L = TypeVar("L", bound=PlaceArguments)
_MOST_LISTED: Final = 20
"""Candidates that a refusal lists."""
_SEARCHED: Final = 1000
"""Files without a name in which candidates for what was meant are looked for."""


def program(call: Call[C]) -> FileId:
    """The program of a call. Raises RefusedCall or MCPError."""
    code, path = call.arguments.code, call.arguments.path
    if code is not None and path is not None:
        raise refusal("path", "arguments `code` and `path` exclude each other: give one of them")
    if code is not None:
        return call.inline(code, CODE_NAME)
    if path is None:
        raise refusal("code", "argument `code` is missing: it must be a string (text of the program), or give `path` (a file)")
    return file_at(call, path)


def file_at(call: Call[Any], path: str) -> FileId:
    """The file of a path. Raises RefusedCall."""
    try:
        file = call.file(path)
    except FileUnavailable as error:
        raise RefusedCall("NotFound", str(error), what=path, field="path", accepted="a file of the workspace") from None
    if reason := defect(call.host.db, file):
        raise RefusedCall("ValidationError", f"{path}: {reason}", field="path", accepted="a program")
    return file


def parse_refusal(call: Call[Any], file: FileId, offset: int) -> RefusedCall:
    """The refusal of a call that needs an item which does not parse: the first error around an offset, and where it is."""
    error = error_around(call.host.db, file, offset)
    assert error is not None, "asked about an item that parses"
    start, diagnostic = error
    where = {"file": file.path, **place(source(call.host.db, file), start + diagnostic.span[0], start + diagnostic.span[1])}
    fix = diagnostic.help or "repair it first: `suggest_fix` and `boruna_repair` try repairs"
    message = f"line {where['line']} does not parse: {diagnostic.message}"
    return RefusedCall("ParseError", message, code=diagnostic.code, location=where, accepted=fix)


def located(call: Call[L]) -> tuple[FileId, int]:
    """The file and the offset that a call is about. Raises RefusedCall or MCPError."""
    position, symbol = call.arguments.position, call.arguments.symbol
    if (position is None) == (symbol is None):
        raise refusal("position", "give `position` or `symbol`: one of them")
    if position is not None:
        file = program(call)
        try:
            return file, offset_of(source(call.host.db, file), position.as_dict())
        except ValueError as error:
            raise refusal("position", f"argument `position`: {error}") from None
    assert symbol is not None
    return _of_symbol(call, symbol)


def others(call: Call[Any], file: FileId) -> Iterator[FileId]:
    """The other files of a file's workspace, each read when it is its turn."""
    for path in call.host.files(file.workspace) if file.workspace else ():
        call.host.checkpoint()
        if path != file.path:
            with suppress(FileUnavailable):
                yield call.file(path)


def roots(call: Call[Any]) -> list[str]:
    """The workspaces that a client works in."""
    return call.host.roots(call.client)


def _of_symbol(call: Call[L], symbol: str) -> tuple[FileId, int]:
    head, colon, name = symbol.rpartition(":")
    if colon and head.endswith(":"):
        # The last colon belongs to `Enum::Variant`; a file may stand before that.
        head, colon, enum = head[:-1].rpartition(":")
        name = f"{enum}::{name}"
    if colon:
        files = [_file_before_colon(call, head)]
    elif call.arguments.code is not None or call.arguments.path is not None:
        files = [program(call)]
    else:
        files = _all_files(call)
    db = call.host.db
    # Where the last part of the name does not stand, nothing of that name is: such files have candidates at most.
    word = name.replace("::", ".").rpartition(".")[2]
    likely = [file for file in files if word in source(db, file).text]
    by_file = [(file, find_symbol(db, file, name)) for file in likely]
    certain = [
        (file, match.offset) for file, match in by_file if match.offset is not None and _declares(call, file, match.offset)
    ]
    certain = certain or [(file, match.offset) for file, match in by_file if match.offset is not None][:1]
    if len(certain) == 1:
        return certain[0]
    if certain:
        raise _refusal(call, symbol, [(file, (Candidate(name, _kind(call, file, at), at),)) for file, at in certain])
    searched = set(likely)
    rest = [file for file in files if file not in searched]
    by_file += [(file, find_symbol(db, file, name)) for file in rest[:_SEARCHED]]
    limit = f" (candidates are of {_SEARCHED} files)" if len(rest) > _SEARCHED else ""
    raise _refusal(call, symbol, [(file, match.candidates) for file, match in by_file], limit)


def _file_before_colon(call: Call[L], head: str) -> FileId:
    """The file before the colon: the call's own, or one of the workspace, by the end of its path."""
    own = call.arguments.path
    if own is not None and own.replace("\\", "/").endswith(head):
        return file_at(call, own)
    ending = f"/{head}"
    paths = [path for root in roots(call) for path in call.host.files(root) if path.replace("\\", "/").endswith(ending)]
    if len(paths) == 1:
        return file_at(call, paths[0])
    if len(paths) > 1:
        message = f"`{head}` could be any of {', '.join(paths[:10])}"
        raise RefusedCall("NotFound", message, what=head, field="symbol", candidates=paths[:10])
    return file_at(call, head)


def _all_files(call: Call[Any]) -> list[FileId]:
    files = []
    for root in roots(call):
        for path in call.host.files(root):
            call.host.checkpoint()
            with suppress(FileUnavailable):
                files.append(call.file(path))
    if not files:
        raise refusal("path", "argument `path` is missing: there is no file to search for the symbol")
    return files


def _declares(call: Call[Any], file: FileId, offset: int) -> bool:
    return any(place.file == file and place.name_span[0] == offset for place in definition(call.host.db, file, offset))


def _kind(call: Call[Any], file: FileId, offset: int) -> Any:
    target = target_at(call.host.db, file, offset)
    assert target is not None
    return target.kind


def _refusal(call: Call[Any], symbol: str, by_file: list[tuple[FileId, tuple[Candidate, ...]]], limit: str = "") -> RefusedCall:
    listed: list[dict[str, Any]] = []
    for file, options in by_file:
        shown = options[: _MOST_LISTED - len(listed)]
        listed += [{"file": file.path, **entry} for entry in candidates(source(call.host.db, file), shown)]
    hint = "use one of the candidates, with its position" if listed else "boruna_symbols lists what a file declares"
    message = f"symbol `{symbol}` does not name exactly one thing: {hint}{limit}"
    return RefusedCall("NotFound", message, what=symbol, field="symbol", candidates=listed)
