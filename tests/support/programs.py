"""Source texts as modules, without a server."""

from __future__ import annotations

from analysis.bytecode.module import Module
from analysis.codegen.compile import compile_file
from boruna_ls.workspace import Host


def module(text: str) -> Module:
    """The module of a program that compiles."""
    host = Host()
    compiled = compile_file(host.db, host.inline(text), "module")
    assert compiled.module is not None, compiled.errors
    return compiled.module
