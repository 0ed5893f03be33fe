"""Source lines of the instructions of a stored program, as JSON that is stored beside it.

Computed once when a program is loaded: an execution continues after the texts of its workspace have changed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from analysis.bytecode.module import FunctionCode, Module
from analysis.text.source import Source

_SHOWN: Final = 50


def places_of(module: Module, sources: dict[Any, Source], main: Any) -> str:
    """The places of a module; `sources` are the texts of its files, `main` the program's own."""
    return json.dumps([_function(code, sources, main) for code in module.functions], separators=(",", ":"))


def _function(code: FunctionCode, sources: dict[Any, Source], main: Any) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": code.name}
    if code.origin is None or code.origin.file not in sources:
        return shown
    source, base = sources[code.origin.file], code.origin.base
    starts = [base + start for start, _ in code.spans]
    lines = {start: source.position(start)[0] + 1 for start in set(starts)}
    shown["lines"] = [lines[start] for start in starts]
    return shown if code.origin.file == main else shown | {"file": code.origin.file.path}


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
