"""Every request at every position of every program of the corpus: no error, and no answer that keeps a person waiting.

    python -m tests.ide.positions [--seed N] [--programs N] [--positions N] [--shard I/N]
    python -m tests.ide.positions --client --positions 3

Prints the 95th percentile and the slowest answer of each request, in milliseconds: cold where a text is first looked at, warm
otherwise. In this process it is processor time, so that it does not count what others do on the machine. With `--client` the
requests go over the protocol to a real server, and it is the time until the answer. Exits with 1 after an error or an answer
above the limit.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from statistics import quantiles
from typing import Any, Final

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.fixes.repair import fixes_for
from analysis.formatting.formatter import format_source
from analysis.ide.bracket_pairs import opening_of
from analysis.ide.call_hierarchy import callees, callers, function_at
from analysis.ide.call_signature import call_signature
from analysis.ide.completion import completions
from analysis.ide.definition import definition
from analysis.ide.document_links import document_links
from analysis.ide.folding import folding_ranges
from analysis.ide.hover import hover
from analysis.ide.implementation import implementations
from analysis.ide.import_edits import unused_imports
from analysis.ide.inlay_hints import inlay_hints
from analysis.ide.linked_names import linked_names
from analysis.ide.refactor.table import offered
from analysis.ide.references import highlights, references
from analysis.ide.rename import prepare_rename, rename
from analysis.ide.selection import selection_ranges
from analysis.ide.semantic_tokens import tokens
from analysis.ide.symbols import document_symbols
from analysis.ide.type_definition import type_definition
from analysis.ide.type_facts import locals_at, type_at
from analysis.inputs import source
from tests.ide.refactorings import texts
from tests.support.lsp import RawClient
from tests.support.marked import MAIN, opened

LIMIT_MS: Final = 100.0
_SHOWN: Final = 3
"""Slow answers to a request that are named for each program."""
_NEVER: Final = 10**9


def _calls(db: Database, offset: int) -> Any:
    function = function_at(db, MAIN, offset)
    return (callers(db, function), callees(db, function)) if function is not None else ()


def _fixes(db: Database, offset: int) -> Any:
    text = source(db, MAIN)
    found: list[Any] = []
    for chunk, diagnostic in check_file(db, MAIN).entries:
        seen, base = diagnostic.for_people() or diagnostic, text.offsets[chunk]
        if seen.span[0] + base <= offset <= seen.span[1] + base:
            found += fixes_for(db, MAIN, chunk, diagnostic)
    return found


REQUESTS: Final[dict[str, Callable[[Database, int], Any]]] = {
    "hover": lambda db, at: hover(db, MAIN, at),
    "completion": lambda db, at: completions(db, MAIN, at),
    "signatureHelp": lambda db, at: call_signature(db, MAIN, at),
    "definition": lambda db, at: definition(db, MAIN, at),
    "typeDefinition": lambda db, at: type_definition(db, MAIN, at),
    "implementation": lambda db, at: implementations(db, MAIN, at),
    "references": lambda db, at: references(db, MAIN, at),
    "documentHighlight": lambda db, at: highlights(db, MAIN, at),
    "callHierarchy": _calls,
    "prepareRename": lambda db, at: prepare_rename(db, MAIN, at),
    "rename": lambda db, at: rename(db, MAIN, at, "another_name"),
    "linkedEditingRange": lambda db, at: linked_names(db, MAIN, at),
    "onTypeFormatting": lambda db, at: opening_of(db, source(db, MAIN), at),
    "selectionRange": lambda db, at: selection_ranges(db, MAIN, at),
    "codeAction (refactorings)": lambda db, at: list(offered(db, MAIN, (at, at))),
    "codeAction (fixes)": _fixes,
    "inlayHint, semanticTokens/range": lambda db, at: (inlay_hints(db, MAIN, (at, at)), tokens(db, MAIN, (at, at))),
    "analyze_types": lambda db, at: (locals_at(db, MAIN, at), type_at(db, MAIN, at)),
}
WHOLE: Final[dict[str, Callable[[Database], Any]]] = {
    "diagnostic": lambda db: check_file(db, MAIN),
    "semanticTokens/full": lambda db: tokens(db, MAIN),
    "inlayHint": lambda db: inlay_hints(db, MAIN, (0, len(source(db, MAIN).text))),
    "documentSymbol": lambda db: document_symbols(db, MAIN),
    "foldingRange": lambda db: folding_ranges(db, MAIN),
    "documentLink": lambda db: document_links(db, MAIN),
    "formatting": lambda db: format_source(db, source(db, MAIN)),
    "organizeImports": lambda db: unused_imports(db, MAIN),
}
POSITIONED: Final = (
    "hover", "completion", "signatureHelp", "definition", "declaration", "typeDefinition", "implementation", "documentHighlight",
    "prepareCallHierarchy", "linkedEditingRange", "prepareRename",
)  # fmt: skip
"""The requests of the protocol that have a document and a position, and nothing else."""


class Slow:
    """The times of all answers, and those above the limit."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = defaultdict(list)
        self.faults = 0

    def asked(self, text: str, offsets: Iterable[int], program: str = "") -> None:
        """Asks everything about a text and at each offset. An error is raised."""
        named: Counter[str] = Counter()
        db = opened(text)
        for name, whole in WHOLE.items():
            self._asked(name, partial(whole, db), f"{program} whole", named)
        for offset in offsets:
            for name, ask in REQUESTS.items():
                self._asked(name, partial(ask, db, offset), f"{program}:{offset}", named)

    def _asked(self, name: str, ask: Callable[[], Any], place: str, named: Counter[str]) -> None:
        begun = time.thread_time()
        ask()
        self.spent(name, (time.thread_time() - begun) * 1000, place, named)

    def spent(self, name: str, spent: float, place: str, named: Counter[str]) -> None:
        """Counts an answer."""
        self.times[name].append(spent)
        if spent > LIMIT_MS:
            self.faults += 1
            named[name] += 1
            if named[name] <= _SHOWN:
                print(f"{place} {name} took {spent:.0f} ms", flush=True)

    def asked_over_protocol(self, client: RawClient, text: str, offsets: Iterable[int], program: str) -> None:
        """The same, of a server. An error is raised, but for a rename that is refused."""
        uri = f"file:///corpus/{program}"
        named: Counter[str] = Counter()
        client.open(uri, text)
        document = {"textDocument": {"uri": uri}}

        def ask(method: str, params: dict[str, Any], refusable: bool = False) -> Any:
            begun = time.perf_counter()
            answer = client.answer(client.ask(method, document | params))
            self.spent(method, (time.perf_counter() - begun) * 1000, str(params)[:60], named)
            assert "result" in answer or refusable, (program, method, params, answer)
            return answer.get("result")

        for method in ("documentSymbol", "foldingRange", "documentLink", "codeLens", "semanticTokens/full", "diagnostic"):
            ask(f"textDocument/{method}", {})
        ask("textDocument/formatting", {"options": {"tabSize": 4, "insertSpaces": True}})
        for offset in offsets:
            line = text.count("\n", 0, offset)
            place = {"line": line, "character": len(text[text.rfind("\n", 0, offset) + 1 : offset].encode("utf-16-le")) // 2}
            here = {"start": place, "end": place}
            for method in POSITIONED:
                ask(f"textDocument/{method}", {"position": place}, method == "prepareRename")
            ask("textDocument/references", {"position": place, "context": {"includeDeclaration": True}})
            ask("textDocument/rename", {"position": place, "newName": "another_name"}, True)
            ask("textDocument/selectionRange", {"positions": [place]})
            for method in ("inlayHint", "semanticTokens/range"):
                ask(f"textDocument/{method}", {"range": here})
            for action in ask("textDocument/codeAction", {"range": here, "context": {"diagnostics": []}}):
                if "data" in action:
                    begun = time.perf_counter()
                    client.answer(client.ask("codeAction/resolve", action))
                    self.spent("codeAction/resolve", (time.perf_counter() - begun) * 1000, f"{program}:{offset}", named)
        client.notify("textDocument/didClose", document)

    def print_table(self) -> None:
        """The figures of each request."""
        print(f"{'request':44}{'asked':>10}{'p95 ms':>10}{'slowest':>10}")
        for request, spent in self.times.items():
            high = quantiles(spent, n=20)[-1] if len(spent) > 1 else spent[0]
            print(f"{request:44}{len(spent):>10}{high:>10.2f}{max(spent):>10.1f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=0, help="so many programs (default: all)")
    parser.add_argument("--positions", type=int, default=0, help="so many positions of each (default: all)")
    parser.add_argument("--shard", default="1/1", help="the first of N parts of the programs, the second, …")
    parser.add_argument("--client", action="store_true", help="ask a server")
    options = parser.parse_args()
    chosen = random.Random(options.seed)
    names = sorted(texts())
    if options.programs:
        names = chosen.sample(names, min(options.programs, len(names)))
    part, parts = map(int, options.shard.split("/"))
    names = names[part - 1 :: parts]
    slow = Slow()
    client = RawClient() if options.client else None
    if client is not None:
        client.initialize({"textDocument": {"codeAction": {"resolveSupport": {"properties": ["edit"]}}}})
    # As in a server: only new objects are looked at for cycles (`boruna_ls/process.py`).
    gc.freeze()
    gc.set_threshold(3_000, _NEVER, _NEVER)
    for name in names:
        text = texts()[name]
        offsets = list(range(len(text) + 1))
        if options.positions and len(offsets) > options.positions:
            offsets = sorted(chosen.sample(offsets, options.positions))
        if client is None:
            slow.asked(text, offsets, name)
            gc.collect()
        else:
            slow.asked_over_protocol(client, text, offsets, name)
    slow.print_table()
    print(f"seed {options.seed}: {len(names)} programs, {slow.faults} answers above {LIMIT_MS:.0f} ms")
    if client is not None:
        client.process.kill()
    return bool(slow.faults)


if __name__ == "__main__":
    sys.exit(main())
