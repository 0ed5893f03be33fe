"""A workflow definition as plain values, and the reader of `workflow.json` (spec chapter 16, sections 1 and 3).

`read_definition` accepts exactly the documents that the reference accepts and reports the first defect of any other one.
What it accepts may still be no valid graph: see `validation.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from analysis.data_classes import dataclass, field, replace
from analysis.workflow.json_scanner import JsonError, Path
from analysis.workflow.json_shapes import (
    FLAG,
    TEXT,
    U32,
    U64,
    Field,
    ListOf,
    MapOf,
    Optional,
    Pair,
    Reading,
    Struct,
    shown,
)
from analysis.workflow.json_steps import STEPS, Entry, EntryReader, Span, entry_at
from analysis.workflow.run_inputs import INPUTS, Input, InputError, declared

SCHEMA_VERSION: Final = 1
SOURCE: Final = "source"
GATE: Final = "approval_gate"
TRIGGER: Final = "external_trigger"
KINDS: Final = (SOURCE, GATE, TRIGGER)
NO_SCHEMA_VERSION: Final = (
    'workflow.json is missing required field `schema_version` (expected `"schema_version": 1`); see docs/spec/workflow-dag-1.0.md'
)


@dataclass(frozen=True, slots=True)
class Retry:
    """Conditions on which a failed step is tried again."""

    max_attempts: int
    on_transient: bool = False
    retry_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on a step's use of its capabilities; tokens are not counted."""

    max_tokens: int | None = None
    max_calls: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A step. `source` is "" unless it runs a program; `required_role` is "" unless it is a gate."""

    kind: str
    source: str = ""
    required_role: str = ""
    condition: str | None = None
    description: str | None = None
    capabilities: tuple[str, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, str] = field(default_factory=dict)
    depends_on: tuple[str, ...] = ()
    timeout_ms: int | None = None
    retry: Retry | None = None
    budget: Budget | None = None
    required_capability_versions: Mapping[str, str] = field(default_factory=dict)
    self_approval: bool = False
    """True if the starter of the run may approve this gate; an extension, see docs/workflows.md."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A document that was read."""

    schema_version: int
    name: str
    version: str
    description: str
    steps: Mapping[str, Step]
    edges: tuple[tuple[str, str], ...]
    inputs: Mapping[str, Input] = field(default_factory=dict)
    """Declared inputs of a run; an extension, see `inputs.py`."""


@dataclass(frozen=True, slots=True)
class Document:
    """A definition and where its parts stand in `text`: `spans` of values, `keys` of names, both by path."""

    text: str
    definition: Definition
    spans: Mapping[Path, Span]
    keys: Mapping[Path, Span]
    unknown: tuple[Path, ...]
    """Fields that nothing reads, in order."""
    repeated: tuple[Path, ...] = ()
    """Names that occur more than once in a map; the last one counts."""
    inputs_problem: str = ""
    """Reason why `inputs` exists but declares nothing; "" if there is none."""


def _retry(max_attempts: int, on_transient: bool, retry_on: list[str]) -> Retry:
    return Retry(max_attempts, on_transient, tuple(retry_on))


_RETRY: Final = Struct(
    "RetryPolicy",
    {"max_attempts": Field(U32), "on_transient": Field(FLAG, False), "retry_on": Field(ListOf(TEXT), ())},
    _retry,
)
_BUDGET: Final = Struct("StepBudget", {"max_tokens": Field(Optional(U64), None), "max_calls": Field(Optional(U64), None)}, Budget)
_OWN_FIELDS: Final[Mapping[str, Mapping[str, Field]]] = {
    SOURCE: {"source": Field(TEXT)},
    GATE: {"required_role": Field(TEXT), "condition": Field(Optional(TEXT), None)},
    TRIGGER: {"description": Field(Optional(TEXT), None)},
}
_EXTENSIONS: Final = {GATE: frozenset({"self_approval"})}


class _StepShape(Struct):
    """A step: what belongs to its kind is read in full and judged at the closing brace."""

    def __init__(self) -> None:
        fields = {
            "capabilities": Field(ListOf(TEXT), ()),
            "inputs": Field(MapOf(TEXT), {}),
            "outputs": Field(MapOf(TEXT), {}),
            "depends_on": Field(ListOf(TEXT), ()),
            "timeout_ms": Field(Optional(U64), None),
            "retry": Field(Optional(_RETRY), None),
            "budget": Field(Optional(_BUDGET), None),
            "required_capability_versions": Field(MapOf(TEXT), {}),
        }
        super().__init__("StepDef", fields, Step, listed=False)

    def _named(self, reading: Reading) -> dict[str, Any]:
        others: list[tuple[str, Any]] = []
        values = self._fields(reading, others)
        values |= self._own(reading, others)
        values = self._completed(reading, values)
        values["capabilities"] = tuple(values["capabilities"])
        values["depends_on"] = tuple(values["depends_on"])
        return values

    def _own(self, reading: Reading, others: list[tuple[str, Any]]) -> dict[str, Any]:
        try:
            kind = _kind(others)
            values: dict[str, Any] = {"kind": kind}
            for name, value in others:
                declared = _OWN_FIELDS[kind].get(name)
                if declared is None:
                    if name != "kind" and name not in _EXTENSIONS.get(kind, ()):
                        reading.unknown.append((*reading.path, name))
                elif name in values:
                    raise ValueError(f"duplicate field `{name}`")
                else:
                    values[name] = declared.shape.check(value)
            for name, declared in _OWN_FIELDS[kind].items():
                if name not in values and declared.required:
                    raise ValueError(f"missing field `{name}`")
        except ValueError as defect:
            raise reading.at(str(defect)) from None
        values["self_approval"] = kind == GATE and any(name == "self_approval" and value is True for name, value in others)
        return values


def _kind(others: list[tuple[str, Any]]) -> str:
    kinds = [value for name, value in others if name == "kind"]
    if not kinds:
        raise ValueError("missing field `kind`")
    kind = kinds[0]
    if isinstance(kind, bool) or not isinstance(kind, int | str) or (isinstance(kind, int) and kind < 0):
        raise ValueError(f"invalid type: {shown(kind)}, expected variant identifier")
    if isinstance(kind, int):
        if kind >= len(KINDS):
            raise ValueError(f"invalid value: {shown(kind)}, expected variant index 0 <= i < {len(KINDS)}")
        kind = KINDS[kind]
    if kind not in KINDS:
        expected = ", ".join(f"`{name}`" for name in KINDS)
        raise ValueError(f"unknown variant `{kind}`, expected one of {expected}")
    if len(kinds) > 1:
        raise ValueError("duplicate field `kind`")
    return kind


class _Steps(MapOf):
    """The steps by id; a step with an unchanged text is not read again."""

    def _entry(self, reading: Reading, values: dict[str, Any]) -> None:
        text = entry_at(reading.text, reading.pos) if reading.read_entry is not None else ""
        step = reading.read_entry(text) if text and reading.read_entry is not None else None
        if step is None or step.name in values:
            super()._entry(reading, values)
            return
        path = (STEPS, step.name)
        reading.spans.adopt(path, reading.pos, step.spans)
        reading.keys.adopt(path, reading.pos, step.keys)
        reading.unknown += step.unknown
        reading.repeated += step.repeated
        values[step.name] = step.value
        reading.pos += len(text)


_STEP: Final = _StepShape()


def read_step(text: str) -> Entry | None:
    """The step of an entry of `steps`, None where it has a defect."""
    reading, values = Reading(text), dict[str, Any]()
    reading.path.append(STEPS)
    try:
        MapOf(_STEP)._entry(reading, values)
        reading.end()
    except JsonError:
        return None
    ((name, step),) = values.items()
    return Entry(name, step, reading.spans.own, reading.keys.own, tuple(reading.unknown), tuple(reading.repeated))


def _definition(edges: list[tuple[str, str]], **values: Any) -> Definition:
    return Definition(edges=tuple(edges), **values)


_DOCUMENT: Final = Struct(
    "Raw",
    {
        "schema_version": Field(Optional(U32), None, by_name=True),
        "name": Field(TEXT),
        "version": Field(TEXT),
        "description": Field(TEXT, ""),
        "steps": Field(_Steps(_STEP)),
        "edges": Field(ListOf(Pair())),
    },
    _definition,
)


def read_definition(text: str, read_entry: EntryReader | None = None) -> Document:
    """The document of a text. Raises JsonError, which names the first defect and its place.

    `read_entry` remembers the steps of earlier texts (`read_step`).
    """
    reading = Reading(text, read_entry)
    definition: Definition = _DOCUMENT.read(reading)
    reading.end()
    if definition.schema_version is None:
        raise JsonError(NO_SCHEMA_VERSION, path=("schema_version",))
    if definition.schema_version > SCHEMA_VERSION:
        message = (
            f"workflow.json `schema_version: {definition.schema_version}` is not supported by this build "
            f"(max supported: {SCHEMA_VERSION}); upgrade Boruna to read this workflow"
        )
        raise JsonError(message, path=("schema_version",))
    problem = ""
    if (INPUTS,) in reading.unknown and INPUTS not in definition.steps:
        try:
            definition = replace(definition, inputs=declared(text))
            reading.unknown.remove((INPUTS,))
        except InputError as error:
            problem = str(error)
    return Document(text, definition, reading.spans, reading.keys, tuple(reading.unknown), tuple(reading.repeated), problem)
