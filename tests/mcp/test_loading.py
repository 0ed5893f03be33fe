"""Tools are imported when they are needed, beside the event loop."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from boruna_ls.mcp import tools
from boruna_ls.mcp.tools import TOOLS, Row, load_apart


def test_a_tool_is_imported_once_and_not_on_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []

    def load(row: Row) -> Any:
        threads.append(threading.current_thread().name)
        return taken(row)

    async def twice() -> None:
        await asyncio.gather(load_apart([row]), load_apart([row]))
        await load_apart([row])

    row, taken = TOOLS["boruna_check"], Row.load
    monkeypatch.setattr(Row, "load", load)
    monkeypatch.setattr(tools, "_loaded", set())
    asyncio.run(twice())
    assert set(threads) == {"tools_0"}
    assert len(threads) <= 2
