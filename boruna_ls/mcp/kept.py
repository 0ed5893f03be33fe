"""Long answers in pages: a cursor names a result that is kept for two minutes, so that all pages tell of one state.

Entries are kept as they were found and made into JSON when their page is asked for. What a client can keep is bounded; the
oldest result goes first.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import Field

from boruna_ls.answers.envelope import as_text
from boruna_ls.mcp.arguments import Arguments
from boruna_ls.mcp.tool import Call, RefusedCall

BUDGET: Final = 40_000
"""Bytes of an answer's text: 10,000 tokens."""
SECONDS: Final = 120.0
"""Seconds for which a result is kept after its first page."""
MOST_RESULTS: Final = 8
MOST_ENTRIES: Final = 50_000
"""Limits for each client: number of kept results, and of entries in them. The newest is kept whatever its size."""
_ROOM: Final = 500
"""Bytes for what the transport adds to an answer."""


class PagedArguments(Arguments):
    """Arguments of a tool whose answers come in pages."""

    limit: int = Field(200, description="Most entries", ge=0, le=10_000)
    cursor: str | None = Field(None, description="`next_cursor` of the last answer", min_length=1, max_length=200)


P = TypeVar("P", bound=PagedArguments)


class _Result(NamedTuple):
    """`head` is the answer without the list; it belongs to the tool `tool`."""

    ends: float
    tool: str
    name: str
    head: dict[str, Any]
    entries: Sequence[Any]
    render: Callable[[Any], Any]
    budget: int


def first_page(
    call: Call[P],
    tool: str,
    head: dict[str, Any],
    name: str,
    entries: Sequence[Any],
    render: Callable[[Any], Any],
    budget: int = BUDGET,
) -> dict[str, Any]:
    """The answer with as many entries as asked for and as fit; if that is not all, the result is kept for `next_cursor`.

    `render` makes a JSON value of an entry; it must not ask the database: later pages are made from what was found now.
    `budget` is how many bytes the text of a page may have.
    """
    result = _Result(time.monotonic() + SECONDS, tool, name, head, entries, render, budget)
    answer, shown = _page(call, result, 0)
    if shown < len(entries):
        answer["next_cursor"] = f"{_keep(call, result)}@{shown}"
    return answer


def next_page(call: Call[P], tool: str) -> dict[str, Any] | None:
    """The page that the call's cursor asks for; None without a cursor. Raises RefusedCall if its result has expired."""
    cursor = call.arguments.cursor
    if cursor is None:
        return None
    key, _, number = cursor.rpartition("@")
    result = _results(call).get(key)
    if result is None or result.tool != tool or not number.isdecimal() or int(number) >= len(result.entries):
        message = f"the cursor is unknown or has expired (a result is kept for {SECONDS:.0f} s): call again without `cursor`"
        raise RefusedCall("ValidationError", message, field="cursor", accepted="`next_cursor` of the last answer")
    start = int(number)
    answer, shown = _page(call, result, start)
    if start + shown < len(result.entries):
        answer["next_cursor"] = f"{key}@{start + shown}"
    return answer


def _page(call: Call[P], result: _Result, start: int) -> tuple[dict[str, Any], int]:
    """The answer with entries from `start` on, one at least, and their number."""
    left = result.budget - len(as_text(result.head).encode("utf-8", "surrogatepass")) - _ROOM
    shown: list[Any] = []
    for item in islice(result.entries, start, start + max(1, call.arguments.limit)):
        entry = result.render(item)
        left -= len(as_text(entry).encode("utf-8", "surrogatepass")) + 1
        if left < 0 and shown:
            break
        shown.append(entry)
    return {**result.head, result.name: shown, "total": len(result.entries)}, len(shown)


def _keep(call: Call[P], result: _Result) -> str:
    kept = _results(call)
    key = secrets.token_hex(8)
    kept[key] = result
    while len(kept) > 1 and (len(kept) > MOST_RESULTS or sum(len(other.entries) for other in kept.values()) > MOST_ENTRIES):
        del kept[next(iter(kept))]
    return key


def _results(call: Call[P]) -> dict[str, _Result]:
    """The results of the call's client that are still kept, the oldest first."""
    results: dict[str, _Result] = call.memory.setdefault("results", {})
    now = time.monotonic()
    for key in [key for key, result in results.items() if result.ends < now]:
        del results[key]
    return results
