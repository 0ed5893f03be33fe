"""Interfaces and abstract classes with the classes that implement them, as an enum with functions that match on it."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import bound_names, replace_below, root_of, walk

SIGNATURE: Final = "the types of a function"
"""The type of what stands for a signature without a body."""
_FAILING: Final = "this method is not of this variant"


@dataclass
class Member:
    """A class with its base, its fields in order and its methods; `item` stands where it was declared."""

    name: str
    base: str
    fields: dict[str, Type]
    functions: list[n.Function]
    item: n.Item


@dataclass
class Families:
    """Base classes, with their own methods, and members that a program declares."""

    bases: dict[str, list[n.Function]] = field(default_factory=dict)
    items: dict[str, n.Item] = field(default_factory=dict)
    members: list[Member] = field(default_factory=list)


def joined_families(items: list[n.Item], families: Families) -> list[n.Item]:
    """The items with each family as an enum in the place of its base, and its functions in that of its last member."""
    if not families.members:
        return items
    owners = {each.name: each for each in families.members}
    replaced: dict[int, list[n.Item]] = {}
    for base, defaults in families.bases.items():
        members = [each for each in families.members if each.base == base]
        place = families.items[base]
        if not members:
            continue
        _add_accessors(members, items)
        variants = [n.Variant(each.name, list(each.fields.values()), list(each.fields)) for each in members]
        enum = n.Enum(base, variants, start=place.start, end=place.end)
        replaced[id(place)] = [enum]
        functions = _functions(base, defaults, members)
        last = members[-1].item
        for each in members:
            if each.item is not place:
                replaced[id(each.item)] = [n.Alias(each.name, Type(base), start=each.item.start, end=each.item.end)]
        for function in functions:
            function.start, function.end = last.start, last.end
        whole = n.Implementation(base, functions, start=last.start, end=last.end)
        if last is place:
            whole.start = whole.end = place.end
            replaced[id(place)] = [enum, whole]
        else:
            replaced[id(last)] = [whole]
        items = [*items, *(n.Alias(each.name, Type(base)) for each in members)]
    joined = [part for item in items for part in replaced.get(id(item), [item])]
    for item in joined:
        if not isinstance(item, n.Verbatim):
            _as_variants(item, owners)
    return joined


def _add_accessors(members: list[Member], items: list[n.Item]) -> None:
    """Methods for the fields that all members have and that are called, as those of records of Java are: `v.plate()`."""
    called = {
        node.function.name
        for part in (*items, *(function for member in members for function in member.functions))
        for node in walk(part)
        if isinstance(node, n.Call) and isinstance(node.function, n.Member) and not node.arguments
    }
    methods = {function.name for member in members for function in member.functions}
    for name, kind in members[0].fields.items():
        if name not in called or name in methods or any(name not in member.fields for member in members):
            continue
        for member in members:
            at = member.item.end
            own = n.Name("self", start=at, end=at)
            value = n.Evaluate(n.Member(own, name, start=at, end=at), start=at, end=at)
            self_part = n.Parameter("self", Type(member.name), start=at, end=at)
            member.functions.append(n.Function(name, [self_part], kind, n.Block([value], start=at, end=at), start=at, end=at))


def _functions(base: str, defaults: list[n.Function], members: list[Member]) -> list[n.Function]:
    """A function for each method, with an arm for each member that has it."""
    names = dict.fromkeys([each.name for member in members for each in member.functions] + [each.name for each in defaults])
    functions: list[n.Function] = []
    for name in names:
        own = [(member, each) for member in members for each in member.functions if each.name == name]
        default = next((each for each in defaults if each.name == name), None)
        first = own[0][1] if own else default
        assert first is not None
        parameters = [part for part in first.parameters if part.name != "self"]
        arms = [_arm(base, member, function, parameters) for member, function in own]
        if len(own) < len(members):
            rest = (
                default.body if default is not None else n.Block([n.Evaluate(n.Call(n.Name("panic"), [n.Argument(_failure())]))])
            )
            arms.append(n.Arm(n.Wildcard(), None, deepcopy(rest), start=first.start, end=first.end))
        own_self = n.Parameter("self", Type(base), start=first.start, end=first.start)
        match = n.Match(n.Name("self", start=first.start, end=first.start), arms, start=first.start, end=first.end)
        body = n.Block([n.Evaluate(match, start=first.start, end=first.end)], start=first.start, end=first.end)
        result = first.result or next((each.result for _, each in own if each.result is not None), None)
        functions.append(n.Function(name, [own_self, *parameters], result, body))
    return functions


def _failure() -> n.Expr:
    return n.Literal("string", f'"{_FAILING}"')


def _arm(base: str, member: Member, function: n.Function, parameters: list[n.Parameter]) -> n.Arm:
    body = function.body
    if any(isinstance(node, n.Assign) and root_of(node.target) == "self" for node in walk(body)):
        raise Untranslatable("an object of a family that changes", function.start)
    taken = {part.name for part in function.parameters} | _bound(body)
    named = _with_names(body, "self", member.fields, taken)
    own = [part for part in function.parameters if part.name != "self"]
    for given, wanted in zip(own, parameters, strict=False):
        if given.name != wanted.name:
            body.statements.insert(0, n.Let(n.Binding(given.name), None, n.Name(wanted.name), start=body.start, end=body.start))
    pattern = n.VariantPattern(base, member.name, named=named) if named else n.VariantPattern(base, member.name)
    return n.Arm(pattern, None, body, start=body.start, end=body.end)


def _bound(node: n.Node) -> set[str]:
    return {name for part in walk(node) if isinstance(part, n.Pattern) for name in bound_names(part)}


def _with_names(node: n.Node, owner: str, fields: dict[str, Type], taken: set[str]) -> dict[str, n.Pattern]:
    """Fields of a value as names that a pattern binds, each where it is used."""
    used: dict[str, n.Pattern] = {}
    named: dict[int, n.Name] = {}

    def change(part: n.Node) -> n.Node:
        if isinstance(part, n.Call) and not part.arguments and id(part.function) in named:
            # `circle.r()`: a field is asked for as a method is.
            return part.function
        inner = part.function if isinstance(part, n.Call) and not part.arguments else part
        if not isinstance(inner, n.Member) or not isinstance(inner.object, n.Name) or inner.object.name != owner:
            return part
        name = inner.name if inner.name in fields else _getter(inner.name, fields) if inner is not part else ""
        if name not in fields:
            return part
        local = name if name not in taken else f"own_{name}"
        used[name] = n.Binding(local)
        bound = n.Name(local, start=part.start, end=part.end)
        named[id(bound)] = bound
        return bound

    replace_below(node, change)
    return used


def _getter(name: str, fields: dict[str, Type]) -> str:
    """`getRadius` → `radius`."""
    field_name = name[3:4].lower() + name[4:] if name.startswith("get") else name
    return field_name if field_name in fields else ""


def _as_variants(item: n.Item, owners: dict[str, Member]) -> None:
    """Records of members as variants, and what arms bind of a member as its fields."""

    def change(node: n.Node) -> n.Node:
        if isinstance(node, n.RecordOf) and node.name in owners and node.base is None:
            return n.VariantRecord(owners[node.name].base, node.name, node.fields, start=node.start, end=node.end)
        if isinstance(node, n.Name) and node.name in owners and not owners[node.name].fields:
            return n.Path(owners[node.name].base, node.name, start=node.start, end=node.end)
        if isinstance(node, n.Match):
            for arm in node.arms:
                _settle_arm(node.value, arm, owners)
        if isinstance(node, n.If):
            _settle_test(node, owners)
        return node

    replace_below(item, change)


def _settle_test(node: n.If, owners: dict[str, Member]) -> None:
    """`if e instanceof Circle c && c.r > 1 { … }`: what is asked of the member behind the test, as its fields."""
    tests = [node.condition]
    while isinstance(tests[0], n.Binary) and tests[0].operator == "&&":
        tests[:1] = [tests[0].left, tests[0].right]
    first, *rest = tests
    if not isinstance(first, n.LetCondition):
        return
    held = n.TupleOf([*rest, node.then], start=node.start, end=node.end)
    arm = n.Arm(first.pattern, None, held, start=node.start, end=node.end)
    _settle_arm(first.value, arm, owners)
    first.pattern = arm.pattern
    *rest, then = held.items
    assert isinstance(then, n.Block)
    condition: n.Expr = first
    for each in rest:
        condition = n.Binary("&&", condition, each, start=node.condition.start, end=node.condition.end)
    node.condition, node.then = condition, then


def _settle_arm(value: n.Expr, arm: n.Arm, owners: dict[str, Member]) -> None:
    pattern = arm.pattern
    if not isinstance(pattern, n.VariantPattern) or pattern.name not in owners or pattern.named is not None:
        return
    member = owners[pattern.name]
    pattern.owner = member.base
    if not pattern.items and isinstance(value, n.Name):
        owner = value.name
    elif len(pattern.items) == 1 and isinstance(pattern.items[0], n.Binding) and _asks(arm, pattern.items[0].name):
        owner = pattern.items[0].name
        pattern.items = []
    else:
        return
    holder = n.Block([n.Evaluate(arm.body)], start=arm.start, end=arm.end)
    taken = _bound(holder) - {owner}
    named = _with_names(holder, owner, member.fields, taken)
    last = holder.statements[0]
    assert isinstance(last, n.Evaluate)
    arm.body = last.value
    pattern.named = named or None


def _asks(arm: n.Arm, name: str) -> bool:
    """True if an arm asks for parts of what it binds."""
    return any(
        isinstance(part, n.Member) and isinstance(part.object, n.Name) and part.object.name == name for part in walk(arm.body)
    )


def absorbed(items: list[n.Item], text: str) -> list[n.Item]:
    """The items with those that others stand for as parts of these: cases of a family, a signature before its function."""
    rest: list[n.Item] = []
    for item in items:
        last = rest[-1] if rest else None
        is_next = last is not None and not text[last.end : item.start].strip()
        if last is not None and is_next and isinstance(last, n.Enum) and _is_part(item, last.name):
            last.end = max(last.end, item.end)
            continue
        if is_next and isinstance(last, n.Alias) and last.type.name == SIGNATURE and not isinstance(item, (n.Verbatim, n.Alias)):
            item.start = last.start
            rest.pop()
        rest.append(item)
    return rest


def _is_part(item: n.Item, enum: str) -> bool:
    """True if an item is a case of an enum, with nothing of its own."""
    if isinstance(item, n.Implementation):
        return item.owner == enum and not item.functions
    return isinstance(item, n.Alias) and item.type.name == enum and item.name != ""
