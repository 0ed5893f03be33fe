"""`docs/editors.md` is what the registrations say."""

from __future__ import annotations

from pathlib import Path

from boruna_ls.lsp.features_page import page


def test_the_page_is_the_one_that_the_registrations_make() -> None:
    written = (Path(__file__).resolve().parents[2] / "docs" / "editors.md").read_text("utf-8")
    assert written == page(), "run `make editors-page`"
