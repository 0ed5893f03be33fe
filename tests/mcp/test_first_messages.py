"""What the first messages of a session need is compiled before they come: the event loop would stand still meanwhile."""

from __future__ import annotations

import subprocess
import sys

SESSION = """
from boruna_ls.library_models import late_pydantic
with late_pydantic():
    import boruna_ls.mcp.server
from boruna_ls.mcp.first_messages import compile_messages
compile_messages()

from pydantic._internal._model_construction import complete_model_class as complete
from pydantic._internal import _model_construction as construction
import pydantic.main

def noted(cls, *arguments, **options):
    print(cls.__module__, cls.__name__)
    return complete(cls, *arguments, **options)

construction.complete_model_class = pydantic.main._model_construction.complete_model_class = noted

import asyncio, json
from boruna_ls.mcp.server import run_connection
from boruna_ls.workspace import Host

class Channel:
    is_full = False
    def __init__(self, *messages):
        self.left = [[json.dumps({"jsonrpc": "2.0", **message}).encode()] for message in messages]
        self.answered = 0
    async def lines(self):
        return self.left.pop(0) if self.left else []
    def write(self, data):
        self.answered += 1
    def is_gone(self):
        return False
    async def room(self):
        pass
    async def finish(self):
        pass

client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
channel = Channel(
    {"id": 1, "method": "initialize", "params": client},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
    {"id": 3, "method": "tools/call", "params": {"name": "boruna_check", "arguments": {"source": "fn main() -> Int { 1 }"}}},
)
host = Host()
asyncio.run(run_connection(host, channel))
host.worker.stop()
print("answers:", channel.answered)
"""


def test_nothing_large_is_compiled_when_the_first_messages_come() -> None:
    ran = subprocess.run([sys.executable, "-c", SESSION], capture_output=True, text=True, check=False, timeout=120)
    *compiled, answers = ran.stdout.split("\n")[:-1]
    assert answers == "answers: 3", ran.stderr
    # Those of the tools are loaded with them, on a thread of their own.
    assert [name for name in compiled if not name.startswith("boruna_ls.")] == []
