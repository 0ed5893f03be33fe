"""Expressions of the language over the variables of a frame: watches, hovers, conditions of breakpoints, texts of logpoints.

An expression is compiled as the body of one more function of the program, whose parameters are the variables, and run without
capabilities: it changes nothing.
"""

from __future__ import annotations

import re
from typing import Final

from analysis.bytecode.module import Module
from analysis.codegen.compile import compile_file
from analysis.inputs import FileId, source
from boruna_ls.runtime.forms import display
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.options import Options
from boruna_ls.runtime.policy import DENY_ALL
from boruna_ls.runtime.run import run_module
from boruna_ls.runtime.values import Value
from boruna_ls.workspace import Host

LONGEST: Final = 2_000
_FUNCTION: Final = "debugged_expression"
_MOST_STEPS: Final = 200_000
_MOST_KEPT: Final = 200
_NAME: Final = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*\Z")


class CannotEvaluate(Exception):
    """An expression cannot be evaluated; the message is a sentence."""


class Evaluator:
    """Evaluates expressions in the scope of one file."""

    def __init__(self, host: Host, file: FileId) -> None:
        self._host = host
        self._file = file
        self._kept: dict[tuple[str, tuple[str, ...]], tuple[Module, int] | str] = {}

    def value(self, expression: str, variables: dict[str, Value]) -> Value:
        """Value of an expression. Raises CannotEvaluate."""
        if len(expression) > LONGEST:
            raise CannotEvaluate(f"an expression has at most {LONGEST} characters")
        name = _NAME.match(expression)
        if name is not None and name[1] in variables:
            return variables[name[1]]
        key = expression, tuple(variables)
        if key not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[key] = self._compiled(*key)
        compiled = self._kept[key]
        if isinstance(compiled, str):
            raise CannotEvaluate(compiled)
        module, entry = compiled
        options = Options(
            entry=entry,
            arguments=tuple(variables.values()),
            max_steps=_MOST_STEPS,
            gateway=Gateway(DENY_ALL, Mock(display, None)),
            debug=lambda text: None,
            translate=False,
        )
        outcome = run_module(module, options)
        if outcome.error is not None:
            raise CannotEvaluate(outcome.error.message)
        return outcome.value

    def _compiled(self, expression: str, names: tuple[str, ...]) -> tuple[Module, int] | str:
        """The program with one more function, and its index; or why there is none."""
        own = source(self._host.db, self._file).text
        parameters = ", ".join(f"{name}: T" for name in names)
        whole = f"{own}\nfn {_FUNCTION}({parameters}) -> T {{\n{expression}\n}}\n"
        file = self._host.inline(whole, self._file.path, connection=self, path=self._file.path, folders=[self._file.workspace])
        outcome = compile_file(self._host.db, file, "expression")
        if outcome.module is None:
            return outcome.errors[0].message
        index = next(number for number, code in enumerate(outcome.module.functions) if code.name == _FUNCTION)
        return outcome.module, index
