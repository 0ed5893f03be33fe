"""The options of `boruna-ls lsp` and `mcp`: one table, and a reader for the usual forms. Imported when there are options.

Every editor and agent waits for its forwarder, so the reader needs nothing that takes time to import. Whatever is not plainly
right it leaves to click, which reads the same table (`boruna_ls/command_options.py`): help, version, mistakes.
"""

from __future__ import annotations

import os

from boruna_ls.wire.toolsets import ALL, GROUPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

DEADLINE = 60.0
LONGEST_DEADLINE = 3600.0
FLAG, FOLDER, NAMES, SECONDS = "flag", "folder", "names", "seconds"


class BadOptions(ValueError):
    """Options that nothing can be served with, as a sentence that says which."""


class Option:
    """An option; `name` is its key, with underscores. A value is given as `--name VALUE` or `--name=VALUE`.

    `allowed` are the names that a list of names may hold; empty for any.
    """

    __slots__ = ("allowed", "default", "help", "kind", "metavar", "name")

    def __init__(
        self, name: str, kind: str, help: str, metavar: str = "", default: Any = None, allowed: Sequence[str] = ()
    ) -> None:
        self.name = name
        self.allowed = allowed
        self.kind = kind
        self.help = help
        self.metavar = metavar
        self.default = False if kind == FLAG else [] if kind == NAMES else default

    @property
    def written(self) -> str:
        """Name of the option on a command line."""
        return "--" + self.name.replace("_", "-")


LIBS = Option("libs_dir", FOLDER, "Folder of libraries that precede the built-in ones.", "DIR")
DEADLINE_OF_CALLS = Option("deadline", SECONDS, "Time that a call may take (default: 60).", "SECONDS", DEADLINE)
TOOLS = (
    Option("templates_dir", FOLDER, "Folder of templates (default: the built-in ones).", "DIR"),
    Option("toolsets", NAMES, f"Tools to show, by group: {', '.join(GROUPS)}, {ALL}.", "NAMES", allowed=(*GROUPS, ALL)),
    Option("tools", NAMES, "Offer only these tools and those of --toolsets.", "NAMES"),
    Option("read_only", FLAG, "Leave out the tools that run programs or write."),
)
"""Options that select an agent's tools, see `mcp.toolsets.Selection`."""
_BOTH = (
    Option("standalone", FLAG, "Work in this process, without the daemon."),
    LIBS,
    Option("stdio", FLAG, "Accepted and ignored: standard input and output is the only transport."),
)
OPTIONS = {
    "lsp": _BOTH,
    "mcp": (*_BOTH, DEADLINE_OF_CALLS, *TOOLS),
}


def read(protocol: str, arguments: Sequence[str]) -> dict[str, Any] | None:
    """The value of every option, folders made absolute; None if click must read the command line."""
    by_spelling = {option.written: option for option in OPTIONS[protocol]}
    values = defaults(protocol)
    rest = list(reversed(arguments))
    while rest:
        written, equals, text = rest.pop().partition("=")
        option = by_spelling.get(written)
        if option is None:
            return None
        if option.kind == FLAG:
            if equals:
                return None
            values[option.name] = True
            continue
        if not equals:
            text = rest.pop() if rest else "-"
        value = None if text.startswith("-") else converted(option, text)
        if value is None:
            return None
        values[option.name] = value
    return values


def defaults(protocol: str) -> dict[str, Any]:
    """The options of a command line that has none."""
    return {option.name: option.default for option in OPTIONS[protocol]}


def converted(option: Option, text: str) -> Any:
    """The value that a text means; None if it means none."""
    if option.kind == NAMES:
        names = [name.strip() for name in text.split(",") if name.strip()]
        return None if option.allowed and not set(option.allowed).issuperset(names) else names
    try:
        if option.kind == FOLDER:
            return os.path.abspath(text)
        seconds = float(text)
    except (OSError, ValueError):
        return None
    return seconds if 0 < seconds <= LONGEST_DEADLINE else None


def line_of(protocol: str, values: Mapping[str, Any]) -> list[str]:
    """A command line with these values."""
    line: list[str] = []
    for option in OPTIONS[protocol]:
        value = values.get(option.name, option.default)
        if value == option.default:
            continue
        if option.kind == FLAG:
            line.append(option.written)
        else:
            line.append(f"{option.written}={','.join(value) if option.kind == NAMES else value}")
    return line


def for_daemon(values: Mapping[str, Any]) -> dict[str, Any]:
    """The options as the hello carries them."""
    return {name: value for name, value in values.items() if name not in ("standalone", "stdio")}
