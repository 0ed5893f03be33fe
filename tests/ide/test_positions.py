"""A sample of `python -m tests.ide.positions`: every request anywhere in programs of the corpus gives an answer."""

from __future__ import annotations

import random

from tests.ide import positions
from tests.ide.refactorings import texts
from tests.support.lsp import RawClient


def test_every_request_has_an_answer_anywhere(seed: int) -> None:
    chosen = random.Random(seed)
    slow = positions.Slow()
    for name in chosen.sample(sorted(texts()), 12):
        text = texts()[name]
        slow.asked(text, [chosen.randrange(len(text) + 1) for _ in range(15)])
    assert slow.times.keys() == positions.REQUESTS.keys() | positions.WHOLE.keys()


def test_the_same_over_the_protocol(seed: int) -> None:
    chosen = random.Random(seed)
    slow = positions.Slow()
    with RawClient() as client:
        client.initialize({"textDocument": {"codeAction": {"resolveSupport": {"properties": ["edit"]}}}})
        for name in chosen.sample(sorted(texts()), 4):
            text = texts()[name]
            slow.asked_over_protocol(client, text, [chosen.randrange(len(text) + 1) for _ in range(5)], name)
    assert len(slow.times) > 20
