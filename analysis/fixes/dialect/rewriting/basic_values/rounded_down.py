"""Divisions that round down: `//` and `%` of Python and Lua, `/` and `%` of Ruby, `Math.floor(a / b)`. Those of `.ax` do not.

Both ways give the same unless a number is negative. So what may be negative is followed by name through the whole program; only
where an operand may be, the operation that rounds down is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.habits import is_in_frame, is_marked
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import bound_names, replace_below, walk

_HABITS: Final = frozenset(("python", "ruby", "lua"))
_NEGATIVE_TEXT: Final = re.compile(r'["\' ,;:=]-[0-9]')
_NEVER: Final = frozenset(
    "abs len length size count list_len string_length string_len map_len ord int_abs fabs indexOf find_index rand hash".split()
)
"""Functions and methods whose result is not negative."""
_PARSING: Final = ("int", "to_int", "parse_int", "parseInt", "tonumber", "to_i", "string_to_int")
"""Functions and methods whose result is negative if a text of the program holds a negative number."""
_ROUNDS: Final = 30


def settle_rounding(items: list[n.Item], habit: str, text: str) -> tuple[int, ...]:
    """Puts `floor_div` and `mod` where a division of the program rounds down and may meet a negative number.

    Gives the places of those that are doubtful: in functions that begin as those of `.ax` do, `%` may be its own operator.
    """
    if "-" not in text or not ("/" in text or "%" in text or "÷" in text):
        return ()
    has_frame, doubtful = is_in_frame(text), list[int]()
    # A word or two of another language are a slip.
    habit = "" if has_frame and habit in _HABITS and not is_marked(text, habit) else habit
    signs = _Signs(items, _NEGATIVE_TEXT.search(text) is not None)
    remainders: dict[int, n.Binary] = {}

    def divided(node: n.Binary) -> n.Expr:
        between = node.written or text[node.left.end : node.right.start]
        # `//` rounds down in every language that has it.
        rounds_down = "//" in between or (habit in _HABITS and (node.operator == "%" or habit == "ruby"))
        if not rounds_down or node.operator not in between or _is_fraction(node):
            return node
        rounded = _rounded(node, signs)
        if node.operator == "%" and rounded is not node:
            remainders[id(rounded)] = node
        if rounded is not node and has_frame and "//" not in between:
            doubtful.append(node.start)
        return rounded

    def change(node: n.Node) -> n.Node:
        if isinstance(node, n.Call):
            return _floored(node, signs)
        if isinstance(node, n.Assign) and node.operator in ("/", "%"):
            # `n //= 2` is `n = n // 2`.
            whole = n.Binary(node.operator, deepcopy(node.target), node.value, text[node.target.end : node.value.start])
            whole.start, whole.end = node.target.start, node.value.end
            rounded = divided(whole)
            if rounded is not whole:
                node.operator, node.value = "", rounded
        elif isinstance(node, n.Binary):
            if node.operator in ("==", "!=") and id(node.left) in remainders and _is_zero(node.right):
                # Whether nothing is left does not depend on the rounding.
                node.left = remainders[id(node.left)]
            if node.operator in ("/", "%"):
                return divided(node)
        return node

    for item in items:
        if not isinstance(item, n.Verbatim):
            replace_below(item, change)
    return tuple(doubtful)


def _floored(call: n.Call, signs: _Signs) -> n.Node:
    """`Math.floor(a / b)` as a division that rounds down; another call as it is."""
    function = call.function
    is_floor = isinstance(function, n.Member) and function.name == "floor" and isinstance(function.object, n.Name)
    if not is_floor or len(call.arguments) != 1:
        return call
    quotient = call.arguments[0].value
    if (
        not isinstance(quotient, n.Binary)
        or quotient.operator != "/"
        or _is_fraction(quotient.left)
        or _is_fraction(quotient.right)
    ):
        return call
    rounded = _rounded(quotient, signs)
    return call if rounded is quotient else rounded


def _rounded(node: n.Binary, signs: _Signs) -> n.Expr:
    if not (signs.may_be_negative(node.left) or signs.may_be_negative(node.right)):
        return node
    name = "floor_div" if node.operator == "/" else "mod"
    start, end = node.start, node.end
    return n.Call(n.Member(node.left, name, start=start, end=end), [n.Argument(node.right)], start=start, end=end)


def _is_zero(node: n.Expr) -> bool:
    return isinstance(node, n.Literal) and node.text == "0"


def _is_fraction(node: n.Expr) -> bool:
    """True if a value holds a number with a point: neither operation is one of Ints."""
    return any(
        (isinstance(each, n.Literal) and each.kind in ("float", "string")) or isinstance(each, n.Interpolated)
        for each in walk(node)
    )


class _Signs:
    """The names of variables, parameters, fields and functions that may hold or give a negative number."""

    def __init__(self, items: list[n.Item], in_texts: bool) -> None:
        self._names = set(_PARSING) if in_texts else set()
        functions = self._functions = {each.name: each for item in items for each in _functions(item)}
        flows = list(_flows(items, functions))
        for _ in range(_ROUNDS):
            earlier = len(self._names)
            self._names |= {name for name, value in flows if name not in self._names and self.may_be_negative(value)}
            if len(self._names) == earlier:
                break

    def may_be_negative(self, node: n.Expr | None) -> bool:
        """True if a value may be a negative number, or hold one."""
        match node:
            case n.Unary(operator="-"):
                return True
            case n.Binary(operator=operator, left=left, right=right):
                if operator == "-":
                    return True
                return operator in ("+", "*", "/", "%", "::", "++", "??") and (
                    self.may_be_negative(left) or self.may_be_negative(right)
                )
            case n.Name(name=name):
                return name in self._names
            case n.Member(object=value, name=name):
                return name in self._names or (name not in _NEVER and self.may_be_negative(value))
            case n.Index(object=value) | n.Slice(object=value) | n.Try(value=value):
                return self.may_be_negative(value)
            case n.Call(function=function, arguments=arguments):
                name = function.name if isinstance(function, (n.Name, n.Member)) else ""
                if name in _NEVER:
                    return False
                if name in self._names:
                    return True
                is_method = isinstance(function, n.Member) and self.may_be_negative(function.object)
                is_own = name in self._functions
                return is_method or (not is_own and any(self.may_be_negative(each.value) for each in arguments))
            case n.ListOf(items=parts) | n.TupleOf(items=parts):
                return any(map(self.may_be_negative, parts))
            case n.If(then=then, otherwise=otherwise):
                return self.may_be_negative(then) or self.may_be_negative(otherwise)
            case n.Match(arms=arms):
                return any(self.may_be_negative(arm.body) for arm in arms)
            case n.Block(statements=[*_, n.Evaluate(value=value)]):
                return self.may_be_negative(value)
        return False


def _functions(item: n.Item) -> Iterable[n.Function]:
    if isinstance(item, n.Function):
        return (item,)
    return item.functions if isinstance(item, n.Implementation) else ()


def _constructors(items: list[n.Item]) -> dict[str, list[str]]:
    """What the constructors of classes and records are given, in order."""
    parameters = {item.name: list(item.fields) for item in items if isinstance(item, n.Record)}
    for item in items:
        constructor = (
            next((each for each in item.functions if each.name == "new"), None) if isinstance(item, n.Implementation) else None
        )
        if constructor is not None and isinstance(item, n.Implementation):
            parameters[item.owner] = [part.name for part in constructor.parameters]
    return parameters


def _flows(items: list[n.Item], functions: dict[str, n.Function]) -> Iterator[tuple[str, n.Expr]]:
    """Names with values that come to them: of variables, fields, parameters, results of functions."""
    constructors = _constructors(items)
    for item in items:
        inside = item.name if isinstance(item, n.Function) else ""
        for node in walk(item):
            match node:
                case n.Let(pattern=n.Binding(name=name), value=n.Expr() as value):
                    yield name, value
                case n.Let(pattern=n.TuplePattern(items=parts), value=n.TupleOf(items=values)) if len(parts) == len(values):
                    yield from ((name, value) for part, value in zip(parts, values, strict=True) for name in bound_names(part))
                case n.Let(pattern=n.TuplePattern() as pattern, value=n.Expr() as value):
                    yield from ((name, value) for name in bound_names(pattern))
                case n.Assign(target=n.TupleOf(items=places), value=n.TupleOf(items=values)):
                    for place, value in zip(places, values, strict=False):
                        if isinstance(place, (n.Name, n.Member)):
                            yield place.name, value
                case n.Assign(target=n.Name(name=name) | n.Member(name=name), operator=operator, value=value):
                    if operator != "-" and not _counts_down(name, value):
                        yield name, value
                case n.For(pattern=pattern, source=source) | n.Comprehension(pattern=pattern, source=source):
                    yield from ((name, source) for name in bound_names(pattern))
                case n.Call(function=n.Member(object=value), arguments=[n.Argument(value=n.Lambda(parameters=parameters)), *_]):
                    yield from ((name, value) for each in parameters for name in bound_names(each))
                case n.RecordOf(fields=fields):
                    yield from fields.items()
                case n.Call(function=n.Name(name=name), arguments=arguments) if name in functions:
                    for parameter, argument in zip(functions[name].parameters, arguments, strict=False):
                        if name != inside or not isinstance(argument.value, n.Binary):
                            yield argument.name or parameter.name, argument.value
                case n.Call(function=n.Name(name=name), arguments=arguments) if name in constructors:
                    for word, argument in zip(constructors[name], arguments, strict=False):
                        yield argument.name or word, argument.value
                case n.Call(function=n.Member(name=name), arguments=arguments) if name in functions:
                    own = [part.name for part in functions[name].parameters if part.name != "self"]
                    for word, argument in zip(own, arguments, strict=False):
                        yield argument.name or word, argument.value
                case n.Jump(kind="return", value=n.Expr() as value) if inside:
                    yield inside, value
        for function in _functions(item):
            match function.body.statements:
                case [*_, n.Evaluate(value=value)]:
                    yield function.name, value


def _counts_down(name: str, value: n.Expr) -> bool:
    """True for `x = x - 1`: what counts down mostly ends at zero."""
    return isinstance(value, n.Binary) and value.operator == "-" and isinstance(value.left, n.Name) and value.left.name == name
