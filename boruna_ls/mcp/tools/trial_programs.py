"""The programs that `try_edits` runs: what the arguments `run` and `test` ask for, compiled as a candidate leaves the files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Annotated, Any, Final

from pydantic import Field, model_validator

from analysis.bytecode.module import Module
from analysis.codegen.compile import compile_file
from analysis.data_classes import dataclass
from analysis.database import Database
from analysis.inputs import FileId, source
from boruna_ls.answers.places import Places
from boruna_ls.answers.positions import place
from boruna_ls.mcp.arguments import FIRST_ERROR, Arguments, Count, Json, JsonObject, Name, Path, refusal, switch
from boruna_ls.mcp.tools.running import MODULE_NAME, inputs_of
from boruna_ls.runtime.job import Job, Mode, packed
from boruna_ls.runtime.options import DEFAULT_MAX_STEPS
from boruna_ls.runtime.policy import ALLOW_ALL, Policy, PolicyError, policy_of

WALL_MS: Final = 10_000
"""Milliseconds that a run may take, or all tests of one file together."""
PATTERN: Final = "test_*"
_ERRORS: Final = 3
_OTHER_HANDLERS: Final = "`try_edits` always mocks effects: to run the chosen program with real effects, call boruna_run_live"


class RunOptions(Arguments):
    """Options of `run`."""

    path: str | None = Field(None, description="The program (default: `path` or `code`)", min_length=1, max_length=4096)
    max_steps: Count = Field(DEFAULT_MAX_STEPS, description="Maximum steps of the run")
    input: JsonObject | None = Field(None, description="As in boruna_run")
    policy: Json = Field(None, description="As in boruna_run")

    @model_validator(mode="before")
    @classmethod
    def _mocked(cls, given: Any) -> Any:
        if not isinstance(given, dict) or "handlers" not in given:
            return given
        if given["handlers"] not in (None, "mock"):
            raise ValueError(_OTHER_HANDLERS)
        return {name: value for name, value in given.items() if name != "handlers"}


class TestOptions(Arguments):
    """Options of `test`."""

    names: Annotated[list[Name], FIRST_ERROR] | None = Field(
        None, description=f"Names or patterns (default {PATTERN})", min_length=1, max_length=100
    )
    paths: Annotated[list[Path], FIRST_ERROR] | None = Field(
        None, description="Files with tests (default: `path` or `code`, otherwise the edited files)", min_length=1, max_length=20
    )
    max_steps: Count = Field(DEFAULT_MAX_STEPS, description="Steps of one test")


class TrialArguments(Arguments):
    """Arguments that run or test each candidate."""

    run: Annotated[RunOptions | None, switch(RunOptions)] = Field(
        None, description="true: also run `main` of each, with mocked effects; or an object"
    )
    test: Annotated[TestOptions | None, switch(TestOptions)] = Field(
        None,
        description=f"true: also run the functions named {PATTERN} that have no parameters; each passes with true, Unit or Ok. "
        "Or an object",
    )


@dataclass(frozen=True, slots=True)
class Program:
    """A file as a candidate leaves it: a module, with the places of its instructions, or the first errors.

    `tests` are the functions to be run as tests, None if `main` is to be run.
    """

    file: FileId
    module: Module | None
    places: Places | None
    errors: tuple[dict[str, Any], ...] = ()
    tests: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Requested runs and tests; None for those not requested."""

    run: RunOptions | None
    test: TestOptions | None
    policy: Policy = ALLOW_ALL

    def paths(self) -> list[str]:
        """The files that are named."""
        run = [] if self.run is None or self.run.path is None else [self.run.path]
        return run + ([] if self.test is None else self.test.paths or [])

    def job(self, program: Program) -> Callable[[], Job]:
        """Makes the job of a program that compiles."""
        module, tests = program.module, program.tests
        assert module is not None
        if tests is not None:
            assert self.test is not None
            steps = self.test.max_steps
            return lambda: Job(packed(module), Mode.TESTS, max_steps=steps, max_wall_ms=WALL_MS, tests=tests)
        assert self.run is not None
        steps, inputs, policy = self.run.max_steps, inputs_of(self.run.input), self.policy
        return lambda: Job(packed(module), policy=policy, max_steps=steps, max_wall_ms=WALL_MS, inputs=inputs)


def wanted(arguments: TrialArguments) -> Wanted:
    """Runs and tests that the arguments request. Raises MCPError."""
    run, test = arguments.run, arguments.test
    try:
        policy = ALLOW_ALL if run is None else policy_of(run.policy)
    except PolicyError as error:
        raise refusal("run", f"argument `run.policy`: {error.message}") from None
    return Wanted(run, test, policy)


def runnable(db: Database, file: FileId) -> Program:
    """The program of a file, for a run of its `main`."""
    module, errors = _compiled(db, file)
    return Program(file, module, None if module is None else Places(db, file, module), errors)


def testable(db: Database, file: FileId, names: Iterable[str]) -> Program:
    """The program of a file, for a run of its own functions with these names."""
    module, errors = _compiled(db, file)
    if module is None:
        return Program(file, None, None, errors, ())
    patterns = tuple(names)
    tests = tuple(
        index
        for index, code in enumerate(module.functions)
        if code.arity == 0
        and code.origin is not None
        and code.origin.file == file
        and any(fnmatchcase(code.name, pattern) for pattern in patterns)
    )
    return Program(file, module, Places(db, file, module), (), tests)


def _compiled(db: Database, file: FileId) -> tuple[Module | None, tuple[dict[str, Any], ...]]:
    compiled = compile_file(db, file, MODULE_NAME)
    errors = tuple(
        {"id": error.code, "message": error.message, **place(source(db, error.file), error.start, error.end)}
        | ({} if error.file == file else {"file": error.file.path})
        for error in compiled.errors[:_ERRORS]
    )
    return compiled.module, errors
