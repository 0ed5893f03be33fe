"""A server with one tool that takes a moment. Each call is a line of the file of its argument before it is answered.

It needs the standard library only, so that it starts quickly.
"""

from __future__ import annotations

import json
import sys
import time

SECONDS = 0.05


def main(log: str) -> None:
    """Answers until standard input ends."""
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        params = message.get("params", {})
        result: object = {"tools": [{"name": "note", "description": "Notes.", "inputSchema": schema}]}
        if message["method"] == "initialize":
            result = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "n", "version": "1"},
            }
        elif message["method"] == "tools/call":
            text = params["arguments"]["text"]
            with open(log, "a", encoding="utf-8") as file:
                file.write(text + "\n")
            time.sleep(SECONDS)
            result = {"content": [{"type": "text", "text": f"noted {text}"}]}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
