"""A module is found by its name: a name that occurs twice in `analysis` means one thing. Variables say what they hold."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
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


SAYING_NOTHING: Final = frozenset(("told", "known", "made", "found", "judged", "outlived"))
"""Participles: they say how a value came about, not what it is."""
UNCLEAR: Final = frozenset(("finding", "patch", "judged", "gist", "outlived", "spare", "kin", "let_go", "is_wanted"))
"""Names that need an explanation. The field says diagnostic, fix, summary, close, evict."""
_DEFINES: Final = re.compile(rf"^ *(?:async )?(?:def|class) (_*(?:{'|'.join(sorted(UNCLEAR))}))\b", re.IGNORECASE | re.MULTILINE)
_MAY_BIND: Final = re.compile(rf"(?<![\w.])(?:{'|'.join(sorted(SAYING_NOTHING))}) *(?::|=|,|\)|\]| in )")
"""Most files need not be parsed."""


def bound_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The variables and parameters of a module with their lines; fields of classes are none."""
    fields = {
        id(statement.target)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields:
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name is not None:
            yield node.name, node.lineno


def test_variables_say_what_they_hold() -> None:
    """Instead of `found`, write what it is: `declaration`, `call`, `body`."""
    texts = {file: file.read_text("utf-8") for folder in (ROOT, ROOT.parent / "boruna_ls") for file in folder.rglob("*.py")}
    assert len(texts) > 800
    bad = [
        f"{file.relative_to(ROOT.parent)}:{line}: {name}"
        for file, text in texts.items()
        if _MAY_BIND.search(text)
        for name, line in bound_names(ast.parse(text))
        if name in SAYING_NOTHING
    ]
    assert bad == []


def test_functions_and_classes_have_terms_of_the_field() -> None:
    files = [file for folder in (ROOT, ROOT.parent / "boruna_ls") for file in folder.rglob("*.py")]
    assert _DEFINES.findall("class _Judged:\n    async def let_go(self) -> None: ...\n") == ["_Judged", "let_go"]
    assert [f"{file}: {name}" for file in files for name in _DEFINES.findall(file.read_text("utf-8"))] == []
