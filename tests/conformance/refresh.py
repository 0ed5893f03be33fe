#!/usr/bin/env python3
"""Copy the conformance corpus and the measuring tools beside it into the tests, byte for byte: refresh.py FROM

FROM holds `conformance/` and `bench/`; they become `tests/conformance/` and `tests/bench/`, so that the tools find each
other as they do there. Large files are stored as NAME.gz, always the same bytes; tests/support/corpus.py unpacks them.
"""

from __future__ import annotations

import gzip
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PACKED_FROM = 64 * 1024
"""Files of this many bytes or more are stored compressed; programs never are, so that they can be read and compared."""
PLAIN_SUFFIXES = {".ax", ".py", ".md"}


def main() -> int:
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "conformance" / "replay.py").is_file():
        print(__doc__, file=sys.stderr)
        return 2
    origin = Path(sys.argv[1])
    copied = 0
    for name in ("conformance", "bench"):
        remove_areas(TESTS / name)
        copied += sum(copy(file, TESTS / name / file.relative_to(origin / name)) for file in files_below(origin / name))
    print(f"{copied} files copied")
    return 0


def remove_areas(folder: Path) -> None:
    """The copied folders go whole, so that a file that left the corpus leaves the copy; our own files stay."""
    for area in folder.iterdir() if folder.is_dir() else ():
        if area.is_dir():
            shutil.rmtree(area)


def files_below(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.rglob("*")) if file.is_file() and "__pycache__" not in file.parts)


def copy(file: Path, target: Path) -> bool:
    content = file.read_bytes()
    target.parent.mkdir(parents=True, exist_ok=True)
    if len(content) >= PACKED_FROM and file.suffix not in PLAIN_SUFFIXES:
        target.with_name(target.name + ".gz").write_bytes(gzip.compress(content, mtime=0))
    else:
        target.write_bytes(content)
    return True


if __name__ == "__main__":
    sys.exit(main())
