"""A module is found by its name: a name that occurs twice in `analysis` means one thing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2] / "analysis"
CONSTRUCT: Final = (
    "a construct of the language: `grammar` parses it, `rules` check it, `codegen` compiles it, `broken` repairs it, `refactor` "
    "rewrites it"
)
TWICE: Final = {
    "expressions": CONSTRUCT,
    "items": CONSTRUCT,
    "loops": CONSTRUCT,
    "matches": CONSTRUCT,
    "operators": CONSTRUCT,
    "patterns": CONSTRUCT,
    "records": CONSTRUCT,
    "statements": CONSTRUCT,
    "tool_calls": CONSTRUCT,
    "lowering": "the package writes programs of other languages as ours; its module of that name begins with their items",
    "tree": "a syntax tree: of programs here, in `dialect` of programs in the style of other languages",
    "workflow": "workflow.json: the package says what it means, the module of `kinds` what editors do with it",
}
"""Names of several modules or packages, and why they may be."""


def test_names_that_occur_twice_mean_one_thing() -> None:
    """A new pair gets two names, or a row with the reason."""
    modules = [path.stem for path in ROOT.rglob("*.py") if path.stem not in ("__init__", "__main__")]
    packages = [path.parent.name for path in ROOT.rglob("__init__.py") if path.parent != ROOT]
    assert len(modules) > 300
    assert sorted(name for name, times in Counter(modules + packages).items() if times > 1) == sorted(TWICE)
