"""Effect of an edit on the diagnostics of a file: the quick comparison agrees with one of all diagnostics."""

from __future__ import annotations

import random
from collections import Counter

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.ide.delta import delta
from analysis.inputs import FileId, source
from analysis.text.source import Source

FILE = FileId("", "disk", "delta.ax")
PIECES = (
    "missing",
    "n",
    "",
    "\n",
    "}",
    "fn other() -> Int { gone }\n",
    "helper3(n)",
    "// text\n",
    "let unused: Int = 1\n    ",
    '"',
)


def diagnostics(db: Database) -> Counter[tuple[str, str, str, str]]:
    """Number of occurrences of each diagnostic, wherever it stands."""
    text = source(db, FILE)
    return Counter(
        (made.code, made.severity.value, made.message, text.text[start + made.span[0] : start + made.span[1]])
        for start, made in check_file(db, FILE).placed(text)
    )


def test_the_difference_is_that_of_all_findings(seed: int) -> None:
    chance = random.Random(seed)
    # The same function several times: its diagnostics are one object that is there as often.
    function = "fn helper{}(n: Int) -> Int {{\n    let x: Int = n\n    n + missing\n}}\n\n"
    base = Database()
    source.set(base, FILE, Source.from_text("".join(function.format(number % 5) for number in range(60))))
    branch = base.branch()
    seen = 0
    for _ in range(150):
        text = source(base, FILE).text
        for _ in range(chance.randrange(1, 3)):
            start = chance.randrange(len(text))
            text = text[:start] + chance.choice(PIECES) + text[start + chance.choice((0, 0, 1, 3, 40)) :]
        source.set(branch, FILE, source(base, FILE).replaced_by(text))
        before, after, change = diagnostics(base), diagnostics(branch), delta(base, branch, FILE)
        wanted = (after - before).total(), (before - after).total(), after.total() - (after - before).total()
        assert (len(change.introduced), len(change.resolved), change.remaining) == wanted
        codes = Counter(made.code for _, made in change.introduced)
        assert codes == Counter(code for code, *_ in (after - before).elements())
        seen += bool(change.introduced) + bool(change.resolved)
    assert seen > 50
