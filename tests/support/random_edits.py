"""Random changes of a program: of the kind people make, and of the kind nobody makes."""

from __future__ import annotations

import random
import re
from typing import Final

from analysis.text.source import Source

WORDS: Final = """fn type enum import let mut if else match while for in return emit spawn send ( ) { } , : :: -> => = == + - " //
x n Point Msg main update Some Ok None Int String 0 "a" _ .x\n }\n """.split(" ")
PIECES: Final = ("\n", "fn added(n: Int) -> Int { n }\n", "type Added { a: Int }\n", "enum Kind { One, Two(Int) }\n", "// note\n",
          "import shapes\n", "    let fresh = area(1)\n", "// boruna: allow W501\n", "}\n")  # fmt: skip


def edited(text: Source, chance: random.Random) -> Source:
    """A text after one random edit."""
    whole = text.text
    place = chance.randrange(len(whole) + 1)
    match chance.randrange(7):
        case 0:
            return text.edited(place, place, chance.choice(WORDS))
        case 1:
            return text.edited(place, min(len(whole), place + chance.randrange(1, 6)), "")
        case 2:
            line = whole.rfind("\n", 0, place) + 1
            return text.edited(line, line, chance.choice(PIECES))
        case 3:
            end = min(len(whole), place + chance.randrange(80))
            return text.edited(place, place, whole[place:end])
        case 4:
            words = list(re.finditer(r"\w+", whole))
            if not words:
                return text.edited(0, 0, "fn main() -> Int { 1 }\n")
            word, other = chance.choice(words), chance.choice(words)
            return text.edited(word.start(), word.end(), other[0])
        case 5:
            begin = whole.rfind("\nfn ", 0, place) + 1
            end = whole.find("\nfn ", place) + 1 or len(whole)
            return text.edited(begin, end, "")
        case _:
            return text.edited(place, min(len(whole), place + 1), chance.choice('{}()"\n ax1/'))


def rearranged(text: Source, chance: random.Random) -> Source:
    """A text whose chunks changed places, or of which one is doubled, gone, or another one's neighbour; no chunk is edited."""
    chunks = [chunk.text for chunk in text.chunks]
    here, there = (chance.randrange(len(chunks)) for _ in range(2))
    match chance.randrange(5):
        case 0:
            chunks[here], chunks[there] = chunks[there], chunks[here]
        case 1:
            chunks.insert(there, chunks[here])
        case 2:
            del chunks[here]
        case 3:
            chunks.insert(0, chunks.pop(here))
        case _:
            chance.shuffle(chunks)
    return text.replaced_by("".join(chunks))


def renamed(text: Source, chance: random.Random) -> Source:
    """A text in which one word has another name everywhere."""
    words = sorted(set(re.findall(r"[A-Za-z_]\w*", text.text)))
    if not words:
        return text
    old, new = chance.choice(words), chance.choice(words)
    new = chance.choice((new, f"{old}1", old[:-1] or "x"))
    return text.replaced_by(re.sub(rf"\b{old}\b", new, text.text))
