"""Slot at an offset in a TOML document: the table whose header precedes it, and the text being typed on the line."""

from __future__ import annotations

import re
from typing import Final

from analysis.config.toml_places import places
from analysis.documents.completions import Slot
from analysis.documents.parsed import Path

_PAIR: Final = re.compile(r"^[ \t]*+([A-Za-z0-9_.\"'-]++)[ \t]*+=", re.MULTILINE)
_TEXT: Final = re.compile(r"\"(?:[^\"\\\n]|\\.)*+(\"?)|'[^'\n]*+'?|#[^\n]*+")
_WORD: Final = re.compile(r"(?<![A-Za-z0-9_.\"'-])[A-Za-z0-9_.\"'-]*+\Z")
_BARE_WORD: Final = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]*+\Z")
_REST: Final = re.compile(r'[A-Za-z0-9_*./-]*+"?')


def _word_start(value: str) -> int:
    """The start of the unclosed text or the bare word at the end of an unfinished value."""
    for text in _TEXT.finditer(value):
        if text.end() == len(value) and text[1] == "":
            return text.start()
    word = _BARE_WORD.search(value)
    return len(value) if word is None else word.start()


def toml_slot(text: str, offset: int) -> Slot:
    """The place at an offset."""
    line_start = text.rfind("\n", 0, offset) + 1
    line = text[line_start:offset]
    if (header := re.match(r"[ \t]*+\[++[ \t]*+", line)) is not None and "]" not in line:
        return Slot((), True, (line_start + header.end(), offset), True)
    # The headers above; what is typed below them may not read.
    start, table = max((row for row in places(text[:line_start]).tables), default=(0, ()))
    pair = None
    for match in _PAIR.finditer(text, start, offset):
        pair = match
    if pair is not None:
        bare = _TEXT.sub("", text[pair.end() : offset])
        opened = bare.count("[") - bare.count("]") + bare.count("{") - bare.count("}")
        if opened > 0 or pair.start() >= line_start:
            path: Path = (*table, *(part.strip("\"'") for part in pair[1].split(".")))
            if "[" in bare:
                path = (*path, max(bare.count(","), 0))
            begin = pair.end() + _word_start(text[pair.end() : offset])
            rest = _REST.match(text, offset)
            # The rest of a text that is closed on its line is replaced, too.
            end = rest.end() if text[begin : begin + 1] == '"' and rest is not None and rest[0].endswith('"') else offset
            return Slot(path, False, (begin, end))
    word = _WORD.search(line)
    begin = line_start + (word.start() if word is not None else len(line))
    has_value = re.match(r"[A-Za-z0-9_-]*+[ \t]*+=", text[offset : offset + 200]) is not None
    return Slot(table, True, (begin, offset), has_value)
