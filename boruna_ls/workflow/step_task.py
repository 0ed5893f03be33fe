"""One attempt of a step, carried out in a worker process: compiles the program, runs it, and gives its value as tagged JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from analysis.bytecode.module import Module
from analysis.codegen.compile import compile_file
from analysis.data_classes import dataclass, field
from analysis.database import Database
from analysis.inputs import FileId, Libraries, libraries, source
from analysis.text.source import Source
from boruna_ls.data import libraries_folder
from boruna_ls.runtime.errors import CapabilityDenied, LimitExceeded, StepLimit, VmError
from boruna_ls.runtime.forms import MAX_PARTS, TooLarge, display, tagged
from boruna_ls.runtime.gateway import Gateway
from boruna_ls.runtime.job import Task
from boruna_ls.runtime.json_text import compact
from boruna_ls.runtime.mock import Mock
from boruna_ls.runtime.options import DEFAULT_MAX_STEPS, Options
from boruna_ls.runtime.policy import ALLOW_ALL, Policy
from boruna_ls.runtime.run import RunError, run_module

STEP_LIMIT: Final = DEFAULT_MAX_STEPS
LARGEST_OUTPUT: Final = 8 << 20
"""Characters of an output."""
_NETWORK: Final = ("HTTP request failed:", "failed to read response body:")
_WORKSPACE: Final = "/step"


@dataclass(frozen=True, slots=True)
class StepTask(Task):
    """The program `text` of a step, run with these inputs (tagged JSON by name) under this policy."""

    step_id: str
    text: str
    inputs: Mapping[str, str]
    policy: Policy = field(default=ALLOW_ALL)
    max_steps: int = STEP_LIMIT
    deadline: float = 3600.0
    timeout_ms: int | None = None

    def perform(self, progress: Callable[[bytes], None]) -> dict[str, Any]:
        """The outcome: `output` or `error` {class, message}, and `steps`."""
        module = compiled(self.text, self.step_id)
        if isinstance(module, str):
            return failure("compile_error", f"compile error: {module}")
        gateway = Gateway(self.policy, Mock(display, self.inputs))
        options = Options(max_steps=self.max_steps, max_wall_ms=self.timeout_ms, gateway=gateway, debug=lambda text: None)
        execution = run_module(module, options)
        if execution.error is not None:
            limit = execution.error.cause.limit_kind if isinstance(execution.error.cause, LimitExceeded) else ""
            outcome = failure(error_class(execution.error), f"runtime error: {execution.error.message}", execution.steps)
            outcome["error"]["limit_kind"] = limit
            return outcome
        try:
            text = compact(tagged(execution.value, MAX_PARTS))
        except TooLarge:
            return failure("output_too_large", f"runtime error: the value has more than {MAX_PARTS} parts", execution.steps)
        if len(text) > LARGEST_OUTPUT:
            return failure(
                "output_too_large", f"runtime error: the output has more than {LARGEST_OUTPUT} characters", execution.steps
            )
        if '{"Float":null}' in text:
            return failure("runtime_error", "runtime error: the output holds a float that is not finite", execution.steps)
        return {"output": text, "steps": execution.steps, "calls": gateway.used}


def failure(kind: str, message: str, steps: int = 0) -> dict[str, Any]:
    """The outcome of an attempt that failed."""
    return {"error": {"class": kind, "message": message}, "steps": steps}


def error_class(error: RunError) -> str:
    """The class of a failure, as `retry_on` names it."""
    cause: VmError = error.cause
    if isinstance(cause, StepLimit):
        return "step_limit_exceeded"
    if isinstance(cause, CapabilityDenied):
        return "capability_budget_exceeded" if "budget" in cause.message else "capability_denied"
    if isinstance(cause, LimitExceeded):
        return "wall_time_exceeded" if cause.limit_kind == "wall_ms" else "runtime_error"
    if "condition " in cause.message and " failed in `" in cause.message:
        return "contract_violation"
    return "transient_network" if any(words in cause.message for words in _NETWORK) else "runtime_error"


def compiled(text: str, name: str) -> Module | str:
    """The module of a program, or what is wrong with it."""
    db = Database()
    file = FileId(_WORKSPACE, "disk", f"{_WORKSPACE}/main.ax")
    files = _libraries(db) if "import" in text else {}
    libraries.set(db, file.workspace, "", Libraries(tuple(sorted(files.items()))))
    source.set(db, file, Source.from_text(text))
    compilation = compile_file(db, file, name)
    return compilation.module if compilation.module is not None else compilation.errors[0].sentence


def _libraries(db: Database) -> dict[str, FileId]:
    files = {}
    for path in sorted(Path(libraries_folder()).glob("*/src/core.ax")):
        file = FileId("", "library", str(path))
        source.set(db, file, Source.from_text(path.read_bytes().decode()))
        files[path.parent.parent.name] = file
    return files
