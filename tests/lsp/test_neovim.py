"""A real Neovim with the configuration that the README shows: what a person sees who types, and saves nothing.

`neovim.lua` runs inside the editor and drives its built-in client; this module lays out a workspace and judges what the
editor has shown.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.neovim import MISSING, editor, seen_by

APP = """fn main() -> String {
    label(7)
}

fn label(number: Int) -> String {
    "n" ++ __builtin_int_to_string(number)
}
"""
OTHER = """import "std-json"

fn helper(n: Int) -> Int {
    n
}

fn main() -> Int {
    helper(1)
}
"""
LABELLED = APP.replace("    label(7)", '    "größe 😀 " ++ label(7)')
RENAMED = LABELLED.replace("label", "title_of")
TAIL = "\nfn tail() -> Int {\n    1\n}\n"


pytestmark = pytest.mark.skipif(editor() is None, reason=MISSING)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Display of the editor, step by step."""
    folder = tmp_path_factory.mktemp("neovim").resolve()
    (folder / "ws" / "src").mkdir(parents=True)
    (folder / "ws" / "boruna.toml").touch()
    (folder / "ws" / "src" / "app.ax").write_text(APP, encoding="utf-8")
    (folder / "ws" / "src" / "other.ax").write_text(OTHER, encoding="utf-8")
    shown = seen_by(Path(__file__).with_name("neovim.lua"), folder, folder / "ws")
    shown["workspace"] = str(folder / "ws")
    shown["saved"] = (folder / "ws" / "src" / "app.ax").read_text("utf-8")
    return shown


def test_one_server_for_the_workspace(seen: dict[str, Any]) -> None:
    assert seen["filetype"] == "boruna"
    assert seen["root"] == seen["workspace"]
    assert seen["clients"] == 1


def test_diagnostics_of_what_is_not_saved(seen: dict[str, Any]) -> None:
    assert seen["modified"] is True
    assert seen["saved"] == APP
    error = next(one for one in seen["broken"] if one[0] == "E003")
    # Neovim counts columns in bytes, whatever encoding was negotiated.
    start = len('    "größe 😀 " ++ '.encode())
    assert error == ["E003", 1, start, start + 5, "undefined variable: lable\ndid you mean 'label'?"]


def test_code_actions(seen: dict[str, Any]) -> None:
    assert {"title": "rename 'lable' to 'label'", "kind": "quickfix", "preferred": True} in seen["titles"]
    assert "source.fixAll.boruna" in [one["kind"] for one in seen["titles"]]
    assert seen["fixed"] == LABELLED
    assert seen["all_fixed"] == APP.replace("label", "title_of") + TAIL


def test_hover_rename_definition(seen: dict[str, Any]) -> None:
    assert seen["hover"] == "```ax\nfn label(number: Int) -> String\n```\n\nA call takes 6 steps."
    assert seen["renamed"] == RENAMED
    assert seen["definition"] == [5, 3]


def test_format(seen: dict[str, Any]) -> None:
    assert seen["formatted"] == RENAMED + TAIL


def test_tokens_and_symbols(seen: dict[str, Any]) -> None:
    assert seen["token"] == "function"
    assert seen["symbols"] == ["helper", "main"]


def test_nothing_was_reported_to_the_person(seen: dict[str, Any]) -> None:
    assert seen["messages"] == ""
