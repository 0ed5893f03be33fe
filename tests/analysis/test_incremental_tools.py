"""Programs that use tools of MCP servers: what is kept over edits, and that it is what a new database finds."""

from __future__ import annotations

import json
import random

import pytest

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, ServerTools, ToolSchema, ToolServers, server_tools, source, tool_servers
from analysis.semantics.environment import environment
from analysis.semantics.summary import block_free_names
from analysis.text.source import Source
from tests.support.random_edits import edited

WORKSPACE = "/workspace"
MAIN = FileId(WORKSPACE, "disk", f"{WORKSPACE}/main.ax")
NAMES = ("files", "mail", "not-there")
PROGRAM = """import mcp.files
import mcp.mail

type Note { title: String, text: String }

fn read(name: String) -> String !{mcp.call} {
    files::read(name).all_text()
}

fn deliver(note: Note) -> Bool !{mcp.call} {
    let sent = mail::post(note.title, note.text)
    sent.is_error()
}

fn title(note: Note) -> String {
    note.title
}

fn main() -> Bool !{mcp.call} {
    deliver(Note { title: "a", text: read("b") })
}
"""
CHANGES = (
    ("type Note {", "type McpResult {"),
    ("title: String, text: String", "title: String, text: String, all_text: Int"),
    ("fn title(note: Note)", "fn files(note: Note)"),
    ("import mcp.mail\n", ""),
    ("mail::post(", "mcp::mail::post("),
    (".all_text()", ".text"),
    ("type Note {", "type mail {"),
)


def _server(chance: random.Random) -> ServerTools:
    tools = []
    for name in chance.sample(("read", "post", "list"), chance.randint(0, 3)):
        parameters = {f"p{number}": {"type": chance.choice(("string", "integer"))} for number in range(chance.randint(0, 2))}
        required = [name for name in parameters if chance.random() < 0.7]
        schema = {"type": "object", "properties": parameters, "required": required}
        tools.append(ToolSchema(name, "", json.dumps(schema)))
    return ServerTools(chance.random() < 0.8, tuple(tools))


def _opened(text: Source, servers: tuple[str, ...], tools: dict[str, ServerTools], *, check_purity: bool = False) -> Database:
    db = Database(check_purity=check_purity)
    tool_servers.set(db, WORKSPACE, ToolServers(servers, True))
    for name, some in tools.items():
        server_tools.set(db, WORKSPACE, name, some)
    source.set(db, MAIN, text)
    return db


@pytest.mark.parametrize("seed", range(6))
def test_after_any_change_the_findings_are_those_of_a_fresh_database(seed: int) -> None:
    chance = random.Random(seed)
    text, tools = Source.from_text(PROGRAM), {name: _server(chance) for name in NAMES[:2]}
    servers: tuple[str, ...] = NAMES[:2]
    db = _opened(text, servers, tools, check_purity=True)
    for _ in range(30):
        match chance.randrange(8):
            case 0:
                name = chance.choice(NAMES)
                tools[name] = _server(chance)
                server_tools.set(db, WORKSPACE, name, tools[name])
            case 1:
                servers = tuple(chance.sample(NAMES, chance.randint(1, 3)))
                tool_servers.set(db, WORKSPACE, ToolServers(servers, True))
            case 2 | 3 | 4:
                old, new = chance.choice(CHANGES)
                old, new = (old, new) if old in text.text else (new, old)
                text = Source.from_text(text.text.replace(old, new) if old else PROGRAM)
            case 5:
                text = Source.from_text(PROGRAM)
            case _:
                text = edited(text, chance)
        source.set(db, MAIN, text)
        kept = list(check_file(db, MAIN).placed(text))
        assert kept == list(check_file(_opened(text, servers, tools), MAIN).placed(text))


def test_a_keystroke_in_a_body_keeps_the_scope_of_its_block() -> None:
    """A block's scope is made once, with tools as without, and anew when a tool changes."""
    chance = random.Random(7)
    text, tools = Source.from_text(PROGRAM), {name: _server(chance) for name in NAMES[:2]}
    db = _opened(text, NAMES[:2], tools)
    free_names = next(names for block in text.blocks if "mail::post" in (names := block_free_names(db, block)).tools)
    before = environment(db, MAIN).block_scope(free_names)
    source.set(db, MAIN, Source.from_text(PROGRAM.replace("note.title\n", 'note.title ++ "!"\n')))
    assert environment(db, MAIN).block_scope(free_names) is before
    source.set(db, MAIN, Source.from_text(f"{PROGRAM}\nfn added() -> Int {{ 1 }}\n"))
    assert environment(db, MAIN).block_scope(free_names) is before
    schema = json.dumps({"type": "object", "properties": {"other": {"type": "boolean"}}, "required": ["other"]})
    server_tools.set(db, WORKSPACE, "mail", ServerTools(True, (ToolSchema("post", "", schema),)))
    changed = environment(db, MAIN).block_scope(free_names)
    assert changed.scope.tools != before.scope.tools
