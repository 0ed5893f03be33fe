"""Templates: the stock ones make clean applications; names, arguments, manifests and links of others do no harm."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from analysis.diagnostics.check import check_file
from analysis.formatting.formatter import Formatted, format_source
from boruna_ls.answers.templates import apply_answer, list_answer, validation_of
from boruna_ls.data import templates_folder
from boruna_ls.framework.templates import MANIFEST, SIZE_LIMIT, SOURCE, TemplateError, apply, filled, find, listed
from boruna_ls.workspace import Host
from tests.support.apps import played

STOCK = {
    "auth-app": (["app_name=Gate"], ["login", "login_response:ok", "token_saved", "logout"]),
    "crud-admin": (["entity_name=users", "fields=name, mail"], ["create", "created", "list", "listed:two rows", "delete"]),
    "form-basic": (["form_name=Contact", "fields=name, mail"], ["set_field1:Ann", "submit", "set_field2:a@b", "submit", "reset"]),
    "offline-sync": (["entity_name=notes"], ["add", "go_offline", "add", "go_online", "sync_response:ok"]),
    "realtime-feed": (["feed_name=news"], ["subscribe", "poll_tick", "event_received:hello", "unsubscribe"]),
}
MINIMAL: dict[str, Any] = {
    "name": "mine",
    "version": "1",
    "description": "d",
    "dependencies": [],
    "capabilities": [],
    "args": {"who": {"type": "string", "required": True, "description": "d"}},
}


def template_folder(folder: Path, name: str = "mine", text: str = "// {{who}}\n", manifest: Any = MINIMAL) -> Path:
    """A templates folder with one template."""
    (folder / name).mkdir(parents=True)
    content = manifest if isinstance(manifest, str) else json.dumps(manifest)
    (folder / name / MANIFEST).write_text(content, encoding="utf-8")
    (folder / name / SOURCE).write_text(text, encoding="utf-8")
    return folder


def test_the_stock_templates_are_those_of_the_specification() -> None:
    found, broken = listed(str(templates_folder()))
    assert [template.folder for template in found] == sorted(STOCK)
    assert broken == []


@pytest.mark.parametrize("name", STOCK)
def test_a_new_application_is_clean_formatted_and_runs(name: str) -> None:
    pairs, messages = STOCK[name]
    host = Host()
    answer = apply_answer(str(templates_folder()), name, pairs, lambda new: validation_of(host.db, host.inline(new.source)))
    assert answer["validation"] == {"passed": True, "app": {"valid": True, "errors": []}}
    assert "unfilled" not in answer
    source = answer["source"]
    assert check_file(host.db, host.inline(source)).entries == ()
    assert format_source(host.db, source) == Formatted(source)
    outcome = played(source, messages)
    assert "error" not in outcome
    assert outcome["total_cycles"] == len(messages)
    assert outcome["final_text"] != outcome["init_text"] or name == "form-basic"


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../mine", "mine/..", "/etc", "a\\b", "mine\0", "x" * 5000, "mine/template.json", "MINE", "\u202emine"],
)
def test_no_name_leaves_the_folder(name: str, tmp_path: Path) -> None:
    template_folder(tmp_path / "outside", "mine")
    folder = template_folder(tmp_path / "templates", "other", manifest=MINIMAL | {"name": "other"})
    with pytest.raises(TemplateError):
        find(str(folder), name)


def test_links_are_not_followed(tmp_path: Path) -> None:
    template_folder(tmp_path / "outside", "secret", text="// secret\n")
    folder = template_folder(tmp_path / "templates", "real")
    (folder / "linked").symlink_to(tmp_path / "outside" / "secret", target_is_directory=True)
    (folder / "half").mkdir()
    (folder / "half" / MANIFEST).write_text(json.dumps(MINIMAL | {"name": "half"}), encoding="utf-8")
    (folder / "half" / SOURCE).symlink_to(tmp_path / "outside" / "secret" / SOURCE)
    with pytest.raises(TemplateError, match="not found"):
        find(str(folder), "linked")
    with pytest.raises(TemplateError, match="is a link"):
        apply(str(folder), "half", {"who": "x"})
    assert [template.folder for template in listed(str(folder))[0]] == ["half", "real"]
    # The folder itself may be one: whoever named it chose it.
    (tmp_path / "chosen").symlink_to(folder, target_is_directory=True)
    assert find(str(tmp_path / "chosen"), "real").folder == "real"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders")
def test_special_files_are_no_templates(tmp_path: Path) -> None:
    folder = template_folder(tmp_path / "templates")
    (folder / "mine" / SOURCE).unlink()
    os.mkfifo(folder / "mine" / SOURCE)
    with pytest.raises(TemplateError, match="not a regular file"):
        apply(str(folder), "mine", {"who": "x"})


@pytest.mark.parametrize(
    "manifest, said",
    [
        ("", "Invalid JSON"),
        ("{", "Invalid JSON"),
        ("[]", "object"),
        ("null", "object"),
        (json.dumps({}), "missing field `name`"),
        (json.dumps(MINIMAL | {"name": 5}), "`name`"),
        (json.dumps(MINIMAL | {"args": {"\u202ex": {"type": 1}}}), r"args.\u{202e}x.type"),
        ("[" * 100_000, "Invalid JSON"),
    ],
)
def test_a_broken_manifest_is_told_and_hides_no_other(manifest: str, said: str, tmp_path: Path) -> None:
    folder = template_folder(tmp_path, "broken", manifest=manifest)
    with pytest.raises(TemplateError, match="parse template manifest") as error:
        apply(str(folder), "broken", {})
    assert said in str(error.value)
    alone = list_answer(str(folder))
    assert (alone["success"], alone["error_kind"]) == (False, "template_error")
    template_folder(folder, "good")
    answer = list_answer(str(folder))
    assert answer["success"] is True
    assert [row["folder"] for row in answer["templates"]] == ["good"]
    assert [one["folder"] for one in answer["errors"]] == ["broken"]


def test_folders_that_are_missing_or_none(tmp_path: Path) -> None:
    assert list_answer(str(tmp_path / "none"))["count"] == 0
    (tmp_path / "file").write_text("x")
    assert list_answer(str(tmp_path / "file"))["message"].startswith("read templates dir: ")
    with pytest.raises(TemplateError, match="not found"):
        find(str(tmp_path / "none"), "mine")


def test_a_template_of_a_megabyte_is_the_largest(tmp_path: Path) -> None:
    text = "// {{who}}" + "x" * (SIZE_LIMIT - 10)
    folder = template_folder(tmp_path, text=text)
    assert len(apply(str(folder), "mine", {"who": "y" * 7}).source) == SIZE_LIMIT
    with pytest.raises(TemplateError, match="exceeds 1 MB"):
        apply(str(folder), "mine", {"who": "y" * 8})
    (folder / "mine" / SOURCE).write_text(text + "x")
    with pytest.raises(TemplateError, match="exceeds 1 MB"):
        apply(str(folder), "mine", {"who": "y"})
    (folder / "mine" / SOURCE).write_bytes(b"// \xff\n")
    with pytest.raises(TemplateError, match="not UTF-8"):
        apply(str(folder), "mine", {"who": "y"})


def test_a_manifest_that_is_no_text_cannot_be_read(tmp_path: Path) -> None:
    folder = template_folder(tmp_path)
    (folder / "mine" / MANIFEST).write_bytes(b"\xff{}")
    with pytest.raises(TemplateError, match=r"^read template manifest: it is not UTF-8$"):
        find(str(folder), "mine")
    assert [broken.message for broken in listed(str(folder))[1]] == [f"read {folder}/mine/{MANIFEST}: it is not UTF-8"]


def test_values_that_multiply_themselves_end_early() -> None:
    values = {f"a{number:02}": f"{{{{a{number + 1:02}}}}}" * 100 for number in range(20)}
    with pytest.raises(TemplateError, match="exceeds 1 MB"):
        filled("{{a00}}", values)


def test_defaults_unknown_and_unfilled_arguments_are_told(tmp_path: Path) -> None:
    args = {
        "who": MINIMAL["args"]["who"],
        "count": {"type": "int", "required": True, "description": "d", "default": 3},
        "note": {"type": "string", "required": False, "description": "d"},
    }
    folder = template_folder(tmp_path, text="{{who}} {{count}} {{note}} {{ who }} {{other}}", manifest=MINIMAL | {"args": args})
    answer = apply_answer(str(folder), "mine", ["who=A", "extra=1"], None)
    assert answer["source"] == "A 3 {{note}} {{ who }} {{other}}"
    assert (answer["defaulted"], answer["unknown_args"], answer["unfilled"]) == (["count"], ["extra"], ["note", "other"])
    missing = apply_answer(str(folder), "mine", ["count=1"], None)
    assert (missing["message"], missing["missing"]) == ("missing required argument: who", ["who"])


def test_a_manifest_name_leads_to_its_folder_if_only_one_has_it(tmp_path: Path) -> None:
    folder = template_folder(tmp_path, "folder-a")
    assert find(str(folder), "mine").folder == "folder-a"
    template_folder(tmp_path, "folder-b")
    with pytest.raises(TemplateError, match="folder-a, folder-b"):
        find(str(folder), "mine")
