"""W402 for capabilities that a function declares and nothing it reaches asks for; W401 and W403 for those that it lacks.

A function reaches what it calls, spawns or hands on by name, whatever becomes of it there; so
a capability that is reported as unused is unused.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from analysis.database import Database, checkpoint, paced, query
from analysis.diagnostics.diagnostic import Place
from analysis.diagnostics.file_rules.problem import FileContext, Problem
from analysis.diagnostics.rules.capability_names import ALIASES
from analysis.inputs import BLOCK, FILE, FileId, source
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.declarations import TypeFact, file_declarations
from analysis.semantics.environment import environment
from analysis.semantics.imports import imported_files, tools_of
from analysis.semantics.summary import block_reached, block_uses
from analysis.semantics.tool_names import Tools
from analysis.semantics.tools.call_syntax import METHOD, is_path
from analysis.semantics.tools.modules import CAPABILITY
from analysis.syntax.block_answers import of_blocks
from analysis.syntax.tree import Function, Item
from analysis.text.blocks import Block
from analysis.text.edits import Confidence, Edit, Fix, FixKind, Span

_ASKED: Final = frozenset((CAPABILITY, *[builtin.capability for builtin in BUILTINS.values() if builtin.capability]))
"""The capabilities that functions of the language ask for; the others are asked for by statements and by imports."""
CALLS_TOOLS: Final = "mcp::"
"""Stands for all calls of tools among the names that a function reaches."""
_ASKING: Final = frozenset(name for name, builtin in BUILTINS.items() if builtin.capability)
_PURE: Final = frozenset(("init", "update", "view"))
"""Functions of apps, of whose annotations E007 tells."""
Reached = Mapping[str, tuple[str, ...] | None]


def idle_capability_problems(context: FileContext) -> Iterator[Problem]:
    """W402 for the capabilities that nothing asks for, in the order of the functions."""
    if not any(block.has_capabilities for block in context.names):
        return
    db, file = context.db, context.file
    needed: Mapping[str, Mapping[str, str]] | None = None
    uncertain: set[str] = set()
    for chunk, fact in enumerate(paced(context.facts)):
        for number, function in enumerate(fact.functions):
            if not function.capabilities or function.broken or function.name in _PURE:
                continue
            if needed is None:
                reached = _names_reached(db, file)
                needed, uncertain = _needed_capabilities(reached), _uncertain(reached)
            if function.name in uncertain:
                continue
            for name in dict.fromkeys(function.capabilities):
                meant = ALIASES.get(name, name)
                if meant in _ASKED and meant not in needed.get(function.name, {}):
                    place = Place(chunk, "function", number, name)
                    message = f"capability '{name}' is declared and never used"
                    why = f"no function that '{function.name}' calls needs it"
                    yield Problem("W402", place, message, "remove it", why)


@query(subject=BLOCK)
def block_asks(db: Database, texts: Block) -> bool:
    """True if a block names a builtin that needs a capability."""
    return not _ASKING.isdisjoint(block_uses(db, texts))


@query(subject=FILE)
def asks_for_effects(db: Database, file: FileId) -> bool:
    """True if a file, or a file that it imports, can use capabilities."""
    if tools_of(db, file):
        return True
    if any(block_asks(db, texts) for each in imported_files(db, file) for texts in source(db, each).blocks):
        return True
    return any(of_blocks(db, file, block_asks))


@query(subject=FILE)
def file_reached(db: Database, file: FileId) -> Reached:
    """By name of a function, the names that it reaches; None for one that cannot be read whole. Equal after most edits."""
    reached: dict[str, tuple[str, ...] | None] = {}
    for each in (*imported_files(db, file), file):
        own: dict[str, tuple[str, ...] | None] = dict(_unread(db, each))
        for part in _blocks_reached(db, each):
            own.update(part)
        if each != file:
            own.pop("main", None)
        reached |= own
    return reached


@query(subject=FILE)
def _blocks_reached(db: Database, file: FileId) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]:
    """`file_reached` for each block of a file: a keystroke that changes no block leaves the value equal."""
    return tuple(of_blocks(db, file, block_reached))


@query(subject=FILE)
def _unread(db: Database, file: FileId) -> Mapping[str, None]:
    """The names of a file's functions; equal after an edit of a body."""
    return {function.name: None for fact in file_declarations(db, file) for function in fact.functions}


def _names_reached(db: Database, file: FileId) -> Reached:
    """The names that each function reaches, all calls of tools as one name."""
    reached, tools = file_reached(db, file), tools_of(db, file)
    if not tools:
        return reached
    types = environment(db, file).types
    return {name: _with_tools(names, tools, types) for name, names in paced(reached.items())}


def _with_tools(names: tuple[str, ...] | None, tools: Tools, types: Mapping[str, TypeFact]) -> tuple[str, ...] | None:
    """The names that a function reaches, all calls of tools as one."""
    if not names or not any(map(_is_tool, names)):
        return names
    calls = any(_is_tool(name) and (tool := tools.find(name, types, {})) is not None and tool.method is None for name in names)
    others = [name for name in names if not _is_tool(name)]
    return (*others, CALLS_TOOLS) if calls else tuple(others)


def _is_tool(name: str) -> bool:
    return is_path(name) or name.startswith(METHOD)


def _callers(reached: Reached) -> Mapping[str, list[str]]:
    """By function, those that call it."""
    callers: defaultdict[str, list[str]] = defaultdict(list)
    for name, others in paced(reached.items()):
        for other in others or ():
            if other in reached:
                callers[other].append(name)
    return callers


def _uncertain(reached: Reached) -> set[str]:
    """The functions that reach something whose meaning is unknown: a function that cannot be read whole, an undefined name."""
    callers = _callers(reached)
    waiting = [
        name
        for name, others in paced(reached.items())
        if others is None or any(other not in reached and other not in BUILTINS and other != CALLS_TOOLS for other in others)
    ]
    uncertain = set(waiting)
    while waiting:
        checkpoint()
        for caller in callers.get(waiting.pop(), ()):
            if caller not in uncertain:
                uncertain.add(caller)
                waiting.append(caller)
    return uncertain


def undeclared_capability_problems(context: FileContext) -> Iterator[Problem]:
    """W401 for undeclared capabilities that a function asks for, directly or through others; W403 for an app's pure functions."""
    db, file, facts = context.db, context.file, context.facts
    if not asks_for_effects(db, file):
        return
    needed = _needed_capabilities(_names_reached(db, file))
    names = {function.name for fact in facts for function in fact.functions}
    is_app = names >= _PURE
    for chunk, fact in enumerate(paced(facts)):
        for number, function in enumerate(fact.functions):
            if function.broken:
                continue
            declared = {ALIASES.get(name, name) for name in function.capabilities}
            ways = needed.get(function.name, {})
            place = Place(chunk, "function", number)
            if is_app and function.name in (*_PURE, "policies"):
                if ways:
                    message = f"'{function.name}' of an app reaches {_ways_text(ways)}"
                    help = "return an effect from `update` instead"
                    why = "the host may call it again at any time, and handles its effects itself"
                    yield Problem("W403", place, message, help, why)
                continue
            lacking = {name: through for name, through in ways.items() if name not in declared}
            if lacking:
                listed = ", ".join(sorted(lacking))
                message = (
                    f"'{function.name}' uses {_ways_text(lacking)} and does not declare {'it' if len(lacking) == 1 else 'them'}"
                )
                why = "policies and readers rely on the declared capabilities"
                yield Problem("W401", place, message, f"declare: `!{{{listed}}}`", why, rename=listed)


def _ways_text(ways: Mapping[str, str]) -> str:
    shown = [f"'{name}'" + (f" through '{through}'" if through else "") for name, through in sorted(ways.items())]
    return f"the effect{'' if len(shown) == 1 else 's'} {', '.join(shown)}"


def _needed_capabilities(reached: Reached) -> dict[str, dict[str, str]]:
    """By function, the capabilities that it asks for, each with the function that it calls for it ("" for none)."""
    callers = _callers(reached)
    needed: defaultdict[str, dict[str, str]] = defaultdict(dict)
    waiting: list[tuple[str, str]] = []
    for name, others in paced(reached.items()):
        for other in others or ():
            if other not in reached and (other in _ASKING or other == CALLS_TOOLS):
                capability = BUILTINS[other].capability if other in _ASKING else CAPABILITY
                if capability not in needed[name]:
                    needed[name][capability] = ""
                    waiting.append((name, capability))
    while waiting:
        checkpoint()
        name, capability = waiting.pop()
        for caller in callers.get(name, ()):
            if capability not in needed[caller]:
                needed[caller][capability] = name
                waiting.append((caller, capability))
    return needed


def capability_fixes(chunk: str, item: Item, span: Span, problem: Problem) -> tuple[Fix, ...]:
    """Declares what a function lacks, or removes what it does not need."""
    if not isinstance(item, Function):
        return ()
    if problem.code == "W401":
        return (with_capability(item, problem.rename),)
    return (without_capability(chunk, item, problem.place.member),)


def with_capability(item: Function, name: str) -> Fix:
    """The fix that adds a capability to a function's annotation."""
    if item.capabilities:
        at, text = item.capabilities[-1].end, f", {name}"
    else:
        at, text = item.signature_end, f" !{{{name}}}"
    return Fix("W401-declare", f"declare {name}", Confidence.MEDIUM, "the function uses it", (Edit((at, at), text),))


def annotation_of(text: str, item: Function) -> Span:
    """The span of a function's `!{…}` with the blanks before it."""
    start = text.rindex("!", item.at, item.capabilities[0].start)
    while text[start - 1] in " \t\r\n":
        start -= 1
    return start, text.index("}", item.capabilities[-1].end) + 1


def without_capability(text: str, item: Function, name: str) -> Fix:
    """The patch that takes a capability out of a function's annotation, the annotation itself if it is the only one."""
    number, capability = next((number, candidate) for number, candidate in enumerate(item.capabilities) if candidate.name == name)
    if len(item.capabilities) == 1:
        span = annotation_of(text, item)
    elif number:
        span = item.capabilities[number - 1].end, capability.end
    else:
        span = capability.start, item.capabilities[1].start
    rationale = f"no function that '{item.name}' calls needs it"
    return Fix(
        f"W402-remove-{name}",
        f"remove the capability '{name}'",
        Confidence.LOW,
        rationale,
        (Edit(span, ""),),
        kind=FixKind.REMOVAL,
    )
