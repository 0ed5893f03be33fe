"""What puts parts together passes them on as arguments: it sets no attribute of an object that is not its own."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2] / "boruna_ls"


def set_from_outside(text: str) -> list[str]:
    """The attributes, and items of attributes, that a module sets of other objects than `self`."""
    targets: list[ast.expr] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            targets.append(node.target)
    parts = [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
    owners = [part.value if isinstance(part, ast.Subscript) else part for part in parts]
    names = [ast.unparse(owner) for owner in owners if isinstance(owner, ast.Attribute)]
    return [name for name in names if not name.startswith("self.") or name.count(".") > 1]


PARTS: Final = "changes diagnostics idle others program_runs protocol run_lenses server waiting workflow_runs".split()


@pytest.mark.parametrize("part", PARTS)
def test_parts_of_the_language_server_set_their_own_attributes_only(part: str) -> None:
    assert set_from_outside((ROOT / "lsp" / f"{part}.py").read_text("utf-8")) == []


def test_attributes_set_from_outside_are_noticed() -> None:
    text = "server.loop = 1\nself.parts.loop, mine = 1, 2\nself.protocol.answers[name] = 3\nself.loop = 4\nlocal[0] = 5\n"
    assert set_from_outside(text) == ["server.loop", "self.parts.loop", "self.protocol.answers"]
