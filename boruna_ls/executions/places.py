"""Where the instructions of a stored program come from, and what its variables are called, as JSON that is stored beside it.

Made once when a program is loaded: an execution goes on when the texts of its workspace have long changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from analysis.bytecode.module import FunctionCode, Module
from analysis.text import Source

_LET: Final = re.compile(r"let\s+(?:mut\s+)?([A-Za-z_]\w*)")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_LOOP: Final = re.compile(r"\bfor\s+([A-Za-z_]\w*)\s+in\s*\Z")
_SHOWN: Final = 50


def places_of(module: Module, sources: dict[Any, Source], main: Any) -> str:
    """The places of a module; `sources` are the texts of its files, `main` the program's own."""
    return json.dumps([_function(code, sources, main) for code in module.functions], separators=(",", ":"))


def _function(code: FunctionCode, sources: dict[Any, Source], main: Any) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": code.name, "parameters": list(code.parameters)}
    if code.origin is None or code.origin.file not in sources:
        return shown
    source, base = sources[code.origin.file], code.origin.base
    spans = [(base + start, base + end) for start, end in code.spans]
    starts = [start for start, _ in spans]
    lines = {start: source.position(start)[0] + 1 for start in set(starts)}
    shown["starts"], shown["lines"] = starts, [lines[start] for start in starts]
    shown["variables"] = [list(one) for one in _bindings(code, spans, source.text)]
    return shown if code.origin.file == main else shown | {"file": code.origin.file.path}


def _bindings(code: FunctionCode, spans: list[tuple[int, int]], text: str) -> Iterator[tuple[int, str, int, int]]:
    """Cell, name, and the part of the source in which the name means it."""
    stores = [(op[1], span) for op, span in zip(code.code, spans, strict=False) if op[0] == "StoreLocal"]
    last = {span: cell for cell, span in stores}
    for cell, span in dict.fromkeys(stores):
        written = text[span[0] : span[1]]
        if (found := _LET.match(written)) is not None:
            yield cell, found[1], span[1], _end(text, span[1])
        elif (loop := _LOOP.search(text[max(span[0] - 200, 0) : span[0]])) is not None:
            # A loop also keeps its list and its index in cells; the item is stored last.
            if last[span] == cell:
                yield cell, loop[1], span[1], _end(text, span[1], 1)
        elif _NAME.fullmatch(written):
            yield cell, written, span[1], _end(text, span[1])


def _end(text: str, start: int, opened: int = 0) -> int:
    """Where the block around `start` ends; with `opened` 1, the block that begins behind it."""
    depth, place = -opened, start
    while place < len(text):
        character = text[place]
        if character == '"':
            place = _behind_string(text, place)
            continue
        if text.startswith("//", place):
            place = text.find("\n", place)
            if place < 0:
                break
        elif character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth < -opened or (opened and depth == -1):
                return place
        place += 1
    return len(text)


def _behind_string(text: str, place: int) -> int:
    place += 1
    while place < len(text) and text[place] != '"':
        place += 2 if text[place] == "\\" else 1
    return place + 1


class StoredPlaces:
    """Reads what `places_of` has written."""

    def __init__(self, text: str) -> None:
        self._functions: list[dict[str, Any]] = json.loads(text)

    def at(self, function: int, instruction: int) -> dict[str, Any]:
        """Function name, and line and file as far as they are known."""
        if not 0 <= function < len(self._functions):
            return {}
        code = self._functions[function]
        shown: dict[str, Any] = {"function": code["name"]}
        if lines := code.get("lines"):
            shown["line"] = lines[max(min(instruction, len(lines) - 1), 0)]
        return shown | ({"file": code["file"]} if "file" in code else {})

    def stack(self, frames: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
        """A call stack, the innermost call first; of a very deep one its two ends."""
        chosen = list(frames) if len(frames) <= _SHOWN else [*frames[: _SHOWN // 2], *frames[-_SHOWN // 2 :]]
        return [self.at(*frame) for frame in reversed(chosen)]

    def variables(self, frame: Sequence[int], values: Sequence[Sequence[Any]]) -> dict[str, str]:
        """The variables in scope at an instruction, by name, from the values of the cells."""
        function, instruction = frame
        code, cells = self._functions[function], dict(map(tuple, values))
        names = {name: cells[cell] for cell, name in enumerate(code["parameters"]) if cell in cells}
        starts = code.get("starts") or [0]
        here = starts[max(min(instruction, len(starts) - 1), 0)]
        for cell, name, start, end in sorted(code.get("variables", ()), key=lambda one: one[2]):
            if start <= here < end and cell in cells:
                names[name] = cells[cell]
        return names
