"""The programs of a workflow: read from its folder, or given by path; bounded, and never from outside of the folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.workflow.reader import SOURCE, Definition
from boruna_ls.workflow.folders import WorkflowError, read_below

LARGEST_SOURCE: Final = 262_144
LARGEST_SOURCES: Final = 4_194_304


def read_sources(folder: str, definition: Definition) -> dict[str, str]:
    """The program of each step. Raises WorkflowError."""
    texts = {}
    for name in sorted(definition.steps):
        step = definition.steps[name]
        if step.kind == SOURCE:
            try:
                texts[name] = read_source(folder, step.source)
            except WorkflowError as error:
                raise WorkflowError(f"IO error: step '{name}' source '{folder}/{step.source}' read failed: {error}") from None
    check_sizes(texts)
    return texts


def read_source(folder: str, path: str) -> str:
    """One program. Raises WorkflowError with the system's words, or because the path leaves the folder."""
    return read_below(folder, path, LARGEST_SOURCES)


def check_sizes(texts: Mapping[str, str]) -> None:
    """Raises WorkflowError if a program, or all of them, are too large."""
    total = 0
    for name in sorted(texts):
        size = len(texts[name].encode("utf-8", "surrogatepass"))
        if size > LARGEST_SOURCE:
            message = f"step '{name}' source is {size} bytes; exceeds per-step cap of {LARGEST_SOURCE} bytes"
            raise WorkflowError(f"validation error: {message}")
        total += size
        if total > LARGEST_SOURCES:
            message = f"aggregate step_sources size exceeds cap of {LARGEST_SOURCES} bytes (after step '{name}')"
            raise WorkflowError(f"validation error: {message}")
