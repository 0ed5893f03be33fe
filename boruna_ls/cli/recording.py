"""Logs of runs as files: the canonical text, and beside it the tools of MCP servers that the program was checked against.

A program that imports no servers gets the canonical text alone, whose SHA-256 is the digest of a sealed run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from analysis.data_classes import dataclass
from boruna_ls.cli.output import complain
from boruna_ls.cli.running import text_of
from boruna_ls.runtime.event_log import EventLog, LogError, read_log
from boruna_ls.workspace.tool_servers import ToolState

SERVERS: Final = "mcp_servers"


@dataclass(frozen=True, slots=True)
class Recording:
    """A log, and the tools that its program knew; None for a log that has none."""

    log: EventLog
    tools: ToolState | None


def recorded_text(log: EventLog, tools: ToolState, imported: Iterable[str]) -> str:
    """Text of a run's recording; `imported` are the servers that its program names, whether it has called them or not."""
    servers = tools.recorded(imported)
    if not servers:
        return log.text()
    return json.dumps({**json.loads(log.text()), SERVERS: servers}, ensure_ascii=False, indent=1) + "\n"


def recording_of(path: str) -> Recording | None:
    """Recording in a file; None, with a message, if the file is no recording."""
    text = text_of(path)
    if text is None:
        return None
    try:
        log = read_log(text)
        servers = json.loads(text).get(SERVERS)
        return Recording(log, None if servers is None else ToolState.of_record(servers))
    except (LogError, ValueError) as error:
        complain(f"{path}: {error}")
        return None
