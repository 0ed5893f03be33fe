"""The capabilities as a report: names, versions, one hash over the reference's eleven (spec chapter 11 section 1).

The table itself is `analysis.bytecode.CAPABILITIES`; what a program may do with them is `policy.py`, what they
do is `mock.py` here and the package `effects`.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

from analysis.bytecode.module import CAPABILITIES, REFERENCE_CAPABILITIES

VERSION: Final = "1"
"""Version of every capability."""
_ALL: Final = sorted(CAPABILITIES, key=lambda kind: kind.name)
SHARED: Final = tuple(kind.name for kind in _ALL if kind.id < REFERENCE_CAPABILITIES)
"""Names of the shared capabilities, in alphabetical order."""
OWN: Final = tuple(kind.name for kind in _ALL if kind.id >= REFERENCE_CAPABILITIES)


def set_hash() -> str:
    """Hash of the shared capabilities, equal for servers with the same ones."""
    lines = "".join(f"{name}\t{VERSION}\n" for name in SHARED)
    return f"sha256:{sha256(lines.encode()).hexdigest()}"


def report() -> dict[str, Any]:
    """Names, versions and hash; ours stand apart."""
    return {
        "capabilities": [{"name": name, "version": VERSION} for name in SHARED],
        "capability_set_hash": set_hash(),
        "extensions": [{"name": name, "version": VERSION} for name in OWN],
    }
