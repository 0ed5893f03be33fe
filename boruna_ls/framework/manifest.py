"""The manifest of a template, `template.json`, as a pydantic model; defects in plain words (chapter 14 section 1)."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from boruna_ls.runtime.quoting import quoted

_SHOWN = 5
"""Defects of one manifest that are named."""


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class ArgumentSpec(_Strict):
    """An argument of a template. `type` is free text for people; values are texts."""

    type: str
    required: bool
    description: str
    default: Any = None

    @property
    def default_text(self) -> str | None:
        """The value of an argument that was not given; None if there is none."""
        if self.default is None:
            return None
        return self.default if isinstance(self.default, str) else json.dumps(self.default, ensure_ascii=False)


class Manifest(_Strict):
    """Manifest of a template."""

    name: str
    version: str
    description: str
    dependencies: list[str]
    capabilities: list[str]
    args: dict[str, ArgumentSpec]


def manifest_of(content: bytes) -> Manifest:
    """Reads a manifest. Raises ValueError that says what is wrong, and where."""
    try:
        return Manifest.model_validate_json(content)
    except ValidationError as error:
        raise ValueError(_reason(error)) from None


def _reason(error: ValidationError) -> str:
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    parts = [_defect(defect["type"], defect["loc"], defect["msg"]) for defect in errors[:_SHOWN]]
    return "; ".join(parts) + (f"; and {len(errors) - _SHOWN} more" if len(errors) > _SHOWN else "")


def _defect(kind: str, place: tuple[int | str, ...], words: str) -> str:
    where = ".".join(quoted(part)[1:-1] if isinstance(part, str) else str(part) for part in place)
    if kind == "missing":
        return f"missing field `{where}`"
    return f"`{where}`: {words}" if where else words
