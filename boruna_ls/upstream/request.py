"""A call of a server as the process that holds the connections gets it, which may be another one than ours.

The caller has checked policy and ceiling; the server is the one that was allowed, as it was configured then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analysis.data_classes import dataclass
from boruna_ls.runtime.forms import from_tagged, tagged
from boruna_ls.upstream.configuration import ServerConfiguration


class Refused(Exception):
    """A call was not made; the message is a clause that follows the server's name."""


@dataclass(frozen=True, slots=True)
class Request:
    """A call. `is_own`: a function of `mcp` itself, not a tool. `wire` is `ToolFact.wire`, "" for a name of programs.

    `patterns` are those of the tools that the policy allows, None for all. `seconds` are the run's remaining ones, None for
    any number.
    """

    workspace: str
    server: str
    configuration: ServerConfiguration
    tool: str
    is_own: bool
    wire: str
    arguments: Sequence[Any]
    patterns: tuple[str, ...] | None
    seconds: float | None

    def as_json(self) -> dict[str, Any]:
        """As data that `of_json` reads."""
        return {
            "workspace": self.workspace,
            "server": self.server,
            "configuration": self.configuration.model_dump(mode="json", by_alias=True, exclude_none=True),
            "tool": self.tool,
            "is_own": self.is_own,
            "wire": self.wire,
            "arguments": [tagged(argument) for argument in self.arguments],
            "patterns": self.patterns,
            "seconds": self.seconds,
        }

    @classmethod
    def of_json(cls, data: dict[str, Any]) -> Request:
        """The request that `as_json` made data of."""
        patterns = data["patterns"]
        return cls(
            data["workspace"],
            data["server"],
            ServerConfiguration.model_validate(data["configuration"]),
            data["tool"],
            data["is_own"],
            data["wire"],
            [from_tagged(argument) for argument in data["arguments"]],
            None if patterns is None else tuple(patterns),
            data["seconds"],
        )
