"""Resources: pages of codes, the language reference, libraries, templates; how all resources are listed and completed.

What can change is in `live_resources.py`.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import quote, unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from analysis.diagnostics.codes import CODES
from boruna_ls.answers.envelope import as_text, no_file
from boruna_ls.answers.explain import documentation_uri, page
from boruna_ls.answers.functions import functions_page
from boruna_ls.answers.reference import language_page, library_names, library_page
from boruna_ls.answers.templates import template_answer
from boruna_ls.framework.templates import Template, TemplateError
from boruna_ls.framework.templates import listed as found_templates
from boruna_ls.mcp import apps
from boruna_ls.mcp.execution_tasks import URI as EXECUTIONS
from boruna_ls.mcp.library_sources import library_about, library_folders, library_source
from boruna_ls.mcp.live_resources import DIAGNOSTICS, PROGRAM_TYPE
from boruna_ls.mcp.paths import FILE
from boruna_ls.mcp.workflow_tasks import URI as RUNS

_MARKDOWN: Final = "text/markdown"
_PLAIN: Final = "text/plain"
_PREFIX: Final = documentation_uri("")
TEMPLATE: Final = documentation_uri("{code}")
LANGUAGE: Final = "boruna://language-reference"
_BUILTINS: Final = "boruna://builtins"
_LIBRARY: Final = "boruna://stdlib/"
_LIBRARY_PAGE: Final = "boruna://libraries/"
_TEMPLATE: Final = "boruna://templates/"
_JSON: Final = "application/json"
NOT_FOUND: Final = -32002
"""Error code of an unknown resource in protocol versions before 2026-07-28."""
COMPLETIONS: Final = 100
LONGEST: Final = 16_384
"""Characters of a URI: a path may have 4,096, of which some are written as escapes."""


def uri_of(params: Any) -> str:
    """The URI of a request. Raises MCPError for one that is too long to name anything: it would be compared, stored, repeated."""
    return checked(str(params.uri))


def checked(uri: str) -> str:
    """A URI that is not too long. Raises MCPError."""
    if len(uri) > LONGEST:
        raise MCPError(INVALID_PARAMS, f"the URI has {len(uri)} characters; it may have {LONGEST} at most", {"argument": "uri"})
    return uri


def listed(folder: str, libs: str) -> list[types.Resource]:
    """The language, its libraries and those of the folder `libs`, and the templates of a folder.

    Diagnostic codes and files are found by template.
    """
    about = "The .ax language: syntax, types, pitfalls, and all builtin functions"
    language = types.Resource(uri=LANGUAGE, name="language-reference", description=about, mime_type=_MARKDOWN)
    about = "Every builtin function: signature, meaning, an example, what other languages call it; signatures of libraries"
    builtins = types.Resource(uri=_BUILTINS, name="builtins", description=about, mime_type=_MARKDOWN)
    libraries = [
        types.Resource(uri=_LIBRARY + name, name=name, description=library_about(holder, name), mime_type=_PLAIN)
        for name, holder in library_folders(libs).items()
    ]
    resources = [
        types.Resource(
            uri=_TEMPLATE + quote(template.folder),
            name=template.manifest.name,
            description=template.manifest.description,
            mime_type=_JSON,
        )
        for template in _templates(folder)
    ]
    return [language, builtins, *libraries, *resources, apps.resource()]


def templates() -> list[types.ResourceTemplate]:
    """All resources that have an argument."""
    rows = [
        (TEMPLATE, "diagnostic-code", "The meaning of a diagnostic code, with an example and its fix", _MARKDOWN),
        (FILE + "{path}", "file", "Text of a file, including unsaved changes in an editor", PROGRAM_TYPE),
        (DIAGNOSTICS + "{path}", "file-diagnostics", "All diagnostics of a file; can be subscribed to", _JSON),
        (_LIBRARY + "{lib_name}", "stdlib", "Source of a library", _PLAIN),
        (_LIBRARY_PAGE + "{lib_name}", "library", "The content of a built-in library: signatures with comments", _MARKDOWN),
        (EXECUTIONS + "{id}", "execution", "An execution with its tasks and answers; can be subscribed to", _JSON),
        (RUNS + "{id}", "workflow-run", "The current state of a workflow run; can be subscribed to", _JSON),
        (_TEMPLATE + "{name}", "template", "Manifest and source of a template of applications", _JSON),
    ]
    return [
        types.ResourceTemplate(uri_template=uri, name=name, description=description, mime_type=kind)
        for uri, name, description, kind in rows
    ]


def read(uri: str, protocol_version: str, revision: str, folder: str, libs: str) -> types.ReadResourceResult:
    """The page that a URI names; it is the same at any `revision`. Raises MCPError for an unknown one.

    `folder` has templates, `libs` libraries.
    """
    if uri == apps.PAGE:
        return apps.read(revision)
    code = uri.removeprefix(_PREFIX)
    text, kind = (page(code) if code != uri else None), _MARKDOWN
    if uri == LANGUAGE:
        text = language_page()
    elif uri == _BUILTINS:
        text = functions_page()
    elif uri.startswith(_LIBRARY):
        text, kind = library_source(libs, uri.removeprefix(_LIBRARY)), _PLAIN
    elif uri.startswith(_LIBRARY_PAGE):
        text = library_page(uri.removeprefix(_LIBRARY_PAGE))
    elif uri.startswith(_TEMPLATE):
        answer = template_answer(folder, unquote(uri.removeprefix(_TEMPLATE)))
        if not answer["success"]:
            raise not_found(uri, protocol_version, _similar(uri, folder, libs), answer["message"])
        text, kind = as_text(answer), _JSON
    if text is None:
        raise not_found(uri, protocol_version, _similar(uri, folder, libs))
    return result(uri, kind, text, no_file(revision))


def _templates(folder: str) -> list[Template]:
    try:
        return found_templates(folder)[0]
    except TemplateError:
        return []


def _similar(uri: str, folder: str, libs: str) -> list[str]:
    pages = [_LIBRARY_PAGE + name for name in library_names()]
    uris = [*(resource.uri for resource in listed(folder, libs)), *pages, *map(documentation_uri, CODES)]
    return difflib.get_close_matches(uri, map(str, uris), n=3, cutoff=0.8)


def result(uri: str, kind: str, text: str, freshness: dict[str, Any]) -> types.ReadResourceResult:
    """A resource that is one text, and the state that it describes (in `_meta`)."""
    contents = types.TextResourceContents(uri=uri, mime_type=kind, text=text, _meta={"freshness": freshness})
    return types.ReadResourceResult(contents=[contents])


def not_found(uri: str, protocol_version: str, similar_uris: Iterable[str] = (), reason: str = "") -> MCPError:
    """The error for a URI that names nothing."""
    error = INVALID_PARAMS if protocol_version in MODERN_PROTOCOL_VERSIONS else NOT_FOUND
    data: dict[str, Any] = {"uri": uri, "argument": "uri", "did_you_mean": list(similar_uris)}
    return MCPError(error, f"resource not found: {reason or uri[:200]}", data)


def complete(argument: str, value: str, paths: Iterable[str] = (), folder: str = "", libs: str = "") -> list[str]:
    """Completions of a resource's argument; `paths` are the files of the workspace."""
    if argument == "code":
        return [code for code in CODES if code.startswith(value.upper())]
    if argument == "lib_name":
        return [name for name in library_folders(libs) if name.startswith(value)]
    if argument == "name":
        return [template.folder for template in _templates(folder) if template.folder.startswith(value)]
    if argument == "path":
        return [path for path in paths if path.startswith(value) or os.path.basename(path).startswith(value)]
    return []
