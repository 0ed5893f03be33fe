"""Selection of tools that a server lists and answers: the command line's `--toolsets`, `--tools` and `--read-only`.

By default a list is shown that is short enough for every host; a tool that is not shown can still be called
unless `--tools` or `--read-only` leaves it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from analysis.data_classes import dataclass, field, replace
from boruna_ls.data import templates_folder
from boruna_ls.forwarder.options import BadOptions
from boruna_ls.mcp.options import ALL, GROUPS
from boruna_ls.mcp.tools import TOOLS, Row

MOST_LISTED: Final = 20
"""Tools of the default list."""
MOST_TOKENS: Final = 8000
"""Tokens of their definitions, four bytes each."""


@dataclass(frozen=True, slots=True)
class Selection:
    """`shown` are listed, `callable` are answered, by name; of a `read_only` one no call runs a program.

    `templates` is the folder of templates of applications.
    """

    shown: tuple[Row, ...]
    callable: Mapping[str, Row]
    read_only: bool = False
    templates: str = field(default_factory=lambda: str(templates_folder()))


class Shown:
    """The tools that one client is shown: those of its selection, and of the toolsets that it has enabled since."""

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._names = {row.name for row in selection.shown}
        self._listeners: dict[object, Callable[[], None]] = {}
        self.version = 0
        """Changes with the list."""

    @property
    def rows(self) -> list[Row]:
        """Rows of the listed tools, in alphabetical order."""
        return [row for name, row in self._selection.callable.items() if name in self._names]

    def of(self, group: str) -> list[Row]:
        """The tools of a toolset that this client may call."""
        return [row for row in self._selection.callable.values() if group in (row.group, ALL)]

    def enable(self, group: str) -> list[Row]:
        """Shows a toolset; gives the tools that were not shown before. On the event loop."""
        added = [row for row in self.of(group) if row.name not in self._names]
        if added:
            self._names |= {row.name for row in added}
            self.version += 1
            for listener in list(self._listeners.values()):
                listener()
        return added

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` when the list changes; returns the function that ends that."""
        token = object()
        self._listeners[token] = listener

        def end() -> None:
            self._listeners.pop(token, None)

        return end


def select(groups: Iterable[str] = (), names: Iterable[str] = (), read_only: bool = False) -> Selection:
    """The tools of groups, or those with these names, or the default list; raises ValueError for an unknown name."""
    groups, names = list(groups), list(names)
    _refuse_unknown("toolset", groups, (*GROUPS, ALL))
    _refuse_unknown("tool", names, TOOLS)
    offered = {row.name: row for row in TOOLS.values() if row.scope == "read" or row.kept or not read_only}
    if groups or names:
        chosen = [row for row in offered.values() if row.name in names or row.group in groups or ALL in groups]
    else:
        chosen = [row for row in offered.values() if row.listed]
    # Named tools are all there is; a group only says what is shown.
    return Selection(tuple(chosen), {row.name: row for row in chosen} if names else offered, read_only)


def selected(options: Mapping[str, Any]) -> Selection:
    """The tools that a command line asks for. Raises BadOptions if there is none of a name."""
    try:
        return with_templates(select(options["toolsets"], options["tools"], options["read_only"]), options["templates_dir"])
    except ValueError as error:
        raise BadOptions(str(error)) from None


def with_templates(selection: Selection, folder: str | None) -> Selection:
    """The selection with an own folder of templates; None keeps the stock ones."""
    return replace(selection, templates=folder) if folder else selection


def _refuse_unknown(what: str, names: Iterable[str], valid: Iterable[str]) -> None:
    valid = list(valid)
    for name in names:
        if name not in valid:
            raise ValueError(f"no {what} is named '{name}': there are {', '.join(valid)}")
