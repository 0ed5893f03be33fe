"""A sample of `python -m tests.ide.positions`: every request anywhere in programs of the corpus gives an answer."""

from __future__ import annotations

import random
from collections import defaultdict

from tests.ide import positions
from tests.ide.refactorings import texts


def test_every_request_has_an_answer_anywhere(seed: int) -> None:
    chosen = random.Random(seed)
    times: dict[str, list[float]] = defaultdict(list)
    for name in chosen.sample(sorted(texts()), 12):
        text = texts()[name]
        positions.asked(text, [chosen.randrange(len(text) + 1) for _ in range(15)], times)
    assert times.keys() == positions.REQUESTS.keys()
