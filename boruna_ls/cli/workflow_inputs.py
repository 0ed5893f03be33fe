"""Inputs of runs on the command line: from a file, or one by one; and proofs of what a secret one was."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from analysis.workflow.reader import Definition
from analysis.workflow.run_inputs import mismatch
from boruna_ls.cli.output import write_exact
from boruna_ls.runtime.strict_json import JsonDefect, read_json
from boruna_ls.workflow.evidence.bundle_files import INPUTS_FILE
from boruna_ls.workflow.evidence.verify import verify
from boruna_ls.workflow.folders import WorkflowError, read_text
from boruna_ls.workflow.run_inputs import commitment, proof, tagged_text
from boruna_ls.workflow.store import Store

F = TypeVar("F", bound=Callable[..., Any])


def with_inputs(function: F) -> F:
    """The options that give inputs."""
    single = click.option(
        "--input", "inputs", multiple=True, metavar="NAME=VALUE", help="An input: a String as plain text, else JSON."
    )
    file = click.option(
        "--inputs", "inputs_file", metavar="FILE", help="JSON object of inputs; - is standard input. Secrets belong here."
    )
    return single(file(function))


def given_inputs(file: str | None, single: Sequence[str], definition: Definition | None = None) -> dict[str, Any]:
    """The values by name. Raises WorkflowError."""
    given: dict[str, Any] = {}
    if file is not None:
        try:
            given = read_json(sys.stdin.read() if file == "-" else read_text(file))
        except (JsonDefect, RecursionError):
            # The defect could quote a secret.
            raise WorkflowError(f"--inputs '{file}' is not a JSON object") from None
        except WorkflowError as error:
            raise WorkflowError(f"cannot read --inputs '{file}': {error}") from None
        if not isinstance(given, dict):
            raise WorkflowError(f"--inputs '{file}' is not a JSON object")
    for text in single:
        name, equals, value = text.partition("=")
        if not equals:
            raise WorkflowError("--input takes NAME=VALUE")
        kind = definition.inputs[name].type if definition is not None and name in definition.inputs else ""
        given[name] = value if kind == "String" else _value(name, value)
    return given


def _value(name: str, text: str) -> Any:
    try:
        return read_json(text)
    except (JsonDefect, RecursionError):
        raise WorkflowError(f"input '{name}' is not JSON") from None


def write_proof(store: Store, run_id: str, name: str, file: str) -> None:
    """Prints the proof that a secret input was the value in a file. Raises WorkflowError."""
    secret_input = next((candidate for candidate in store.inputs(run_id) if candidate.name == name), None)
    if secret_input is None or not secret_input.secret:
        raise WorkflowError(f"run '{run_id}' has no secret input '{name}'")
    values = given_inputs(file, ())
    if name not in values:
        raise WorkflowError(f"--inputs '{file}' has no '{name}'")
    if problem := mismatch(values[name], secret_input.type):
        raise WorkflowError(f"input '{name}' {problem}")
    write_exact(json.dumps(proof(secret_input, tagged_text(name, values[name], secret_input.type)), ensure_ascii=False) + "\n")


def check_proof(folder: str, file: str) -> str:
    """The name of the input whose value a proof shows, by the bundle in a folder alone. Raises WorkflowError."""
    verdict = verify(Path(folder))
    if not verdict.is_valid:
        raise WorkflowError(f"the bundle is not valid: {verdict.problems[0]}")
    shown = given_inputs(file, ())
    name, value, salt = (shown.get(field) for field in ("name", "value", "salt"))
    if not isinstance(name, str) or not isinstance(value, str) or not isinstance(salt, str):
        raise WorkflowError(f"'{file}' is not a proof: it needs name, value and salt")
    bound = {entry["name"]: entry.get("commitment") for entry in json.loads(verdict.files.get(INPUTS_FILE, b"[]"))}
    if bound.get(name) != commitment(name, value, salt):
        raise WorkflowError(f"the run had another value for '{name}'")
    return name
