"""The pages can fail: expectations not met, diagnostics that nobody expects, comments that cannot be understood."""

from __future__ import annotations

import pytest

from tests.support.expectations import Expected, Found, differences, expectations, report
from tests.support.markdown import sections

UNDEFINED = Found(2, "error", "E003", 5, 9, "undefined variable: totl", "did you mean 'total'?")


def expected(comment: str) -> list[Expected]:
    return expectations(f"fn main() -> Int {{\n    totl {comment}\n}}\n")


@pytest.mark.parametrize(
    "comment",
    [
        "// error[E003]",
        "// error[E003] @5",
        "// error[E003] @5-9",
        '// error[E003] "undefined variable"',
        "// error[E003] help \"mean 'total'\"",
        '// error[E003] @5-9 "undefined variable: totl" help "did you mean \'total\'?"',
    ],
)
def test_an_expectation_that_is_met(comment: str) -> None:
    assert differences(expected(comment), [UNDEFINED]) == []


@pytest.mark.parametrize(
    "comment",
    [
        "// warning[E003]",
        "// error[E009]",
        "// error[E003] @6",
        "// error[E003] @5-8",
        '// error[E003] "undefined function"',
        '// error[E003] help "import it"',
    ],
)
def test_an_expectation_that_is_not_met(comment: str) -> None:
    told = differences(expected(comment), [UNDEFINED])
    assert [sentence[:1] for _, sentence in told] == ["+", "-"]


def test_a_finding_that_nobody_expects_and_one_that_is_missing() -> None:
    assert differences([], [UNDEFINED]) == [(2, f"+ {UNDEFINED}")]
    (wanted,) = expected("// hint[W501]")
    assert differences([wanted], []) == [(2, "- hint[W501]")]


def test_one_finding_meets_one_expectation() -> None:
    assert len(differences(expected("// error[E003] // error[E003]"), [UNDEFINED])) == 1
    assert differences(expected("// error[E003] // error[E003]"), [UNDEFINED, UNDEFINED]) == []


def test_the_particular_expectation_gets_its_finding_first() -> None:
    other = Found(2, "error", "E003", 12, 15, "undefined variable: abc", "")
    assert differences(expected("// error[E003] // error[E003] @5"), [UNDEFINED, other]) == []


def test_a_comment_alone_on_its_line_speaks_of_the_next() -> None:
    text = "// error[E003]\n// hint[W501]\n// only a comment\nlet x = 1\n"
    assert [(one.line, one.code) for one in expectations(text)] == [(3, "E003"), (3, "W501")]


@pytest.mark.parametrize(
    "text",
    [
        "x // error[E003] undefined\n",
        "x // error[e003]\n",
        'x // error[E003] "open\n',
        "x // error [E003]\n",
        "// clean\nx // error[E003]\n",
    ],
)
def test_a_comment_that_cannot_be_meant(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        expectations(text)


def test_a_comment_behind_the_last_line_speaks_of_its_own() -> None:
    assert [one.line for one in expectations("x\n\n// error[E002]\n")] == [3]


def test_the_report_shows_the_lines() -> None:
    text = "fn main() -> Int {\n    totl\n}\n"
    assert report(text, [(2, f"+ {UNDEFINED}")]).split("\n") == ["   2 |     totl", f"       + {UNDEFINED}"]


PAGE = """\
# Page

## One

`libs/a/src/core.ax`:

```ax
fn f() {}
```

```ax
```

### Inner

```toml
[check]
```

## Two
"""


def test_sections_have_their_headings_and_blocks_their_titles() -> None:
    found = sections(PAGE)
    paths = [(), ("Page",), ("Page", "One"), ("Page", "One", "Inner"), ("Page", "Two")]
    assert [section.path for section in found] == paths
    first, second = found[2].blocks
    assert (first.language, first.title, first.text, first.line) == ("ax", "libs/a/src/core.ax", "fn f() {}\n", 8)
    assert (second.title, second.text) == ("", "")
    assert found[3].blocks[0].language == "toml"


def test_an_open_block_is_refused() -> None:
    with pytest.raises(AssertionError, match="line 1: the block is not closed"):
        sections("```ax\nfn main() {}\n")
