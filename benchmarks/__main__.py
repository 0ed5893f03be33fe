"""Runs the benchmarks one after the other: `python -m benchmarks [NAME...]`, all of them if none is named.

Each `bench_NAME.py` is a program of its own that prints a table with ratios to a baseline measured in the same run.
One process each, so that none runs in the memory and with the warm caches of another.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def main() -> int:
    programs = {file.stem.removeprefix("bench_"): file for file in sorted(FOLDER.glob("bench_*.py"))}
    names = sys.argv[1:] or list(programs)
    if unknown := [name for name in names if name not in programs]:
        print(f"no such benchmark: {', '.join(unknown)} (there are {', '.join(programs)})", file=sys.stderr)
        return 2
    failed = 0
    for name in names:
        print(f"\n== {name} ==", flush=True)
        failed += subprocess.run([sys.executable, "-m", f"benchmarks.bench_{name}"], cwd=FOLDER.parent).returncode != 0
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
