"""Reads Markdown pages as the tests need them: headings, and fenced blocks with the file name above them.

Used by the checker's tests (`tests/checks`) and by the test of the diagnostic pages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
_FENCE = re.compile(r"(`{3,})\s*([A-Za-z]*)\s*$")
_TITLE = re.compile(r"`([^`]+)`:$")


@dataclass(frozen=True)
class Block:
    """A fenced block. `line`, from 1, is that of its first line of text; `title` the file that the line above names."""

    language: str
    title: str
    text: str
    line: int


@dataclass
class Section:
    """A heading with the blocks up to the next heading; `path` holds the headings above it and its own."""

    path: tuple[str, ...]
    blocks: list[Block] = field(default_factory=list)


def sections(page: str) -> list[Section]:
    """The sections of a page in order; what stands before the first heading has an empty path."""
    found = [Section(())]
    lines = page.split("\n")
    above = ""
    number = 0
    while number < len(lines):
        line = lines[number]
        if fence := _FENCE.match(line):
            first = number + 1
            number = first
            while number < len(lines) and lines[number].rstrip() != fence[1]:
                number += 1
            assert number < len(lines), f"line {first}: the block is not closed"
            title = _TITLE.search(above)
            text = "".join(f"{inner}\n" for inner in lines[first:number])
            found[-1].blocks.append(Block(fence[2], title[1] if title else "", text, first + 1))
            above = ""
        elif heading := _HEADING.match(line):
            outer = found[-1].path[: len(heading[1]) - 1]
            found.append(Section((*outer, heading[2])))
        if line.strip() and not line.startswith("`" * 3):
            above = line.strip()
        number += 1
    return found
