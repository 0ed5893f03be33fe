"""A real Neovim whose daemon is killed: diagnostics of what is not saved stay, hover works, what is typed counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.rendezvous import places
from tests.support.daemon import stopped
from tests.support.neovim import MISSING, editor, seen_by

APP = (
    'fn main() -> String {\n    label(7)\n}\n\nfn label(number: Int) -> String {\n    "n" ++ __builtin_int_to_string(number)\n}\n'
)

pytestmark = pytest.mark.skipif(editor() is None, reason=MISSING)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Screen contents of the editor, step by step."""
    folder = tmp_path_factory.mktemp("n").resolve()
    (folder / "ws").mkdir()
    (folder / "ws" / "boruna.toml").touch()
    (folder / "ws" / "app.ax").write_text(APP, encoding="utf-8")
    with pytest.MonkeyPatch.context() as fix:
        fix.setenv(places.VARIABLE, str(folder / "d"))
        yield seen_by(Path(__file__).with_name("neovim.lua"), folder, folder / "ws")
        stopped(folder / "d")


def test_findings_never_leave_the_screen(seen: dict[str, Any]) -> None:
    assert seen["fewest"] == 1
    start = len('    "größe 😀 " ++ '.encode())
    assert seen["kept"] == [["E003", 1, start, "undefined variable: lable\ndid you mean 'label'?"]]


def test_features_work_and_what_is_typed_counts(seen: dict[str, Any]) -> None:
    assert seen["hover"].startswith("```ax\nfn label(number: Int) -> String\n```")
    assert [one[:2] for one in seen["moved"]] == [["E003", 2]]


def test_the_editor_has_noticed_nothing(seen: dict[str, Any]) -> None:
    assert (seen["clients"], seen["same"], seen["messages"]) == (1, True, "")
