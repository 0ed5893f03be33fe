"""Calls that print by the means of class libraries and streams, as the one function that prints."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n

_WRITERS: Final = {
    ("System", "out"): "println print", ("System", "err"): "println print", ("Console",): "WriteLine Write writeLine write",
    ("Console", "Out"): "writeLine write", ("Console", "Error"): "writeLine write", ("Debug",): "WriteLine Write Log Print",
    ("console",): "log info warn error debug", ("sys", "stdout"): "write", ("process", "stdout"): "write",
    ("stdout",): "write writeln", ("stderr",): "write writeln", ("Trace",): "WriteLine Write",
}  # fmt: skip
_FORMATTING: Final = (("System", "out"), ("System", "err"))
STREAMS: Final = ("cout", "cerr", "clog")
"""Streams of C++ that show what is written to them."""
_MANIPULATORS: Final = ("endl", "flush", "ends", "fixed", "boolalpha")


def of_printing(call: n.Call) -> n.Expr | None:
    """Translation of `System.out.println(x)` and similar calls; None for a call that prints nothing."""
    function = call.function
    if not isinstance(function, n.Member):
        return None
    path = _path(function.object)
    is_format = path in _FORMATTING and function.name in ("printf", "format")
    if not is_format and function.name not in _WRITERS.get(path, "").split():
        return None
    name = n.Name("printf" if is_format else "print", start=call.start, end=function.end)
    return n.Call(name, _shown(call.arguments) if path == ("console",) else call.arguments, start=call.start, end=call.end)


def _shown(arguments: list[n.Argument]) -> list[n.Argument]:
    """Several values as one text, with blanks between them."""
    first = arguments[0].value if arguments else None
    if first is None or len(arguments) == 1 or (isinstance(first, n.Literal) and "%" in first.text):
        return arguments
    parts = [first]
    for each in arguments[1:]:
        parts += [n.Literal("string", '" "'), each.value]
    return [n.Argument(n.Interpolated(parts, start=first.start, end=parts[-1].end))]


def _path(node: n.Expr) -> tuple[str, ...]:
    names: list[str] = []
    while isinstance(node, n.Member):
        names.insert(0, node.name)
        node = node.object
    return (node.name, *names) if isinstance(node, n.Name) else ()


def streamed(parts: list[n.Expr], start: int, end: int) -> n.Expr:
    """`std::cout << a << b << std::endl`: what is written, in order."""
    shown = [each for each in parts if not (isinstance(each, n.Name) and each.name in _MANIPULATORS)]
    text = n.Interpolated(shown, start=start, end=end) if shown else n.Literal("string", '""', start=start, end=end)
    return n.Call(n.Name("print", start=start, end=start), [n.Argument(text)], start=start, end=end)
