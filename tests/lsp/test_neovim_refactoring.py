"""A real Neovim: refactorings chosen from its menu, and a rename that changes files that are not open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.neovim import MISSING, editor, seen_by

LIBRARY = "export fn half(n: Int) -> Int {\n    n / 2\n}\n"
APP = 'import "shop"\n\nfn main() -> Int {\n    let total = half(8)\n    total * 2\n}\n'
OTHER = 'import "shop"\n\nfn main() -> Int {\n    half(half(4))\n}\n'

pytestmark = pytest.mark.skipif(editor() is None, reason=MISSING)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Display of the editor, step by step, and the files that it saved."""
    folder = tmp_path_factory.mktemp("neovim").resolve()
    workspace = folder / "ws"
    (workspace / "libs" / "shop" / "src").mkdir(parents=True)
    files = {"boruna.toml": "", "libs/shop/src/core.ax": LIBRARY, "app.ax": APP, "other.ax": OTHER}
    for name, text in files.items():
        (workspace / name).write_text(text, encoding="utf-8")
    shown = seen_by(Path(__file__).with_name("neovim_refactoring.lua"), folder, workspace)
    shown["saved"] = {name: (workspace / name).read_text("utf-8") for name in files}
    return shown


def test_the_menu_has_the_kinds_that_are_asked_for(seen: dict[str, Any]) -> None:
    assert "Extract into a variable" in seen["refactorings"]
    assert "Extract into a function" in seen["refactorings"]
    assert set(seen["extracts"]) < set(seen["refactorings"])
    assert all(title.startswith("Extract") for title in seen["extracts"])
    assert "Flip the operands" in seen["at_operator"]
    assert seen["untouched"] == APP


def test_the_chosen_edit_is_fetched_and_made(seen: dict[str, Any]) -> None:
    assert "    let value = total * 2\n    value\n" in seen["extracted"]
    assert seen["undone"] == APP
    assert seen["inlined"] == 'import "shop"\n\nfn main() -> Int {\n    half(8) * 2\n}\n'


def test_rename_changes_all_files(seen: dict[str, Any]) -> None:
    assert seen["renamed"] == seen["inlined"].replace("half", "halved")
    assert seen["saved"] == {
        "boruna.toml": "",
        "app.ax": seen["renamed"],
        "libs/shop/src/core.ax": LIBRARY.replace("half", "halved"),
        "other.ax": OTHER.replace("half", "halved"),
    }
