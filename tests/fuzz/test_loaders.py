"""Damaged `.axbc` files and event logs: refused in a sentence, or run the same both ways, or compared."""

from __future__ import annotations

import re
import struct
from functools import cache
from random import Random

from analysis.bytecode.axbc import LoadError, decode, encode
from analysis.bytecode.disassembly import disassembly
from analysis.bytecode.module import Module
from boruna_ls.runtime.execute import execute
from boruna_ls.runtime.job import Job, Mode, packed
from tests.fuzz.programs import program
from tests.fuzz.running import fuzz
from tests.support.both_ways import difference
from tests.support.compiled import compiled, module_of

_NUMBERS = ("0", "1", "2", "3", "7", "-1", "255", "256", "65534", "65535", "99999", "4294967295", "1e999", "NaN", "9" * 5000)
_CHARACTERS = '0123456789"{}[],:-+eE.truefalsn\\\x00é A'
_VALUES = (
    "null", "[]", "{}", '"\\ud800"', '{"Int": "x"}', '{"Float": null}', '{"Record": {"type_id": -1, "fields": []}}', '"Unit"',
    '{"Enum": {"type_id": 65534, "variant": 1, "payload": "Unit"}}', '{"ActorId": -1}', '{"Map": {"a": "None"}}', '{"List": {}}',
)  # fmt: skip
LOGGED = """type P { a: Int, b: String }
fn f(x: Int) -> Int requires x > 0 { x }
fn main() -> Int {
  emit [P { a: 1, b: "q" }, Some(1.5), None, Err(-0.0), map_new(), f]
  emit [step_input("k"), net_fetch("u"), random()]
  f(time_now())
}
"""


def damaged(text: str, random: Random) -> str:
    """A text with some other characters, numbers or values."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        chance = random.random()
        if chance < 0.4:
            place = random.randrange(len(text))
            text = text[:place] + random.choice(_CHARACTERS) + text[place + 1 :]
        else:
            found = list(re.finditer(r"-?\d+" if chance < 0.8 else r'"(?:Unit|None)"|\{"\w+":\s*[^{}\[\]]*\}', text))
            if found:
                at = random.choice(found)
                text = text[: at.start()] + random.choice(_NUMBERS if chance < 0.8 else _VALUES) + text[at.end() :]
    return text if random.random() < 0.95 else text[: random.randrange(len(text))]


def damaged_module(random: Random) -> str:
    """The JSON of a module, damaged."""
    made = None
    while made is None:
        made = compiled(program(random)).module
    return damaged(encode(made)[10:].decode(), random)


def load(payload: str, random: Random) -> None:
    data = payload.encode()
    try:
        module = decode(b"LLMB" + struct.pack("<HI", 1, len(data)) + data)
    except LoadError:
        return
    disassembly(module)
    # The version inside is not looked at, but it is the file's when the module is written again.
    assert module.version != 1 or decode(encode(module)) == module
    found = difference(module, random, most=2_000)
    assert found is None, found


def test_damaged_modules(seed: int) -> None:
    fuzz(seed, "modules", damaged_module, load, slowest=20.0)


@cache
def recorded() -> tuple[Module, str]:
    module = module_of(LOGGED)
    return module, execute(Job(packed(module), Mode.SEALED, canonical=True))["log_text"]


def replay(text: str, _: Random) -> None:
    outcome = execute(Job(packed(recorded()[0]), Mode.REPLAY, log=text))
    if "replay_verified" not in outcome:
        assert outcome["error"]["kind"] == "invalid_event_log"
        assert outcome["error"]["message"].startswith("invalid event log: ")


def test_damaged_logs(seed: int) -> None:
    fuzz(seed, "logs", lambda random: damaged(recorded()[1], random), replay)
