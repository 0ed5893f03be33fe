"""One mistake is one diagnostic, with advice in the program's own names: `one_mistake.txt`.

Each program has one mistake that people and models make who write Python, JavaScript, Rust or Go. The line above it says
the code, the line and the advice of the only diagnostic that editors show.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from analysis.diagnostics.check import check_file
from analysis.inputs import source
from boruna_ls.workspace.host import Host

HEAD = re.compile(r"^=== (\w+) line (\d+): (.*)\n", re.MULTILINE)
_, *PIECES = HEAD.split(Path(__file__).with_name("one_mistake.txt").read_text("utf-8"))
CASES = [tuple(PIECES[at : at + 4]) for at in range(0, len(PIECES), 4)]


@pytest.fixture(scope="module")
def host() -> Host:
    return Host()


@pytest.mark.parametrize(("code", "line", "advice", "program"), CASES, ids=lambda piece: None)
def test_one_mistake_is_one_diagnostic(host: Host, code: str, line: str, advice: str, program: str) -> None:
    file = host.inline(program, "app.ax")
    text = source(host.db, file)
    shown = [
        (one.code, text.position(start + one.span[0])[0] + 1, one.help) for start, one in check_file(host.db, file).shown(text)
    ]
    assert shown == [(code, int(line), advice)]


def test_there_are_many_of_them() -> None:
    assert len(CASES) >= 80


@pytest.mark.parametrize(
    "program",
    [
        "fn main() -> Int {\n    var total = cont + 1\n    total\n}\n",
        "fn main() -> Int {\n    let total = 1\n    totl + othr\n}\n",
        "fn main() -> Int {\n    'a'\n    $\n}\n",
    ],
)
def test_two_mistakes_are_two(host: Host, program: str) -> None:
    file = host.inline(program, "app.ax")
    assert len(list(check_file(host.db, file).shown(source(host.db, file)))) == 2
