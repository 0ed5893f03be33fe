"""Workspace of a file while folders appear and vanish; worktrees; release of data."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from analysis import inputs
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId
from boruna_ls.workspace import Change, Client, Host, Kind, ask
from boruna_ls.workspace.upkeep import LEFT

GOOD = "fn main() -> Int {\n    1\n}\n"
BAD = "fn main() -> Int {\n    one\n}\n"
USES = 'import "greet"\n\nfn main() -> Int {\n    greeting()\n}\n'
GREET = "fn greeting() -> Int {\n    1\n}\n"


@pytest.fixture
def host() -> Host:
    return Host()


def text(host: Host, file: FileId) -> str:
    return inputs.source(host.db, file).text


def codes(host: Host, file: FileId) -> list[str]:
    return [diagnostic.code for _, diagnostic in check_file(host.db, file).entries]


def of(host: Host, client: Client, path: Path) -> FileId:
    """The buffer's file as it is now."""
    buffer = host.buffer(client, str(path))
    assert buffer is not None
    return buffer.file


def test_a_file_moves_when_its_workspace_comes_or_goes(host: Host, tmp_path: Path) -> None:
    inner = tmp_path / "project" / "inner"
    inner.mkdir(parents=True)
    path = inner / "a.ax"
    path.write_text(GOOD)
    editor = host.connect()
    opened = host.open(editor, str(path), BAD)
    assert opened.workspace == ""
    steps = (
        (tmp_path / "project" / ".git", str(tmp_path / "project")),
        (inner / "boruna.toml", str(inner)),
        (tmp_path / "project" / "boruna.toml", str(inner)),
    )
    for marker, expected in steps:
        marker.write_text("")
        found = host.file_for_agent(str(path))
        assert (found.workspace, text(host, found)) == (expected, BAD)
        assert of(host, editor, path) == found
    for (marker, _), expected in zip(reversed(steps), (str(inner), str(tmp_path / "project"), ""), strict=True):
        marker.unlink()
        assert host.file_for_agent(str(path)).workspace == expected
    # Nothing is left of it where it was.
    assert {file.workspace for file in host.state.texts.files() if file.path == str(path)} == {""}
    assert codes(host, of(host, editor, path)) == ["E003"]


def test_listeners_hear_of_both_workspaces_when_a_buffer_moves(host: Host, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "inner").mkdir()
    editor = host.connect()
    host.open(editor, str(tmp_path / "inner" / "a.ax"), GOOD)
    told: list[Change] = []
    host.listeners.append(told.append)
    (tmp_path / "inner" / "boruna.toml").write_text("")
    host.upkeep.settle()
    assert {change.workspace for change in told if change.kind is Kind.TEXT} == {str(tmp_path), str(tmp_path / "inner")}


def test_several_roots_and_nested_ones(host: Host, tmp_path: Path) -> None:
    for name in ("one", "two", "two/inner"):
        (tmp_path / name).mkdir()
    (tmp_path / "two" / "inner" / "boruna.toml").write_text("")
    client = host.connect([str(tmp_path / "one"), str(tmp_path / "two"), str(tmp_path)])
    places = {"one/a.ax": "one", "two/a.ax": "two", "two/inner/a.ax": "two/inner", "a.ax": ""}
    for name, expected in places.items():
        (tmp_path / name).write_text(GOOD)
        assert host.file_for_agent(str(tmp_path / name), client.folders).workspace == str(tmp_path / expected).rstrip("/")
    assert host.roots(client) == [str(tmp_path), str(tmp_path / "one"), str(tmp_path / "two")]


def parsed(host: Host) -> dict[str, int]:
    """Number of runs of each query of a chunk."""
    return {
        name: one.executed for name, one in host.db.statistics().items() if name in ("chunk_tree", "summary", "item_diagnostics")
    }


def test_a_second_worktree_shares_all_that_items_say(host: Host, tmp_path: Path) -> None:
    main, second = tmp_path / "main", tmp_path / "second"
    main.mkdir()
    (main / "libs" / "greet" / "src").mkdir(parents=True)
    (main / "libs" / "greet" / "src" / "core.ax").write_text(GREET)
    for number in range(30):
        (main / f"f{number}.ax").write_text(f"{USES}\nfn own{number}() -> Int {{\n    {number}\n}}\n")
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "all"), ("worktree", "add", "-q", str(second))):
        who = ("-c", "user.name=boruna", "-c", "user.email=boruna@localhost", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *arguments], cwd=main, check=True, capture_output=True)
    first = [codes(host, host.file_for_agent(path)) for path in host.files(str(main))]
    before = parsed(host)
    assert before["chunk_tree"] > 30
    files = [host.file_for_agent(path) for path in host.files(str(second))]
    assert [codes(host, file) for file in files] == first
    assert {file.workspace for file in files} == {str(second)}
    assert parsed(host) == before
    # Each has its own libraries and its own texts all the same.
    (second / "libs" / "greet" / "src" / "core.ax").write_text(GREET.replace("greeting", "welcome"))
    assert codes(host, host.file_for_agent(str(main / "f1.ax"))) == first[1]
    assert "E003" in codes(host, host.file_for_agent(str(second / "f1.ax")))


def test_an_editor_sees_its_own_buffer_of_a_library_and_agents_the_latest(host: Host, tmp_path: Path) -> None:
    (tmp_path / "boruna.toml").write_text("")
    library = tmp_path / "libs" / "greet" / "src" / "core.ax"
    library.parent.mkdir(parents=True)
    library.write_text(GREET)
    program = tmp_path / "a.ax"
    program.write_text(USES)
    first, second = host.connect(), host.connect()
    for client in (first, second):
        host.open(client, str(program), USES)
        assert codes(host, of(host, client, program)) == []
    host.open(first, str(library), GREET)
    host.open(second, str(library), GREET.replace("greeting", "welcome"))
    assert codes(host, of(host, first, program)) == []
    assert "E003" in codes(host, of(host, second, program))
    assert "E003" in codes(host, host.file_for_agent(str(program)))
    buffer = host.buffer(first, str(library))
    assert buffer is not None
    host.change(first, str(library), buffer.source.replaced_by(GREET + "\n"))
    assert codes(host, host.file_for_agent(str(program))) == []
    assert "E003" in codes(host, of(host, second, program))
    host.close(second, str(library))
    assert codes(host, of(host, second, program)) == codes(host, of(host, first, program)) == []
    assert codes(host, host.file_for_editor(second, str(program))) == []


# ---- what is let go -----------------------------------------------------------------------------------------------------


def test_a_workspace_without_clients_and_questions_is_forgotten(host: Host, tmp_path: Path) -> None:
    roots = [tmp_path / name for name in ("asked", "open", "folder")]
    for root in roots:
        (root / "libs" / "greet" / "src").mkdir(parents=True)
        (root / "boruna.toml").write_text('[check]\nignore = ["W5"]\n')
        (root / "libs" / "greet" / "src" / "core.ax").write_text(GREET)
        (root / "a.ax").write_text(USES)
        assert codes(host, host.file_for_agent(host.files(str(root))[0])) == []
    host.open(host.connect(), str(roots[1] / "a.ax"), USES)
    host.connect([str(roots[2])])
    revision = host.revision(str(roots[0]))
    held = len(host.state.texts.files())
    host.upkeep.forget_idle()
    assert len(host.state.texts.files()) == held
    host.upkeep.forget_idle(seconds=0.0)
    left = {str(root) for root in roots if inputs.settings(host.db, str(root)).ignore}
    assert left == {str(roots[1]), str(roots[2])}
    assert not any(str(roots[0]) in file.path for file in host.state.texts.files())
    assert text(host, FileId(str(roots[0]), "disk", str(roots[0] / "a.ax"))) == ""
    # Whoever asks again finds it again, under another revision.
    found = host.file_for_agent(str(roots[0] / "a.ax"))
    assert codes(host, found) == []
    assert host.revision(found.workspace) != revision


def test_what_only_a_client_asked_about_is_forgotten_sooner_once_it_has_left(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also files in no workspace, whatever folders others are in."""
    others = tmp_path / "others"
    for folder in (others, tmp_path / "asked", tmp_path / "lone"):
        folder.mkdir()
        (folder / "a.ax").write_text(USES)
    (tmp_path / "asked" / "boruna.toml").write_text("")
    (others / "boruna.toml").write_text("")
    host.connect([str(others)])
    client = host.connect()
    for name in ("others", "asked", "lone"):
        host.file_for_agent(str(tmp_path / name / "a.ax"))
    host.disconnect(client)
    assert not host.upkeep.forget_idle()
    later = time.monotonic() + LEFT
    monkeypatch.setattr("boruna_ls.workspace.upkeep.time.monotonic", lambda: later)
    assert host.upkeep.forget_idle()
    assert {file.path for file in host.state.texts.files() if file.path.endswith("a.ax")} == {str(others / "a.ax")}


def test_what_a_client_brought_is_forgotten_with_it(host: Host, tmp_path: Path) -> None:
    (tmp_path / "brought" / "greet" / "src").mkdir(parents=True)
    (tmp_path / "brought" / "greet" / "src" / "core.ax").write_text(GREET)
    (tmp_path / "a.ax").write_text(USES)
    before = set(host.state.texts.files())
    client = host.connect(libs_dir=str(tmp_path / "brought"))
    found = host.file_for_agent(str(tmp_path / "a.ax"), libs=client.libs)
    assert codes(host, found) == []
    host.disconnect(client)
    assert set(host.state.texts.files()) - before == {found._replace(libs="")}

    # The worker is evicting what the client brought; inputs that are set meanwhile are there for whoever asks after it.
    def left(at: Host) -> tuple[str, list[str]]:
        return text(at, found), codes(at, at.file_for_agent(str(tmp_path / "a.ax")))

    assert ask(host, left).result(60) == ("", ["E013"])


def test_a_library_that_is_gone_is_no_input(host: Host, tmp_path: Path) -> None:
    (tmp_path / "boruna.toml").write_text("")
    library = tmp_path / "libs" / "greet" / "src" / "core.ax"
    library.parent.mkdir(parents=True)
    library.write_text(GREET)
    (tmp_path / "a.ax").write_text(USES)
    assert codes(host, host.file_for_agent(str(tmp_path / "a.ax"))) == []
    seen = inputs.libraries(host.db, str(tmp_path), "").get("greet")
    assert seen is not None
    library.unlink()
    assert "E013" in codes(host, host.file_for_agent(str(tmp_path / "a.ax")))
    assert text(host, seen) == ""
    assert seen not in host.state.texts.files()
    library.write_text(GREET)
    assert codes(host, host.file_for_agent(str(tmp_path / "a.ax"))) == []


def test_files_that_are_gone_are_no_inputs(host: Host, tmp_path: Path) -> None:
    (tmp_path / "boruna.toml").write_text("")
    for number in range(20):
        (tmp_path / f"{number}.ax").write_text(GOOD)
    files = [host.file_for_agent(path) for path in host.files(str(tmp_path))]
    for number in range(10):
        (tmp_path / f"{number}.ax").unlink()
    assert len(host.files(str(tmp_path))) == 10
    assert sum(text(host, file) == GOOD for file in files) == 10


def test_texts_of_editors_for_others(host: Host, tmp_path: Path) -> None:
    path = tmp_path / "real" / "a.ax"
    path.parent.mkdir()
    path.write_text(GOOD)
    (tmp_path / "link").symlink_to(path.parent)
    first, second = host.connect(), host.connect()
    host.open(first, str(path), GOOD)
    host.open(first, str(tmp_path / "new.ax"), "")
    assert host.open_texts(roots=[str(tmp_path / "link")]) == {str(path): {"text": GOOD, "unsaved": False}}
    host.open(second, str(tmp_path / "link" / "a.ax"), BAD)
    asked = str(tmp_path / "link" / "a.ax")
    assert host.open_texts(paths=[asked, str(tmp_path / "none.ax")]) == {asked: {"text": BAD, "unsaved": True}}
    assert host.open_texts(roots=[str(tmp_path)])[str(tmp_path / "new.ax")] == {"text": "", "unsaved": True}
    assert host.open_texts() == {}
