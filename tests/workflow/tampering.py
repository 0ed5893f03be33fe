"""10,000 random tamperings of a bundle: `python -m tests.workflow.tampering [COUNT] [SEED]`."""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from tests.workflow.test_evidence import bundle_at, undetected


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    with tempfile.TemporaryDirectory() as scratch:
        bundle = bundle_at(Path(scratch) / "run", sign=True)
        missed = undetected(bundle, Path(scratch), count, seed)
    print("\n".join([*missed, f"seed {seed}: {count - len(missed)} of {count} tamperings detected"]))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
