"""Validates a result against a JSON schema of the caller (spec chapter 10 section 5); messages are the library's."""

from __future__ import annotations

import json
from typing import Any, Final

from boruna_ls.runtime.json_text import compact
from boruna_ls.runtime.quoting import float_text

SIZE_LIMIT: Final = 262_144
ERRORS_SHOWN: Final = 100
_DRAFT: Final = "2020-12"
_EPSILON: Final = 2**-52


class InvalidSchema(ValueError):
    """The schema cannot be used; the message says why."""


def violations(schema_text: str, result: str) -> tuple[list[dict[str, str]], int]:
    """The first errors of a result (JSON text), and how many there are. Raises InvalidSchema."""
    from jsonschema_rs import Draft202012Validator, ReferencingError, ValidationError, validator_for

    size = len(schema_text.encode("utf-8", "surrogatepass"))
    if size > SIZE_LIMIT:
        raise InvalidSchema(f"output_schema exceeds {SIZE_LIMIT} bytes (got {size})")
    schema = json.loads(schema_text)
    declared = schema.get("$schema") if isinstance(schema, dict) else None
    if isinstance(declared, str) and _DRAFT not in declared.rstrip("#"):
        raise InvalidSchema(
            f"output_schema declares $schema='{declared}'; only JSON Schema Draft 2020-12 is supported. Either omit $schema "
            "(we default to 2020-12) or set it to 'https://json-schema.org/draft/2020-12/schema'."
        )
    if isinstance(schema, str):
        # The library would read it as the text of a schema.
        raise _invalid(f'{compact(schema)} is not of types "boolean", "object"')
    if isinstance(declared, str):
        try:
            validator_for({"$schema": declared}, offline=True)
        except (ValidationError, ReferencingError, ValueError):
            reason = f"Retrieval is disabled, cannot fetch {declared}" if ":" in declared else "No base URI is available"
            raise _invalid(f"Resource '{declared}' is not present in a registry and retrieving it failed: {reason}") from None
    try:
        # Formats are not checked, and nothing is fetched.
        validator = Draft202012Validator(schema, validate_formats=False, offline=True, keywords={"multipleOf": _MultipleOf})
    except (ValidationError, ReferencingError, ValueError) as error:
        raise _invalid(getattr(error, "message", None) or str(error)) from None
    shown: list[dict[str, str]] = []
    total = 0
    for violation in validator.iter_errors(json.loads(result)):
        total += 1
        if total <= ERRORS_SHOWN:
            shown.append({"message": violation.message, "path": _pointer(violation.instance_path)})
    return shown, total


def _invalid(reason: str) -> InvalidSchema:
    return InvalidSchema(f"output_schema is not a valid JSON Schema: {reason}")


class _MultipleOf:
    """`multipleOf` as doubles have it (chapter 10 section 5.2): the library's own is exact, and lets 0.3 be a multiple of 0.1."""

    def __init__(self, parent: Any, factor: Any, path: Any) -> None:
        self._factor = factor

    def validate(self, instance: Any) -> None:
        factor = self._factor
        if not isinstance(instance, int | float) or isinstance(instance, bool):
            return
        if float(factor).is_integer():
            fits = float(instance).is_integer() and instance % factor == 0
        else:
            fits = (instance / factor) % 1 < _EPSILON
        if not fits:
            shown = float_text(float(factor)).removesuffix(".0")
            raise ValueError(f"{compact(instance)} is not a multiple of {shown}")


def _pointer(path: list[Any]) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)
