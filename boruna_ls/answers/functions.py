"""The functions that `boruna_builtins` knows: builtins, and those of the built-in libraries, whose sources are read once."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from analysis.ide.builtin_help import builtins_page
from analysis.ide.function_search.known import Known, builtins, forms, kind_of, words_of_functions
from analysis.ide.signature import documentation, function_type
from analysis.syntax.parser import parse
from analysis.syntax.tree import Function, type_text
from analysis.text.source import Source
from boruna_ls.answers.reference import library_names, library_summary, library_text, offered_names

MOST: Final = 20
"""Rows of an answer."""


@cache
def known() -> tuple[Known, ...]:
    """Everything that is searched: builtins, then libraries for any program, then those for one purpose, then forms."""
    names = sorted(library_names(), key=lambda name: (not library_summary(name), name))
    return (*builtins(), *(one for name in names for one in _of_library(name)), *forms())


def _of_library(name: str) -> list[Known]:
    summary, words = library_summary(name), words_of_functions()
    chunks = [(chunk.text, parse(chunk.text).items) for chunk in Source.from_text(library_text(name) or "").chunks]
    offered = offered_names(item for _, items in chunks for item in items)
    functions = []
    for text, items in chunks:
        for item in items:
            if not isinstance(item, Function) or item.name not in offered or item.result is None:
                continue
            parameters = tuple(type_text(parameter.type) for parameter in item.parameters)
            result = type_text(item.result)
            about = documentation(text, item.start).removeprefix(summary).strip()
            kind = kind_of(parameters[0] if parameters else result)
            signature = f"fn {item.name}{function_type(item)}"
            functions.append(
                Known(
                    item.name,
                    signature,
                    about,
                    parameters,
                    result,
                    kind,
                    (name,),
                    words=words.get(item.name, ()),
                    is_special=not summary,
                )
            )
    return functions


def general() -> tuple[Known, ...]:
    """What is tried for an example: builtins, and the libraries for any program, whose names do not meet each other's."""
    special = {name for name in library_names() if not library_summary(name)}
    return tuple(one for one in known() if not one.is_form and special.isdisjoint(one.libraries))


def rows(functions: tuple[Known, ...]) -> dict[str, Any]:
    """The fields of an answer: the first rows, and how many there are beside."""
    left_out = {"left_out": len(functions) - MOST} if len(functions) > MOST else {}
    return {"builtins": [one.as_dict() for one in functions[:MOST]], "total": len(known()), **left_out}


def functions_page() -> str:
    """Builtins as Markdown, and the signatures of what the libraries for any program add."""
    lines = [
        builtins_page(),
        "# Functions of libraries",
        "",
        "Each needs its import; `boruna_builtins` finds them by word, type or example.",
    ]
    library = ""
    for one in general():
        if one.libraries and one.libraries[0] != library:
            (library,) = one.libraries
            lines += ["", f'## `import "{library}"`', ""]
        if one.libraries:
            lines.append(f"- `{one.signature.removeprefix('fn ')}`")
    return "\n".join(lines) + "\n"
