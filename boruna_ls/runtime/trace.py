"""The lines of a trace (chapter 06 section 7.2): one for each instruction, before it is executed."""

from __future__ import annotations

from collections import deque
from typing import Final

from analysis.bytecode.module import Op
from boruna_ls.runtime.interpreter import Frame, Machine

LAST: Final = 20
"""Lines that are kept of the end of a run, for runs that fail."""


def op_text(op: Op) -> str:
    """An operation as disassembly and traces show it."""
    if op[0] == "Assert":
        return f"Assert {{ msg: {op[1]}, kind: {op[2]}, index: {op[3]} }}"
    return f"{op[0]}({', '.join(map(str, op[1:]))})" if len(op) > 1 else str(op[0])


class Trace:
    """An observer that keeps the first lines and the last few."""

    def __init__(self, limit: int) -> None:
        self.lines: list[str] = []
        self.last: deque[str] = deque(maxlen=LAST)
        self.truncated = False
        self._limit = limit

    def __call__(self, machine: Machine, frame: Frame, op: Op) -> None:
        line = f"[{frame.code.name}:{frame.ip}] {op_text(op)}  stack_depth={len(machine.stack)}"
        self.last.append(line)
        if len(self.lines) < self._limit:
            self.lines.append(line)
        else:
            self.truncated = True
