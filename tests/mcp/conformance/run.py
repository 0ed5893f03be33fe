"""Runs the MCP conformance suite against the product over HTTP, both requirement sets, with no expected failures.

Called by `make test-mcp-conformance`, which installs the suite and a Node that is new enough for it: run.py FOLDER.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

REVISIONS = ("2025-11-25", "2026-07-28")
PATIENCE = 60.0


def main() -> int:
    modules = Path(sys.argv[1]) / "node_modules"
    suite = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/mcp"
    server = subprocess.Popen([sys.executable, "-m", "tests.mcp.conformance.server", str(port)])
    try:
        wait_for(url, server)
        failed = []
        for revision in REVISIONS:
            arguments = [str(modules / ".bin" / "node"), str(suite), "server", "--url", url, "--requirements", revision]
            done = subprocess.run(arguments, capture_output=True, encoding="utf-8")
            summary = done.stdout.partition("=== SUMMARY ===")[2]
            print(f"MCP {revision}:{summary or done.stdout + done.stderr}")
            # Scenarios that are not scored (extensions, pending ones) have to pass, too.
            failed += [revision] if done.returncode or "✗" in summary else []
    finally:
        server.terminate()
        server.wait(30)
    print(f"failed: {', '.join(failed)}" if failed else "conforms to both revisions")
    return 1 if failed else 0


def wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5)
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server did not start")


if __name__ == "__main__":
    sys.exit(main())
