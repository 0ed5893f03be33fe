"""The documents that an editor has open, kept as it has sent them: a text, and the changes since.

Changes are applied when the text is needed: for a fresh daemon, or when there are too many to keep. They count as
the daemon's own session counts them (`lsp/session.py`, `analysis/text/source.py`), which the tests hold beside this.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_CHANGES = 1000
"""Changes that are kept before they are applied."""
MOST_BYTES = 1_000_000
"""Bytes of changes that are kept, at least; as many as the text has, if that is more."""
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_ESCAPED = re.compile(rb"%([0-9a-fA-F]{2})")
_FARTHEST = (1 << 31) - 1


def key_of(uri: str) -> str:
    """The same for all spellings of a file's URI that the daemon takes for one path (`workspace/uris.py`)."""
    scheme, colon, rest = uri.partition(":")
    if scheme.lower() != "file" or not colon:
        return uri
    if "%" in rest:
        data = _ESCAPED.sub(lambda match: bytes([int(match[1], 16)]), rest.encode("utf-8", "surrogatepass"))
        rest = data.decode("utf-8", "surrogateescape")
    host, path = ("", rest)
    if rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
        path = slash + path
    parts: list[str] = []
    for part in path.replace("\\", "/").split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    if parts and len(parts[0]) == 2 and parts[0].endswith(":"):
        parts[0] = parts[0].upper()
    return f"file://{'' if host.lower() == 'localhost' else host.lower()}/{'/'.join(parts)}"


class Document:
    """One document: `version` and `language` as the editor says them, `edited` names its text, see `lsp_memory.py`.

    `touched` is when it was edited last, in nanoseconds of the system's monotonic clock.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self.uri: str = document["uri"]
        self.language: Any = document.get("languageId")
        self.version: Any = document.get("version")
        self.edited = 0
        self.touched = 0
        self._text: str = document["text"]
        self._changes: list[tuple[list[Any], Any]] = []
        self._size = 0

    def change(self, changes: list[Any], version: Any, size: int) -> None:
        """Takes one notification's changes; `size` is about how many bytes they are."""
        self._changes.append((changes, version))
        self._size += size

    def is_full(self) -> bool:
        """True if the changes should be applied."""
        return len(self._changes) > MOST_CHANGES or self._size > max(MOST_BYTES, len(self._text))

    def settle(self, encoding: str) -> None:
        """Applies the changes; `encoding`: "utf-8", "utf-16" or "utf-32". Costs time proportional to text and changes."""
        if not self._changes:
            return
        lines = split(self._text)
        for changes, version in self._changes:
            try:
                lines = _all_applied(lines, changes, encoding)
            except (KeyError, TypeError, AttributeError, ValueError):
                # The daemon ignores it, too: all changes of a notification or none.
                continue
            if isinstance(version, int):
                self.version = version
        self._text = "".join(lines)
        self._changes.clear()
        self._size = 0

    def opened(self, encoding: str) -> dict[str, Any]:
        """The `textDocument` that opens it as it is now."""
        self.settle(encoding)
        return {"uri": self.uri, "languageId": self.language, "version": self.version, "text": self._text}


def split(text: str) -> list[str]:
    """A text's lines with their ends."""
    return _LINE.findall(text)


def _all_applied(lines: list[str], changes: list[Any], encoding: str) -> list[str]:
    # Of several changes the first may be taken before the second turns out to be none.
    lines = lines if len(changes) == 1 else list(lines)
    for change in changes:
        new, place = change["text"], change.get("range")
        if not isinstance(new, str):
            raise TypeError("the text of a change is a string")
        if place is None:
            lines = split(new)
        else:
            start, end = _position(place["start"]), _position(place["end"])
            apply(lines, start, end, new, encoding)
    return lines


def _position(position: Any) -> tuple[int, int]:
    line, character = position["line"], position["character"]
    if not (isinstance(line, int) and isinstance(character, int)):
        raise TypeError("lines and characters are whole numbers")
    if line < 0:
        return 0, 0
    return min(line, _FARTHEST), min(max(character, 0), _FARTHEST)


def apply(lines: list[str], start: tuple[int, int], end: tuple[int, int], new: str, encoding: str) -> None:
    """Replaces what is between two positions (line, character; from 0) by a text, in place."""
    first, before = _placed(lines, start, encoding)
    last, behind = _placed(lines, end, encoding)
    if (last, behind) < (first, before):
        first, before, last, behind = last, behind, first, before
    head = lines[first][:before] if first < len(lines) else ""
    tail = lines[last][behind:] if last < len(lines) else ""
    stop = min(last + 1, len(lines))
    text = head + new + tail
    # A line end can come to be, or come apart, at the borders of what was replaced.
    if first and (not head or not lines[first - 1].endswith("\n")):
        first -= 1
        text = lines[first] + text
    if stop < len(lines) and not text.endswith("\n"):
        text += lines[stop]
        stop += 1
    lines[first:stop] = split(text)


def _placed(lines: list[str], position: tuple[int, int], encoding: str) -> tuple[int, int]:
    """Index of the line and offset in it in code points; what lies outside means the nearest end."""
    line, character = position
    if line >= len(lines):
        # Behind the last line: the text's end. After a line end, that is a line of its own that holds nothing.
        if not lines or lines[-1][-1] in "\r\n":
            return len(lines), 0
        return len(lines) - 1, len(lines[-1])
    text = lines[line]
    length = len(text.rstrip("\r\n"))
    if encoding == "utf-32" or text.isascii():
        return line, min(length, character)
    width = _bytes if encoding == "utf-8" else _words
    used = 0
    for index in range(length):
        used += width(text[index])
        if used > character:
            return line, index
    return line, length


def _bytes(character: str) -> int:
    return 1 if character < "\x80" else 2 if character < "\u0800" else 3 if character < "\U00010000" else 4


def _words(character: str) -> int:
    return 2 if character > "\uffff" else 1
