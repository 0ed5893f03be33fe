"""The page with all tools is what their argument models say."""

from __future__ import annotations

from pathlib import Path

from boruna_ls.mcp.tools_page import page

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_current() -> None:
    assert (ROOT / "docs" / "tools.md").read_text("utf-8") == page(), "run: make tools-page"
