"""The longest stretch of a request in which it cannot give way: `python -m tests.faults.stretches [--kind NAME] [SOURCE…]`.

With `--productions` about sources that repeat each production of the grammar and forms of other languages, of so many characters.
With `--grow` each request is computed about a source, one twice as large and one four times as large: one that takes more than
`MOST_GROWTH` times as long for twice the source is marked, as is a stretch over 5 ms.

Each kind of request about each of the hostile sources is computed in this process, by a worker that is asked to give way at every
checkpoint. Printed is the longest time of the processor between two of them, and the places between which it lies; with
`--profile` also what was running in all stretches over 5 ms.

The work is the same each time, the machine is not: what it does for others (or takes for its host) counts as time of the
processor here. So each request is computed several times (`--times`), and the longest stretch between two places is that of
the run in which it was shortest.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from functools import partial
from importlib import import_module
from itertools import pairwise
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeVar

from lsprotocol import types

from analysis.database import Database
from analysis.database.gate import Gate
from boruna_ls.daemon.views import AT_NEED
from boruna_ls.lsp.features import FEATURES
from boruna_ls.lsp.greeting import Begun
from boruna_ls.lsp.server import Server
from boruna_ls.mcp.calls import Calls
from boruna_ls.mcp.toolsets import select
from boruna_ls.process import _Collector
from boruna_ls.workspace import Host, Priority, snapshot
from boruna_ls.workspace.freeing import free_in_pieces
from boruna_ls.workspace.jobs import Jobs
from boruna_ls.workspace.uris import uri_of
from boruna_ls.workspace.worker import Worker
from tests.faults.hostile_sources import SOURCES, caller
from tests.faults.productions import PRODUCTIONS

T = TypeVar("T")
_PATH: Final = "/nowhere/hostile.ax"
_PATIENCE: Final = 300.0
_LONG: Final = 0.005
MOST_GROWTH: Final = 2.6
"""What is in proportion to n log n takes 2.2 times as long for twice the source; the rest is for noise."""
_SHORT: Final = 0.03
"""Seconds below which nobody can tell how something grows."""


class Stretch(NamedTuple):
    """Seconds of the processor that a request took, its longest stretch without a checkpoint, and where that lies."""

    whole: float
    longest: float
    where: str


class _Gate(Gate):
    """Lets branches give way at the first query call of each computation, too."""

    def leave(self) -> None:
        super().leave()
        self.make_way()


class MeasuringWorker(Worker):
    """A worker whose jobs are to give way at each of their checkpoints."""

    thread = 0
    """The one that runs a job."""

    def __init__(self, host: Host) -> None:
        assert isinstance(host.jobs, Jobs)
        super().__init__(host.db.cancel, host.jobs.begin_job, host.jobs.end_job)
        host.jobs.worker = self
        self._make = host.db.make_way
        self.whole = 0.0
        self.longest: dict[tuple[str, str], float] = {}
        """Seconds of the longest stretch between two places."""
        self.stops: Counter[str] = Counter()
        """How often each place was reached."""
        self.samples: list[str] = []
        """Stacks sampled since the last checkpoint, if sampling is on."""
        self.long: Counter[str] = Counter()
        """The same of all long stretches."""

    def submit(
        self, job: Callable[[], T], priority: Priority = Priority.REQUEST, client: int = 0, can_resume: bool = False
    ) -> Future[T]:
        if not can_resume:
            return super().submit(job, priority, client, can_resume)

        def measured() -> T:
            self.thread, self._place = threading.get_ident(), "begin"
            began = self._last = time.thread_time()
            self._make()
            try:
                return job()
            finally:
                self._note("end")
                self.thread = 0
                self.whole += time.thread_time() - began

        return super().submit(measured, priority, client, can_resume)

    def should_yield(self) -> bool:
        return threading.get_ident() == self.thread

    def give_way(self) -> None:
        if self.should_yield():
            self._note(caller(2))
            self._make()
            self._last = time.thread_time()

    def _note(self, place: str) -> None:
        took = time.thread_time() - self._last
        samples, self.samples = self.samples, []
        if took > _LONG:
            self.long.update(samples)
        between = self._place, place
        self.longest[between] = max(took, self.longest.get(between, 0.0))
        self.stops[place] += 1
        self._place, self._last = place, time.thread_time()

    def sample(self) -> None:
        """Looks every 2 ms at what is running, to the worker's end."""
        while not self._stopped:
            frame = sys._current_frames().get(self.thread)
            if frame is not None:
                self.samples.append(f"{frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno} {frame.f_code.co_name}")
            time.sleep(0.002)


class Bench:
    """A host with an editor and an agent, in this process; every job works on a snapshot."""

    def __init__(self) -> None:
        snapshot.ATTEMPTS = 0  # type: ignore[misc]
        for name in AT_NEED:
            import_module(name)
        database = Database()
        database._gate = _Gate()
        database._gate.members.add(database)
        self.host = Host(database=database)
        self.host.worker = self.worker = MeasuringWorker(self.host)
        self.host.retention._worker = Worker()
        # As in a daemon: what is large is freed elsewhere.
        free_in_pieces(database.debris, Worker())
        self.server = Server(self.host)
        self.server.protocol.connect(_Nowhere(), Begun())
        self.calls = Calls(self.host, self.host.connect(), select(), _PATIENCE)


class _Nowhere:
    def write(self, data: bytes) -> None:
        """Nobody reads it."""

    def close(self) -> None:
        """There is nothing to close."""


def measure(kind: str, text: str, times: int = 1, long: Counter[str] | None = None) -> Stretch:
    """One request about a text of which nothing is known yet; `long` counts what runs in long stretches."""
    runs = [computed(kind, text, long) for _ in range(times)]
    least = {between: min(run.longest.get(between, 0.0) for run in runs) for between in runs[0].longest}
    (before, after), longest = max(least.items(), key=itemgetter(1))
    return Stretch(min(run.whole for run in runs), longest, f"{before} → {after}")


def computed(kind: str, text: str, long: Counter[str] | None = None) -> MeasuringWorker:
    """The worker after a request about a text of which nothing is known yet."""

    async def settled() -> None:
        try:
            await KINDS[kind](bench, text)
        except Exception as error:
            print(f"    {kind}: {type(error).__name__}: {str(error)[:150]}", file=sys.stderr)

    bench = Bench()
    bench.host.open(bench.server.session.client, _PATH, text, 1)
    gc.collect()
    gc.freeze()
    if long is not None:
        threading.Thread(target=bench.worker.sample, daemon=True).start()
    asyncio.run(settled())
    bench.worker.stop()
    if long is not None:
        long.update(bench.worker.long)
    return bench.worker


# ---- kinds of requests ----------------------------------------------------------------------------------------------

Request = Callable[[Bench, str], Coroutine[Any, Any, object]]
_DOCUMENT: Final = types.TextDocumentIdentifier(uri_of(_PATH))
_OPTIONS: Final = types.FormattingOptions(4, True)


def _tool(name: str, arguments: Callable[[str], dict[str, Any]] | None = None) -> Request:
    def ask(bench: Bench, text: str) -> Coroutine[Any, Any, object]:
        return bench.calls.answer(name, {"source": text} if arguments is None else arguments(text))

    return ask


def _feature(name: str, params: Callable[[str], Any]) -> Request:
    feature = next(each for each in FEATURES if each.method == f"textDocument/{name}")

    async def ask(bench: Bench, text: str) -> None:
        await bench.server.protocol._answers[feature.method](params(text))

    return ask


async def _push(bench: Bench, text: str) -> None:
    made = partial(bench.server.diagnostics._computed, _PATH)
    await asyncio.wrap_future(snapshot.ask(bench.host, made, Priority.TYPING, bench.server.session.client.id))


def _whole(text: str) -> types.Range:
    return types.Range(types.Position(0, 0), types.Position(text.count("\n") + 1, 0))


def _place(text: str) -> types.Position:
    """In the middle of the line in the middle."""
    lines = text.split("\n")
    number = len(lines) // 2
    return types.Position(number, len(lines[number]) // 2)


def _placed(made: Callable[..., Any], text: str) -> Any:
    return made(text_document=_DOCUMENT, position=_place(text))


def _named(made: Callable[..., Any], text: str) -> Any:
    return made(text_document=_DOCUMENT)


def _references(text: str) -> types.ReferenceParams:
    return types.ReferenceParams(types.ReferenceContext(True), text_document=_DOCUMENT, position=_place(text))


def _rename(text: str) -> types.RenameParams:
    return types.RenameParams(text_document=_DOCUMENT, position=_place(text), new_name="other_name")


def _formatting(text: str) -> types.DocumentFormattingParams:
    return types.DocumentFormattingParams(text_document=_DOCUMENT, options=_OPTIONS)


def _actions(only: list[str] | None, text: str) -> types.CodeActionParams:
    return types.CodeActionParams(_DOCUMENT, _whole(text), types.CodeActionContext([], only=only))


def _candidates(text: str) -> dict[str, Any]:
    return {"code": text, "candidates": [{"label": "one more", "text": f"{text}fn zz() -> Int {{ 1 }}\n"}]}


def _renamed(text: str) -> dict[str, Any]:
    place = _place(text)
    position = {"line": place.line + 1, "col": place.character + 1}
    return {"code": text, "position": position, "new_name": "other_name", "detail": "full"}


_AT: Final = {
    "hover": types.HoverParams,
    "completion": types.CompletionParams,
    "signatureHelp": types.SignatureHelpParams,
    "definition": types.DefinitionParams,
    "documentHighlight": types.DocumentHighlightParams,
    "prepareRename": types.PrepareRenameParams,
    "prepareCallHierarchy": types.CallHierarchyPrepareParams,
    "linkedEditingRange": types.LinkedEditingRangeParams,
}
_OF: Final = {
    "documentSymbol": types.DocumentSymbolParams,
    "foldingRange": types.FoldingRangeParams,
    "codeLens": types.CodeLensParams,
    "documentLink": types.DocumentLinkParams,
    "diagnostic": types.DocumentDiagnosticParams,
    "semanticTokens/full": types.SemanticTokensParams,
}
_ABOUT_TEXT: Final = (
    "boruna_check", "boruna_ast", "boruna_inspect", "boruna_repair", "boruna_symbols", "boruna_compile", "boruna_validate_app",
)  # fmt: skip

KINDS: Final[dict[str, Request]] = {
    "push": _push,
    **{name: _tool(name) for name in _ABOUT_TEXT},
    "repair all": _tool("boruna_repair", lambda text: {"source": text, "strategy": "all"}),
    "try_edits": _tool("try_edits", _candidates),
    "symbol": _tool("get_definition", lambda text: {"code": text, "symbol": "ab" * 95}),
    "rename_symbol": _tool("rename_symbol", _renamed),
    **{name: _feature(name, partial(_placed, made)) for name, made in _AT.items()},
    **{name: _feature(name, partial(_named, made)) for name, made in _OF.items()},
    "references": _feature("references", _references),
    "rename": _feature("rename", _rename),
    "formatting": _feature("formatting", _formatting),
    "codeAction": _feature("codeAction", partial(_actions, None)),
    "fix all": _feature("codeAction", partial(_actions, ["source.fixAll.boruna", "source.organizeImports"])),
    "inlayHint": _feature("inlayHint", lambda text: types.InlayHintParams(_DOCUMENT, _whole(text))),
    "selectionRange": _feature("selectionRange", lambda text: types.SelectionRangeParams(_DOCUMENT, [_place(text)])),
}
"""By name, what asks for it."""


Sources = dict[str, Callable[[float], str]]
"""By name, what makes a source in a share of its full size."""


def hostile() -> Sources:
    """The sources of `hostile_sources`."""

    def made(size: int, make: Callable[[int], str], share: float) -> str:
        return make(max(1, int(size * share)))

    return {name: partial(made, size, make) for name, (size, make) in SOURCES.items()}


def productions(characters: int) -> Sources:
    """Those of `productions`, of so many characters each."""

    def made(make: Callable[[int], str], share: float) -> str:
        begun = len(make(1))
        each = (len(make(1_000)) - begun) / 999
        return make(max(1, int((characters * share - begun) / each)))

    return {name: partial(made, make) for name, make in PRODUCTIONS.items()}


def _row(kind: str, name: str, make: Callable[[float], str], given: argparse.Namespace, long: Counter[str] | None) -> str | None:
    """A line of the table; None if the request is as it must be and only others are wanted."""
    shares = (0.25, 0.5, 1.0) if given.grow else (1.0,)
    found = [measure(kind, make(given.scale * share), given.times, long) for share in shares]
    last = found[-1]
    taken = " ".join(f"{one.whole:8.2f}" for one in found)
    steps = [larger.whole / max(smaller.whole, 0.001) for smaller, larger in pairwise(found) if larger.whole > _SHORT]
    grows = bool(steps) and min(steps) > MOST_GROWTH
    if last.longest * 1000 < given.over and not grows:
        return None
    mark = f" grows × {min(steps):.1f}" if grows else ""
    return f"{kind:22} {name:34} {taken} {last.longest * 1000:8.1f}  {last.where}{mark}"


def main() -> int:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="size of the sources; 1 is full size")
    parser.add_argument("--kind", action="append", choices=sorted(KINDS), help="only this kind of request")
    parser.add_argument("--over", type=float, default=0.0, metavar="MS", help="only stretches longer than that, and what grows")
    parser.add_argument("--times", type=int, default=3, help="how often each request is computed; %(default)s if not given")
    parser.add_argument("--profile", action="store_true", help="what was running in stretches over 5 ms")
    parser.add_argument("--productions", type=int, metavar="N", help="sources of N characters for each production of the grammar")
    parser.add_argument("--grow", action="store_true", help="a quarter, half and all of each source")
    parser.add_argument("names", nargs="*", help="only these sources")
    given = parser.parse_args()
    long: Counter[str] | None = Counter() if given.profile else None
    _Collector().start()
    sources = productions(given.productions) if given.productions else hostile()
    print(f"{'request':22} {'source':34} {'seconds':>8} {'ms':>8}  the longest stretch without a checkpoint")
    for name in given.names or sources:
        for kind in given.kind or KINDS:
            row = _row(kind, name, sources[name], given, long)
            if row is not None:
                print(row, flush=True)
    for place, count in (long or Counter()).most_common(60):
        print(f"{count:6} {place}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
