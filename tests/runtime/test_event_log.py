"""Event logs: the canonical text and its digest, as the corpus has them; reading, comparing, replaying."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from boruna_ls.runtime.event_log import EventLog, LogError, read_log
from boruna_ls.runtime.execute import execute
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.job import Job, Mode, packed
from boruna_ls.runtime.maps import Map
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import ALLOW_ALL
from boruna_ls.runtime.replay import call_difference, debug_form, difference
from boruna_ls.runtime.run import run_module
from boruna_ls.runtime.values import NONE, ActorId, FnRef, enum, err, make_list, ok, record, some
from tests.support.corpus import CONFORMANCE
from tests.support.programs import module

OUTPUTS = sorted(CONFORMANCE.glob("capabilities/eventlog_*.out.json"))
LOGS = [path.name.removeprefix("eventlog_").removesuffix(".out.json") for path in OUTPUTS]
CORRECTED = {"emit_strings", "step_input_arg_kinds", "emit_values"}
"""Programs that hold escapes or a Some of their own, which are something else here (chapter 26 S1 and S7)."""


def logged(text: str) -> EventLog:
    log = EventLog()
    run_module(module(text), Options(gateway=Gateway(ALLOW_ALL, Mock(display), log), log=log))
    return log


@pytest.mark.parametrize("name", LOGS)
def test_canonical_text_of_the_corpus(name: str, corpus: Callable[[str], Path]) -> None:
    folder = corpus("capabilities")
    text = (folder / f"eventlog_{name}.in.ax").read_bytes().decode()
    expected = (folder / f"eventlog_{name}.out.json").read_text(encoding="utf-8")
    made = logged(text).text()
    if name in CORRECTED:
        assert len(json.loads(made)["events"]) == len(json.loads(expected)["events"])
    else:
        assert made == expected


def test_empty_log() -> None:
    assert EventLog().text() == '{\n  "version": 2,\n  "events": []\n}'
    assert EventLog().digest() == "1cd0861b20d549b6ca0476925a1d2e66355e99dc6fedb0581fa1e1d7975adcc0"


def test_log_reads_back() -> None:
    log = logged('fn main() -> Int { emit [Some(1.5), None]\n step_input("é\\n")\n 1 }')
    again = read_log(log.text())
    assert again.text() == log.text()
    assert again.digest() == sha256(log.text().encode()).hexdigest() == log.digest()
    assert difference(log, again) is None


def test_first_difference_is_told() -> None:
    one = logged("fn main() -> Int { emit 1\n emit 2\n 1 }")
    other = logged("fn main() -> Int { emit 1\n emit 3\n 1 }")
    assert difference(one, other) == 'event #1 differs: {"UiEmit":{"tree":{"Int":2}}} vs {"UiEmit":{"tree":{"Int":3}}}'
    assert difference(one, EventLog()) == "different event count: 2 vs 0"
    assert call_difference(one, other) is None


def test_debug_form() -> None:
    values = [3, "k", 2.5, 1.0, True, None, NONE, some(4), ok(1), err("e"), make_list([1]), record(0, [1]), enum(1, 0, 2)]
    assert debug_form([*values, ActorId(0), FnRef(0)]) == (
        '[Int(3), String("k"), Float(2.5), Float(1.0), Bool(true), Unit, None, Some(Int(4)), Ok(Int(1)), Err(String("e")), '
        "List([Int(1)]), Record { type_id: 0, fields: [Int(1)] }, Enum { type_id: 1, variant: 0, payload: Int(2) }, "
        "ActorId(0), FnRef(0)]"
    )


def test_deep_values_have_texts_and_digests() -> None:
    deep = make_list([1])
    for _ in range(2_000):
        deep = make_list([deep])
    log = EventLog()
    log.ui_emit(deep)
    assert log.digest() == sha256(log.text().encode()).hexdigest()
    assert debug_form([deep]).count("List") == 2_001


@pytest.mark.parametrize(
    "text", ["", "5", "{}", '{"events": {}}', '{"events": [{"UiEmit": {}}]}', '{"version": "2", "events": []}']
)
def test_what_is_no_log(text: str) -> None:
    with pytest.raises(LogError, match="invalid event log"):
        read_log(text)


@pytest.mark.parametrize(
    "value, words",
    [
        ('{"Int": "x"}', "`Int` is string"),
        ('{"Int": 1.0}', "`Int` is floating point"),
        ('{"Int": 9223372036854775808}', "`Int` is integer"),
        ('{"Int": ' + "9" * 5_000 + "}", "number out of range"),
        ('{"Float": 1e999}', "number out of range"),
        ('{"Float": NaN}', "expected value at line 1 column"),
        ('{"Float": true}', "`Float` is boolean"),
        ('{"String": 5}', "`String` is integer"),
        ('{"String": "\\ud800"}', "unexpected end of hex escape"),
        ('{"Bool": 1}', "`Bool` is integer"),
        ('{"List": "ab"}', "`List` is string"),
        ('{"Map": []}', "`Map` is sequence"),
        ('{"Record": []}', "`Record` has no `type_id`"),
        ('{"Record": {"type_id": {}, "fields": []}}', "`type_id` is map"),
        ('{"Record": {"type_id": 4294967296, "fields": []}}', "`type_id` is integer"),
        ('{"Record": {"type_id": 1, "fields": "x"}}', "`fields` is string"),
        ('{"Enum": {"type_id": 1, "variant": 256, "payload": "Unit"}}', "`variant` is integer"),
        ('{"Enum": {"type_id": 1, "variant": 1}}', "`Enum` has no `payload`"),
        ('{"FnRef": -1}', "`FnRef` is integer"),
        ('{"ActorId": null}', "`ActorId` is null"),
        ('{"Some": {"Int": null}}', "`Int` is null"),
        ('"Nothing"', "not a tagged value"),
        ('{"Int": 1, "Bool": true}', "not a tagged value"),
        ('{"Thing": 1}', "unknown tag: Thing"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_values_that_are_none(value: str, words: str) -> None:
    with pytest.raises(LogError, match=re.escape(words)):
        read_log(f'{{"events": [{{"UiEmit": {{"tree": {value}}}}}]}}')


@pytest.mark.parametrize(
    "event, words",
    [
        ('{"UiEmit": {}}', "event #0: missing field `tree`"),
        ('{"CapCall": {"capability": "random"}}', "event #0: missing field `args`"),
        ('{"CapCall": {"capability": "random", "args": 5}}', "event #0: `args` is integer `5`"),
        ('{"CapResult": 5}', "event #0: invalid type: integer `5`, expected the fields of CapResult"),
        ('{"ContractCheck": {"function": "f", "kind": 1, "index": 0, "passed": true}}', "event #0: `kind` is integer `1`"),
        ('{"Nope": {}}', "event #0 is none that is known"),
    ],
)
def test_events_that_are_none(event: str, words: str) -> None:
    with pytest.raises(LogError, match=re.escape(words)):
        read_log(f'{{"events": [{event}]}}')


def test_texts_in_debug_form_are_quoted() -> None:
    assert debug_form(['a"b\n', Map({'"': 1})]) == '[String("a\\"b\\n"), Map({"\\"": Int(1)})]'


def test_replay_that_runs_out_of_answers_has_diverged() -> None:
    text = 'fn main() -> String { step_input("a")\n step_input("b") }'
    log = logged('fn main() -> String { step_input("a") }').text()
    outcome = execute(Job(packed(module(text)), Mode.REPLAY, log=log))
    assert outcome["replay_verified"] is False
    assert outcome["reason"] == "replay execution failed: assertion failed: capability error: replay log exhausted"
