"""`docs/other-languages.md` is what the lexicon says."""

from __future__ import annotations

from pathlib import Path

from analysis.semantics.builtins import BUILTINS
from analysis.suggestions.lexicon import builtins_by_word
from analysis.suggestions.own_words import OWN_WORDS
from boruna_ls.cli.other_languages_page import page

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_generated() -> None:
    assert (ROOT / "docs" / "other-languages.md").read_text("utf-8") == page(), "run `make other-languages-page`"


def test_the_words_lead_to_builtins() -> None:
    meant = dict.fromkeys(name for _, name in builtins_by_word())
    assert set(meant) <= set(BUILTINS)
    assert ("upcase", "__builtin_string_to_upper") in builtins_by_word()
    assert ("println", "__builtin_debug") in builtins_by_word()


def test_the_page_names_no_word_of_our_own() -> None:
    text = page()
    assert [word for word in sorted(OWN_WORDS) if f"`{word}`" in text or f"`{word}(" in text] == []
