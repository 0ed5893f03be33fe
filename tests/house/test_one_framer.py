"""Messages are framed and cut in `boruna_ls/wire/` only: what one part accepts, every part accepts."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2] / "boruna_ls"
HEADER: Final = b"content-length"
EXCUSED: Final = {
    # HTTP, whose headers are bytes for the server that we run in.
    "mcp/http/splicing.py": {"frames"},
    # The first line of a connection, which is no message of a protocol.
    "rendezvous/wire.py": {"lines"},
    # Numbers from a process of the sandbox; its code imports nothing of ours.
    "sandbox/inside/ax.py": {"lines"},
}


def framing(text: str) -> set[str]:
    """What a module has of framing: the header of frames as bytes, a stream cut at line feeds, a message that ends in one."""
    nodes = list(ast.walk(ast.parse(text)))
    literals = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, bytes)]
    # Only these are written out: a call holds those inside it.
    calls = {
        ast.unparse(node)
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("split", "partition")
    }
    frames = any(HEADER in literal.lower() for literal in literals)
    lines = any(call.endswith((r".split(b'\n')", r".partition(b'\n')")) for call in calls)
    lines = lines or any(isinstance(node, ast.BinOp) and ast.unparse(node).endswith(r" + b'\n'") for node in nodes)
    return {name for name, is_there in (("frames", frames), ("lines", lines)) if is_there}


def test_no_module_outside_of_wire_cuts_messages() -> None:
    modules = {str(module.relative_to(ROOT)): module for module in sorted(ROOT.rglob("*.py")) if module.parent.name != "wire"}
    assert len(modules) > 300
    cutting = {name: found for name, module in modules.items() if (found := framing(module.read_text("utf-8")))}
    assert cutting == EXCUSED


def test_framing_is_noticed() -> None:
    assert framing('header = b"Content-Length: %d\\r\\n"') == {"frames"}
    assert framing('*lines, rest = data.split(b"\\n")') == {"lines"}
    assert framing('line = json.dumps(message).encode() + b"\\n"') == {"lines"}
    assert framing('head = "Content-Length: 3"; lines = text.split("\\n")') == set()
