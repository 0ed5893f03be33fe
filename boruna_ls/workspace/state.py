"""State of a host at one moment: buffers, texts, libraries, settings. A snapshot works on a copy.

Every part is copied by name in `State.copied`; a new part is a new field here, and mypy and the tests ask for its line there.
Caches of the disk are no part of it: they hold what was true when it was read, and all hosts share them.
"""

from __future__ import annotations

from typing import NamedTuple

from analysis.data_classes import dataclass, field
from analysis.documents.files import Named
from analysis.inputs import FileId
from analysis.text.source import Source
from boruna_ls.workspace.buffers import Buffers, Client
from boruna_ls.workspace.disk import DiskFile
from boruna_ls.workspace.inline import InlineTexts
from boruna_ls.workspace.libraries import LibrarySets
from boruna_ls.workspace.settings import Settings
from boruna_ls.workspace.texts import Texts
from boruna_ls.workspace.tool_servers import ToolState


class Sight(NamedTuple):
    """State of a document's path on the disk: `place` is canonical, "" if the path is not examined; without `read`, `reason`
    tells why."""

    path: str
    place: str
    workspace: str
    read: DiskFile | None
    reason: str = ""


class NamedFiles(NamedTuple):
    """The files that a text of a document names: on disk, as the document's client sees them, and their canonical paths."""

    text: Source
    sights: tuple[Sight, ...]
    files: tuple[Named, ...]
    places: frozenset[str]


@dataclass(slots=True)
class State:
    """All of it is guarded by the lock of its host."""

    texts: Texts
    buffers: Buffers = field(default_factory=Buffers)
    edits: int = 0
    """Grows with every edit of a buffer."""
    inline: InlineTexts = field(default_factory=InlineTexts)
    libraries: LibrarySets = field(default_factory=LibrarySets)
    settings: dict[str, tuple[Source | None, str, Settings]] = field(default_factory=dict)
    """By workspace: the text of `boruna.toml`, why it cannot be read, and what it says."""
    tools: dict[str, ToolState] = field(default_factory=dict)
    """By workspace, its MCP servers and what is known of their tools."""
    given_tools: ToolState | None = None
    """Tools that programs are checked against, whatever is configured."""
    revisions: dict[str, int] = field(default_factory=dict)
    """By workspace, the number of its present state."""
    listed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By folder, the programs below it as they were listed last."""
    last_requests: dict[str, float] = field(default_factory=dict)
    """Time of the latest request about each workspace (monotonic clock)."""
    clients: dict[int, Client] = field(default_factory=dict)
    named: dict[FileId, NamedFiles] = field(default_factory=dict)
    """By document, the files that it names."""

    def copied(self) -> State:
        """An independent copy of the state; set `texts.write` on it."""
        return State(
            texts=self.texts.copied(),
            buffers=self.buffers.copied(),
            edits=self.edits,
            inline=self.inline.copied(),
            libraries=self.libraries.copied(),
            settings=dict(self.settings),
            tools=dict(self.tools),
            given_tools=self.given_tools,
            revisions=dict(self.revisions),
            listed=dict(self.listed),
            last_requests=dict(self.last_requests),
            clients=dict(self.clients),
            named=dict(self.named),
        )
