"""A PostgreSQL server of the tests' own, where its programs are installed."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

_FOLDERS = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]


def programs() -> Path | None:
    """The folder of PostgreSQL's programs, None where they are not installed."""
    found = shutil.which("initdb")
    return _FOLDERS[0] if _FOLDERS else Path(found).parent if found else None


@contextlib.contextmanager
def database(folder: Path) -> Iterator[str]:
    """The URL of an empty database; the server ends with the block."""
    where = programs()
    assert where is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = folder / "data"
    user = _as_nobody(folder)
    run = [*user, str(where / "initdb"), "-D", str(data), "-U", "boruna", "-A", "trust", "--no-sync"]
    subprocess.run(run, check=True, capture_output=True)
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
    control = [*user, str(where / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log")]
    (folder / "options").write_text(options)
    subprocess.run([*control, "-o", options, "start"], check=True, capture_output=True)
    try:
        yield f"postgresql://boruna@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=False, capture_output=True)


@contextlib.contextmanager
def restarted(folder: Path) -> Iterator[None]:
    """The server of a folder is stopped while the block runs, and started again behind it."""
    where = programs()
    assert where is not None
    control = [*_as_nobody(folder), str(where / "pg_ctl"), "-D", str(folder / "data"), "-w", "-l", str(folder / "log")]
    subprocess.run([*control, "-m", "immediate", "stop"], check=True, capture_output=True)
    try:
        yield
    finally:
        start = [*control, "-o", (folder / "options").read_text(), "start"]
        subprocess.run(start, check=True, capture_output=True)


def _as_nobody(folder: Path) -> list[str]:
    """PostgreSQL refuses to run as root: then it runs as the user `postgres`, who needs to reach the folder."""
    if os.geteuid() != 0:
        return []
    shutil.chown(folder, "postgres")
    for parent in folder.parents:
        if parent.stat().st_uid == 0 and len(parent.parts) > 2:
            parent.chmod(parent.stat().st_mode | 0o011)
    return ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
