"""`kill -9` of a server with sandboxes at random moments leaves no process, no mount and no folder behind.

`python -m tests.sandbox.kills [--times 50] [--seed N]` prints what was found; `test_kills.py` runs one. Each round starts a
real server, has it make sandboxes that compute, fork and hold files, and kills it after a
random time, often while one is being made.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from boruna_ls.sandbox import identity
from tests.support.mcp_lines import LineServer, call, initialize

PATIENCE = 10.0
COMMANDS = (
    "sleep 1000 & setsid sleep 1000 & while true; do :; done",
    "python3 -c 'import os, time; [os.fork() for _ in range(4)]; time.sleep(1000)'",
    "trap '' TERM INT HUP; exec 0<&- 1>&-; sleep 1000",
    "dd if=/dev/zero of=big bs=1M count=40; sleep 1000",
)


def round_of(chosen: random.Random, folder: str) -> tuple[float, list[str]]:
    """One kill: how long it took until nothing was left, and what was left all the same."""
    before = left_folders(folder)
    mounts = Path("/proc/mounts").read_text()
    server = LineServer("--toolsets", "sandbox", cwd=folder)
    pid = server.process.pid
    server.ask(initialize())
    boxes = []
    if chosen.random() < 0.8:
        made = server.ask(call(1, "create_sandbox"))["result"]["structuredContent"]
        boxes.append(made["sandbox_id"])
        for number, command in enumerate(chosen.sample(COMMANDS, 2)):
            server.send(call(f"run{number}", "run_command", sandbox_id=boxes[0], command=command, timeout_s=500))
    for number in range(chosen.randrange(3)):
        server.send(call(f"more{number}", "create_sandbox"))
    time.sleep(chosen.random() * (0.4 if boxes else 1.5))
    server.process.kill()
    killed = time.monotonic()
    server.process.wait()
    while (alive := of(pid)) and time.monotonic() < killed + PATIENCE:
        time.sleep(0.01)
    took = time.monotonic() - killed
    faults = [f"process {one}" for one in alive]
    faults += [f"folder {one}" for one in left_folders(folder) - before]
    if "boruna" in Path("/proc/mounts").read_text().replace(mounts, ""):
        faults.append("a mount")
    return took, faults


def of(pid: int) -> list[int]:
    """Processes of sandboxes that belong to a process, dead or alive."""
    return [one for one, mark in identity.marked() if f":{pid}:" in mark]


def left_folders(folder: str) -> set[str]:
    """Paths on the disk that may have been left by sandboxes."""
    here = {os.path.join(folder, name) for name in os.listdir(folder)}
    return here | {name for name in os.listdir(tempfile.gettempdir()) if name.startswith("boruna-sandbox")}


def rounds(times: int, seed: int) -> tuple[list[float], list[str]]:
    """So many kills."""
    chosen = random.Random(seed)
    took, faults = [], []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(times):
            seconds, found = round_of(chosen, folder)
            took.append(seconds)
            faults += found
    return took, faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    took, faults = rounds(options.times, options.seed)
    print(f"{options.times} kills: nothing was left after {max(took):.2f} s at most, {sum(took) / len(took):.2f} s on average")
    for fault in faults:
        print(f"LEFT: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
