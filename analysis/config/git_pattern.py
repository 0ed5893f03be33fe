"""One pattern of a `.gitignore`, with the meaning that git gives it, matched in time that grows with pattern times name.

A pattern comes from an untrusted repository, so it must not be able to make a match slow. It is translated to a
regular expression of the standard library in which no star is ever tried twice: what follows a star is an atomic group that
takes the first place that fits. Git matches bytes, so this module does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from analysis.data_classes import dataclass

LONGEST: Final = 4096
"""Bytes of a pattern; no path is longer."""
_WILD: Final = re.compile(rb"[*?\[\\]")
_NEVER: Final = rb"(?!)"
_IN_SEGMENT: Final = rb"[^/]*?"
_STAR: Final = b"*"
_MAYBE_FOLDERS: Final = b"**/"
_FOLDERS: Final = b"**\\/"
_ANYTHING: Final = b"**"
_SLASH: Final = b"/"
_CLASSES: Final[dict[bytes, Callable[[int], bool]]] = {
    b"alnum": lambda byte: chr(byte).isalnum() and byte < 128,
    b"alpha": lambda byte: chr(byte).isalpha() and byte < 128,
    b"blank": lambda byte: byte in b" \t",
    b"cntrl": lambda byte: byte < 32 or byte == 127,
    b"digit": lambda byte: byte in b"0123456789",
    b"graph": lambda byte: 32 < byte < 127,
    b"lower": lambda byte: byte in b"abcdefghijklmnopqrstuvwxyz",
    b"print": lambda byte: 32 <= byte < 127,
    b"punct": lambda byte: 32 < byte < 127 and not chr(byte).isalnum(),
    b"space": lambda byte: byte in b" \t\n\r\v\f",
    b"upper": lambda byte: byte in b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    b"xdigit": lambda byte: byte in b"0123456789abcdefABCDEF",
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """Meaning of one line. A path is compared as a whole, from the folder of the file; with `is_name` its last part alone.

    `literal` is the only name or path that matches, "" if there are wildcards; then `wild` matches.
    """

    takes_back: bool
    folders_only: bool
    is_name: bool
    literal: bytes
    wild: re.Pattern[bytes] | None

    def matches(self, path: bytes, name: bytes, is_folder: bool) -> bool:
        """True if the line matches an entry; `path` has no slash at either end, `name` is its last part."""
        if self.folders_only and not is_folder:
            return False
        text = name if self.is_name else path
        return self.wild.fullmatch(text) is not None if self.wild is not None else text == self.literal


def lines_of(data: bytes) -> list[bytes]:
    """The lines of a file with patterns; their ends are trimmed as git trims them."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return [_trimmed(line.removesuffix(b"\r")) for line in lines]


@lru_cache(maxsize=4096)
def pattern_of(line: bytes) -> Pattern | None:
    """The pattern of a line; None for an empty line, a comment, and a pattern that can match nothing."""
    if not line or line.startswith(b"#") or b"\0" in line or len(line) > LONGEST:
        return None
    takes_back = line.startswith(b"!")
    body = line[takes_back:]
    folders_only = body.endswith(b"/")
    body = body[: len(body) - folders_only]
    is_name = b"/" not in body
    body = body.removeprefix(b"/")
    if not body:
        return None
    first = _WILD.search(body)
    if first is None:
        return Pattern(takes_back, folders_only, is_name, body, None)
    # Git compares what stands before the first wildcard by itself, so two stars count as first in the pattern behind it.
    head, rest = body[: first.start()], body[first.start() :]
    tokens = _tokens(rest)
    if tokens is None:
        return None
    return Pattern(takes_back, folders_only, is_name, b"", re.compile(re.escape(head) + _regex(tokens), re.DOTALL))


def _trimmed(line: bytes) -> bytes:
    """A line without the blanks at its end, as far as no backslash stands before them."""
    end = len(line.rstrip(b" "))
    if end == len(line):
        return line
    backslashes = end - len(line[:end].rstrip(b"\\"))
    return line[: end + backslashes % 2]


def _tokens(rest: bytes) -> list[bytes] | None:
    """The parts of a pattern: the kinds of stars, a slash, or a regular expression for one byte. None: it matches nothing."""
    tokens: list[bytes] = []
    at = 0
    while at < len(rest):
        byte = rest[at : at + 1]
        if byte == b"*":
            start = at
            while rest[at : at + 1] == b"*":
                at += 1
            token, at = _stars(rest, start, at)
            tokens.append(token)
            continue
        if byte == b"[":
            byte_set = _set(rest, at + 1)
            if byte_set is None:
                return None
            token, at = byte_set
            tokens.append(token)
            continue
        at += 1
        if byte == b"\\":
            byte = rest[at : at + 1]
            at += 1
            if not byte:
                return None
            tokens.append(_SLASH if byte == b"/" else re.escape(byte))
        elif byte == b"?":
            tokens.append(rb"[^/]")
        else:
            tokens.append(_SLASH if byte == b"/" else re.escape(byte))
    return tokens


def _stars(rest: bytes, start: int, end: int) -> tuple[bytes, int]:
    """Kind of the star at rest[start:end], and the position after it."""
    if end - start >= 2 and (start == 0 or rest[start - 1 : start] == b"/"):
        if end == len(rest):
            return _ANYTHING, end
        if rest[end : end + 1] == b"/":
            return _MAYBE_FOLDERS, end + 1
        if rest[end : end + 2] == b"\\/":
            return _FOLDERS, end + 2
    return _STAR, end


def _set(rest: bytes, at: int) -> tuple[bytes, int] | None:
    """The bytes of a set whose bracket was opened before `at`, as a regular expression; None if it is broken."""
    is_negated = rest[at : at + 1] in (b"!", b"^")
    at += is_negated
    characters: set[int] = set()
    before = 0
    is_first = True
    while is_first or rest[at : at + 1] != b"]":
        is_first = False
        if at >= len(rest):
            return None
        byte = rest[at]
        if byte == ord("\\"):
            at += 1
            if at >= len(rest):
                return None
            byte = rest[at]
            characters.add(byte)
        elif byte == ord("-") and before and rest[at + 1 : at + 2] not in (b"", b"]"):
            at += 1
            byte = rest[at]
            if byte == ord("\\"):
                at += 1
                if at >= len(rest):
                    return None
                byte = rest[at]
            characters.update(range(before, byte + 1))
            byte = 0
        elif byte == ord("[") and rest[at + 1 : at + 2] == b":":
            end = rest.find(b"]", at + 2)
            if end < 0:
                return None
            if end - 1 >= at + 2 and rest[end - 1 : end] == b":":
                kind = _CLASSES.get(rest[at + 2 : end - 1])
                if kind is None:
                    return None
                characters.update(code for code in range(1, 256) if kind(code))
                at, byte = end, 0
            else:
                characters.add(byte)
        else:
            characters.add(byte)
        before = byte
        at += 1
    allowed = (set(range(1, 256)) - characters if is_negated else characters) - {ord("/"), 0}
    return _ranges(sorted(allowed)), at + 1


def _ranges(allowed: list[int]) -> bytes:
    """A regular expression for one of these bytes, as short as a long set allows."""
    runs: list[list[int]] = []
    for byte in allowed:
        if runs and runs[-1][1] == byte - 1:
            runs[-1][1] = byte
        else:
            runs.append([byte, byte])
    return b"[%b]" % b"".join(b"\\x%02x-\\x%02x" % (first, last) for first, last in runs) if runs else _NEVER


def _regex(tokens: list[bytes]) -> bytes:
    """The tokens as one regular expression. What stands between two stars over folders begins a segment and ends with one, so
    the first place where it fits is the best.
    """
    parts: list[tuple[bytes, list[bytes]]] = [(b"", [])]
    for token in tokens:
        if token in (_MAYBE_FOLDERS, _FOLDERS, _ANYTHING):
            parts.append((token, []))
        else:
            parts[-1][1].append(token)
    leads = {b"": b"", _MAYBE_FOLDERS: rb"(?:[^/]*/)*?", _FOLDERS: rb"(?:[^/]*/)+?", _ANYTHING: rb".*"}
    pieces = [leads[star] + _segments(inner) for star, inner in parts]
    return b"".join([*(b"(?>%b)" % piece for piece in pieces[:-1]), pieces[-1]])


def _segments(tokens: list[bytes]) -> bytes:
    """Segments between stars over folders; in each of them only the last star may look further."""
    return b"/".join(map(_segment, _split(tokens, _SLASH)))


def _split(tokens: list[bytes], separator: bytes) -> list[list[bytes]]:
    parts: list[list[bytes]] = [[]]
    for token in tokens:
        if token == separator:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _segment(tokens: list[bytes]) -> bytes:
    first, *later = [b"".join(piece) for piece in _split(tokens, _STAR)]
    if not later:
        return first
    middle = b"".join(b"(?>%b%b)" % (_IN_SEGMENT, piece) for piece in later[:-1])
    return first + middle + rb"[^/]*" + later[-1]
