"""Totals of a report, for its last line. Light: `quick.py` imports it."""

from __future__ import annotations

from boruna_ls.cli.output import counted, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Protocol

    class Counted(Protocol):
        """A program that was checked."""

        @property
        def diagnostics(self) -> list[dict[str, Any]]: ...
        @property
        def unreadable(self) -> str: ...


SEVERITIES = ("error", "warning", "info", "hint")


class Totals:
    """Numbers of programs, of those that could not be read, and of diagnostics by severity."""

    def __init__(self, files: int, unreadable: int, diagnostics: dict[str, int], shown: dict[str, int]) -> None:
        self.files = files
        self.unreadable = unreadable
        self.diagnostics = diagnostics
        self.shown = shown
        """The same without those whose mistake another one reports: people are shown that one only."""

    @property
    def failed(self) -> bool:
        return bool(self.unreadable or self.diagnostics["error"])

    def as_dict(self) -> dict[str, Any]:
        """The object `summary` of an answer about several programs."""
        return {
            "files": self.files,
            "unreadable": self.unreadable,
            "diagnostics": sum(self.diagnostics.values()),
            **{f"{severity}s": self.diagnostics[severity] for severity in SEVERITIES},
        }

    def sentence(self) -> str:
        """The same for people."""
        parts = listed(counted(self.shown[name], name) for name in SEVERITIES if self.shown[name])
        read = counted(self.files - self.unreadable, "file")
        rest = f", {counted(self.unreadable, 'file')} unreadable" if self.unreadable else ""
        return f"{parts or 'no diagnostics'} in {read}{rest}"


def total(checked: Iterable[Counted]) -> Totals:
    """The totals over programs."""
    every = list(checked)
    diagnostics = dict.fromkeys(SEVERITIES, 0)
    shown = dict.fromkeys(SEVERITIES, 0)
    for program in every:
        for diagnostic in program.diagnostics:
            diagnostics[diagnostic["severity"]] += 1
            shown[diagnostic["severity"]] += diagnostic.get("shown", "") is not None
    return Totals(len(every), sum(bool(program.unreadable) for program in every), diagnostics, shown)
