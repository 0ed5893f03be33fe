"""The command `boruna.test` (`features/commands.py`): runs the tests of a document, its functions `test_NAME` without parameters.

The second argument may be a list of their names. Effects are mocked, always.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from analysis.codegen.compile import compile_file
from analysis.text.source import Source
from boruna_ls.answers.compile import refused
from boruna_ls.answers.envelope import success
from boruna_ls.answers.places import Places
from boruna_ls.answers.trials import tested
from boruna_ls.lsp.program_runs import outcome_of, source_uri
from boruna_ls.lsp.session import Session
from boruna_ls.runtime.job import Job, Mode, packed
from boruna_ls.workspace import FileUnavailable
from boruna_ls.workspace.uris import path_of

_WALL_MS: Final = 30_000
"""Milliseconds that all tests of a document may take together."""
_MOST: Final = 1_000
_LONGEST: Final = 80
"""Characters of the line beside a test."""


class _Tests(NamedTuple):
    module: bytes
    tests: tuple[int, ...]
    places: Places
    text: Source


async def execute(session: Session, params: types.ExecuteCommandParams) -> dict[str, Any]:
    """The entry that `try_edits` has for tests; of a document that does not compile, the errors."""
    uri = source_uri(params)
    names = _names(params)
    try:
        compiled = await session.host.worker.run(partial(_compiled, session, uri, names))
    except FileUnavailable as error:
        raise JsonRpcInvalidParams(f"{uri}: {error.reason}") from None
    if isinstance(compiled, dict):
        return compiled
    path = path_of(uri)
    job = Job(compiled.module, Mode.TESTS, max_wall_ms=_WALL_MS, tests=compiled.tests)
    outcome = await outcome_of(session, job, "Running tests", params.work_done_token)
    answer = outcome if "success" in outcome else success(**tested([(path, outcome, compiled.places)]))
    plain: dict[str, Any] = json.loads(json.dumps(answer))
    if plain["success"]:
        session.runs.put_tests(path, compiled.text, {test["name"]: _summary(test) for test in plain["tests"]})
        session.connection.refresh_views()
    return plain


def _summary(test: Mapping[str, Any]) -> str:
    """Summary of a test's result for its lens."""
    message = str(test.get("message") or "").partition("\n")[0]
    return f"{test['status']}: {message}"[:_LONGEST] if message else str(test["status"])


def _compiled(session: Session, uri: str, names: frozenset[str] | None) -> _Tests | dict[str, Any]:
    file = session.file(uri)
    compiled = compile_file(session.db, file, "module")
    module = compiled.module
    if module is None:
        return dict(refused(session.db, file, compiled))
    tests = tuple(
        index
        for index, code in enumerate(module.functions)
        if code.name.startswith("test_")
        and code.arity == 0
        and code.origin is not None
        and code.origin.file == file
        and (names is None or code.name in names)
    )
    return _Tests(packed(module), tests, Places(session.db, file, module), session.text(file))


def _names(params: types.ExecuteCommandParams) -> frozenset[str] | None:
    given = (params.arguments or [])[1:2]
    if not given or given[0] is None:
        return None
    (names,) = given
    if not isinstance(names, list) or len(names) > _MOST or not all(isinstance(name, str) for name in names):
        raise JsonRpcInvalidParams(f"the second argument of boruna.test is a list of at most {_MOST} names of tests")
    return frozenset(names)
