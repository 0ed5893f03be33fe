"""Calls of Rust's library and macros, as methods that the lexicon knows."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.walking import children

_TURNED: Final = {
    "sort_by_key": "sort_by_key_descending", "sort_unstable_by_key": "sort_by_key_descending",
    "sorted_by_key": "sort_by_key_descending", "sort_by_cached_key": "sort_by_key_descending",
}  # fmt: skip
_KEYED: Final = (*_TURNED, "min_by_key", "max_by_key", "sort_by", "sort_unstable_by", "sorted_by")
_PLAIN: Final = {
    "sort_unstable_by_key": "sort_by_key", "sort_by_cached_key": "sort_by_key", "sort_unstable_by": "sort_by",
    "split_terminator": "split", "trim_end_matches": "trimEnd", "as_deref": "cloned", "chunks_exact": "chunks",
}  # fmt: skip
_TRIMMING: Final = {
    "trim_matches": "trim_while", "trim_start_matches": "trim_start_while", "trim_end_matches": "trim_end_while",
    "trimEnd": "trim_end_while", "trim": "trim_while", "trimStart": "trim_start_while",
}  # fmt: skip
"""Ends of texts without the characters for which a closure holds."""
_NUMBERS: Final = ("i32", "i64", "u32", "u64", "f64", "f32", "usize", "u8")
_DONE: Final = ("unwrap", "expect", "unwrap_or")
_OF_OPTIONS: Final = ("unwrap_or", "unwrap_or_default", "unwrap_or_else", "unwrap", "expect", "is_some", "is_none", "map")
"""Methods of what `reduce` gives."""
_ASSERTS: Final = {"assert!": 1, "debug_assert!": 1, "assert_eq!": 2, "assert_ne!": 2, "debug_assert_eq!": 2}
_OF_RADIX: Final = {"to_digit": "to_int", "is_digit": "is_digit"}
"""Methods whose argument is a radix, and what they are for 10."""


def of_rust(call: n.Call) -> n.Expr | None:
    """Translation of a call of Rust's library; None if there is none."""
    function, arguments = call.function, call.arguments
    if isinstance(function, n.Name) and function.name in _ASSERTS and len(arguments) >= _ASSERTS[function.name]:
        return _asserted(call, function.name)
    if isinstance(function, n.Path):
        is_order = function.owner == "cmp" and function.name in ("max", "min") and len(arguments) == 2
        if is_order:
            return _method(arguments[0].value, function.name, arguments[1:], call)
        if function.owner in _NUMBERS and function.name == "from_str_radix" and len(arguments) == 2:
            return _method(arguments[0].value, "to_base_int", arguments[1:], call)
        if (translated := _made_by_path(call, function)) is not None:
            return translated
        if function.owner in _NUMBERS and arguments and function.name in ("from", "abs"):
            return _method(arguments[0].value, "abs" if function.name == "abs" else "into", [], call)
        return None
    if not isinstance(function, n.Member):
        return None
    for each in arguments:
        each.value = _of_two(each.value)
    owner = function.object
    is_partial = isinstance(owner, n.Call) and isinstance(owner.function, n.Member) and owner.function.name == "partial_cmp"
    if is_partial and function.name in _DONE and isinstance(owner, n.Call):
        assert isinstance(owner.function, n.Member)
        owner.function.name = "cmp"
        return owner
    if function.name in _KEYED and len(arguments) == 1 and isinstance(arguments[0].value, n.Lambda):
        closure = arguments[0].value
        if (inner := _reversed(closure.body)) is not None and function.name in _TURNED:
            closure.body = inner
            function.name = _TURNED[function.name]
        else:
            _negate(closure)
    if function.name in _TRIMMING and len(arguments) == 1 and isinstance(arguments[0].value, (n.Lambda, n.Path)):
        function.name = _TRIMMING[function.name]
    if function.name == "ok_or_else" and len(arguments) == 1 and isinstance(arguments[0].value, n.Lambda):
        function.name = "ok_or_with"
    if (entry := _entry_changed(call)) is not None:
        return entry
    if function.name == "take" and len(arguments) == 1 and (repeated := _endless(owner)) is not None:
        return n.Call(n.Name("vec!;"), [n.Argument(repeated), arguments[0]], start=call.start, end=call.end)
    if function.name in _OF_OPTIONS and isinstance(owner, n.Call) and isinstance(owner.function, n.Member):
        inner = owner.function
        if inner.name == "reduce" and len(owner.arguments) == 1 and _is_iterated(inner.object):
            inner.name = "reduce_option"
    if function.name in _PLAIN:
        function.name = _PLAIN[function.name]
    if function.name in _OF_RADIX and len(arguments) == 1:
        is_ten = isinstance(arguments[0].value, n.Literal) and arguments[0].value.text == "10"
        return _method(owner, _OF_RADIX[function.name], [], call) if is_ten else None
    return None


def _made_by_path(call: n.Call, function: n.Path) -> n.Expr | None:
    """`char::from_digit(d, 10)`, `iter::once(x)`, `HashSet::from([1, 2])`."""
    values = [each.value for each in call.arguments]
    if function.owner == "char" and len(values) == 2 and function.name == "from_digit":
        return _some(_method(values[0], "to_string", [], call), call)
    if function.owner == "char" and len(values) == 1 and function.name in ("from_u32", "from"):
        sign = _method(values[0], "to_char", [], call)
        return _some(sign, call) if function.name == "from_u32" else sign
    if function.owner == "iter" and function.name == "once" and len(values) == 1:
        return n.ListOf(values, start=call.start, end=call.end)
    if function.owner == "iter" and function.name == "empty" and not values:
        return n.ListOf([], start=call.start, end=call.end)
    if function.owner in ("HashSet", "BTreeSet") and function.name in ("from", "from_iter") and len(values) == 1:
        return _method(values[0], "toSet", [], call)
    return None


def _some(value: n.Expr, call: n.Call) -> n.Call:
    return n.Call(n.Name("Some", start=call.start, end=call.end), [n.Argument(value)], start=call.start, end=call.end)


def _endless(node: n.Expr) -> n.Expr | None:
    """The value of `iter::repeat(x)`."""
    is_repeat = isinstance(node, n.Call) and isinstance(node.function, n.Path) and len(node.arguments) == 1
    if not is_repeat or not isinstance(node, n.Call) or not isinstance(node.function, n.Path):
        return None
    return node.arguments[0].value if (node.function.owner, node.function.name) == ("iter", "repeat") else None


def _is_iterated(node: n.Expr) -> bool:
    """True if a chain of calls begins with an iterator of Rust."""
    while isinstance(node, n.Call) and isinstance(node.function, n.Member):
        if node.function.name in ("iter", "into_iter", "copied", "cloned", "chars"):
            return True
        node = node.function.object
    return False


def _of_two(value: n.Expr) -> n.Expr:
    """`f64::min`, `cmp::max`, `i32::wrapping_add` as closures of two values."""
    is_known = isinstance(value, n.Path) and value.owner in (*_NUMBERS, "cmp", "Int", "Float")
    if not is_known or not isinstance(value, n.Path) or value.name not in ("min", "max", "pow", "wrapping_add", "wrapping_mul"):
        return value
    start, end = value.start, value.end
    left, right = n.Name("left", start=start, end=end), n.Name("right", start=start, end=end)
    body = n.Call(n.Member(left, value.name, start=start, end=end), [n.Argument(right)], start=start, end=end)
    return n.Lambda([n.Binding("left"), n.Binding("right")], body, start=start, end=end)


def entry_value(node: n.Expr) -> tuple[n.Expr, n.Argument, n.Expr] | None:
    """The map, the key and the value so far of `m.entry(k).or_insert(d)`; None for another expression."""
    if not isinstance(node, n.Call) or not isinstance(node.function, n.Member):
        return None
    name, entry = node.function.name, node.function.object
    if name not in ("or_insert", "or_default", "or_insert_with") or not isinstance(entry, n.Call):
        return None
    if not isinstance(entry.function, n.Member) or entry.function.name != "entry" or len(entry.arguments) != 1:
        return None
    owner, key = entry.function.object, entry.arguments[0]
    default = node.arguments[0].value if node.arguments else None
    if isinstance(default, n.Lambda) and not default.parameters:
        default = default.body
    if default is None or isinstance(default, n.Path):
        return owner, key, _method(owner, "value_or_zero", [key], node)
    return owner, key, _method(owner, "get_or", [key, n.Argument(default)], node)


def _entry_changed(call: n.Call) -> n.Expr | None:
    """`m.entry(k).or_default().push(x)`: the map with the changed value."""
    function = call.function
    if not isinstance(function, n.Member) or function.name not in ("push", "push_str", "push_back", "extend", "insert"):
        return None
    entry = entry_value(function.object)
    if entry is None or (function.name == "insert" and len(call.arguments) != 2):
        return None
    owner, key, before = entry
    changed = _method(before, function.name, call.arguments, call)
    return _method(owner, "insert", [key, n.Argument(changed)], call)


def _method(value: n.Expr, name: str, arguments: list[n.Argument], call: n.Call) -> n.Call:
    member = n.Member(value, name, start=call.start, end=call.end)
    return n.Call(member, arguments, start=call.start, end=call.end)


def _reversed(node: n.Expr) -> n.Expr | None:
    """The value in `Reverse(value)`."""
    if not isinstance(node, n.Call) or len(node.arguments) != 1:
        return None
    function = node.function
    is_reverse = isinstance(function, (n.Name, n.Path)) and function.name == "Reverse"
    return node.arguments[0].value if is_reverse else None


def _negate(node: n.Node) -> None:
    """`(Reverse(a), b)` as `(-a, b)`: of numbers."""
    for parent in children(node):
        if isinstance(parent, n.TupleOf):
            for place, part in enumerate(parent.items):
                if (inner := _reversed(part)) is not None:
                    parent.items[place] = n.Unary("-", inner, start=part.start, end=part.end)
        else:
            _negate(parent)


def _asserted(call: n.Call, name: str) -> n.Expr:
    """`assert!(c)` as the end of the run where it does not hold."""
    values = [each.value for each in call.arguments]
    condition = values[0]
    if name.endswith(("_eq!", "_ne!")):
        condition = n.Binary("==" if name.endswith("_eq!") else "!=", values[0], values[1], start=call.start, end=call.end)
    label = n.Literal("string", '"assertion failed"', start=call.start, end=call.end)
    stop = n.Call(n.Name("panic!", start=call.start, end=call.end), [n.Argument(label)], start=call.start, end=call.end)
    body = n.Block([n.Evaluate(stop, start=call.start, end=call.end)], start=call.start, end=call.end)
    return n.If(n.Unary("!", condition, start=call.start, end=call.end), body, None, start=call.start, end=call.end)


def turbofished(expression: n.Expr, types: list[Type]) -> n.Expr:
    """`.collect::<String>()`, `.parse::<f64>()`: a method by the type that it is to give."""
    if isinstance(expression, n.Member) and types:
        wanted = types[0].name
        words = {
            ("collect", "String"): "join",
            ("parse", "Float"): "to_float",
            ("collect", "Result"): "all_results",
            ("collect", "Option"): "sequence",
        }
        expression.name = words.get((expression.name, wanted), expression.name)
    return expression
