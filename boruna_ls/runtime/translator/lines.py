"""Lines of Python while they are written, and what is known of the run at each of them."""

from __future__ import annotations

from typing import Final, NamedTuple

MAX_INDENT: Final = 80
"""CPython refuses 100 levels."""
MAX_LOOPS: Final = 14
"""CPython refuses 21 blocks in one another."""

REDO: Final = "redo"
EFFECT: Final = "effect"
CALL: Final = "call"
BETWEEN: Final = "between"


class Unstructured(Exception):
    """The control flow has no form that Python knows; the function is written as a loop over its blocks."""


class Site(NamedTuple):
    """Data by which the interpreter resumes at a line: the instruction, expressions for the values on the stack before it, and
    the steps that are charged and not executed yet.

    `kind`: REDO, execute the instruction again; EFFECT, it failed for good; CALL, it called (the last `args` values are
    arguments); BETWEEN, the run is ended before the instruction.
    """

    instruction: int
    stack: tuple[str, ...]
    credit: int
    kind: str
    args: int = 0
    cell: tuple[int, str] | None = None
    """A cell that was changed already, and an expression for what it held."""


class Line:
    """A line and its site."""

    __slots__ = ("indent", "site", "text")

    def __init__(self, indent: int, text: str, site: Site | None) -> None:
        self.indent = indent
        self.text = text
        self.site = site


class Lines:
    """The lines of a function."""

    def __init__(self, indent: int) -> None:
        self.lines: list[Line] = []
        self.indent = indent
        self.loops = 0
        self._temporaries = 0

    def add(self, text: str, site: Site | None = None) -> None:
        """Write a line."""
        self.lines.append(Line(self.indent, text, site))

    def temporary(self) -> str:
        """A name that nothing else uses."""
        self._temporaries += 1
        return f"t{self._temporaries}"

    def open(self, text: str, site: Site | None = None) -> None:
        """Write a line that opens a block."""
        self.add(text, site)
        self.indent += 1
        if self.indent > MAX_INDENT:
            raise Unstructured

    def close(self) -> None:
        """End a block; one without lines gets a `pass`."""
        last = self.lines[-1]
        if last.text.endswith(":") and last.indent == self.indent - 1:
            self.add("pass")
        self.indent -= 1

    def open_loop(self, text: str, site: Site | None = None) -> None:
        """Open a loop."""
        self.loops += 1
        if self.loops > MAX_LOOPS:
            raise Unstructured
        self.open(text, site)

    def close_loop(self) -> None:
        """End a loop."""
        self.loops -= 1
        self.close()
