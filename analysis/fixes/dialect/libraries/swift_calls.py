"""Calls of Swift's library, whose arguments have labels, as methods that the lexicon knows."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk

_LABELLED: Final = {
    ("remove", "at"): "removeAt", ("append", "contentsOf"): "extend", ("removeAll", "where"): "remove_if",
    ("first", "where"): "find", ("last", "where"): "findLast", ("contains", "where"): "any",
    ("firstIndex", "where"): "find_index",
    ("firstIndex", "of"): "index_of", ("lastIndex", "of"): "lastIndexOf", ("sorted", "by"): "sorted", ("sort", "by"): "sort",
    ("min", "by"): "least_by", ("max", "by"): "most_by", ("prefix", "while"): "take_while", ("drop", "while"): "drop_while",
    ("split", "separator"): "split", ("components", "separatedBy"): "split", ("joined", "separator"): "join",
    ("isMultiple", "of"): "isMultiple",
    ("isSuperset", "of"): "is_superset", ("isSubset", "of"): "is_subset", ("isDisjoint", "with"): "is_disjoint",
    ("quotientAndRemainder", "dividingBy"): "quotient_and_remainder", ("remainder", "dividingBy"): "rem",
    ("drop", "until"): "drop_while", ("elementsEqual", ""): "equals",
    ("index", "of"): "index_of", ("removeValue", "forKey"): "remove", ("starts", "with"): "starts_with",
}  # fmt: skip
_PLAIN: Final = {"allSatisfy": "all", "swapAt": "swap", "removeLast": "pop_value", "removeFirst": "shift_value"}

_BLANKS: Final = ("whitespaces", "whitespacesAndNewlines")
_SIGNS: Final = {
    "punctuationCharacters": r"!\"#%&'()*,-./:;?@[\\]_{}", "decimalDigits": "0123456789", "newlines": r"\n\r",
}  # fmt: skip
"""Sets of characters, as far as they are of ASCII."""


def of_swift(call: n.Call) -> n.Expr | None:
    """Translation of a call of Swift's library; None if there is none."""
    function, arguments = call.function, call.arguments
    names = [each.name for each in arguments]
    if isinstance(function, n.Name):
        return _constructed(call, function.name, names)
    if not isinstance(function, n.Member):
        return None
    if function.name == "insert" and names == ["", "at"]:
        return _method(function.object, "insert", [n.Argument(arguments[1].value), n.Argument(arguments[0].value)], call)
    if function.name == "replacingOccurrences" and names == ["of", "with"]:
        return _method(function.object, "replace", [n.Argument(each.value) for each in arguments], call)
    if function.name == "trimmingCharacters" and names == ["in"]:
        return _trimmed(call, function.object, arguments[0].value)
    if function.name == "compactMap" and len(arguments) == 1 and isinstance(arguments[0].value, n.Lambda):
        closure = arguments[0].value
        only = closure.body.statements[0] if isinstance(closure.body, n.Block) and len(closure.body.statements) == 1 else None
        body = only.value if isinstance(only, n.Evaluate) else closure.body
        maker = body.function.name if isinstance(body, n.Call) and isinstance(body.function, n.Name) else ""
        word = {"Int": "to_int", "Double": "to_float"}.get(maker)
        if word is not None and isinstance(body, n.Call) and len(body.arguments) == 1:
            closure.body = _method(body.arguments[0].value, word, [], call)
    if function.name in ("sort", "sorted") and names == ["by"] and isinstance(arguments[0].value, n.OperatorFunction):
        orders = {"<": function.name, ">": "sort_descending" if function.name == "sort" else "sortedDescending"}
        order = orders.get(arguments[0].value.operator)
        return _method(function.object, order, [], call) if order is not None else None
    if (place := _place(call, function, names)) is not None:
        return place
    if function.name == "updateValue" and names == ["", "forKey"]:
        return _method(function.object, "insert", [n.Argument(arguments[1].value), n.Argument(arguments[0].value)], call)
    if function.name == "components" and names == ["separatedBy"] and _blanks(arguments[0].value):
        return _method(function.object, "words", [], call)
    if function.name == "reduce" and names[:1] == ["into"] and len(arguments) == 2:
        return _into(call, function.object, arguments[0].value, arguments[1].value)
    if len(names) == 1 and (function.name, names[0]) in _LABELLED:
        return _method(function.object, _LABELLED[function.name, names[0]], [n.Argument(arguments[0].value)], call)
    if function.name in _PLAIN and not (function.name.startswith("remove") and arguments):
        function.name = _PLAIN[function.name]
    return None


def _blanks(signs: n.Expr) -> bool:
    """`.whitespaces`"""
    return isinstance(signs, (n.OperatorFunction, n.Member)) and signs.name in _BLANKS


def _place(call: n.Call, function: n.Member, names: list[str]) -> n.Expr | None:
    """`s.index(s.startIndex, offsetBy: 2)`, `s.index(after: i)`: places are numbers here."""
    if function.name != "index" or names not in (["", "offsetBy"], ["after"], ["before"]):
        return None
    values = [each.value for each in call.arguments]
    one = n.Literal("int", "1", start=call.start, end=call.end)
    step = values[1] if len(values) == 2 else one
    return n.Binary("-" if names == ["before"] else "+", values[0], step, start=call.start, end=call.end)


def _trimmed(call: n.Call, text: n.Expr, signs: n.Expr) -> n.Expr | None:
    """`text.trimmingCharacters(in: .punctuationCharacters)`; None for a set of unknown signs."""
    listed = signs.arguments if isinstance(signs, n.Call) and isinstance(signs.function, n.Name) else []
    if isinstance(signs, n.Call) and [each.name for each in listed] == ["charactersIn"]:
        return _method(text, "strip", [n.Argument(listed[0].value)], call)
    name = signs.name if isinstance(signs, (n.OperatorFunction, n.Member)) else ""
    if name in _BLANKS:
        return _method(text, "trim", [], call)
    if name not in _SIGNS:
        return None
    kind = n.Literal("string", f'"{_SIGNS[name]}"', start=signs.start, end=signs.end)
    return _method(text, "strip", [n.Argument(kind)], call)


def _method(value: n.Expr, name: str, arguments: list[n.Argument], call: n.Call) -> n.Call:
    member = n.Member(value, name, start=call.start, end=call.end)
    return n.Call(member, arguments, start=call.start, end=call.end)


def _constructed(call: n.Call, name: str, names: list[str]) -> n.Expr | None:
    values = [each.value for each in call.arguments]
    if name in ("Array", "String") and names == ["repeating", "count"]:
        if name == "String":
            return _method(values[0], "repeat", [n.Argument(values[1])], call)
        return n.Call(n.Name("vec!;"), [n.Argument(value) for value in values], start=call.start, end=call.end)
    if name == "String" and names == ["", "radix"]:
        return _method(values[0], "to_base", [n.Argument(values[1])], call)
    if name == "Int" and names == ["", "radix"]:
        number = _method(values[0], "to_base_int", [n.Argument(values[1])], call)
        return n.Call(n.Name("Some", start=call.start, end=call.end), [n.Argument(number)], start=call.start, end=call.end)
    if name == "String" and names[:1] == ["format"]:
        return n.Call(n.Name("sprintf"), [n.Argument(value) for value in values], start=call.start, end=call.end)
    if name == "Dictionary" and names == ["grouping", "by"]:
        return _method(values[0], "group_by", [n.Argument(values[1])], call)
    if name == "Array" and names == [""] and not isinstance(values[0], n.Literal):
        return _method(values[0], "to_list", [], call)
    if name in ("UInt8", "UInt32", "Int64", "Int32", "UInt") and names == [""]:
        return n.Call(n.Name("Int", start=call.start, end=call.end), call.arguments, start=call.start, end=call.end)
    if name in ("UnicodeScalar",) and names == [""]:
        return _method(values[0], "to_char", [], call)
    if name == "stride" and names in (["from", "to", "by"], ["from", "through", "by"]):
        return _stride(call, values[0], values[1], values[2], is_inclusive=names[1] == "through")
    return None


def _stride(call: n.Call, low: n.Expr, high: n.Expr, step: n.Expr, is_inclusive: bool) -> n.Expr:
    start, end = call.start, call.end
    is_down = isinstance(step, n.Unary) and step.operator == "-"
    if not is_down:
        return _method(n.Range(low, high, is_inclusive, start=start, end=end), "step_by", [n.Argument(step)], call)
    assert isinstance(step, n.Unary)
    least = high if is_inclusive else n.Binary("+", high, n.Literal("int", "1", start=start, end=end), start=start, end=end)
    turned = _method(n.Range(least, low, True, start=start, end=end), "reversed", [], call)
    return _method(turned, "step_by", [n.Argument(step.operand)], call)


def _into(call: n.Call, items: n.Expr, first: n.Expr, closure: n.Expr) -> n.Expr | None:
    """`xs.reduce(into: [:]) { so_far, x in so_far[x] = 1 }`: a fold whose closure changes what it has so far."""
    if not isinstance(closure, n.Lambda) or not closure.parameters:
        return None
    so_far = closure.parameters[0]
    if not isinstance(so_far, n.Binding):
        return None
    start, end = closure.body.start, closure.body.end
    body = closure.body if isinstance(closure.body, n.Block) else n.Block([n.Evaluate(closure.body)], start=start, end=end)
    inner = n.Name("changed_so_far", start=start, end=end)
    for node in _names(body):
        if node.name == so_far.name:
            node.name = inner.name
    own = n.Let(n.Binding(inner.name), None, n.Name(so_far.name, start=start, end=start), True, start=start, end=start)
    body.statements = [own, *body.statements, n.Evaluate(inner, start=end, end=end)]
    closure.body = body
    return _method(items, "fold", [n.Argument(first), n.Argument(closure)], call)


def _names(node: n.Node) -> list[n.Name]:
    return [each for each in walk(node) if isinstance(each, n.Name)]
