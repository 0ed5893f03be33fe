"""Texts compared line by line. Lines end at line feeds only, not at the other line ends of `str.splitlines`.

Lines that both texts have once are anchors (patience diff); between two anchors the shortest script of edits is searched (Myers),
up to a bound. So the time grows with the length of the texts, whatever is in them, and others can go first in between; the
matcher of the standard library needs minutes for some thousand lines that are alike.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from analysis.database import checkpoint, paced, paced_sorted

_CONTEXT: Final = 3
"""Equal lines that a unified diff shows around a change."""
_DEEPEST: Final = 32
"""Times that a part is divided by anchors of its own."""
_FARTHEST: Final = 200
"""Edits up to which the shortest script of a part is searched."""
_STEPS: Final = 10
"""Steps of that search for each line of the part."""
_OFTEN: Final = 2_000
"""Lines after which others may go first."""


class Change(NamedTuple):
    """Lines `start` to `end` of the first text that lines `new_start` to `new_end` of the second replace; either may be none."""

    start: int
    end: int
    new_start: int
    new_end: int


class _Part(NamedTuple):
    """Lines of both texts that are still to be compared, and how often they were divided."""

    a: int
    b: int
    c: int
    d: int
    depth: int


def lines_with_ends(text: str) -> list[str]:
    """The lines of a text, each with its line feed; the last one without, if the text does not end in one."""
    pieces = [piece + "\n" for piece in text.split("\n")]
    pieces[-1] = pieces[-1][:-1]
    return pieces if pieces[-1] else pieces[:-1]


def line_changes(before: Sequence[str], after: Sequence[str]) -> list[Change]:
    """What turns one list of lines into another, in ascending order; no two changes touch."""
    changes: list[Change] = []
    start = new_start = 0
    for same, new_same in paced([*_matches(before, after), (len(before), len(after))], _OFTEN):
        if same > start or new_same > new_start:
            changes.append(Change(start, same, new_start, new_same))
        start, new_start = same + 1, new_same + 1
    return changes


def unified_diff(name: str, before: str | None, after: str | None) -> str:
    """The difference of two texts (None: there is no file) as `git apply` and `patch -p1` know it; "" if there is none."""
    old, new = lines_with_ends(before or ""), lines_with_ends(after or "")
    changes = line_changes(old, new)
    if not changes:
        return ""
    lines = [
        "--- /dev/null\n" if before is None else f"--- a/{name}\n",
        "+++ /dev/null\n" if after is None else f"+++ b/{name}\n",
    ]
    for hunk in _hunks(changes):
        lines += _shown(hunk, old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in paced(lines, _OFTEN))


# ---- hunks -----------------------------------------------------------------------------------------------------------


def _hunks(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Changes whose surroundings touch."""
    hunk: list[Change] = []
    for change in changes:
        if hunk and change.start - hunk[-1].end > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _shown(hunk: Sequence[Change], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    start, end = max(hunk[0].start - _CONTEXT, 0), min(hunk[-1].end + _CONTEXT, len(old))
    new_start, new_end = max(hunk[0].new_start - _CONTEXT, 0), min(hunk[-1].new_end + _CONTEXT, len(new))
    yield f"@@ -{_range(start, end)} +{_range(new_start, new_end)} @@\n"
    at = start
    for change in hunk:
        yield from (f" {line}" for line in paced(old[at : change.start], _OFTEN))
        yield from (f"-{line}" for line in paced(old[change.start : change.end], _OFTEN))
        yield from (f"+{line}" for line in paced(new[change.new_start : change.new_end], _OFTEN))
        at = change.end
    yield from (f" {line}" for line in old[at:end])


def _range(start: int, end: int) -> str:
    """Lines as a hunk names them: counted from 1, none by the line before them."""
    length = end - start
    if length == 1:
        return f"{start + 1}"
    return f"{start + 1 if length else start},{length}"


# ---- matching lines ----------------------------------------------------------------------------------------------------


def _matches(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of equal lines, ascending in both texts."""
    numbers: dict[str, int] = {}
    left = [numbers.setdefault(line, len(numbers)) for line in paced(before, _OFTEN)]
    right = [numbers.setdefault(line, len(numbers)) for line in paced(after, _OFTEN)]
    pairs: list[tuple[int, int]] = []
    parts = [_Part(0, len(left), 0, len(right), 0)]
    while parts:
        a, b, c, d, depth = parts.pop()
        checkpoint()
        for _ in paced(range(min(b - a, d - c)), _OFTEN):
            if left[a] != right[c]:
                break
            pairs.append((a, c))
            a, c = a + 1, c + 1
        for _ in paced(range(min(b - a, d - c)), _OFTEN):
            if left[b - 1] != right[d - 1]:
                break
            b, d = b - 1, d - 1
            pairs.append((b, d))
        if a == b or c == d:
            continue
        anchors = _anchors(left, right, a, b, c, d) if depth < _DEEPEST else []
        if not anchors:
            pairs += _shortest(left, right, a, b, c, d)
        for i, j in [*anchors, (b, d)] if anchors else []:
            if i < b:
                pairs.append((i, j))
            parts.append(_Part(a, i, c, j, depth + 1))
            a, c = i + 1, j + 1
    return paced_sorted(pairs)


def _anchors(left: Sequence[int], right: Sequence[int], a: int, b: int, c: int, d: int) -> list[tuple[int, int]]:
    """The longest ascending chain of lines that both parts have once."""
    once, there = _once(left, a, b), _once(right, c, d)
    pairs = [(place, there[line]) for line, place in once.items() if place >= 0 and there.get(line, -1) >= 0]
    pairs.sort()
    ends: list[int] = []
    """Of the chains of each length, the smallest place in the second text at which one ends."""
    last: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(paced(pairs, _OFTEN)):
        length = bisect_left(ends, place)
        before.append(last[length - 1] if length else -1)
        if length == len(ends):
            ends.append(place)
            last.append(number)
        else:
            ends[length], last[length] = place, number
    chain: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    chain.reverse()
    return chain


def _once(lines: Sequence[int], start: int, end: int) -> dict[int, int]:
    """The place of each line of a part; -1 for one that stands there more than once."""
    places: dict[int, int] = {}
    for place in paced(range(start, end), _OFTEN):
        line = lines[place]
        places[line] = -1 if line in places else place
    return places


def _shortest(left: Sequence[int], right: Sequence[int], a: int, b: int, c: int, d: int) -> list[tuple[int, int]]:
    """Equal lines of two parts by a shortest script of edits; none if that is beyond the bounds (Myers 1986, greedy)."""
    length, width = b - a, d - c
    steps = _STEPS * (length + width) + 1_000
    reached: dict[int, int] = {1: 0}
    history: list[dict[int, int]] = []
    for edits in range(_FARTHEST + 1):
        checkpoint()
        history.append(dict(reached))
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1])
            x = reached[diagonal + 1] if down else reached[diagonal - 1] + 1
            y, begun = x - diagonal, x
            while x < length and y < width and left[a + x] == right[c + y]:
                x, y = x + 1, y + 1
            steps -= x - begun + 1
            reached[diagonal] = x
            if x >= length and y >= width:
                return _traced(history, length, width, a, c)
        if steps < 0:
            break
    return []


def _traced(history: Sequence[dict[int, int]], x: int, y: int, a: int, c: int) -> list[tuple[int, int]]:
    """The equal lines on the way to a place, by what was reached before each edit."""
    pairs: list[tuple[int, int]] = []
    for edits in range(len(history) - 1, -1, -1):
        reached, diagonal = history[edits], x - y
        down = diagonal == -edits or (diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1])
        above = diagonal + 1 if down else diagonal - 1
        from_x = reached[above] if edits else 0
        from_y = from_x - above if edits else 0
        while x > from_x and y > from_y:
            x, y = x - 1, y - 1
            pairs.append((a + x, c + y))
        x, y = from_x, from_y
    return pairs
