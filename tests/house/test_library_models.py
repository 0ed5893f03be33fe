"""Message classes of libraries that are completed at their first use behave as those that are complete from the start."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import attrs
import pydantic
import pytest
from pydantic import BaseModel, TypeAdapter

from boruna_ls.library_models import late_attrs, late_pydantic

LATE = "from boruna_ls.daemon.views import Views; Views('').load({view!r})\n"
MCP = """
import json, threading
import mcp_types._types as monolith, mcp_types._v2025_11_25 as v2025, mcp_types._v2026_07_28 as v2026
from mcp_types import methods
from pydantic import BaseModel, TypeAdapter, ValidationError
models = [kind for module in (monolith, v2025, v2026) for kind in vars(module).values()
          if isinstance(kind, type) and issubclass(kind, BaseModel) and kind.__module__ == module.__name__]
incomplete = sum(not kind.__pydantic_complete__ for kind in models)
tables = (methods.CLIENT_REQUESTS, methods.CLIENT_NOTIFICATIONS, methods.CLIENT_RESULTS,
          methods.SERVER_REQUESTS, methods.SERVER_NOTIFICATIONS, methods.SERVER_RESULTS)
shapes = {f"{method} {version} {number}": TypeAdapter(kind).json_schema()
          for number, table in enumerate(tables) for (method, version), kind in table.items()
          if version in ("2025-06-18", "2026-07-28")}
unions = {name: adapter.json_schema() for name, adapter in vars(monolith).items() if isinstance(adapter, TypeAdapter)}
unfit = [kind.__name__ for kind in models if kind.model_rebuild() is False]
print(json.dumps([len(models), incomplete, unfit, shapes, unions]))
"""
LSP = """
import json, attrs
from lsprotocol import converters, types
classes = [kind for kind in vars(types).values() if isinstance(kind, type) and kind.__module__ == types.__name__]
incomplete = sum(type(vars(kind).get("__init__")).__name__ == "_Incomplete" for kind in classes)
params = {"processId": 1, "rootUri": None, "capabilities": {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}}
request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
read = converters.get_converter().structure(request, types.InitializeRequest)
place = types.Range(types.Position(1, 2), types.Position(1, 3))
loop = types.TextEdit(place, "x")
object.__setattr__(loop, "new_text", [loop])
objects = [place, types.Location("a", place), types.TextEdit(place, "x"), types.Hover(contents="x"), types.HoverParams(
    types.TextDocumentIdentifier("u"), types.Position(0, 0)), types.InitializeResult(types.ServerCapabilities()), loop, read]
signatures = [
    [kind.__qualname__, kind.__init__.__code__.co_varnames, kind.__hash__ is None, [str(field.type) for field in fields]]
    for kind in classes if attrs.has(kind) for fields in [attrs.fields(kind)]
]
equal = [types.TextEdit(place, "x") == types.TextEdit(place, "x"), types.TextEdit(place, "x") == types.TextEdit(place, "y")]
print(json.dumps([incomplete, [repr(one) for one in objects], signatures, equal]))
"""


def both(view: str, code: str) -> tuple[list[Any], list[Any]]:
    """What a process prints that loads a view of ours first, and what one prints that does not."""
    late, plain = (
        json.loads(subprocess.run([sys.executable, "-c", text], capture_output=True, check=True, timeout=120).stdout)
        for text in (LATE.format(view=view) + code, code)
    )
    return late, plain


def test_models_of_both_generations_are_the_same_when_completed_late() -> None:
    (count, incomplete, *late), (_, usually, *plain) = both("mcp", MCP)
    assert incomplete - usually > count * 0.8
    assert {name.split()[1] for name in late[1]} == {"2025-06-18", "2026-07-28"}
    assert late == plain


def test_classes_of_the_protocol_of_editors_are_the_same() -> None:
    (incomplete, *late), (usually, *plain) = both("lsp", LSP)
    assert incomplete > usually + 300
    assert late == plain


FIRST_USE = """
import sys, threading
{imported}
sys.setswitchinterval(1e-6)
ready, answers = threading.Barrier(8), []
def use():
    ready.wait()
    answers.append({used})
threads = [threading.Thread(target=use) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(answers)
"""


@pytest.mark.parametrize(
    ("view", "imported", "used", "answer"),
    [
        (
            "lsp",
            "from lsprotocol import types",
            "repr(types.LinkedEditingRanges([]))",
            "LinkedEditingRanges(ranges=[], word_pattern=None)",
        ),
        (
            "mcp",
            "from mcp_types import methods",
            "[act('tools/call', '2025-06-18', {'name': 'x', 'arguments': {}}) "
            "for act in (methods.validate_client_request, methods.parse_client_request)][1].params.name",
            "x",
        ),
    ],
)
def test_a_class_that_many_threads_use_first(view: str, imported: str, used: str, answer: str) -> None:
    line = [sys.executable, "-c", LATE.format(view=view) + FIRST_USE.format(imported=imported, used=used)]
    done = subprocess.run(line, capture_output=True, encoding="utf-8", timeout=120)
    assert (done.stdout, done.stderr) == (f"{[answer] * 8}\n", "")


@pytest.mark.parametrize("first_ends_first", [True, False])
def test_contexts_that_overlap_leave_the_libraries_as_they_were(first_ends_first: bool) -> None:
    define = attrs.define
    for context in (late_pydantic, late_attrs):
        first, second = context(), context()
        first.__enter__()
        second.__enter__()
        for ended in (first, second) if first_ends_first else (second, first):
            ended.__exit__(None, None, None)
    assert attrs.define is define
    assert "defer_build" not in pydantic.BaseModel.model_config

    class Made(BaseModel):
        number: int

    assert Made.__pydantic_complete__
    assert TypeAdapter(list[int]).pydantic_complete


def test_a_late_class_is_the_one_that_was_defined() -> None:
    def classes() -> list[Any]:
        @attrs.define
        class Plain:
            shown: int = 1
            hidden: int = attrs.field(default=2, repr=False)

        @attrs.define(frozen=True)
        class Frozen:
            shown: str = "x"

        return [Plain, Frozen]

    plain = [repr(made()) for made in classes()]
    with late_attrs():
        late = classes()
    assert [repr(made()) for made in late] == plain
    assert late[0]() == late[0]()
    assert type(late[0]()) is late[0]
    assert [field.name for field in attrs.fields(late[0])] == ["shown", "hidden"]
    above = type("Above", (late[0],), {})
    assert isinstance(above(3), late[0])
    assert attrs.astuple(above(3)) == (3, 2)
