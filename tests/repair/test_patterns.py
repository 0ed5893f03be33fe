"""Regular expressions written as steps: they find what the module `re` finds."""

from __future__ import annotations

import json
import re

import pytest

from analysis.fixes.dialect.lowering.regular_expressions import Unknown, pattern_of
from tests.repair.dialects import repaired, result_of

TEXT = "ab12 cd-34, xyz: (7) aaab\\tQ_9 key=val; !"
PATTERNS = (
    r"\d+", r"[a-z]+", r"[^a-z\s]+", r"\b\w", r"a*b", r"(?:ab|a)+", r"\w+?\d", r"x?y{1,2}z", r"^ab|!$", r"[\w-]+",
    r"(\w)=", r"\((\d)\)", r"(?:[a-z]\d?){2}", r"a{2}", r"[.,;:]", r"\S+$", r"(?:key|val)(?:=|;)", r"a+?b", r"\w*\d",
)  # fmt: skip


def test_patterns_find_what_python_finds() -> None:
    text = TEXT.replace("\\t", "\t")
    lines = "\n".join(f'    out.append("|".join(re.findall(r"{pattern}", text)))' for pattern in PATTERNS)
    draft = f'fn main() -> List<String> {{\n    let text = "{TEXT}"\n    let mut out = []\n{lines}\n    out\n}}\n'
    outcome = repaired(draft)
    assert outcome.verified, outcome.text
    assert result_of(outcome.text) == ["|".join(re.findall(pattern, text)) for pattern in PATTERNS]


@pytest.mark.parametrize(
    "pattern", [r"(a)\1", r"(?=a)", r"(?<n>a)", r"(a*)*", "(", "[a", "a**", r"\p{L}", "(abcdefgh){20}", "(" * 40]
)
def test_what_has_no_steps_is_refused(pattern: str) -> None:
    with pytest.raises(Unknown):
        pattern_of(pattern)


def test_parts_of_a_text_replaced_by_groups() -> None:
    draft = 'fn main() -> String {\n    re.sub(r"(\\w+) (\\w+)", r"\\2-\\1", "a b c d")\n}\n'
    outcome = repaired(draft)
    assert outcome.verified
    assert json.dumps(result_of(outcome.text)) == '"b-a d-c"'
