"""The pages of the diagnostics: one for each code, and each example does what its page says."""

from __future__ import annotations

import re

import pytest

from analysis.diagnostics.codes import CODES
from boruna_ls.data import diagnostics_folder
from tests.support.checked import Checker
from tests.support.markdown import Block, sections

WITHOUT_EXAMPLE = {
    "P002": "a page cannot hold the line ends that it is about",
    "W611": "a page cannot hold the line ends that it is about",
    "E004": "no check reports it",
    "W111": "it needs the schemas of a server",
    "E014": "no text has it: it is about files that cannot be read",
}
FOLDER = diagnostics_folder()
HEADINGS = ["Example", "Why it matters", "How to fix it", "Not reported"]


def text_of(code: str) -> str:
    return (FOLDER / f"{code}.md").read_text(encoding="utf-8")


def blocks(code: str, language: str) -> list[Block]:
    return [block for section in sections(text_of(code)) for block in section.blocks if block.language == language]


def test_there_is_a_page_for_every_code_and_no_other() -> None:
    assert sorted(path.stem for path in FOLDER.glob("[A-Z][0-9]*.md")) == sorted(CODES)


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_page_begins_with_its_code(code: str) -> None:
    assert re.match(rf"# {code}: [^\n]+\n\n[A-Z`][^\n]+\.\n", text_of(code))


@pytest.mark.parametrize("code", sorted(set(CODES) - set(WITHOUT_EXAMPLE)))
def test_a_page_has_its_headings(code: str) -> None:
    assert [section.path[1] for section in sections(text_of(code)) if len(section.path) > 1] == HEADINGS


@pytest.mark.parametrize("code", sorted(set(CODES) - set(WITHOUT_EXAMPLE)))
def test_the_example_has_the_finding_with_the_message_of_the_page(code: str) -> None:
    message = blocks(code, "text")[0].text.removesuffix("\n")
    told = Checker(code[0] == "P").check(blocks(code, "ax")[0].text)
    assert (code, message) in [(one.code, one.message) for one in told]
    assert CODES[code].severity.value in [one.severity for one in told if one.code == code]


@pytest.mark.parametrize("code", sorted(set(CODES) - set(WITHOUT_EXAMPLE)))
def test_the_corrected_example_is_clean(code: str) -> None:
    _, corrected = blocks(code, "ax")
    told = Checker(code[0] == "P").check(corrected.text)
    assert [str(one) for one in told if one.code == code or one.severity in ("error", "warning")] == []


@pytest.mark.parametrize("code", sorted(CODES))
def test_links_lead_to_pages(code: str) -> None:
    for name, target in re.findall(r"\[([^\]]+)\]\(([^)]+)\)", text_of(code)):
        assert target == f"{name}.md"
        assert name in CODES


def test_the_index_is_the_table_of_codes() -> None:
    rows = "".join(
        f"| [{code.code}]({code.code}.md) | {code.name} | {code.category} | {code.severity.value} | {code.summary} |\n"
        for code in CODES.values()
    )
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"| --- | --- | --- | --- | --- |\n{rows}" in index, f"the table should be\n{rows}"
