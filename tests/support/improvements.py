"""Reads `tests/conformance/improvements.md`: the cases of the corpus where our answer is better, and why."""

from __future__ import annotations

from tests.support.corpus import CONFORMANCE


def improvements(area: str) -> dict[str, str]:
    """Case → reason of the rows that concern the area, without the `area/` in front of the case."""
    rows = {}
    for line in (CONFORMANCE / "improvements.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        case = cells[0].strip("`")
        if line.startswith("|") and case.startswith(f"{area}/"):
            assert len(cells) == 3, f"a row needs a case, a reason and our answer: {line}"
            assert all(cells), f"a row needs a case, a reason and our answer: {line}"
            rows[case.removeprefix(f"{area}/")] = cells[1]
    return rows
