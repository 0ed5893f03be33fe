"""A debug session with the real adapter process; every message is validated by the protocol's schema (`dap_types`)."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dap_types

from boruna_ls.wire.frames import framed
from tests.support.commands import command

PATIENCE = 30.0


class Session:
    """Requests that wait for their answers, and the events that came beside them."""

    def __init__(self, process: subprocess.Popen[bytes], path: Path) -> None:
        self.process = process
        self.path = path
        self._sent = 0
        self.events: list[tuple[str, Any]] = []
        self._answers: dict[int, dict[str, Any]] = {}
        self.capabilities = self.ask("initialize", adapterID="boruna", linesStartAt1=True, columnsStartAt1=True)

    def ask(self, command_name: str, **arguments: Any) -> Any:
        """The body of the answer to a request; an error answer fails the test."""
        answer = self.tried(command_name, **arguments)
        assert answer["success"], answer
        return answer.get("body")

    def tried(self, command_name: str, **arguments: Any) -> dict[str, Any]:
        """The answer to a request, whatever it says."""
        assert self.process.stdin is not None
        self._sent += 1
        request = {"seq": self._sent, "type": "request", "command": command_name, "arguments": arguments}
        self.process.stdin.write(framed(json.dumps(request).encode()))
        self.process.stdin.flush()
        return self.answered(self._sent)

    def answered(self, sequence: int) -> dict[str, Any]:
        while sequence not in self._answers:
            self._take()
        return self._answers.pop(sequence)

    def event(self, name: str) -> Any:
        """The body of the next event of a name; others stay."""
        while True:
            for index, (kind, body) in enumerate(self.events):
                if kind == name:
                    del self.events[index]
                    return body
            self._take()

    def output(self, category: str) -> str:
        """Output so far."""
        return "".join(body["output"] for kind, body in self.events if kind == "output" and body["category"] == category)

    def launch(self, *lines: int | dict[str, Any], **more: Any) -> None:
        """Starts, with breakpoints."""
        self.ask("launch", program=str(self.path), **more)
        self.event("initialized")
        self.break_at(*lines)
        self.ask("configurationDone")

    def break_at(self, *lines: int | dict[str, Any]) -> list[dict[str, Any]]:
        rows = [line if isinstance(line, dict) else {"line": line} for line in lines]
        found = self.ask("setBreakpoints", source={"path": str(self.path)}, breakpoints=rows)["breakpoints"]
        return list(found)

    def go(self, command_name: str) -> tuple[str, list[tuple[str, int]]]:
        """Goes somewhere: why it stands there, and the frames with their lines, the innermost first."""
        self.ask(command_name, threadId=1)
        return self.stopped()

    def stopped(self) -> tuple[str, list[tuple[str, int]]]:
        reason = self.event("stopped")["reason"]
        frames = self.ask("stackTrace", threadId=1)["stackFrames"]
        return reason, [(one["name"], one["line"]) for one in frames]

    def variables(self, frame: int = 0) -> dict[str, str]:
        """The variables of a frame, the innermost is 0."""
        frames = self.ask("stackTrace", threadId=1)["stackFrames"]
        scopes = self.ask("scopes", frameId=frames[frame]["id"])["scopes"]
        rows = self.ask("variables", variablesReference=scopes[0]["variablesReference"])["variables"]
        return {row["name"]: row["value"] for row in rows}

    def _take(self) -> None:
        """Reads one message, which must be one of the protocol."""
        assert self.process.stdout is not None
        header = b""
        while not header.endswith(b"\r\n\r\n"):
            byte = self.process.stdout.read(1)
            assert byte, "the adapter has ended"
            header += byte
        message = json.loads(self.process.stdout.read(int(header.split(b":")[1])))
        model = "Response" if message["type"] == "response" else "Event"
        kind = message["command"] if model == "Response" else message["event"]
        known = getattr(dap_types, f"{kind[:1].upper()}{kind[1:]}{model}", None)
        if message.get("success", True):
            assert known is not None, kind
            known.model_validate(message)
        else:
            dap_types.ErrorResponse.model_validate(message)
        if message["type"] == "response":
            self._answers[message["request_seq"]] = message
        else:
            self.events.append((message["event"], message.get("body")))


@contextmanager
def debugging(path: Path, *options: str, adapter: Sequence[str] = ("boruna-ls", "dap")) -> Iterator[Session]:
    """A session about the program of a file; `adapter` is the command that an editor starts."""
    line = [command(adapter[0]), *adapter[1:], *options]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield Session(process, path)
        finally:
            process.stdin.close()  # type: ignore[union-attr]
            deadline = time.monotonic() + PATIENCE
            while process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
            process.kill()
