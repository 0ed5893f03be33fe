"""A debugger changes nothing: steps, log and digest are those of a plain run, however one went to the end."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from analysis.codegen.compile import compile_file
from boruna_ls.dap.debuggee import Debuggee
from boruna_ls.runtime.event_log import EventLog
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import ALLOW_ALL
from boruna_ls.runtime.run import run_module
from boruna_ls.runtime.timeline import Reached
from tests.support.corpus import programs
from tests.support.marked import MAIN, opened

PROGRAMS = [*programs("run")[::6], *programs("capabilities")[::6]]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_session_changes_no_run(program: Path) -> None:
    compiled = compile_file(opened(program.read_text("utf-8")), MAIN, "module")
    if compiled.module is None or not any(code.name == "main" and not code.arity for code in compiled.module.functions):
        return
    log = EventLog()
    options = Options(max_steps=20_000, gateway=Gateway(ALLOW_ALL, Mock(display, {}), log), log=log, debug=lambda text: None)
    plain = run_module(compiled.module, options)
    debuggee = Debuggee(str(program), max_steps=20_000)
    steps = (debuggee.step_over, debuggee.step_in, debuggee.step_out, debuggee.step_back, debuggee.step_in)
    rng = random.Random(program.name)
    reached = debuggee.to_first()
    for _ in range(30):
        if reached in (Reached.END, Reached.ERROR):
            break
        reached = rng.choice(steps)()()
        for number in range(len(debuggee.machine.frames)):
            debuggee.variables(number)
            debuggee.place(number)
    if reached not in (Reached.END, Reached.ERROR):
        reached = debuggee.run.forward()
    assert (reached is Reached.ERROR) == (plain.error is not None)
    assert debuggee.run.now == plain.steps
    assert debuggee.log.text() == log.text()
    assert debuggee.log.digest() == log.digest()
    if plain.error is None:
        assert repr(debuggee.machine.result) == repr(plain.value)


def test_the_libraries_of_a_folder_without_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "libs/shop/src").mkdir(parents=True)
    (tmp_path / "libs/shop/src/core.ax").write_text("fn price() -> Int { 7 }\n")
    (tmp_path / "app.ax").write_text('import "shop"\nfn main() -> Int { price() }\n')
    monkeypatch.chdir(tmp_path)
    debuggee = Debuggee(str(tmp_path / "app.ax"))
    debuggee.to_first()
    assert debuggee.evaluated("price() + 1", 0) == 8
