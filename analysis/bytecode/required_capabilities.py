"""Capabilities needed by the functions of a module (chapter 06 of the spec, section 11): reads code, runs nothing."""

from __future__ import annotations

from analysis.bytecode.module import CAPABILITIES, CAPABILITY_BY_ENUM_NAME, FunctionCode, Module
from analysis.data_classes import dataclass


@dataclass(frozen=True, slots=True)
class Needs:
    """Capabilities that a function declares (in its order) and needs, by canonical names; the other lists are in the order of
    ids.

    `over_declared`: declared, never used. `missing`: used by what the function calls or spawns, but not declared by it.
    """

    function: str
    declared: tuple[str, ...]
    needed: tuple[str, ...]
    over_declared: tuple[str, ...]
    missing: tuple[str, ...]


def needs(module: Module) -> list[Needs]:
    """For every function, in order."""
    direct = [_direct(function) for function in module.functions]
    return [_needs(module, direct, number) for number in range(len(module.functions))]


def _direct(function: FunctionCode) -> tuple[set[int], set[int]]:
    """Ids of the capabilities that a function's own code asks for, and numbers of the functions that it calls or spawns."""
    asked = {op[1] for op in function.code if op[0] == "CapCall"}
    reached = {op[1] for op in function.code if op[0] in ("Call", "SpawnActor")}
    return asked, reached


def _needs(module: Module, direct: list[tuple[set[int], set[int]]], number: int) -> Needs:
    needed: set[int] = set()
    seen = {number}
    todo = [number]
    while todo:
        asked, reached = direct[todo.pop()]
        needed |= asked
        for other in reached - seen:
            seen.add(other)
            if other < len(direct):
                todo.append(other)
    function = module.functions[number]
    declared = {CAPABILITY_BY_ENUM_NAME[name].id for name in function.capabilities}
    return Needs(
        function.name,
        tuple([CAPABILITY_BY_ENUM_NAME[name].name for name in function.capabilities]),
        _names(needed),
        _names(declared - needed),
        _names(needed - declared),
    )


def _names(ids: set[int]) -> tuple[str, ...]:
    return tuple([CAPABILITIES[id].name if id < len(CAPABILITIES) else f"unknown {id}" for id in sorted(ids)])
