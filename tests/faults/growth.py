"""Random sources whose check must take no more than in proportion: `python -m tests.faults.growth [--seed N] [--minutes M]`.

A source repeats a few words of .ax and of other languages, at times with numbered names. It is checked in one size and in four
times that size, each in a process of its own. What takes more than seven times as long the second time grows faster than n log n:
it is printed, with the texts to make it again. What is found becomes a row of `hostile_sources.py`. Needs `os.fork`.
"""

from __future__ import annotations

import argparse
import os
import random
import select
import signal
import time
from collections.abc import Iterator
from typing import Final, NamedTuple

from analysis.database import Database
from analysis.diagnostics.check import check_file
from analysis.inputs import FileId, source
from analysis.text.source import Source

SMALL: Final = 12_000
"""Characters of the smaller text; the larger one has four times as many."""
LIMIT: Final = 60.0
"""Seconds after which a check is given up."""
_NUMBER: Final = "№"
"""Stands for the number of the repetition."""
_WORDS: Final = (
    r"""
"·\"·{·}·(·)·[·]·|·||·&&·&·/·// c·::·+·++·+=·-·->·=·==·=>·<·>·,·;·:·?·!·%·**·..·...·~·^·#·`·$·@·é·!{·}}·${·\·\↵·↵·↵    ·  ·&
⇥·␍↵·␍·x.·.a·'·'a'·"a"·0·1·1.5·a·bb·xs·x·_ ·_ => ·E::A·null·Some(·Ok(·f(·T { ·f"{
fn f·fn g() -> Int {↵·match x {↵·if a ·else ·let x = ·let mut y: Int = ·: Int·Int·List<·type T { a: Int }↵·enum E { A, B }↵
import "a"↵·for i in ·while ·return ·def ·class ·impl ·func ·let (·in ·then ·of ·where ·end·begin·do·case ·default:·switch (
lambda ·match ·mut ·pub ·const ·f№(1)↵·type T№ { a: Int, b№: Int }↵·enum E№ { V№ }↵·V№ => ·.b№·b№: ·"t№"·№·№ => ·a№: Int, ·v№
v№ ·f№(·T№·V№·V№, ·let v№ = ·let v№: Int = 1↵·fn f№(a: Int) -> Int { a }↵
""".strip("\n")
    .replace("\n", "·")
    .translate(str.maketrans("↵⇥␍", "\n\t\r"))
    .split("·")
)
"""What is repeated: signs, values, forms of .ax and of other languages, and the same with numbers."""
_FIRST: Final = (
    *("", "fn main() -> Int {\n", 'fn main() -> Int { "', "fn main(x: Int) -> Int {\n  match x {\n", "let x = [", "fn main("),
    *("enum E { ", "type R { ", "fn main(x: E) -> Int { f(", "#!/usr/bin/env python\n", "module Main where\n"),
)
_LAST: Final = ("", "}", "\n}\n", '"', ")\n}\n")


class Repeated(NamedTuple):
    """A text that begins with one text, repeats another and ends with a third."""

    first: str
    again: str
    last: str

    def text(self, length: int) -> str:
        """The text of so many characters at least."""
        rows, total, number = [], 0, 0
        while total < length:
            rows.append(self.again.replace(_NUMBER, str(number)))
            total, number = total + len(rows[-1]), number + 1
        return self.first + "".join(rows) + self.last


def repeated(chosen: random.Random) -> Repeated:
    """A random one."""
    again = "".join(chosen.choices(_WORDS, k=chosen.randrange(1, 7)))
    return Repeated(chosen.choice(_FIRST), again + "\n" * (chosen.random() < 0.4), chosen.choice(_LAST))


def seconds(text: str) -> float:
    """What the check of a text takes, in a process of its own; RuntimeError if it ends with an exception."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            database, file = Database(check_purity=False), FileId("", "inline", "grown.ax")
            source.set(database, file, Source.from_text(text))
            began = time.process_time()
            check_file(database, file)
            os.write(writing, str(time.process_time() - began).encode())
        except BaseException as error:
            os.write(writing, repr(error).encode()[:500])
        finally:
            os._exit(0)
    os.close(writing)
    try:
        if not select.select([reading], [], [], LIMIT)[0]:
            os.kill(child, signal.SIGKILL)
            return LIMIT
        answer = os.read(reading, 500).decode()
    finally:
        os.close(reading)
        os.waitpid(child, 0)
    try:
        return float(answer)
    except ValueError:
        raise RuntimeError(answer) from None


def faults(seed: int, until: float) -> Iterator[str]:
    """What is wrong with random sources, up to a time of `time.monotonic`."""
    chosen = random.Random(seed)
    while time.monotonic() < until:
        one = repeated(chosen)
        try:
            small, large = (seconds(one.text(SMALL * times)) for times in (1, 4))
        except RuntimeError as error:
            yield f"{one}: {error}"
            continue
        if large > 1.0 and large > 7 * small:
            yield f"{one}: {small:.2f} s and {large:.2f} s for four times as much"


def main() -> int:
    """The exit status: 1 if a source was found whose check grows too fast or fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--minutes", type=float, default=5.0)
    given = parser.parse_args()
    print(f"--seed {given.seed}", flush=True)
    wrong = 0
    for line in faults(given.seed, time.monotonic() + given.minutes * 60):
        print(line, flush=True)
        wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
