"""`get_definition`: where a name is declared, with its signature and documentation."""

from __future__ import annotations

from typing import Any, Final

from mcp.shared.exceptions import MCPError

from analysis.database import Database
from analysis.ide.builtin_help import BuiltinHelp, builtin_helps
from analysis.ide.definition import definition
from analysis.ide.function_search.known import Known
from analysis.ide.function_search.queries import search
from analysis.ide.name_meanings import Kind, Place
from analysis.ide.target import target_at
from analysis.semantics.spelling import closest
from boruna_ls.answers.analysis import definition_entry, definition_summary, definition_text
from boruna_ls.answers.envelope import success, with_freshness
from boruna_ls.answers.functions import general, known
from boruna_ls.mcp.schemas import OMITTED, TEXT
from boruna_ls.mcp.tool import Call, RefusedCall, Tool
from boruna_ls.mcp.tools.detail import FULL, SUMMARY, DetailArguments, cut
from boruna_ls.mcp.tools.located import PlaceArguments, located, program

ENTRY: Final = {"type": "object", "description": "file, range, full_range, signature, doc, text"}
_MOST: Final = 10
"""Declarations that are shown of a name."""
_MOST_MEANT: Final = 3
"""Functions that an unknown name is compared with in an answer."""
_DOC: Final = 2_000
_TEXT: Final = 8_000
"""Characters that are shown of the comments above a declaration, and of its text."""


class GetDefinitionParams(DetailArguments, PlaceArguments):
    pass


def run(call: Call[GetDefinitionParams]) -> dict[str, Any]:
    detail = call.arguments.detail
    try:
        file, offset = located(call)
    except (RefusedCall, MCPError) as error:
        named = call.arguments.symbol or ""
        builtin = builtin_helps().get(named) or builtin_helps().get(f"__builtin_{named}")
        if builtin is not None:
            answer = success(definition=None, kind=Kind.BUILTIN.value, **_built_in(builtin))
        elif (offered := next((one for one in known() if one.name == named and one.libraries), None)) is not None:
            answer = success(definition=None, kind=Kind.FUNCTION.value, **_of_library(offered))
        else:
            if isinstance(error, RefusedCall) and named:
                _advise(error, named)
            raise
        is_asked_of_file = call.arguments.path is not None or call.arguments.code is not None
        return with_freshness(answer, call.host, program(call)) if is_asked_of_file else answer
    db = call.host.db
    places = definition(db, file, offset)
    entries = [_entry(db, place, detail) for place in places[:_MOST]]
    target = target_at(db, file, offset)
    answer = success(definition=entries[0] if len(entries) == 1 else None)
    if target is not None:
        answer |= {"name": target.name, "kind": target.kind.value}
    if len(entries) > 1:
        answer["definitions"] = entries
    if len(places) > _MOST:
        answer["omitted"] = {
            "field": "definitions",
            "shown": _MOST,
            "left_out": len(places) - _MOST,
            "rest": "also name the file",
        }
    if not entries:
        answer["note"] = (
            "this name is not declared in a file of the workspace" if target is not None else "there is no known name here"
        )
        if target is not None and (builtin := builtin_helps().get(target.name)) and target.kind is Kind.BUILTIN:
            answer |= _built_in(builtin)
    return with_freshness(answer, call.host, file)


def _of_library(offered: Known) -> dict[str, Any]:
    library = offered.libraries[0]
    return {
        "name": offered.name,
        "signature": offered.signature,
        "doc": offered.meaning,
        "note": f'a function of a library: it needs `import "{library}"`; `boruna://libraries/{library}` lists the others',
    }


def _advise(error: RefusedCall, named: str) -> None:
    """Names the functions that an unknown one may mean: misspelt, or of another language."""
    near = closest(named, [one.name for one in general()])
    meant = [*([near] if near else []), *(one.name for one in search(named, general()).found)]
    if meant and not error.error.get("candidates"):
        error.error["did_you_mean"] = list(dict.fromkeys(meant))[:_MOST_MEANT]


def _built_in(builtin_help: BuiltinHelp) -> dict[str, Any]:
    lines = [builtin_help.builtin.documentation]
    if builtin_help.example:
        lines.append(f"example: {builtin_help.example} // {builtin_help.gives}")
    if builtin_help.elsewhere:
        lines.append(f"elsewhere: {', '.join(builtin_help.elsewhere)}")
    built_in = builtin_help.builtin
    return {
        "name": built_in.name,
        "signature": built_in.signature,
        "doc": "\n".join(lines),
        "note": "built in: it has no source",
    }


def _entry(db: Database, place: Place, detail: str) -> dict[str, Any]:
    entry = definition_entry(db, place)
    if detail == SUMMARY:
        return definition_summary(entry)
    if detail == FULL:
        entry["text"] = definition_text(db, place)
    long = [(name, limit) for name, limit in (("doc", _DOC), ("text", _TEXT)) if len(entry.get(name) or "") > limit]
    for name, limit in long:
        rest = "`full_range` is its whole range: read the file there"
        entry["omitted"] = {"field": name, "shown": limit - 1, "left_out": len(entry[name]) - limit + 1, "rest": rest}
        entry[name] = cut(entry[name], limit)
    return entry


TOOL: Final = Tool(
    name="get_definition",
    title="Definition of a name",
    description=(
        "Where the name at a position, or a symbol, is declared: file, range, signature, comments above it. Prefer `symbol` to "
        "`position`. `definitions` lists several candidates."
    ),
    arguments=GetDefinitionParams,
    answer_fields={
        "definition": {"type": ["object", "null"], "description": ENTRY["description"]},
        "definitions": {"type": "array", "items": {"type": "object"}},
        "name": TEXT,
        "kind": TEXT,
        "signature": TEXT,
        "doc": TEXT,
        "note": TEXT,
        "omitted": OMITTED,
    },
    run=run,
    example={"path": "app.ax", "symbol": "Order.total"},
)
