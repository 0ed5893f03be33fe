"""Parts of texts, whose last argument is an end in some languages and a length in others."""

from __future__ import annotations

from copy import deepcopy

from analysis.fixes.dialect.tree import nodes as n


def end_behind_start(call: n.Call) -> None:
    """`string_substring(s, i, 1)`, `s.substring(i, 1)`: an end that is a number behind a start that is none is a length."""
    function, arguments = call.function, call.arguments
    is_method = isinstance(function, n.Member) and function.name == "substring" and len(arguments) == 2
    is_function = isinstance(function, n.Name) and function.name in ("string_substring", "substring") and len(arguments) == 3
    if not (is_method or is_function):
        return
    start, length = arguments[-2].value, arguments[-1].value
    if isinstance(length, n.Literal) and length.kind == "int" and not isinstance(start, (n.Literal, n.Unary)):
        end = n.Binary("+", deepcopy(start), length, start=length.start, end=length.end)
        arguments[-1] = n.Argument(end, start=arguments[-1].start, end=arguments[-1].end)
