"""`boruna-ls literate extract`: the programs in a Markdown document as files (spec chapter 03 section 8).

All fences are looked at before the first file is written. The sentences are the reference's, since scripts match on them.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Container, Iterator
from pathlib import PurePosixPath
from typing import Final

import click

from analysis.data_classes import dataclass
from boruna_ls import given, no_follow
from boruna_ls.cli.output import complain, visible, write_state

_LANGUAGES: Final = frozenset(("ax", "boruna", "quint"))
_APPEND: Final = "+="
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
_KINDS: Final = {
    PermissionError: "PermissionDenied",
    FileNotFoundError: "NotFound",
    IsADirectoryError: "IsADirectory",
    NotADirectoryError: "NotADirectory",
    FileExistsError: "AlreadyExists",
}


class _Refused(Exception):
    """A document cannot be extracted; the message is the command line's."""


@dataclass(frozen=True, slots=True)
class _Fence:
    """A fenced block: the words behind its fence, its text, and the line on which that begins (from 1)."""

    info: str
    text: str
    line: int


@dataclass(slots=True)
class _Extracted:
    """Texts by path without `.` parts, the names as first written, and how many fences were used and not."""

    texts: dict[str, str]
    names: list[str]
    used: int = 0
    skipped: int = 0


@click.group(short_help="Extract programs from Markdown documents.")
def command() -> None:
    """Documents with programs in fenced blocks: ```ax FILE +=."""


@command.command("extract", short_help="Write the programs of a document to files.")
@click.argument("path", type=click.Path(), metavar="FILE")
@click.option("--out-dir", default="gen", show_default=True, metavar="DIR", help="Target folder; created if missing.")
@click.option("--json", "as_json", is_flag=True, help="The written files as JSON.")
@click.option("--verbose", is_flag=True, help="Print the names of the files.")
def extract(path: str, out_dir: str, as_json: bool, verbose: bool) -> int:
    """Blocks that begin with ```ax NAME += (or boruna, quint) go into NAME below DIR: the first one replaces the file, the others
    are appended.

    Other blocks are ignored. If a block is invalid, nothing is written and the exit status is 1.
    """
    return extracted(path, out_dir, as_json, verbose)


def extracted(path: str, out_dir: str, as_json: bool, verbose: bool, also: Container[tuple[str, ...]] = ()) -> int:
    """Extracts a document and says so; `also` are the words of further fences that are taken. Gives the exit status."""
    try:
        extraction = _read(_document(path), also)
        _write(extraction, out_dir)
    except _Refused as refused:
        complain(str(refused))
        return 1
    if as_json:
        report = {"files_written": extraction.names, "blocks_extracted": extraction.used, "blocks_skipped": extraction.skipped}
        write_state(report)
        return 0
    print(f"Extracted {extraction.used} block(s) into {visible(out_dir)}")
    if extraction.skipped:
        print(f"Skipped {extraction.skipped} non-extractable fence(s)")
    for name in extraction.names if verbose else ():
        print(f"  wrote {visible(name)}")
    return 0


def _document(path: str) -> str:
    try:
        return given.read(path).decode("utf-8")
    except UnicodeDecodeError:
        raise _Refused(f"cannot read {path}: stream did not contain valid UTF-8") from None
    except OSError as error:
        raise _Refused(f"cannot read {path}: {_reason(error)}") from None


def _fences(document: str) -> Iterator[_Fence]:
    # Only this command reads Markdown.
    from markdown_it import MarkdownIt
    from markdown_it.common.utils import unescapeAll

    for token in MarkdownIt("commonmark").parse(document):
        if token.type == "fence" and token.map is not None:
            yield _Fence(unescapeAll(token.info).strip(), token.content, token.map[0] + (2 if token.content else 1))


def _read(document: str, also: Container[tuple[str, ...]]) -> _Extracted:
    """The files that a document describes. Raises _Refused for the first fence that is wrong."""
    extraction = _Extracted({}, [])
    for fence in _fences(document):
        words = fence.info.split()
        if tuple(words) not in also and (len(words) < 2 or words[0] not in _LANGUAGES):
            extraction.skipped += 1
            continue
        if len(words) != 3 or words[2] != _APPEND:
            wanted = f"operator must be `{_APPEND}`" if len(words) == 3 else f"expected `<lang> <filename> {_APPEND}`"
            where = f"invalid fence header on line {fence.line}"
            raise _Refused(f"[literate.invalid_fence] {where}: {wanted} — saw `{fence.info}`")
        place = _place(words[1], fence.line)
        if place not in extraction.texts:
            extraction.names.append(words[1])
        text = fence.text if fence.text.endswith("\n") else f"{fence.text}\n"
        extraction.texts[place] = extraction.texts.get(place, "") + text
        extraction.used += 1
    return extraction


def _place(name: str, line: int) -> str:
    """A path below the folder to write to: `./f` and `a//f` are `f` and `a/f`."""
    parts = PurePosixPath(name.replace("\\", "/") if os.sep == "\\" else name)
    if ".." in parts.parts:
        raise _Refused(f"[literate.path_traversal] path traversal rejected on line {line}: filename `{name}` contains `..`")
    if parts.is_absolute() or os.path.isabs(name) or os.path.splitdrive(name)[0]:
        raise _Refused(f"[literate.absolute_path] absolute path rejected on line {line}: filename `{name}` must be relative")
    return str(parts)


def _write(extracted: _Extracted, folder: str) -> None:
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise _Refused(f'[literate.invalid_out_dir] invalid --out-dir: "{folder}" exists but is not a directory')
    base, above = _base(folder)
    try:
        if above:
            no_follow.make_folders_below(base, above)
        else:
            os.makedirs(folder, exist_ok=True)
    except OSError as error:
        if no_follow.is_link_error(error):
            raise _through_link(folder, folder) from None
        raise _Refused(f'[literate.invalid_out_dir] invalid --out-dir: cannot create "{folder}": {_reason(error)}') from None
    try:
        for place, text in extracted.texts.items():
            parts = (*above, *PurePosixPath(place).parts)
            descriptor = no_follow.opened_below(base, parts, _FLAGS, make_folders=True)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    raise OSError(errno.EINVAL, f"{place} is not a regular file")
                file.truncate()
                file.write(text)
    except OSError as error:
        if no_follow.is_link_error(error):
            raise _through_link(place, folder) from None
        raise _Refused(f"[literate.io] io error ({_KINDS.get(type(error), 'Other')}): {_reason(error)}") from None


def _through_link(what: str, folder: str) -> _Refused:
    where = f'`{what}` is behind a link in or below "{folder}"'
    return _Refused(f"[literate.path_traversal] symbolic link rejected: {where}; remove the link, or choose another --out-dir")


def _base(folder: str) -> tuple[str, tuple[str, ...]]:
    """The folder from which on links are not followed, and what of the path lies below it.

    A folder below the current one may have come with a repository; any other one was chosen by the user of the command.
    """
    normal = os.path.normpath(folder)
    parts = PurePosixPath(normal.replace("\\", "/") if os.sep == "\\" else normal).parts
    if os.path.isabs(folder) or os.pardir in parts or os.path.splitdrive(folder)[0]:
        return folder, ()
    return os.curdir, tuple(part for part in parts if part != os.curdir)


def _reason(error: OSError) -> str:
    return f"{error.strerror or error} (os error {error.errno})"
