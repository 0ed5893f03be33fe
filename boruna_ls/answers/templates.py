"""The answers of `boruna_template_list` and `boruna_template_apply` (spec chapter 14, chapter 26 section 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from analysis.codegen.compile import compile_file
from analysis.database import Database
from analysis.inputs import FileId
from boruna_ls.answers.app import check_warnings, validate_answer
from boruna_ls.answers.envelope import as_text, failure, success
from boruna_ls.answers.parse_error import parse_error
from boruna_ls.framework.manifest import ArgumentSpec
from boruna_ls.framework.templates import (
    TEMPLATE_ERROR,
    Applied,
    Template,
    TemplateError,
    apply,
    arguments_of,
    find,
    listed,
    template_text,
)

FAILURE_PREFIX: Final = "template output does not compile: "


def list_answer(directory: str) -> dict[str, Any]:
    """All templates of a folder. Broken ones are in `errors`; the answer fails only if there is no other."""
    try:
        templates, broken = listed(directory)
    except TemplateError as error:
        return template_failure(error)
    errors = [{"folder": fault.folder, "message": fault.message} for fault in broken]
    if errors and not templates:
        return failure(error_kind=TEMPLATE_ERROR, message=errors[0]["message"], errors=errors)
    answer = success(count=len(templates), templates=[_row(template) for template in templates])
    return answer | ({"errors": errors} if errors else {})


def _row(template: Template) -> dict[str, Any]:
    manifest = template.manifest
    row: dict[str, Any] = {
        "name": manifest.name,
        "version": manifest.version,
        "description": manifest.description,
        "dependencies": manifest.dependencies,
        "capabilities": manifest.capabilities,
        "args": sorted(manifest.args),
        "arg_specs": {name: _spec(spec) for name, spec in sorted(manifest.args.items())},
    }
    return row if template.folder == manifest.name else row | {"folder": template.folder}


def _spec(spec: ArgumentSpec) -> dict[str, Any]:
    shown: dict[str, Any] = {"type": spec.type, "required": spec.required, "description": spec.description}
    return shown if spec.default is None else shown | {"default": spec.default}


def template_answer(directory: str, name: str) -> dict[str, Any]:
    """One template: its manifest and its source with placeholders."""
    try:
        template = find(directory, name)
        return success(**_row(template), source=template_text(template))
    except TemplateError as error:
        return template_failure(error)


def apply_answer(
    directory: str, name: str, pairs: Iterable[str], validation: Callable[[Applied], dict[str, Any]] | None
) -> dict[str, Any]:
    """The answer about an applied template; `validation` judges it if that is wanted."""
    try:
        given = arguments_of(pairs)
        applied = apply(directory, name, given)
    except TemplateError as error:
        return template_failure(error)
    manifest = applied.template.manifest
    answer = success(
        template_name=manifest.name,
        output_file=applied.output_file,
        source=applied.source,
        dependencies=manifest.dependencies,
        capabilities=manifest.capabilities,
    )
    more = {"defaulted": applied.defaulted, "unknown_args": applied.unknown, "unfilled": applied.unfilled}
    answer |= {key: list(names) for key, names in more.items() if names}
    if validation is not None:
        answer["validation"] = validation(applied)
    return answer


def validation_of(db: Database, file: FileId) -> dict[str, Any]:
    """Validation of a new application: whether it compiles and has the shape of one, and the check's warnings."""
    compiled = compile_file(db, file, "module")
    if compiled.module is None:
        return {"passed": False, "error": FAILURE_PREFIX + compiled.errors[0].sentence}
    validation: dict[str, Any] = {"passed": True}
    if parse_error(db, file) is None:
        app = validate_answer(db, file)
        validation["app"] = {key: app[key] for key in ("valid", "message", "errors") if key in app} | {"valid": app["success"]}
    if warnings := check_warnings(db, file):
        validation["warnings"] = warnings
    return validation


def template_failure(error: TemplateError) -> dict[str, Any]:
    """The answer for a template that cannot be used."""
    answer = failure(error_kind=error.kind, message=str(error))
    return answer | ({"missing": error.missing} if error.missing else {})


def shorten_source(answer: dict[str, Any], limit: int) -> dict[str, Any]:
    """The answer with the beginning of the source, so that it fits into `limit` bytes of text."""
    left = limit - 1000 - len(as_text(answer | {"source": ""}).encode())
    # Six bytes are the longest escape of a character.
    shown = answer["source"][: max(left, 0) // 6]
    rest = "`boruna-ls template apply` writes the whole source to a file"
    omitted = {"field": "source", "shown": len(shown), "left_out": len(answer["source"]) - len(shown), "rest": rest}
    return answer | {"source": shown, "omitted": omitted}
