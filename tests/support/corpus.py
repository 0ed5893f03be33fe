"""The project's copy of the conformance corpus, as the tests read it: unpacked folders and the replay's own comparison.

`tests/conformance/refresh.py` writes the copy. Large files are stored compressed there: read areas through `unpacked`.
"""

from __future__ import annotations

import gzip
import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

CONFORMANCE = Path(__file__).resolve().parents[1] / "conformance"
BENCH = CONFORMANCE.parent / "bench"


def areas() -> list[str]:
    """The names of the areas: the folders that hold an `area.json` (`framework/templates` is part of `framework`)."""
    return sorted(file.parent.name for file in CONFORMANCE.glob("*/area.json"))


def programs(*names: str) -> list[Path]:
    """The programs of the areas `names`, of all if none is named, readable where they are. No formatter pairs."""
    files = [file for name in names or areas() for file in sorted((CONFORMANCE / name).rglob("*.ax"))]
    return [file for file in files if not file.name.endswith((".in.ax", ".out.ax"))]


def unpacked(area: str, into: Path) -> Path:
    """A copy of an area below `into`, every file under its own name, as the replay wants it."""
    target = into / area
    if not target.exists():
        shutil.copytree(CONFORMANCE / area, target)
        for packed in sorted(target.rglob("*.gz")):
            packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
            packed.unlink()
    return target


def tool(path: Path) -> ModuleType:
    """A program of the copy as a module: it is run exactly as it was copied."""
    spec = importlib.util.spec_from_file_location(f"copied_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
