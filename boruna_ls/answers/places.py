"""Source places of a module's instructions, stored for the duration of a run.

The texts are those that were compiled: edits during the run do not move the places of an error.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any, Final

from analysis.bytecode.module import Module
from analysis.database import Database
from analysis.inputs import FileId, source
from boruna_ls.answers.positions import place

_SHOWN: Final = 50
"""Frames of a call stack that an answer holds."""
_REPEATED: Final = 3
"""Equal frames in a row that an answer lists one by one."""


class Places:
    """Function names and places of a module."""

    def __init__(self, db: Database | None, file: FileId | None, module: Module) -> None:
        """`db` is needed for modules that were compiled: others have no places."""
        self.module = module
        self._file = file
        files = {function.origin.file for function in module.functions if function.origin is not None}
        self._sources = {origin: source(db, origin) for origin in files} if db is not None else {}

    def at(self, function: int, instruction: int) -> dict[str, Any]:
        """Function name, line and column of an instruction, as far as they are known."""
        if not 0 <= function < len(self.module.functions):
            return {}
        code = self.module.functions[function]
        shown: dict[str, Any] = {"function": code.name}
        span = self.span(function, instruction)
        if span is not None:
            file, start, end = span
            where = place(self._sources[file], start, end)
            shown |= {key: where[key] for key in ("line", "col", "end_line", "end_col")}
            if file != self._file:
                shown["file"] = file.path
        return shown

    def span(self, function: int, instruction: int) -> tuple[FileId, int, int] | None:
        """File and span of an instruction; of one behind the end, the last one's."""
        if not 0 <= function < len(self.module.functions):
            return None
        code = self.module.functions[function]
        if code.origin is None or code.origin.file not in self._sources:
            return None
        return code.place(min(instruction, len(code.spans) - 1))

    def stack(self, frames: list[list[int]]) -> dict[str, Any]:
        """The place of the innermost frame, and the call stack with it at its head; `frames` has it at the end."""
        if not frames:
            return {}
        answer = self.at(*frames[-1])
        listed = self._folded(frames)
        answer["call_stack"] = listed
        if len(listed) > _SHOWN:
            answer["call_stack"] = listed[: _SHOWN // 2] + listed[-_SHOWN // 2 :]
            answer["call_stack_omitted"] = {"after": _SHOWN // 2, "left_out": len(listed) - _SHOWN}
        return answer

    def _folded(self, frames: list[list[int]]) -> list[dict[str, Any]]:
        """The frames, the innermost first; of many equal ones in a row the first, and how many more there are."""
        listed: list[dict[str, Any]] = []
        for frame, equal in groupby(reversed(frames)):
            count = sum(1 for _ in equal)
            where = self.at(*frame)
            entry: dict[str, Any] = {key: where[key] for key in ("function", "line", "col", "file") if key in where}
            if count <= _REPEATED:
                listed += [entry] * count
            else:
                listed += [entry, {"function": f"… {count - 1} more of {where.get('function', '?')}", "repeated": count - 1}]
        return listed
