"""A sandbox as an attacker sees it: many ways out are tried from inside, and what lies outside is watched independently."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boruna_ls.sandbox.backend import SandboxError
from boruna_ls.sandbox.box import Box
from tests.sandbox.places import box_of, needs_bubblewrap, ran, sandboxes
from tests.support.daemon import until

pytestmark = needs_bubblewrap
ATTEMPTS = Path(__file__).with_name("attempts")
SECRET = "the canary sings"


class Outside:
    """Targets that must not be reachable: a file, an environment, a process, sockets."""

    def __init__(self, folder: Path) -> None:
        self.canary = folder / "canary.txt"
        self.canary.write_text(SECRET)
        self.before = self.canary.stat()
        self.victim = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300) # boruna-victim"])
        self.listeners = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX), socket.socket(socket.AF_INET)]
        self.abstract = f"boruna-test-{secrets.token_hex(8)}"
        self.listeners[0].bind(b"\0" + self.abstract.encode())
        self.path = f"/tmp/{self.abstract}.sock"
        self.listeners[1].bind(self.path)
        self.listeners[2].bind(("127.0.0.1", 0))
        self.visits: list[str] = []
        for listener in self.listeners:
            listener.listen()
            threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                end, address = listener.accept()
            except OSError:
                return
            self.visits.append(str(address))
            end.close()

    def described(self) -> dict[str, Any]:
        return {
            "canary": str(self.canary),
            "variable": "BORUNA_TEST_SECRET",
            "home": os.path.expanduser("~"),
            "shown": [],
            "package": str(Path(__file__).resolve().parents[2] / "boruna_ls" / "__init__.py"),
            "pid": self.victim.pid,
            "mark": "boruna-victim",
            "abstract": self.abstract,
            "socket": self.path,
            "port": self.listeners[2].getsockname()[1],
        }

    def check(self) -> None:
        """Nothing of it was touched."""
        assert self.canary.read_text() == SECRET
        now = self.canary.stat()
        assert (now.st_mtime_ns, now.st_nlink, now.st_mode) == (self.before.st_mtime_ns, 1, self.before.st_mode)
        assert self.victim.poll() is None
        assert self.visits == []

    def end(self) -> None:
        self.victim.kill()
        self.victim.wait()
        for listener in self.listeners:
            # A thread that waits in `accept` keeps it open.
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        os.unlink(self.path)


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Outside]:
    monkeypatch.setenv("BORUNA_TEST_SECRET", SECRET)
    found = Outside(tmp_path)
    yield found
    found.check()
    found.end()


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    with sandboxes() as manager:
        yield box_of(manager)


def test_no_attempt_from_inside_succeeds(outside: Outside, box: Box) -> None:
    for file in ATTEMPTS.glob("*.py"):
        box.write(f"attempts/{file.name}", file.read_bytes())
    made = ran(box, f"python3 attempts '{json.dumps(outside.described())}'", seconds=40)
    assert made.exit_code == 0, made
    results = json.loads(made.stdout)
    assert len(results) > 60
    succeeded = {name: one["got"] for name, one in results.items() if "got" in one}
    assert succeeded == {}
    # A refusal that comes of a mistake in the attempt proves nothing.
    mistakes = ("NameError", "TypeError", "AttributeError", "SyntaxError", "IndexError")
    assert {name: one for name, one in results.items() if one["refused"].startswith(mistakes)} == {}
    assert ran(box, "echo still here").stdout == b"still here\n"


LINKS = {
    "a link to a file": "ln -s {canary} one",
    "a link to a folder": "ln -s / top",
    "a link by the kernel": "ln -s /proc/1/root{canary} kernel",
    "a link by the file tool's own process": "ln -s /proc/self/root{canary} own",
    "a chain": "ln -s one two; ln -s two three",
}


def test_the_file_tools_follow_no_path_out(outside: Outside, box: Box) -> None:
    canary = str(outside.canary)
    for command in LINKS.values():
        assert ran(box, command.format(canary=canary)).exit_code == 0
    ways = [canary, "one", f"top{canary}", "kernel", "own", "three", f"{'../' * 30}{canary[1:]}"]
    ways += [f"{start}{canary}" for start in ("/proc/self/root", "/proc/1/root", "/proc/1/cwd/../..", "/", "./a/../../..")]
    for way in ways:
        with pytest.raises(SandboxError):
            box.read(way, 0, 100)
    for way in ways:
        # Writing may make a file of that name inside the sandbox; the one outside is watched.
        try:
            box.write(way, b"broken out")
        except SandboxError:
            continue
    for number in range(20):
        with pytest.raises(SandboxError):
            box.read(f"/proc/self/fd/{number}", 0, 100)
    outside.check()


@pytest.mark.parametrize("path", ["/etc/passwd", "/usr/bin/x", "/dev/x", "/proc/self/mem", "/proc/1/mem", "/x", "/dev/null"])
def test_the_file_tools_do_not_write_the_system(box: Box, path: str) -> None:
    with pytest.raises(SandboxError):
        box.write(path, b"x")


def test_pipes_and_devices_do_not_hold_the_file_tools_up(box: Box) -> None:
    ran(box, "mkfifo pipe; ln -s /dev/zero zero; mkdir -p folder; python3 -c \"import socket; socket.socket(1).bind('sock')\"")
    for name in ("pipe", "zero", "sock", "folder", "/dev/zero", "/proc/kmsg", "/dev/tty"):
        with pytest.raises(SandboxError):
            box.read(name, 0, 100)
    kinds = {entry["name"]: entry["kind"] for entry in box.list(".")[0]}
    assert (kinds["pipe"], kinds["zero"], kinds["folder"]) == ("other", "symlink", "directory")


TERMINAL = "import pty, time; print(pty.openpty(), flush=True); time.sleep(50)"


def test_a_sandbox_does_not_see_another(outside: Outside) -> None:
    with sandboxes() as manager:
        one, two = box_of(manager), box_of(manager)
        ran(one, f'python3 -c "{TERMINAL}" & ipcmk -S 1; touch /tmp/mine; while [ ! -e /dev/pts/0 ]; do sleep 0.01; done')
        assert ran(one, "ls /dev/pts; wc -l < /proc/sysvipc/sem").stdout == b"0\nptmx\n2\n"
        assert ran(two, "ls /dev/pts; wc -l < /proc/sysvipc/sem; ls -A /tmp/mine").stdout == b"ptmx\n1\n"
        one.write("secret.txt", b"mine")
        ran(one, "sleep 50 & echo")
        listens = "import socket, time; s = socket.socket(1); s.bind('\\0shared'); s.listen(); time.sleep(50)"
        ran(one, f'python3 -c "{listens}" & sleep 0.3')
        assert ran(two, "cat ~/secret.txt ~/../*/secret.txt").exit_code != 0
        assert b"sleep" not in ran(two, "cat /proc/*/cmdline").stdout.replace(b"cat", b"")
        assert b"refused" in ran(two, "python3 -c \"import socket; socket.socket(1).connect('\\0shared')\"").stderr


MANY_KINDS = """
mkdir -p a/b; echo deep > a/b/c; ln -s /etc/passwd link; mkfifo pipe
echo x > own; chmod 640 own; head -c 3000000 /dev/zero > big
"""
SWAPS = "import os\nwhile True: os.mkdir('s'); os.rmdir('s'); os.symlink('/', 's'); os.unlink('s')\n"
"""Program of a sandbox while it is copied: a folder that becomes a link."""


def test_a_copy_has_files_folders_and_links_and_nothing_else(outside: Outside) -> None:
    with sandboxes() as manager:
        one = box_of(manager)
        assert ran(one, MANY_KINDS).exit_code == 0
        one.write("swaps.py", SWAPS.encode())
        ran(one, "python3 swaps.py >/dev/null 2>&1 &")
        two = manager.create(one.owner, manager.spec(), copy_of=one)
        listed = ran(two, "cat a/b/c; readlink link; stat -c %a own; stat -c %s big; ls -d pipe; ls /proc/1/fd 2>&1").stdout
        assert listed.startswith(b"deep\n/etc/passwd\n640\n3000000\n"), listed
        manager.destroy(one.owner, one.name)
        assert ran(two, "cmp big <(head -c 3000000 /dev/zero) && echo whole").stdout == b"whole\n"
        ran(two, "p=.; for n in $(seq 150); do p=$p/d; done; mkdir -p $p")
        with pytest.raises(SandboxError, match="nest deeper"):
            manager.create(one.owner, manager.spec(), copy_of=two)


def test_all_sandboxes_of_a_zygote_end_with_it_and_others_are_made() -> None:
    with sandboxes() as manager:
        one = box_of(manager)
        inner = one.place.inner  # type: ignore[attr-defined]
        parent = Path(f"/proc/{inner}/stat").read_text().rpartition(")")[2].split()[1]
        os.kill(int(parent), signal.SIGKILL)
        with pytest.raises(SandboxError):
            ran(one, "echo alive")
        assert not os.path.exists(f"/proc/{inner}/exe")
        assert ran(box_of(manager), "echo alive").stdout == b"alive\n"


SESSIONS = """
exec 2>refused
for n in $(seq 40); do setsid sleep 30 & done
while [ $(($(pgrep -cx sleep) + $(wc -l < refused))) -lt 40 ]; do sleep 0.1; done
pgrep -cx sleep
"""


def test_there_are_only_so_many_sessions_of_many_processes(box: Box) -> None:
    """Each session may be a share of the processors, as large as the editor's."""
    made = ran(box, SESSIONS, seconds=20)
    assert 8 < int(made.stdout) <= 16, made
    assert b"setsid failed" in box.read("refused", 0, 10_000)[0]
    assert ran(box, "pkill sleep; while pgrep -x sleep; do :; done >/dev/null; setsid -w echo alone").stdout == b"alone\n"


@pytest.mark.skipif(not os.path.exists("/proc/self/autogroup"), reason="the scheduler of this kernel knows no sessions")
def test_all_sandboxes_together_have_one_small_share_of_the_processors() -> None:
    with sandboxes() as manager:
        boxes = [box_of(manager) for _ in range(2)]
        until(lambda: ran(boxes[0], "cat /proc/self/autogroup").stdout.endswith(b" nice 10\n"), 5.0)
        assert len({ran(box, "cat /proc/self/autogroup").stdout for box in boxes}) == 1
