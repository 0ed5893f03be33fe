"""Cost of a new look at a workspace of many files: `python -m benchmarks.bench_disk [FILES]`.

The disk is examined again before an agent's question is answered. The rows are such looks at 10,000 files in 1,000 folders of
which nothing changed, or one file; the baseline is one bare `os.stat` for each folder and file, in the same run. The last row is
the time from a write until it is an input, by the system's events, without any other look.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from analysis import inputs
from boruna_ls.workspace import Host

ROUNDS = 9
SAVES = 10
RULES = "*.tmp\n/made/\nnode_modules/\n!keep.tmp\n.cache/\n"


def write(root: Path, files: int) -> None:
    """A tenth as many folders as files, two deep."""
    (root / "boruna.toml").write_text("")
    (root / ".gitignore").write_text(RULES)
    for number in range(files):
        folder = root / f"d{number % 30}" / f"e{number % max(1, files // 10)}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"f{number}.ax").write_text(f"fn main() -> Int {{\n    {number}\n}}\n")


def measured(work: Callable[[], object]) -> float:
    """Milliseconds, the median of some rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times) * 1e3


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.realpath(folder)
        write(Path(root), count)
        host = Host(watch=True)
        client = host.connect([root])

        def job(work: Callable[[], object]) -> object:
            return host.worker.submit(work).result()

        def look() -> list[str]:
            return host.files(root)

        def read() -> int:
            return len([host.file_for_agent(path, client.folders) for path in host.files(root)])

        start = time.perf_counter()
        job(read)
        first = (time.perf_counter() - start) * 1e3
        time.sleep(0.3)
        job(read)
        folders = host.upkeep.programs(root).folders
        paths = [*folders, *host.files(root)]
        stats = measured(lambda: [os.stat(path) for path in paths])
        changed = Path(paths[-1])

        def edited() -> None:
            changed.write_text(f"// {time.monotonic_ns()}\n")
            job(read)

        print(f"{count} files in {len(folders)} folders; one os.stat each: {stats:.0f} ms")
        rows = (
            ("read for the first time", first),
            ("which files there are", measured(lambda: job(look))),
            ("and all texts", measured(lambda: job(read))),
            ("one file changed", measured(edited)),
        )
        for name, milliseconds in rows:
            print(f"  {name:<28} {milliseconds:8.1f} ms  {milliseconds / stats:6.2f} x")
        while host.watching(root) != "events":
            time.sleep(0.01)
        noticed = median(noticed_after(host, changed, number) for number in range(SAVES)) * 1e3
        print(f"  {'a write is an input after':<28} {noticed:8.1f} ms  {noticed / stats:6.2f} x")
        host.disconnect(client)
        host.worker.stop()
    return 0


def noticed_after(host: Host, path: Path, number: int) -> float:
    """Seconds until a write has reached the database without being asked for."""
    file = host.worker.submit(lambda: host.file_for_agent(str(path))).result()
    time.sleep(0.2)
    text = f"// save {number}\n"
    start = time.perf_counter()
    path.write_text(text)
    while inputs.source(host.db, file).text != text:
        time.sleep(0.001)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
