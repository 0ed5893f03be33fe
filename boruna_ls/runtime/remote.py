"""The handler of a live run in a worker process: it performs nothing, it asks the parent (frames CALL and RESULT)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from analysis.bytecode.module import Constant
from analysis.bytecode.module_reading import constant_from_json
from boruna_ls.runtime.errors import CapabilityDenied
from boruna_ls.runtime.forms import tagged
from boruna_ls.runtime.frames import CALL_LIMIT
from boruna_ls.runtime.gateway import HandlerFailure
from boruna_ls.runtime.json_text import compact
from boruna_ls.runtime.mock import input_text

Ask = Callable[[bytes], bytes]
"""Function from the content of a CALL to that of its RESULT."""


class Remote:
    """`inputs` are the answers of `step_input`, which is no effect and is answered here."""

    def __init__(self, ask: Ask, inputs: Mapping[str, str] | None = None) -> None:
        self._ask = ask
        self._inputs = inputs

    def __call__(self, capability: str, arguments: Sequence[Any], by_function: bool) -> Constant:
        if capability == "step.input":
            return ("String", "" if self._inputs is None else input_text(self._inputs, arguments))
        asked = {"capability": capability, "arguments": [tagged(argument) for argument in arguments], "by_function": by_function}
        content = compact(asked).encode("utf-8", "surrogatepass")
        if len(content) > CALL_LIMIT:
            raise HandlerFailure(f"the arguments of {capability} take more than {CALL_LIMIT >> 20} MB")
        answer = json.loads(self._ask(content).decode("utf-8", "surrogatepass"))
        if "denied" in answer:
            raise CapabilityDenied(capability, answer["denied"])
        if "failure" in answer:
            raise HandlerFailure(answer["failure"])
        return constant_from_json(answer["value"])
