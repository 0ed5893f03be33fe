"""Stands in for the program `firecracker` in `test_firecracker.py`: its API socket, strict about order and fields, and the socket
of its vsock with an agent that says hello. The file that is given as root file system says which fault it has.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import UnixStreamServer
from typing import Any

FIELDS: dict[str, dict[str, type]] = {
    "/machine-config": {"vcpu_count": int, "mem_size_mib": int, "smt": bool},
    "/boot-source": {"kernel_image_path": str, "boot_args": str},
    "/drives/rootfs": {"drive_id": str, "path_on_host": str, "is_root_device": bool, "is_read_only": bool},
    "/vsock": {"guest_cid": int, "uds_path": str},
    "/actions": {"action_type": str},
}
FAULTS = {"/boot-source": "The kernel file cannot be opened", "/actions": "Internal error while starting microVM"}
fault = (Path(os.getcwd()).parents[1] / "rootfs").read_text()
given: dict[str, dict[str, Any]] = {}


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def address_string(self) -> str:
        return "unix"

    def log_message(self, format: str, *args: Any) -> None:
        return

    def do_PUT(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with open("requests.log", "a", encoding="utf-8") as file:
            file.write(json.dumps({"method": "PUT", "path": self.path, "body": body}) + "\n")
        fields = FIELDS.get(self.path)
        problem = ""
        if fault == "garbage":
            self._answer(500, b"<html>")
            return
        if fields is None:
            problem = f"Invalid request method and/or path: PUT {self.path}."
        elif {name: type(value) for name, value in body.items()} != fields:
            problem = f"An error occurred when deserializing the json body of a request: {body}."
        elif fault == f"refuse:{self.path}":
            problem = FAULTS[self.path]
        elif self.path == "/actions" and set(FIELDS) - {"/actions"} != set(given):
            problem = "The requested operation is not supported before the machine is configured."
        if problem:
            self._answer(400, json.dumps({"fault_message": problem}).encode())
            return
        given[self.path] = body
        self._answer(204, b"")
        if self.path == "/actions" and fault != "silent":
            threading.Thread(target=vsock, args=(given["/vsock"]["uds_path"],), daemon=True).start()

    def _answer(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if content:
            self.wfile.write(content)


def vsock(path: str) -> None:
    """Connections of the host are bridged to a port of the guest: `CONNECT port`, then `OK host-port`, then the guest's bytes."""
    time.sleep(0.1)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    kept = []
    while True:
        end, _ = listener.accept()
        kept.append(end)
        line = end.recv(64)
        if line == b"CONNECT 5252\n":
            end.sendall(b"OK 1073741824\nhello")
        else:
            end.close()


def main() -> None:
    options = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    assert set(options) == {"--api-sock", "--id"}
    assert all(character.isalnum() or character == "-" for character in options["--id"]), "an id of another form is refused"
    if fault == "die":
        sys.exit(3)
    if fault == "no-socket":
        time.sleep(60)
    with UnixStreamServer(options["--api-sock"], Api) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
