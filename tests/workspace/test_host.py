"""The host: whose text an answer is about, what counts as changed, which libraries and settings a file sees."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from analysis import inputs
from analysis.diagnostics.check import check_file
from analysis.text.source import Source
from boruna_ls.workspace import Client, FileUnavailable, Host
from boruna_ls.workspace.disk import SIZE_LIMIT
from boruna_ls.workspace.inline import OF_ONE, SLOTS
from boruna_ls.workspace.spelling import resolved

GOOD = "fn main() -> Int {\n    1\n}\n"
BAD = "fn main() -> Int {\n    one\n}\n"


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "boruna.toml").write_text("")
    path = tmp_path / "program.ax"
    path.write_text(GOOD)
    return str(path)


def text_of(host: Host, path: str, client: Client | None = None) -> str:
    found = host.file_for_editor(client, path) if client else host.file_for_agent(path)
    return inputs.source(host.db, found).text


def codes(host: Host, found: inputs.FileId) -> list[str]:
    return [diagnostic.code for _, diagnostic in check_file(host.db, found).entries]


def edit(host: Host, client: Client, path: str, text: str) -> None:
    buffer = host.buffer(client, path)
    assert buffer is not None
    host.change(client, path, buffer.source.replaced_by(text))


# ---- layers -----------------------------------------------------------------------------------------------------------


def test_each_editor_has_its_own_text_and_agents_the_latest(host: Host, file: str) -> None:
    first, second, third = host.connect(), host.connect(), host.connect()
    assert text_of(host, file) == GOOD
    host.open(first, file, "// first\n")
    host.open(second, file, "// second\n")
    assert text_of(host, file) == "// second\n"
    edit(host, first, file, "// first again\n")
    assert text_of(host, file) == text_of(host, file, third) == "// first again\n"
    assert text_of(host, file, first) == "// first again\n"
    assert text_of(host, file, second) == "// second\n"
    host.close(first, file)
    assert text_of(host, file) == text_of(host, file, first) == "// second\n"
    host.disconnect(second)
    assert text_of(host, file) == GOOD


def test_the_disk_is_looked_at_again_before_each_answer(host: Host, file: str) -> None:
    found = host.file_for_agent(file)
    revision = host.revision(found.workspace)
    assert host.file_for_agent(file) == found
    assert host.revision(found.workspace) == revision
    Path(file).write_text(BAD)
    assert codes(host, host.file_for_agent(file)) == ["E003"]
    assert host.revision(found.workspace) != revision


def test_a_closed_buffer_gives_way_to_the_disk(host: Host, file: str) -> None:
    client = host.connect()
    opened = host.open(client, file, BAD)
    assert codes(host, opened) == ["E003"]
    host.close(client, file)
    host.close(client, file)
    assert codes(host, host.file_for_agent(file)) == []
    assert inputs.source(host.db, opened).text == ""


def test_changing_what_is_not_open_is_refused(host: Host, file: str) -> None:
    with pytest.raises(KeyError):
        host.change(host.connect(), file, Source.from_text(""))


@pytest.mark.parametrize("name", ["no-such-file.ax", "folder", "nul\x00.ax"])
def test_what_cannot_be_read_is_refused_with_a_reason(host: Host, tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileUnavailable) as refused:
        host.file_for_agent(str(tmp_path / name))
    assert refused.value.reason


def test_a_file_that_goes_away_is_forgotten(host: Host, file: str) -> None:
    found = host.file_for_agent(file)
    os.unlink(file)
    with pytest.raises(FileUnavailable):
        host.file_for_agent(file)
    assert inputs.source(host.db, found).text == ""


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"fn main() { \xe4 }", "0xE4 at offset 12"), (b"\xff\xfe\x00", "UTF-8"), (b"/" * (SIZE_LIMIT + 1), "1 MB")],
)
def test_what_cannot_be_analysed_has_one_finding_that_says_why(host: Host, file: str, data: bytes, words: str) -> None:
    Path(file).write_bytes(data)
    found = check_file(host.db, host.file_for_agent(file)).entries
    assert [diagnostic.code for _, diagnostic in found] == ["E014"]
    assert words in found[0][1].message
    Path(file).write_text(GOOD)
    assert codes(host, host.file_for_agent(file)) == []


def test_the_limit_counts_bytes(host: Host) -> None:
    client = host.connect()
    fits = "//" + "é" * ((SIZE_LIMIT - 2) // 2)
    assert codes(host, host.open(client, "untitled:1", fits)) == []
    assert codes(host, host.open(client, "untitled:1", fits + "é")) == ["E014"]


# ---- paths and workspaces -----------------------------------------------------------------------------------------------


def test_a_workspace_is_the_nearest_folder_with_settings_else_the_repository(host: Host, tmp_path: Path) -> None:
    inner = tmp_path / "repository" / "app" / "src"
    inner.mkdir(parents=True)
    (inner / "a.ax").write_text(GOOD)
    path = str(inner / "a.ax")
    assert host.file_for_agent(path).workspace == ""
    assert host.file_for_agent(path, [str(tmp_path), str(inner.parent)]).workspace == str(inner.parent)
    assert host.file_for_agent(path, [str(tmp_path / "app")]).workspace == ""
    (tmp_path / "repository" / ".git").mkdir()
    assert host.file_for_agent(path).workspace == str(tmp_path / "repository")
    (tmp_path / "repository" / "app" / "boruna.toml").write_text("")
    assert host.file_for_agent(path).workspace == str(tmp_path / "repository" / "app")


def test_a_relative_path_counts_from_the_only_root(host: Host, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for root in (one, two):
        root.mkdir()
    (one / "a.ax").write_text(GOOD)
    assert resolved("x/../a.ax", [str(one)]) == str(one / "a.ax")
    assert resolved("a.ax", [str(one), str(two)]) == str(one / "a.ax")
    assert resolved(str(two / "b.ax"), []) == str(two / "b.ax")
    (two / "a.ax").write_text(GOOD)
    for folders in ([str(one), str(two)], []):
        with pytest.raises(FileUnavailable) as refused:
            resolved("a.ax", folders)
        assert all(folder in refused.value.reason for folder in folders)


def test_the_files_of_a_workspace(host: Host, tmp_path: Path) -> None:
    for name in ("b.ax", "a.ax", "z/c.ax", ".hidden/d.ax", "node_modules/e.ax", "f.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(GOOD)
    client = host.connect()
    host.open(client, str(tmp_path / "unsaved.ax"), GOOD)
    host.open(client, str(tmp_path / "a.ax"), GOOD)
    names = [os.path.relpath(path, tmp_path) for path in host.files(str(tmp_path))]
    assert names == ["a.ax", "b.ax", os.path.join("z", "c.ax"), "unsaved.ax"]


# ---- inline text --------------------------------------------------------------------------------------------------------


def test_inline_text_is_scanned_as_a_difference(host: Host) -> None:
    items = [f"fn f{number}() -> Int {{\n    {number}\n}}\n" for number in range(300)]
    first = host.inline("".join(items), "input.ax", connection=1)
    before = inputs.source(host.db, first)
    items[150] = items[150].replace("150\n", "missing\n")
    second = host.inline("".join(items), "input.ax", connection=1)
    after = inputs.source(host.db, second)
    assert second == first
    assert after.text == "".join(items)
    assert sum(left is not right for left, right in zip(before.chunks, after.chunks, strict=True)) <= 2
    assert "E003" in codes(host, second)


def test_inline_texts_of_two_connections_do_not_meet(host: Host) -> None:
    first, second = host.inline(GOOD, "x.ax", 1), host.inline(BAD, "x.ax", 2)
    assert codes(host, first) == []
    assert codes(host, second) == ["E003"]
    host.forget_inline(2)
    assert inputs.source(host.db, second).text == ""
    assert inputs.source(host.db, first).text == GOOD


def test_inline_texts_are_bounded_and_the_oldest_go_first(host: Host) -> None:
    files = [host.inline(GOOD, f"{number}.ax") for number in range(SLOTS)]
    host.inline(GOOD, "0.ax")
    host.inline(GOOD, "one more.ax")
    kept = [inputs.source(host.db, file).text == GOOD for file in files]
    assert kept == [True, False] + [True] * (SLOTS - 2)


def test_the_inline_texts_of_one_client_are_bounded_apart_from_those_of_others(host: Host) -> None:
    others = host.inline(GOOD, "x.ax", 1)
    large = GOOD + "//" + "x" * (OF_ONE // 4)
    files = [host.inline(large, f"{number}.ax", 2) for number in range(5)]
    kept = [inputs.source(host.db, file).text == large for file in files]
    assert kept == [False, False, True, True, True]
    assert inputs.source(host.db, others).text == GOOD


def test_inline_text_stands_in_a_workspace_only_if_placed_there(host: Host, file: str) -> None:
    root = os.path.dirname(file)
    Path(root, "boruna.toml").write_text('[check]\nignore = ["W501"]\n')
    text = "fn main() -> Int {\n    let spare = 1\n    2\n}\n"
    assert codes(host, host.inline(text, "x.ax")) == ["W501"]
    for placed in (host.inline(text, os.path.join(root, "x.ax")), host.inline(text, "x.ax", path=file)):
        assert placed.workspace == root
        assert codes(host, placed) == []


# ---- libraries and settings ---------------------------------------------------------------------------------------------


def library(folder: Path, name: str, text: str) -> Path:
    path = folder / name / "src" / "core.ax"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


USES = 'import "greet"\n\nfn main() -> Int {\n    greeting()\n}\n'
GREET = "fn greeting() -> Int {\n    1\n}\n"


def test_libraries_of_the_option_come_before_those_of_the_workspace(tmp_path: Path, file: str) -> None:
    root = Path(file).parent
    own = library(root / "libs", "greet", GREET)
    given = library(tmp_path / "given", "greet", GREET)
    plain, with_option = Host(), Host(libs_dir=str(tmp_path / "given"))
    for host, path in ((plain, own), (with_option, given)):
        seen = host.file_for_agent(file)
        found = inputs.libraries(host.db, seen.workspace, seen.libs).get("greet")
        assert found is not None
        assert found.path == str(path)
    assert inputs.libraries(plain.db, "", "").get("greet") is None
    assert inputs.libraries(with_option.db, "", str(tmp_path / "given")).get("greet") is not None


def test_a_library_is_seen_as_the_editor_has_it(host: Host, file: str) -> None:
    path = library(Path(file).parent / "libs", "greet", GREET)
    told: list[int] = []
    Path(file).write_text(USES)
    assert codes(host, host.file_for_agent(file)) == []
    host.listeners.append(lambda change: told.append(1))
    client = host.connect()
    host.open(client, str(path), GREET.replace("greeting", "welcome"))
    assert told
    assert "E013" not in codes(host, host.file_for_agent(file))
    assert codes(host, host.file_for_agent(file)) != []
    host.close(client, str(path))
    assert codes(host, host.file_for_agent(file)) == []
    path.write_text("fn other() -> Int {\n    1\n}\n")
    assert codes(host, host.file_for_agent(file)) != []
    os.unlink(path)
    assert "E013" in codes(host, host.file_for_agent(file))


def test_a_new_library_is_found(host: Host, file: str) -> None:
    Path(file).write_text(USES)
    assert "E013" in codes(host, host.file_for_agent(file))
    library(Path(file).parent / "libs", "greet", GREET)
    assert codes(host, host.file_for_agent(file)) == []


def test_settings(host: Host, file: str) -> None:
    Path(file).write_text("fn main() -> Int {\n    let spare = 1\n    2\n}\n")
    settings = Path(file).parent / "boruna.toml"
    found = host.file_for_agent(file)
    assert codes(host, found) == ["W501"]
    settings.write_text('[check]\nignore = ["W5"]\nportable = true\nseverity = { W301 = "error" }\n')
    assert codes(host, host.file_for_agent(file)) == []
    assert inputs.settings(host.db, found.workspace).portable
    assert inputs.settings(host.db, found.workspace).severity == (("W301", "error"),)
    settings.write_text("[check\n")
    assert codes(host, host.file_for_agent(file)) == ["W501"]
    assert "boruna.toml" in host.problems(found.workspace)[0]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("check = 1", "check"),
        ("[check]\nselect = 5", "select"),
        ("[check]\nignore = [1]", "ignore"),
        ("[check]\nseverity = []", "severity"),
        ('[check]\nseverity = { W301 = "loud" }', "W301"),
        ("[check]\nportable = 1", "portable"),
        ("[check]\nslect = []", "slect"),
    ],
)
def test_a_mistake_in_the_settings_costs_only_itself(host: Host, file: str, text: str, word: str) -> None:
    (Path(file).parent / "boruna.toml").write_text(text)
    found = host.file_for_agent(file)
    assert inputs.settings(host.db, found.workspace) == inputs.CheckSettings()
    (problem,) = host.problems(found.workspace)
    assert word in problem


# ---- freshness ----------------------------------------------------------------------------------------------------------


def test_freshness(host: Host, file: str) -> None:
    on_disk = host.freshness(host.file_for_agent(file))
    assert (on_disk.source, on_disk.unsaved) == ("disk", False)
    assert on_disk.sha256 == sha256(GOOD.encode()).hexdigest()
    client = host.connect()
    opened = host.freshness(host.open(client, file, GOOD))
    assert (opened.source, opened.unsaved, opened.sha256) == ("editor", False, on_disk.sha256)
    assert opened.revision != on_disk.revision
    edit(host, client, file, BAD)
    edited = host.freshness(host.file_for_agent(file))
    assert (edited.source, edited.unsaved) == ("editor", True)
    assert edited.revision.rpartition("-")[0] == on_disk.revision.rpartition("-")[0] == host.shared.epoch
    inline = host.freshness(host.inline("\ud800"), checked=1, total=3).as_dict()
    assert inline["source"] == "inline"
    assert inline["coverage"] == {"checked": 1, "total": 3}
    new = host.freshness(host.open(client, file + ".new.ax", ""))
    assert new.unsaved


def test_an_unchanged_text_keeps_its_revision(host: Host, file: str) -> None:
    client = host.connect()
    found = host.open(client, file, GOOD)
    revision = host.revision(found.workspace)
    host.file_for_agent(file)
    host.inline(GOOD, "other.ax")
    assert host.revision(found.workspace) == revision
    edit(host, client, file, BAD)
    assert host.revision(found.workspace) != revision


def test_each_client_has_its_own_libraries_and_sees_the_same_unsaved_text(tmp_path: Path, host: Host, file: str) -> None:
    library(tmp_path / "one", "greet", GREET)
    library(tmp_path / "two", "greet", GREET.replace("greeting", "welcome"))
    plain = host.connect()
    one, two = (host.connect(libs_dir=str(tmp_path / name)) for name in ("one", "two"))
    Path(file).write_text(GOOD)
    opened = host.open(plain, file, USES)
    assert "E013" in codes(host, opened)
    for client, expected in ((one, []), (two, ["E003", "W404"])):
        found = host.file_for_agent(file, libs=client.libs)
        assert inputs.source(host.db, found) is inputs.source(host.db, opened)
        assert host.freshness(found) == host.freshness(opened)
        assert sorted(codes(host, found)) == expected
        assert sorted(codes(host, host.inline(USES, "x.ax", client.id, libs=client.libs))) == expected
    edit(host, plain, file, USES.replace("greeting", "welcome"))
    assert codes(host, host.file_for_agent(file, libs=two.libs)) == []
    host.close(plain, file)
    assert codes(host, host.file_for_agent(file, libs=one.libs)) == []
