"""The types of calls: of the program's functions, of builtins with their variable, of function values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.database.caches import cached
from analysis.semantics import ty
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.declarations import FunctionFact
from analysis.semantics.infer.result import Access, BadCall, Role, Want
from analysis.semantics.infer.scope_types import (
    builtin_signature,
    instantiated,
    is_generic,
    is_variable,
    read_plain,
    value_of_variable,
)
from analysis.semantics.tool_names import Meant
from analysis.semantics.tools.call_syntax import METHOD, is_path, method_of
from analysis.semantics.tools.modules import RESULT, shown_name
from analysis.semantics.ty import FLOAT, NEVER, UNKNOWN, Ty
from analysis.syntax.tree import Call, Expr, FieldAccess, IntLiteral, Name, NoneLiteral

if TYPE_CHECKING:
    from analysis.semantics.infer.inferring import Engine


_TOLERANT = frozenset(("__builtin_debug_msg", "__builtin_guard"))
"""Builtins that take an argument of any type, whatever is declared."""
_FEW = 20
_SHORT = 15
"""Parameters of a signature, and characters of their types, up to which it is certain to have a type: `ty.MAX_SIZE`."""


def call(engine: Engine, node: Call, want: Want | None, used: bool) -> Ty:
    """The type of a call, its arguments checked."""
    callee = node.callee
    if not isinstance(callee, Name):
        method = method_of(node)
        if method is not None and (result := _of_method(engine, method)) is not None:
            return result
        return _of_value(engine, node, engine.synth(callee))
    if is_path(callee.name):
        return of_tool(engine, node, callee.name)
    held = engine.local(callee.start)
    if held is not None:
        engine.out.note(callee, held)
        return _of_value(engine, node, held)
    if engine.scope.function(callee.name) is not None:
        return _of_function(engine, node, callee.name)
    builtin = BUILTINS.get(callee.name)
    if builtin is None or builtin.arity != len(node.arguments):
        return _unknown(engine, node)
    return _of_builtin(engine, node, callee.name, want)


def _unknown(engine: Engine, node: Call) -> Ty:
    for argument in node.arguments:
        engine.synth(argument)
    return UNKNOWN


def _of_value(engine: Engine, node: Call, held: Ty) -> Ty:
    if held.head != "Fn":
        if held.is_known:
            engine.out.bad_calls.append(BadCall(node, held))
        return _unknown(engine, node)
    *parameters, result = held.arguments
    if len(parameters) != len(node.arguments):
        engine.out.bad_calls.append(BadCall(node, held))
    name = node.callee.name if isinstance(node.callee, Name) else ""
    for number, argument in enumerate(node.arguments, 1):
        wanted = parameters[number - 1] if number <= len(parameters) else UNKNOWN
        engine.check(argument, Want(wanted, Role.ARGUMENT, name, "", number))
    return result


def of_tool(engine: Engine, node: Call, name: str) -> Ty:
    """The result of a call of a tool, its arguments checked. Their number is left to a rule."""
    tool = engine.scope.tool(name)
    fact = tool.fact if tool is not None else None
    for number, argument in enumerate(node.arguments):
        parameter = fact.parameters[number] if fact is not None and number < len(fact.parameters) else None
        wanted = engine.scope.read(parameter.type) if parameter is not None else UNKNOWN
        may_be_none = parameter is not None and (parameter.is_nullable or not parameter.is_required)
        left_out = may_be_none and isinstance(argument, NoneLiteral)
        if parameter is None or left_out or (wanted is FLOAT and isinstance(argument, IntLiteral)):
            engine.synth(argument)
        else:
            engine.check(argument, Want(wanted, Role.ARGUMENT, name, shown_name(parameter.name), number + 1))
    if fact is not None:
        return engine.scope.read(fact.result)
    return engine.scope.read(RESULT) if tool is not None and tool.meant is Meant.UNSEEN else UNKNOWN


def _of_method(engine: Engine, callee: FieldAccess) -> Ty | None:
    """The result of a call of a method of `McpResult`; None if it is a call of a field's value."""
    tool = engine.scope.tool(METHOD + callee.name)
    if tool is None or tool.method is None:
        return None
    held = engine.synth(callee.object)
    if held.is_known and held is not engine.scope.read(RESULT):
        engine.out.accesses.append(Access(callee, held))
        return UNKNOWN
    engine.out.owners[callee.at] = engine.scope.read(RESULT)
    return engine.scope.read(tool.method.result)


def _of_function(engine: Engine, node: Call, name: str) -> Ty:
    held, fact = engine.scope.signature(name), engine.scope.function(name)
    if held is None or fact is None:
        return _unknown(engine, node)
    if isinstance(node.callee, Name):
        engine.out.note(node.callee, held)
    if not held.arguments:
        # A signature with too many parts has no type.
        for argument in node.arguments:
            engine.synth(argument)
        return UNKNOWN
    *wanted, result = held.arguments
    if len(wanted) != len(node.arguments) and engine.in_contract:
        engine.out.bad_calls.append(BadCall(node, held))
    for number, argument in enumerate(node.arguments):
        if number < len(wanted):
            part = fact.parameters[number][0]
            engine.check_evident(argument, Want(wanted[number], Role.ARGUMENT, name, part, number + 1))
        else:
            engine.synth(argument)
    return result


@cached(1_024)
def seen_by_calls(fact: FunctionFact, most: int, is_plain: bool) -> tuple[object, ...] | None:
    """What `_of_function` reads of a signature for calls with at most so many arguments; None if it may read all of it.

    Names of parameters are left out: `Want.part` holds them, and only who tells of a mismatch reads it. `is_plain`: no name in
    scope is known to be a type of the program (`scope_types.is_plain`), so that all unknown types are the same one.
    """
    kinds = [kind for _, kind in fact.parameters]
    if fact.broken or len(kinds) > _FEW or any(len(kind) > _SHORT for kind in (*kinds, fact.result or "")):
        return None
    seen = (fact.result, *kinds[:most])
    return (fact.result is None, *[read_plain(kind or "") for kind in seen]) if is_plain else seen


def _of_builtin(engine: Engine, node: Call, name: str, want: Want | None) -> Ty:
    *declared, result = builtin_signature(name).arguments
    parts = BUILTINS[name].parameters
    value = NEVER
    fails = False
    for number, (argument, kind) in enumerate(zip(node.arguments, declared, strict=True)):
        if is_variable(kind):
            continue
        wanted = instantiated(kind, UNKNOWN)
        given = engine.check(argument, Want(wanted, Role.ARGUMENT, name, parts[number][0], number + 1))
        fails = fails or _is_of_another_kind(engine, argument)
        if is_generic(kind):
            value = engine.join(value, value_of_variable(kind, given))
    for number, (argument, kind) in enumerate(zip(node.arguments, declared, strict=True)):
        if is_variable(kind):
            value = engine.join(value, _variable(engine, argument, _wanted_value(want, result, value), name, number + 1))
    if fails and name not in _TOLERANT and not BUILTINS[name].capability:
        engine.failures += 1
    return instantiated(result, value)


def _is_of_another_kind(engine: Engine, argument: Expr) -> bool:
    """True if an argument was refused for its outermost type: the builtin ends the run."""
    last = engine.out.mismatches[-1:]
    return bool(last) and last[0].node is argument and last[0].given.head != last[0].want.type.head


def _variable(engine: Engine, argument: Expr, wanted: Ty, name: str, number: int) -> Ty:
    """An argument of any type, which the list or map that the call makes has a type for."""
    part = BUILTINS[name].parameters[number - 1][0]
    return engine.check(argument, Want(wanted, Role.ARGUMENT, name, part, number))


def _wanted_value(want: Want | None, result: Ty, value: Ty) -> Ty:
    """Type that the variable must stand for so that the call's value is the wanted one."""
    if want is None or not is_generic(result) or want.type.head != result.head:
        return want.type if want is not None and is_variable(result) and value is NEVER else UNKNOWN
    wanted = value_of_variable(result, want.type)
    return wanted if ty.fits(value, wanted) else UNKNOWN
