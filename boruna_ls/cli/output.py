"""Writing for people and for pipes: errors, exact bytes, differences; in texts of others the invisible made visible."""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

T = TypeVar("T")

PROGRESS_FROM: Final = 20
"""From so many files on a bar shows how far the work is, on a terminal."""
_ESCAPED: Final = "backslashreplace"
"""In JSON the bytes of a name that are not UTF-8 are told by escapes, of which Python's `os.fsencode` makes them again."""
_SUSPECT: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]|[^\x00-\x7e]")
_HIDDEN: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


def visible(text: str) -> str:
    """A text with control, formatting and bidirectional characters escaped; line feeds and tabs stay."""
    return _SUSPECT.sub(_escaped, text)


def visible_json(text: str) -> str:
    """The same for a JSON document, which stays the same document: such characters stand in its strings only."""
    return _SUSPECT.sub(_json_escape, text)


def _json_escape(match: re.Match[str]) -> str:
    character = match[0]
    # What is no character is a byte of a name: see `_ESCAPED`.
    hides = unicodedata.category(character) in _HIDDEN - {"Cs"}
    return json.dumps(character)[1:-1].replace("\x7f", "\\u007f") if hides else character


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return f"\\u{{{ord(character):x}}}" if unicodedata.category(character) in _HIDDEN else character


def complain(message: str) -> None:
    """Print an error for the user of the command."""
    print(f"error: {visible(message)}", file=sys.stderr)


def note(message: str) -> None:
    """Something to know that is no error."""
    print(visible(message), file=sys.stderr)


def write_debug(text: str) -> None:
    """What a program prints by the debugging functions."""
    sys.stderr.write(visible(text))


def write_exact(text: str, errors: str = "surrogatepass") -> None:
    """Text on standard output as it is: UTF-8, its own line ends. A terminal is shown no characters that it would obey."""
    sys.stdout.flush()
    if sys.stdout.isatty():
        text = visible(text)
    rest = memoryview(text.encode("utf-8", errors))
    while rest:
        # With PYTHONUNBUFFERED this is the pipe itself, which may take less than it is offered.
        rest = rest[sys.stdout.buffer.write(rest) :]
    sys.stdout.buffer.flush()


def write_answer(answer: dict[str, Any]) -> None:
    """An answer as the tools give it: compact JSON, keys sorted, one line."""
    from boruna_ls.answers.envelope import as_text

    write_exact(visible_json(as_text(_described(answer))) + "\n", _ESCAPED)


def write_json(answer: dict[str, Any]) -> None:
    """An answer as a JSON document for people, too."""
    write_state(_described(answer))


def write_state(value: Any) -> None:
    """The same for what is no answer about programs: the installation, a report in a format of others."""
    write_exact(visible_json(json.dumps(value, ensure_ascii=False, indent=2)) + "\n", _ESCAPED)


def _described(answer: dict[str, Any]) -> dict[str, Any]:
    # Not every command writes answers, and this imports the analysis.
    from boruna_ls.answers.envelope import described

    # The state of a process that looks once.
    revision = f"{os.urandom(4).hex()}-0"
    files = answer.get("files")
    if files is None:
        return described(answer, revision)
    each = [entry.setdefault("freshness", {"revision": revision, "coverage": {"checked": 0, "total": 1}}) for entry in files]
    latest = max((entry["revision"] for entry in each), key=lambda name: int(name.rpartition("-")[2]), default=revision)
    checked = sum(entry["coverage"]["checked"] for entry in each)
    return {**answer, "freshness": {"revision": latest, "coverage": {"checked": checked, "total": len(each)}}}


def with_progress(items: Sequence[T], title: str) -> Iterator[T]:
    """The items one after another, with a progress bar on standard error if they are many and it is a terminal."""
    if len(items) < PROGRESS_FROM or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, title, console=Console(stderr=True), transient=True)


def counted(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(parts: Iterable[str]) -> str:
    """Parts of a summary, those that say nothing left out."""
    return ", ".join(part for part in parts if part)
