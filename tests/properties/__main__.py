"""`python -m tests.properties [steps [seed]]`: random steps over the whole pipeline, purity checked; prints how far it is."""

from __future__ import annotations

import random
import sys
import time

from tests.properties.pipeline import machines


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(2**32)
    print(f"{steps} steps, seed {seed}", flush=True)
    begun = time.monotonic()
    compared = 0
    for done, machine in machines(seed, steps):
        compared += machine.compared
        print(f"{done} steps, {compared} answers compared, {time.monotonic() - begun:.0f} s", flush=True)


main()
