"""Questions of which class a value is, of classes that are one record with the class's name in it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import replace_below, walk

_TAG: Final = "class_name"
_ASKING: Final = ("is_a", "kind_of", "instance_of", "isKindOf")
Tests = Mapping[str, tuple[str, list[str], bool, list[str]]]
"""By the name of a class that of its record, the classes whose values it has, whether records tell their class, its fields."""


def settle_tests(item: n.Item, tests: Tests) -> None:
    """Writes the tests in an item as comparisons of names."""

    def change(node: n.Node) -> n.Node:
        match node:
            case n.If() | n.While():
                _settle_condition(node, tests)
            case n.Match():
                return _matched(node, tests)
            case n.Call():
                return _called(node, tests)
            case n.Cast() if node.target.name in tests:
                return node.value
        return _class_name(node, tests)

    replace_below(item, change)
    replace_below(item, lambda node: _test_of(node, tests) if isinstance(node, n.LetCondition) else node)


def _named(pattern: n.Pattern, tests: Tests) -> n.VariantPattern | None:
    return pattern if isinstance(pattern, n.VariantPattern) and pattern.name in tests else None


def is_of(value: n.Expr, name: str, tests: Tests) -> n.Expr:
    """A comparison that is true for the values of a class."""
    _, below, has_tag, _ = tests[name]
    start, end = value.start, value.end
    if not has_tag:
        return n.Literal("bool", "true", start=start, end=end)
    test: n.Expr | None = None
    for each in below:
        tag = n.Member(deepcopy(value), _TAG, start=start, end=end)
        one: n.Expr = n.Binary("==", tag, n.Literal("string", f'"{each}"', start=end, end=end), start=start, end=end)
        test = one if test is None else n.Binary("||", test, one, start=start, end=end)
    return test or n.Literal("bool", "false", start=start, end=end)


def _test_of(node: n.LetCondition, tests: Tests) -> n.Expr:
    pattern = _named(node.pattern, tests)
    return node if pattern is None or pattern.named else is_of(node.value, pattern.name, tests)


def _settle_condition(node: n.If | n.While, tests: Tests) -> None:
    """`if (a instanceof Dog d && d.age > 1)`: the second name stands for the first value."""
    parts: list[n.Expr] = [node.condition]
    while isinstance(parts[0], n.Binary) and parts[0].operator == "&&":
        parts[:1] = [parts[0].left, parts[0].right]
    body = node.then if isinstance(node, n.If) else node.body
    for at, part in enumerate(parts):
        pattern = _named(part.pattern, tests) if isinstance(part, n.LetCondition) else None
        if pattern is None or not isinstance(part, n.LetCondition) or len(pattern.items) != 1:
            continue
        bound = pattern.items[0]
        if not isinstance(bound, n.Binding) or not isinstance(part.value, (n.Name, n.Member)):
            continue
        for other in (*parts[at + 1 :], body):
            _rename(other, bound.name, part.value)
        pattern.items = []


def _rename(node: n.Node, name: str, value: n.Expr) -> None:
    replace_below(node, lambda part: deepcopy(value) if isinstance(part, n.Name) and part.name == name else part)


def _matched(node: n.Match, tests: Tests) -> n.Expr:
    """A choice between classes, as one between their names."""
    if not any(_named(arm.pattern, tests) for arm in node.arms):
        return node
    if not all(_named(arm.pattern, tests) or isinstance(arm.pattern, (n.Wildcard, n.Binding)) for arm in node.arms):
        return node
    value = node.value
    before: list[n.Statement] = []
    if not isinstance(value, (n.Name, n.Member)):
        before.append(n.Let(n.Binding("chosen_value"), None, value, start=node.start, end=node.start))
        value = n.Name("chosen_value", start=node.start, end=node.start)
    named = [arm.pattern.name for arm in node.arms if isinstance(arm.pattern, n.VariantPattern) and arm.guard is None]
    arms = [_arm(arm, value, tests) for arm in node.arms]
    _complete(arms, {each for name in named for each in tests[name][1]}, tests[named[0]][0] if named else "", tests)
    tag = n.Member(deepcopy(value), _TAG, start=value.start, end=value.end)
    choice: n.Expr = n.Match(tag, arms, start=node.start, end=node.end)
    last = n.Evaluate(choice, start=node.start, end=node.end)
    return n.Block([*before, last], start=node.start, end=node.end) if before else choice


def _complete(arms: list[n.Arm], covered: set[str], record: str, tests: Tests) -> None:
    """Lets the last arm fit everything else, where the arms name all classes."""
    every = {each for name, below, _, _ in tests.values() if name == record for each in below}
    if every and covered >= every and arms[-1].guard is None:
        arms[-1].pattern = n.Wildcard(start=arms[-1].start, end=arms[-1].start)


def _arm(arm: n.Arm, value: n.Expr, tests: Tests) -> n.Arm:
    pattern = arm.pattern
    if isinstance(pattern, n.Binding) and pattern.name in tests:
        pattern = n.VariantPattern("", pattern.name)
    if isinstance(pattern, n.Binding):
        _rename_arm(arm, pattern.name, value)
        return n.Arm(n.Wildcard(start=arm.start, end=arm.start), arm.guard, arm.body, start=arm.start, end=arm.end)
    if not isinstance(pattern, n.VariantPattern):
        return arm
    lets: list[n.Statement] = []
    lets += [_part(part, value, name, arm) for name, part in (pattern.named or {}).items()]
    only = pattern.items[0] if len(pattern.items) == 1 else None
    fields = tests[pattern.name][3]
    is_whole = isinstance(only, n.Binding) and (not fields or _asks_parts(arm, only.name))
    if isinstance(only, n.Binding) and is_whole:
        _rename_arm(arm, only.name, value)
    elif pattern.items:
        if len(pattern.items) > len(fields):
            raise Untranslatable("a pattern with the fields of its class", arm.start)
        lets += [_part(part, value, name, arm) for name, part in zip(fields, pattern.items, strict=False)]
    names: list[n.Pattern] = [
        n.LiteralPattern(n.Literal("string", f'"{each}"', start=arm.start, end=arm.start), start=arm.start, end=arm.start)
        for each in tests[pattern.name][1]
    ]
    if lets:
        last = n.Evaluate(arm.body, start=arm.start, end=arm.end)
        arm.body = n.Block([*lets, last], start=arm.start, end=arm.end)
    one = names[0] if len(names) == 1 else n.OrPattern(names, start=arm.start, end=arm.start)
    return n.Arm(one, arm.guard, arm.body, start=arm.start, end=arm.end)


def _part(part: n.Pattern, value: n.Expr, name: str, arm: n.Arm) -> n.Let:
    if not isinstance(part, (n.Binding, n.Wildcard)) or (isinstance(part, n.Binding) and part.inner is not None) or arm.guard:
        raise Untranslatable("a pattern of names for the fields of a class", arm.start)
    return n.Let(part, None, n.Member(deepcopy(value), name), start=arm.start, end=arm.start)


def _asks_parts(arm: n.Arm, name: str) -> bool:
    """True if an arm asks for parts of what it binds: that is the object."""
    return any(
        isinstance(node, n.Member) and isinstance(node.object, n.Name) and node.object.name == name for node in walk(arm.body)
    )


def _rename_arm(arm: n.Arm, name: str, value: n.Expr) -> None:
    holder = n.TupleOf([arm.body, *([arm.guard] if arm.guard is not None else [])])
    _rename(holder, name, value)
    arm.body = holder.items[0]
    arm.guard = holder.items[1] if arm.guard is not None else None


def _called(node: n.Call, tests: Tests) -> n.Expr:
    """`isinstance(x, Dog)`, `isinstance(x, (Dog, Cat))`, `x.is_a?(Dog)`."""
    values = [each.value for each in node.arguments]
    function = node.function
    if isinstance(function, n.Name) and function.name == "isinstance" and len(values) == 2:
        kinds = values[1].items if isinstance(values[1], n.TupleOf) else [values[1]]
        owner = values[0]
    elif isinstance(function, n.Member) and function.name in _ASKING and len(values) == 1:
        kinds, owner = values, function.object
    else:
        return node
    names = [each.name for each in kinds if isinstance(each, n.Name) and each.name in tests]
    if len(names) != len(kinds) or not names:
        return node
    test = is_of(owner, names[0], tests)
    for name in names[1:]:
        test = n.Binary("||", test, is_of(owner, name, tests), start=node.start, end=node.end)
    return test


def _class_name(node: n.Node, tests: Tests) -> n.Node:
    """`type(x).__name__`, `this.constructor.name`, `x::class.simpleName`, `static::class`: the name of the class."""
    if not any(each[2] for each in tests.values()):
        return node
    match node:
        case n.Member(object=n.Call(function=n.Name(name="type"), arguments=[only]), name="__name__"):
            owner = only.value
        case n.Member(object=n.Member(object=owner, name="__class__"), name="__name__"):
            pass
        case n.Member(object=n.Member(object=owner, name="constructor" | "class" | "runtimeType"), name="name" | "simpleName"):
            pass
        case n.Call(function=n.Member(object=n.Call(function=n.Member(object=owner, name="getClass")), name="getSimpleName")):
            pass
        case n.Member(object=n.Call(function=n.Member(object=owner, name="GetType")), name="Name"):
            pass
        case n.Path(owner="static", name="class"):
            owner = n.Name("self", start=node.start, end=node.end)
        case n.Call(function=n.Name(name="get_class"), arguments=[only]):
            owner = only.value
        case _:
            return node
    return n.Member(owner, _TAG, start=node.start, end=node.end)
