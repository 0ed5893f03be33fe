"""Runs the client scenarios of the MCP conformance suite, those that each revision requires and all others; none may fail.

`make test-mcp-client-conformance` installs the suite and calls this: run.py FOLDER [REVISION].
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

PATIENCE = "600000"
"""Milliseconds of a scenario: the suite starts all of them at once, and their clients take turns."""
REVISIONS = ("2025-11-25", "2026-07-28")


def _failing(output: str) -> set[str]:
    """Scenarios that fail, required or not."""
    _, ended, told = output.partition("=== SUITE SUMMARY ===")
    if not ended or "Total:" not in told:
        return {"the suite did not end"}
    return {line.split(":")[0].removeprefix("✗ ") for line in told.splitlines() if line.startswith("✗ ")}


def main() -> int:
    """Exit status 0 if all scenarios of all revisions pass."""
    modules = Path(sys.argv[1]) / "node_modules"
    suite = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    failed = []
    for revision in sys.argv[2:] or REVISIONS:
        with tempfile.TemporaryDirectory() as folder:
            client = f"{sys.executable} -m tests.upstream.conformance.turns {folder}"
            line = [str(modules / ".bin" / "node"), str(suite), "client", "--command", client]
            line += ["--requirements", revision, "--timeout", PATIENCE]
            done = subprocess.run(line, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL)
        summary = done.stdout.partition("=== SUMMARY ===")[2]
        print(f"MCP {revision}, client:{summary or done.stdout + done.stderr}", flush=True)
        failed += [revision] if _failing(done.stdout) else []
    print(f"failed: {', '.join(failed)}" if failed else "the client conforms to both revisions")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
