"""Constructors that do more than set fields, as functions that give a record."""

from __future__ import annotations

from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.classes import ClassDeclaration
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import bound_names, own_nodes, replace_below, walk

_STARTING: Final = ("init", "__init__", "initialize", "super", "constructor")


def default_record() -> n.Expr:
    """What fills the fields that a literal leaves out."""
    return n.Call(n.Path("Default", "default"), [])


def making(chain: list[ClassDeclaration]) -> tuple[list[n.Parameter], list[n.Statement]]:
    """The parameters and the steps with which a value of the last class of a chain is made, those of its bases included."""
    own = chain[-1]
    parameters = _parameters(chain)
    named = {part.name for part in parameters}
    given = own.given_fields if own.constructor is not None else named & set(own.fields) if own.header or own.is_data else set()
    steps: list[n.Statement] = [
        _set(part.name, n.Name(part.name, start=own.start, end=own.start), own.start) for part in parameters if part.name in given
    ]
    steps += [step for step in deepcopy(own.steps) if not _is_default_of(step, given)]
    body = deepcopy(own.constructor.body.statements) if own.constructor is not None else []
    place = next((at for at, step in enumerate(body) if _is_base_call(step, chain)), None)
    handed = own.given
    if place is not None:
        step = body.pop(place)
        assert isinstance(step, n.Evaluate)
        assert isinstance(step.value, n.Call)
        handed = step.value.arguments
        handed = handed[1:] if handed and isinstance(handed[0].value, n.Name) and handed[0].value.name == "self" else handed
    if len(chain) < 2:
        return parameters, [*steps, *body]
    base_parameters, base_steps = making(chain[:-1])
    if own.constructor is None and not own.header and own.given is None:
        handed = [n.Argument(n.Name(part.name, start=own.start, end=own.start)) for part in base_parameters]
    inherited = _with_values(base_parameters, base_steps, handed or [], named, own)
    if place is None:
        return parameters, [*inherited, *steps, *body]
    return parameters, [*steps, *body[:place], *inherited, *body[place:]]


def _parameters(chain: list[ClassDeclaration]) -> list[n.Parameter]:
    own = chain[-1]
    if own.constructor is not None:
        return deepcopy(own.constructor.parameters)
    if own.header:
        return deepcopy(own.header)
    held = _fields_given(own) if own.is_data else []
    return [*(_parameters(chain[:-1]) if len(chain) > 1 else []), *held]


def _fields_given(own: ClassDeclaration) -> list[n.Parameter]:
    """The fields as parameters of a record without a constructor; those with a value may be left out."""
    values = {_own_field(step.target): step.value for step in own.steps if isinstance(step, n.Assign)}
    return [
        n.Parameter(name, kind, deepcopy(values.get(name)), start=own.start, end=own.start) for name, kind in own.fields.items()
    ]


def _is_default_of(step: n.Statement, given: set[str]) -> bool:
    """True if a step sets a field that a parameter sets."""
    return isinstance(step, n.Assign) and _own_field(step.target) in given


def _own_field(target: n.Expr) -> str:
    is_own = isinstance(target, n.Member) and isinstance(target.object, n.Name) and target.object.name == "self"
    return target.name if is_own and isinstance(target, n.Member) else ""


def _is_base_call(step: n.Statement, chain: list[ClassDeclaration]) -> bool:
    call = step.value if isinstance(step, n.Evaluate) else None
    if not isinstance(call, n.Call):
        return False
    function = call.function
    if isinstance(function, n.Name):
        return function.name == "super"
    owner = function.object if isinstance(function, n.Member) else None
    if isinstance(owner, n.Call):
        owner = owner.function
    names = {"super", "base", "parent", *(each.name for each in chain[:-1])}
    return isinstance(function, n.Member) and isinstance(owner, n.Name) and owner.name in names and function.name in _STARTING


def _with_values(
    parameters: list[n.Parameter], steps: list[n.Statement], given: list[n.Argument], taken: set[str], own: ClassDeclaration
) -> list[n.Statement]:
    """Steps with arguments for their parameters."""
    values: dict[str, n.Expr] = {each.name: each.value for each in given if each.name}
    plain = [each.value for each in given if not each.name]
    order = [part.name for part in parameters]
    values |= dict(zip(order, plain, strict=False))
    lets: list[n.Statement] = []
    put: dict[str, n.Expr] = {}
    for part in parameters:
        value = values.get(part.name, part.default)
        if value is None:
            raise Untranslatable("a base whose constructor is given all its values", own.start)
        if isinstance(value, (n.Name, n.Literal)):
            put[part.name] = value
            continue
        name = part.name if part.name not in taken else f"base_{part.name}"
        lets.append(n.Let(n.Binding(name), part.type, value, start=own.start, end=own.start))
        put[part.name] = n.Name(name, start=own.start, end=own.start)
    block = n.Block(steps, start=own.start, end=own.start)
    replace_below(block, lambda node: deepcopy(put[node.name]) if isinstance(node, n.Name) and node.name in put else node)
    return [*lets, *block.statements]


def _set(name: str, value: n.Expr, start: int) -> n.Assign:
    own = n.Member(n.Name("self", start=start, end=start), name, start=start, end=start)
    return n.Assign(own, "", value, start=start, end=start)


# ---- as a function ----


def constructor_function(
    name: str, record: str, declaration: ClassDeclaration, parts: tuple[list[n.Parameter], list[n.Statement]],
    fields: dict[str, Type], extra: dict[str, n.Expr],
) -> n.Function:  # fmt: skip
    """The function that makes a record; `extra` are fields that nothing sets."""
    parameters, steps = parts
    block = n.Block(steps, start=declaration.start, end=declaration.end)
    if any(isinstance(node, n.Jump) and node.kind == "return" for node in own_nodes(block)):
        raise Untranslatable("a constructor that does not return early", declaration.start)
    values = plain_values(steps)
    if values is None:
        steps, values = _with_locals(steps, parameters, fields, extra, record, declaration)
    else:
        steps = [step for step in steps if isinstance(step, n.Let)]
    if values:
        literal = _literal(record, {**extra, **values}, fields, declaration)
        steps = [*steps, n.Evaluate(literal, start=declaration.start, end=declaration.end)]
    elif not steps:
        steps = [n.Evaluate(_literal(record, extra, fields, declaration), start=declaration.start, end=declaration.end)]
    body = n.Block(steps, start=declaration.start, end=declaration.end)
    return n.Function(name, parameters, Type(record), body, start=declaration.start, end=declaration.end)


def _literal(record: str, values: dict[str, n.Expr], fields: dict[str, Type], declaration: ClassDeclaration) -> n.RecordOf:
    base = default_record() if any(name not in values for name in fields) else None
    ordered = {name: values[name] for name in fields if name in values}
    return n.RecordOf(record, ordered, base, start=declaration.start, end=declaration.end)


def plain_values(steps: list[n.Statement]) -> dict[str, n.Expr] | None:
    """What each field is set to, where nothing else is done."""
    values: dict[str, n.Expr] = {}
    for step in steps:
        if isinstance(step, n.Let) and not _mentions_self(step):
            continue
        name = _own_field(step.target) if isinstance(step, n.Assign) and not step.operator else ""
        if not name or not isinstance(step, n.Assign) or _mentions_self(step.value):
            return None
        values[name] = _filled(step.value)
    return values


def _filled(value: n.Expr) -> n.Expr:
    """`{}` as the value of a field: a map without entries."""
    is_empty = (isinstance(value, n.Block) and not value.statements) or (isinstance(value, n.Literal) and value.text == "{}")
    return n.MapOf([], start=value.start, end=value.end) if is_empty else value


def _mentions_self(node: n.Node) -> bool:
    return any(isinstance(part, n.Name) and part.name == "self" for part in walk(node))


def _with_locals(
    steps: list[n.Statement], parameters: list[n.Parameter], fields: dict[str, Type], extra: dict[str, n.Expr], record: str,
    declaration: ClassDeclaration,
) -> tuple[list[n.Statement], dict[str, n.Expr]]:  # fmt: skip
    """Steps with a variable for each field, and these variables as the values; from where `self` is used as a whole, with it."""
    taken = {part.name for part in parameters}
    taken |= {name for step in steps for node in walk(step) if isinstance(node, n.Pattern) for name in bound_names(node)}
    local = {name: name if name not in taken else f"own_{name}" for name in fields}

    def change(node: n.Node) -> n.Node:
        name = _own_field(node) if isinstance(node, n.Expr) else ""
        return n.Name(local[name], start=node.start, end=node.end) if name in local else node

    done: list[n.Statement] = []
    assigned: dict[str, n.Expr] = {}
    for at, step in enumerate(steps):
        holder = n.Block([deepcopy(step)], start=step.start, end=step.end)
        replace_below(holder, change)
        if _mentions_self(holder):
            literal = _literal(record, {**extra, **assigned}, fields, declaration)
            begun = n.Let(n.Binding("self"), Type(record), literal, True, start=step.start, end=step.start)
            last = n.Evaluate(
                n.Name("self", start=declaration.end, end=declaration.end), start=declaration.end, end=declaration.end
            )
            return [*done, begun, *steps[at:], last], {}
        name = _own_field(step.target) if isinstance(step, n.Assign) and not step.operator else ""
        changed = holder.statements[0]
        for each in _set_inside(step) - {name} - set(assigned):
            if each in local:
                done.append(n.Let(n.Binding(local[each]), fields[each], None, True, start=step.start, end=step.start))
                assigned[each] = n.Name(local[each], start=declaration.end, end=declaration.end)
        if name in local and name not in assigned:
            assert isinstance(changed, n.Assign)
            value = _filled(changed.value)
            changed = n.Let(n.Binding(local[name]), fields[name], value, True, start=step.start, end=step.end)
            assigned[name] = n.Name(local[name], start=declaration.end, end=declaration.end)
        done.append(changed)
    return done, assigned


def _set_inside(step: n.Statement) -> set[str]:
    return {_own_field(node.target) for node in walk(step) if isinstance(node, n.Assign)} - {""}
