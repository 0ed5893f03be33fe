"""The views that serve clients, each imported when its first client connects or when the process is idle."""

from __future__ import annotations

import asyncio
import gc
import importlib
import logging
import os
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from boruna_ls import lock_order
from boruna_ls.library_models import late_attrs, late_pydantic
from boruna_ls.lsp.greeting import Begun, Notes, greet
from boruna_ls.rendezvous import places, wire
from boruna_ls.threads import let_editor_go
from boruna_ls.wire.frames import framed

if TYPE_CHECKING:
    from boruna_ls.workspace import Host

_MODULES: Final = {"lsp": "boruna_ls.lsp.server", "mcp": "boruna_ls.mcp.server"}
_AT_REQUEST: Final = {"http": "boruna_ls.mcp.http.app", "first": "boruna_ls.lsp.first_diagnostics"}
"""Modules that are loaded only for those who need them."""
_LIBRARIES: Final = {"lsp": late_attrs, "mcp": late_pydantic, "http": late_pydantic}
"""How the message classes of a protocol are imported."""
_EDITORS_COME: Final = 0.15
_FIRST_DIAGNOSTICS: Final = 0.3
_LONGEST_PRECEDENCE: Final = 1.5
"""Maximum seconds for each of: editors reconnect after the end of a daemon; editors get diagnostics once their view is loaded;
agents wait for editors.
"""
_TURN: Final = 0.03
_TURNS: Final = 20
"""Turns of the loop for which an editor with first diagnostics waits for others that connect at the same time."""
_PAUSE: Final = 2.0
"""Seconds after the start before the view that no client has requested is loaded."""
_UNDISTURBED: Final = 4.0
"""Further seconds before modules of first need are imported: until then the first clients have the processor."""
_LONGEST_WAIT: Final = 30.0
"""Seconds after the start for which nothing is preloaded on an overloaded machine."""
AT_NEED: Final = (
    "analysis.suggestions.broken_text",
    "analysis.fixes.repair",
    "boruna_ls.mcp.permission",
    "boruna_ls.upstream.broker",
)
"""Modules that a computation imports at first need, which takes up to 0.25 s: a keystroke would then wait for it."""
_UNKNOWN: Final = "fn first() -> Int { println(len(lst_get(1))) }\nfn main() -> Int { let x = [1][0]; x++ }\n"
"""A program with functions of other languages, a name similar to a builtin, and forms that `.ax` does not have."""
_log = logging.getLogger(__name__)
Connected = Callable[[Any], None]
"""Callback with the host's client of a connection."""


class Views:
    """The loaded views, and the host that all of them share."""

    def __init__(self, folder: str) -> None:
        """`folder` is the daemon's."""
        self._notes = Notes(places.greetings_path(folder))
        self._host: Host | None = None
        self._is_ended = False
        self.has_loaded_all = False
        """True when everything is preloaded."""
        self._loaded: set[str] = set()
        self._began = time.monotonic()
        self._importing = lock_order.lock("imports")
        self._editors_coming = 0
        """Editors that wait for the view of editors, or for their first diagnostics."""
        self._greeting = 0
        """Editors that can get an answer before their view is loaded: loading takes the processor."""

    @property
    def host(self) -> Host:
        """The one workspace host of the process."""
        if self._host is None:
            from boruna_ls.loop import attend
            from boruna_ls.process import prepare
            from boruna_ls.workspace import Host

            prepare()
            # The library logs every refused request with a traceback; the server reports its own errors.
            logging.getLogger("pygls").setLevel(logging.CRITICAL)
            self._host = Host(watch=True)
            attend(self._host)
        return self._host

    @property
    def is_loaded(self) -> bool:
        """True if the host exists; it is created with the first view."""
        return self._host is not None

    @property
    def serves_editors(self) -> bool:
        """True if the view of editors is loaded; until then the daemon can only answer `initialize`."""
        return "lsp" in self._loaded

    def load(self, protocol: str) -> Any:
        """The module that serves a protocol; None for an unknown protocol.

        One thread imports at a time: if two threads import packages that share modules, one can see a partly loaded module.
        """
        name = (_MODULES | _AT_REQUEST).get(protocol)
        if name is None:
            return None
        if protocol in self._loaded:
            return sys.modules[name]
        with self._importing, _LIBRARIES.get(protocol, nullcontext)():
            module = importlib.import_module(name)
        if protocol in ("mcp", "http"):
            from boruna_ls.mcp.first_messages import compile_messages

            compile_messages()
        self._loaded.add(protocol)
        return module

    def load_first(self, protocol: str) -> None:
        """Loads the modules that the first client needs, unless stored answers can serve it first."""
        if protocol != "lsp" or not self._notes:
            self.load(protocol)

    async def load_rest(self, is_patient: bool) -> None:
        """Loads the remaining views in the background, but not while an editor waits for its first diagnostics.

        If `is_patient`, waits until the machine is idle.
        """
        await asyncio.sleep(_PAUSE)
        if is_patient:
            await self._until_the_machine_is_free()
        for protocol in _MODULES:
            await self._until_editors_came()
            await asyncio.to_thread(self.load, protocol)
        gc.freeze()

    async def load_what_is_needed_later(self) -> None:
        """Imports in the background the modules that the first repair, run or question of an agent needs."""
        await asyncio.sleep(_UNDISTURBED)
        await self._until_the_machine_is_free()
        for name in AT_NEED:
            await self._until_editors_came()
            await asyncio.to_thread(importlib.import_module, name)
        self.host.worker.launch(partial(_make_tables, self.host))
        from boruna_ls.mcp.tools import TOOLS, load_apart

        await load_apart(row for row in TOOLS.values() if row.listed or row.name == "boruna_run_live")
        gc.freeze()
        self.has_loaded_all = True

    async def serve_editor(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, options: dict[str, Any], connected: Connected
    ) -> None:
        """Serves one editor, from the first byte after the hello to its end."""
        begun = Begun(self._notes)
        if not self.serves_editors:
            self._editors_coming += 1
            try:
                begun = await self._begun(reader, writer, options.get("libs_dir"))
            finally:
                asyncio.get_running_loop().call_later(_FIRST_DIAGNOSTICS, self._editor_came)
            writer.write(framed(b'{"jsonrpc": "2.0", "method": "%b"}' % wire.SERVES.encode()))
        await self.load("lsp").run_connection(self.host, reader, writer, options.get("libs_dir"), connected, begun)
        await writer.drain()

    async def _begun(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, libs_dir: Any) -> Begun:
        """Loads the view of editors; the editor first gets what is possible without it: an answer, its first diagnostics."""
        self._greeting += 1
        try:
            begun = await greet(self._notes, reader, writer)
            if begun.result is not None and not self.serves_editors:
                begun = await self.load("first").show_first(self.host, begun, reader, writer.write, libs_dir)
        finally:
            self._greeting -= 1
        try:
            for _ in range(_TURNS):
                if not self._greeting or self.serves_editors:
                    break
                await asyncio.sleep(_TURN / 3)
            loading = asyncio.ensure_future(asyncio.to_thread(self.load, "lsp"))
            if begun.edits is None:
                await loading
            else:
                begun = await begun.edits.follow(reader, loading)
        except BaseException:
            if begun.client is not None:
                let_editor_go(self.host.disconnect, begun.client)
            raise
        return begun

    def _editor_came(self) -> None:
        self._editors_coming -= 1

    async def editors_first(self) -> None:
        """For agents that reconnect: editors get their diagnostics before the view of agents is loaded."""
        if "mcp" in self._loaded:
            return
        await asyncio.sleep(_EDITORS_COME)
        await self._until_editors_came()
        await self.load_for_agents()

    async def load_for_agents(self) -> None:
        """Loads the view of agents if needed. That takes half a second, in which editors must not wait for the loop."""
        if "mcp" not in self._loaded:
            await asyncio.to_thread(self.load, "mcp")

    async def _until_editors_came(self) -> None:
        # Turns of the loop are counted, not seconds: editors wait for an import that blocks it.
        for _ in range(int(_LONGEST_PRECEDENCE / _TURN)):
            if not self._editors_coming:
                return
            await asyncio.sleep(_TURN)

    async def _until_the_machine_is_free(self) -> None:
        """Returns when there are no more runnable processes than processors, or some time after the start."""
        # Windows does not report the load.
        while hasattr(os, "getloadavg") and os.getloadavg()[0] > (os.cpu_count() or 1):
            if time.monotonic() > self._began + _LONGEST_WAIT:
                return
            await asyncio.sleep(1)

    async def serve_agent(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        folders: list[str],
        options: dict[str, Any],
        selection: Any,
        connected: Connected,
    ) -> None:
        """Serves one agent, from the first byte after the hello to its end. `folders`: the bases of its relative paths."""
        from boruna_ls.mcp.channels import StreamChannel

        channel, serve = StreamChannel(reader, writer), self.load("mcp").run_connection
        await serve(self.host, channel, folders, deadline_of(options), selection, options.get("libs_dir"), connected)

    def selection(self, options: dict[str, Any]) -> Any:
        """The tools that an agent's options choose. Raises ValueError for an unknown one."""
        from boruna_ls.mcp.toolsets import select, with_templates

        chosen = select(_names(options, "toolsets"), _names(options, "tools"), bool(options.get("read_only")))
        folder = options.get("templates_dir")
        return with_templates(chosen, folder if isinstance(folder, str) else None)

    def is_busy(self) -> bool:
        """True if a job is computing or waiting, a program waits for a worker, or a sandbox lives."""
        if self._host is None:
            return False
        from boruna_ls.runtime.workers import shared_pool

        return bool(self._host.worker.load or shared_pool().waiting or self._sandboxes())

    def _sandboxes(self) -> int:
        """Number of sandboxes. They end with the daemon, so it is not replaced by another daemon before they have ended."""
        manager = sys.modules.get("boruna_ls.sandbox.manager")
        return 0 if manager is None else int(manager.living())

    def cannot_start(self) -> str:
        """Reason why worker processes can no longer be started; "" if they can."""
        if self._host is None:
            return ""
        from boruna_ls.runtime.workers import shared_pool

        return shared_pool().failure

    def has_lasting_work(self) -> bool:
        """True if work continues without a client: runs of workflows, executions between two tasks."""
        runner, service = (sys.modules.get(f"boruna_ls.{name}") for name in ("workflow.runner", "executions.service"))
        return bool((runner and runner.runs_under_way()) or (service and service.drives_under_way()))

    async def take_up_lasting_work(self) -> None:
        """Continues runs that an earlier daemon left unfinished."""
        from boruna_ls.state import folder

        if not (folder.state_folder() / "workflows" / "runs.db").is_file():
            return

        def take_up() -> None:
            from boruna_ls.workflow.runner import take_up_unfinished

            take_up_unfinished()

        try:
            await asyncio.to_thread(take_up)
        except Exception:
            _log.exception("unfinished workflow runs cannot be resumed")

    def deaf_for(self) -> float:
        """Seconds for which the analysis thread has not reacted, see `Worker.deaf_for`."""
        return self._host.worker.deaf_for() if self._host is not None else 0.0

    def make_room(self) -> None:
        """Drops idle workspaces."""
        if self._host is not None:
            self._host.worker.launch(partial(self._host.upkeep.forget_idle, 0.0))
            self._host.retention.sweep()

    def end(self) -> None:
        """Stops what computes, and the processes that run programs."""
        if self._host is not None and not self._is_ended:
            from boruna_ls.runtime.workers import shared_pool

            self._is_ended = True
            self._host.worker.stop()
            if (runner := sys.modules.get("boruna_ls.workflow.runner")) is not None:
                runner.close_runner()
            if (keeper := sys.modules.get("boruna_ls.upstream.keeper")) is not None:
                keeper.shared_keeper().close()
            if (sandboxes := sys.modules.get("boruna_ls.sandbox.manager")) is not None:
                sandboxes.close_sandboxes()
            shared_pool().close()


def _names(options: dict[str, Any], name: str) -> list[str]:
    names = options.get(name) or []
    return [str(each) for each in names] if isinstance(names, list) else []


def deadline_of(options: dict[str, Any]) -> float:
    """Seconds that a call of an agent may take, from the options of its hello."""
    seconds = options.get("deadline")
    return float(seconds) if isinstance(seconds, int | float) and 0 < seconds <= 3600 else 60.0


def _make_tables(host: Host) -> None:
    """Checks a program with unknown names, which builds the tables of the lexicon and reads the declarations of the libraries.

    These objects are permanent, so they are built while the process is small: later they would be spread over a large memory
    and keep each of its pages allocated (100 MB after large sources).
    """
    from boruna_ls.answers.check import check_answer

    owner = object()
    try:
        check_answer(host.db, host.inline(_UNKNOWN, connection=owner), "unknown.ax")
    finally:
        host.forget_inline(owner)
