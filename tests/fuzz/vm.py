"""Interpreter against translator on random modules and programs: `python -m tests.fuzz.vm --programs 10000 [--seed N]`.

Values, steps, errors with their call stacks, output, log entries, capability calls must be the same, for every limit of steps.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from random import Random, SystemRandom
from typing import Any

from analysis.bytecode.module import Module
from boruna_ls.runtime.values import NONE, enum, make_list, record, some
from tests.fuzz.programs import program
from tests.fuzz.vm_modules import ModuleMaker
from tests.fuzz.vm_programs import busy_program
from tests.support.both_ways import difference
from tests.support.compiled import compiled

Made = tuple[Module | None, dict[str, Any]]


def hand_made(random: Random) -> Made:
    """A random module, now and then called like a host calls it: any function, with arguments."""
    module = ModuleMaker(random).module()
    if random.random() < 0.75:
        return module, {}
    values = (1, 0, -5, "t", True, None, 2.5, NONE, some(1), make_list([1, 2]), record(0, (3, "f")), enum(2, 1), record(4, ()))
    arguments = tuple(random.choice(values) for _ in range(random.randint(1, 3)))
    return module, {"entry": random.randrange(len(module.functions)), "arguments": arguments}


def mixed(random: Random) -> Made:
    """A program full of what is hard to compile."""
    return compiled(program(random)).module, {}


def busy(random: Random) -> Made:
    """A program that computes."""
    return compiled(busy_program(random)).module, {}


MAKERS: tuple[Callable[[Random], Made], ...] = (hand_made, busy, mixed)


def examine(seed: int, number: int) -> str | None:
    """The difference that a case shows; what it is made from depends on seed and number only."""
    random = Random(f"{seed}/{number}")
    maker = MAKERS[number % len(MAKERS)]
    module, options = maker(random)
    found = None if module is None else difference(module, random, **options)
    return found and f"seed {seed}, case {number} ({maker.__name__}): {found}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(1 << 32))
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    options = parser.parse_args()
    print(f"seed {options.seed}")
    found = 0
    for number in range(options.first, options.first + options.programs):
        problem = examine(options.seed, number)
        if problem is not None:
            found += 1
            print(problem)
    print(f"{options.programs} programs, {found} differences")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
