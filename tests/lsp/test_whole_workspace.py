"""Diagnostics of files that an editor does not have open: pulled, pushed, checked in idle time, and after changes by others."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bench.generate_ax import generate
from tests.support.lsp import PATIENCE, RawClient, edit

CLEAN = "fn main() -> Int {\n    5 + 6\n}\n"
FAULTY = CLEAN.replace("5", "five")
PULLS = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
    "window": {"workDoneProgress": True},
}
LIBRARY = "libs/shop/src/core.ax"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "boruna.toml").write_text("", encoding="utf-8")
    for number in range(5):
        (tmp_path / f"file_{number}.ax").write_text(FAULTY if number % 2 else CLEAN, encoding="utf-8")
    (tmp_path / LIBRARY).parent.mkdir(parents=True)
    (tmp_path / LIBRARY).write_text("export fn twice(n: Int) -> Int {\n    n * 2\n}\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def editor() -> Iterator[RawClient]:
    with RawClient() as client:
        yield client


def start(editor: RawClient, folder: Path, capabilities: Any = None, **options: Any) -> None:
    editor.initialize(capabilities or {}, rootUri=folder.as_uri(), initializationOptions=options)


def next_message(editor: RawClient, method: str) -> dict[str, Any]:
    """The next message of a method; requests of the server that come before it are answered with null."""
    while True:
        message = editor.receive()
        if "id" in message and "method" in message:
            editor.frame(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": None}).encode())
        if message.get("method") == method:
            return message


def published(editor: RawClient, wanted: dict[str, int]) -> None:
    """Waits until the numbers of diagnostics that were published last, by file name, are these."""
    shown: dict[str, int] = {}
    while shown != wanted:
        params = next_message(editor, "textDocument/publishDiagnostics")["params"]
        shown[Path(params["uri"]).name] = len(params["diagnostics"])


def pulled(editor: RawClient, **params: Any) -> dict[str, dict[str, Any]]:
    """Reports by file name."""
    answer = editor.call("workspace/diagnostic", {"previousResultIds": [], **params})
    return {Path(report["uri"]).name: report for report in answer["items"]}


def status(editor: RawClient) -> dict[str, Any]:
    answer: dict[str, Any] = editor.call("boruna/status")
    return answer


def in_workspace(told: dict[str, Any], folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in told["workspaces"] if one["root"] == str(folder))
    return found


def test_pulled_reports_have_ids_and_stay_unchanged(editor: RawClient, folder: Path) -> None:
    start(editor, folder, PULLS)
    first = pulled(editor)
    assert {name: len(report["items"]) for name, report in first.items()} == {
        "core.ax": 0,
        **{f"file_{number}.ax": number % 2 for number in range(5)},
    }
    known = [{"uri": report["uri"], "value": report["resultId"]} for report in first.values()]
    assert {report["kind"] for report in pulled(editor, previousResultIds=known).values()} == {"unchanged"}
    (folder / "file_1.ax").write_text(CLEAN, encoding="utf-8")
    (folder / "file_2.ax").unlink()
    changed = pulled(editor, previousResultIds=known)
    assert {name for name, report in changed.items() if report["kind"] == "full"} == {"file_1.ax"}
    assert "file_2.ax" not in changed
    uri = (folder / "file_3.ax").as_uri()
    editor.open(uri, CLEAN, version=7)
    assert (pulled(editor)["file_3.ax"]["version"], pulled(editor)["file_3.ax"]["items"]) == (7, [])


def test_the_report_of_a_library_has_those_of_its_open_importers(editor: RawClient, folder: Path) -> None:
    start(editor, folder, {"textDocument": {"diagnostic": {"relatedDocumentSupport": True}}})
    library, importer, other = ((folder / name).as_uri() for name in (LIBRARY, "importer.ax", "file_0.ax"))
    text = (folder / LIBRARY).read_text("utf-8")
    editor.open(library, text)
    editor.open(importer, 'import "shop"\n\nfn main() -> Int {\n    twice(2)\n}\n')
    editor.open(other, FAULTY)

    def report(uri: str) -> dict[str, Any]:
        answer: dict[str, Any] = editor.call("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        return answer

    found = report(library)
    assert {uri: one["items"] for uri, one in found["relatedDocuments"].items()} == {importer: []}
    editor.change(library, 2, {"text": text.replace("twice", "thrice")})
    found = report(library)["relatedDocuments"]
    assert "E003" in [one["code"] for one in found[importer]["items"]]
    assert found[importer] == report(importer)
    assert "relatedDocuments" not in report(other)


def test_partial_results_are_the_same_reports(editor: RawClient, folder: Path) -> None:
    for number in range(5, 100):
        (folder / f"file_{number}.ax").write_text(FAULTY if number % 2 else CLEAN, encoding="utf-8")
    start(editor, folder, PULLS)
    whole = pulled(editor)
    number = editor.ask("workspace/diagnostic", {"previousResultIds": [], "partialResultToken": "part"})
    parts: dict[str, dict[str, Any]] = {}
    counts: list[int] = []
    while (message := editor.receive()).get("id") != number:
        if message.get("method") == "$/progress" and message["params"]["token"] == "part":
            items = message["params"]["value"]["items"]
            counts.append(len(items))
            parts |= {Path(report["uri"]).name: report for report in items}
    assert message["result"] == {"items": []}
    assert len(counts) > 1
    assert parts == whole


def test_findings_of_all_files_are_pushed_where_that_is_wanted(editor: RawClient, folder: Path) -> None:
    start(editor, folder, boruna={"diagnostics": {"scope": "workspace"}})
    opened = (folder / "file_0.ax").as_uri()
    editor.open(opened, FAULTY)
    published(editor, {"file_0.ax": 1, "file_1.ax": 1, "file_3.ax": 1})
    (folder / "file_1.ax").write_text(CLEAN, encoding="utf-8")
    (folder / "file_3.ax").unlink()
    (folder / "file_4.ax").write_text(FAULTY.replace("6", "six"), encoding="utf-8")
    changes = [{"uri": (folder / f"file_{number}.ax").as_uri(), "type": 2} for number in (1, 3, 4)]
    editor.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    published(editor, {"file_1.ax": 0, "file_3.ax": 0, "file_4.ax": 2})
    # A file that is closed with diagnostics keeps them: the disk has them, too.
    editor.change(opened, 2, {"text": CLEAN})
    published(editor, {"file_0.ax": 0})
    (folder / "file_0.ax").write_text(FAULTY, encoding="utf-8")
    editor.notify("textDocument/didClose", {"textDocument": {"uri": opened}})
    published(editor, {"file_0.ax": 1})
    editor.notify("workspace/didChangeConfiguration", {"settings": {"boruna": {"diagnostics.scope": "open"}}})
    published(editor, {"file_0.ax": 0, "file_4.ax": 0})
    assert status(editor)["scope"] == "open"


def test_a_wrong_setting_is_told(editor: RawClient, folder: Path) -> None:
    start(editor, folder, diagnostics={"scope": "everything"})
    assert "boruna.diagnostics.scope" in next_message(editor, "window/showMessage")["params"]["message"]


def test_editors_that_pull_are_asked_to_look_again(editor: RawClient, folder: Path) -> None:
    start(editor, folder, PULLS)
    uri = (folder / "main.ax").as_uri()
    editor.open(uri, 'import "shop"\n\nfn main() -> Int {\n    twice(4)\n}\n')
    asked = {"textDocument": {"uri": uri}}
    assert editor.call("textDocument/diagnostic", asked)["items"] == []
    library = folder / LIBRARY
    library.write_text(library.read_text(encoding="utf-8").replace("twice", "double"), encoding="utf-8")
    editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": library.as_uri(), "type": 2}]})
    next_message(editor, "workspace/diagnostic/refresh")
    assert [one["code"] for one in editor.call("textDocument/diagnostic", asked)["items"]] == ["W404", "E003"]


def test_the_status_tells_revision_and_coverage(editor: RawClient, folder: Path) -> None:
    start(editor, folder)
    uri = (folder / "file_0.ax").as_uri()
    editor.open(uri, CLEAN)
    ends = time.monotonic() + PATIENCE
    while in_workspace(told := status(editor), folder)["coverage"] != {"checked": 6, "total": 6}:
        assert time.monotonic() < ends
    before = in_workspace(told, folder)
    assert before["open"] == 1
    assert before["revision"].startswith(f"{told['epoch']}-")
    assert set(told["pending"]) == {"typing", "request", "diagnostics", "workspace", "background"}
    editor.change(uri, 2, edit((1, 4), (1, 5), "five"))
    assert in_workspace(status(editor), folder)["revision"] != before["revision"]


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_idle_work_that_takes_long_shows_progress(editor: RawClient, tmp_path: Path, is_cancelled: bool) -> None:
    (tmp_path / "boruna.toml").write_text("", encoding="utf-8")
    # Texts of its own: what another test had checked is not checked again.
    texts = [generate(500, number + 1_000 * is_cancelled) for number in range(120)]
    for number, text in enumerate(texts):
        (tmp_path / f"file_{number}.ax").write_text(text, encoding="utf-8")
    start(editor, tmp_path, PULLS)
    editor.open((tmp_path / "file_0.ax").as_uri(), texts[0])
    token = next_message(editor, "window/workDoneProgress/create")["params"]["token"]
    begun = next_message(editor, "$/progress")["params"]
    assert (begun["token"], begun["value"]["kind"], begun["value"]["cancellable"]) == (token, "begin", True)
    if is_cancelled:
        editor.notify("window/workDoneProgress/cancel", {"token": token})
    while (value := next_message(editor, "$/progress")["params"]["value"])["kind"] == "report":
        assert 0 <= value["percentage"] <= 100
    assert value["kind"] == "end"
    told = in_workspace(status(editor), tmp_path)
    assert not told["checking"]
    assert (told["coverage"] == {"checked": 120, "total": 120}) is not is_cancelled
