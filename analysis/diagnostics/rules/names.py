"""Names and arity: E003, E009 for calls, and the E008 problems that concern names (spec chapter 04 sections 3 and 5)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from analysis.data_classes import replace
from analysis.database import checkpoint, paced
from analysis.database.caches import cached
from analysis.diagnostics.diagnostic import Diagnostic, Topic
from analysis.diagnostics.renaming import renaming
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.builtins import BUILTINS, EXTENSIONS
from analysis.semantics.rule_context import RuleContext
from analysis.semantics.spelling import closest, did_you_mean, distance
from analysis.semantics.uses import ROLE_ASSIGN, ROLE_CALL, ROLE_SPAWN, NameUse
from analysis.suggestions.lexicon import FREE, OTHER_OPERATIONS
from analysis.suggestions.library_words import LIBRARIES
from analysis.suggestions.misspelt_keywords import misspelt_keyword
from analysis.suggestions.undefined_names import Site, meant
from analysis.syntax.tree import Function, Item, Name
from analysis.text.edits import Confidence, Fix

_LONGEST_PREFIX: Final = 2
"""Letters before a quote that other languages give a meaning to: `f"…"`."""


_REFERENCES_OWN: Final = frozenset(BUILTINS) - EXTENSIONS
"""The builtins that a suggestion within a message can name: the message is the reference's."""


_IN_CONTRACTS: Final = {ROLE_ASSIGN: "undefined variable", ROLE_SPAWN: "unknown function"}
"""The generator's words for a name that it doesn't know; for all other uses `undefined`."""
_MOST_GUESSES: Final = 50
"""Undefined names of one chunk that are compared with all names that could be meant."""


def check(context: RuleContext) -> Iterator[Diagnostic]:
    """Every use of an outer name, in order."""
    undefined = 0
    for use in paced(context.summary.names):
        function = context.function(use.name)
        if function is None and use.name not in BUILTINS:
            if use.role == ROLE_SPAWN and undefined < _MOST_GUESSES and use.name in context.names.visible_at(use.start):
                undefined += 1
                help = f"'{use.name}' is a local, spawn takes a function's name"
                yield diagnostic("E008", (use.start, use.end), f"unknown function: {use.name}", help=help)
            elif not context.is_doubtful(use.name):
                undefined += 1
                yield _undefined(context, use) if undefined <= _MOST_GUESSES else _unknown(use, _is_contract(context, use))
        elif use.role == ROLE_CALL:
            if function is None or not function.broken:
                yield from _arity(context, use)
        elif use.role == ROLE_ASSIGN:
            help = f"'{use.name}' is a function; assign to a variable declared with `let mut`"
            yield diagnostic("E008", (use.start, use.end), f"undefined variable: {use.name}", help=help, name=use.name)
        elif function is None and use.role == ROLE_SPAWN:
            yield diagnostic(
                "E008",
                (use.start, use.end),
                f"unknown function: {use.name}",
                help="spawn takes a function of the program",
            )
        elif function is None:
            help = f"a builtin is not a value: wrap it, `fn my_{use.name.removeprefix('__builtin_')}(…) {{ {use.name}(…) }}`"
            yield diagnostic("E008", (use.start, use.end), f"undefined: {use.name}", help=help, name=use.name)
    for spawn in context.summary.spawns:
        operand = spawn.operand
        if not isinstance(operand, Name):
            yield diagnostic("E008", (operand.start, operand.end), "spawn requires a function name", help="write `spawn name`")


def _item_at(context: RuleContext, offset: int) -> Item:
    items = context.summary.items
    return items[bisect_right(items, offset, key=_start) - 1]


def _start(item: Item) -> int:
    return item.start


def _undefined(context: RuleContext, use: NameUse) -> Diagnostic:
    checkpoint()
    item = _item_at(context, use.start)
    functions = context.function_names(use.name)
    local_names = list(context.names.visible_at(use.start))
    if _is_contract(context, use):
        candidates: Sequence[str] = [*_contract_names(context, item, use.start), *functions, *BUILTINS]
        near = closest(use.name, candidates)
        fixes = (_rename(use, near, "E008", candidates),) if near else ()
        return _unknown(use, True, "", near, fixes)
    suffix = did_you_mean(use.name, [*local_names, *functions, *_REFERENCES_OWN.difference(functions)])
    candidates, near = _nearest(use, item, local_names, functions)
    others = meant(context, item, use)
    is_prefix = context.text[use.end : use.end + 1] == '"' and len(use.name) <= _LONGEST_PREFIX and not others
    if is_prefix or (near in EXTENSIONS and any(other.is_likely for other in others)):
        near = None
    # `spaw worker`, `lett x = 1`: a misspelt keyword parses as a name.
    keyword = misspelt_keyword(Site(context, item, use)) if not is_prefix else None
    likely = [other.fix for other in others if other.is_likely and other.edits]
    unlikely = [other.fix for other in others if not other.is_likely]
    if keyword:
        unlikely.insert(0, _rename(use, keyword, "E003", ()))
    if near:
        # The reference has only this patch; others are tried by repairs and offered in editors.
        beside = [replace(fix, is_alternative=True) for fix in (*likely, *unlikely)]
        offered = [*beside[: len(likely)], _rename(use, near, "E003", candidates), *beside[len(likely) :]]
    else:
        offered = [*likely, *unlikely]
    diagnostic = _unknown(use, False, suffix, near or keyword, tuple(offered))
    best = next((other for other in others if other.is_likely or not near), None)
    if best is not None:
        return replace(diagnostic, help=best.advice, why=best.why, topic=Topic.FOREIGN)
    is_known = use.name in FREE or use.name in OTHER_OPERATIONS or use.name in LIBRARIES
    return replace(diagnostic, topic=Topic.FOREIGN) if is_known else diagnostic


def _unknown(
    use: NameUse, in_contract: bool, suffix: str = "", near: str | None = None, fixes: tuple[Fix, ...] = ()
) -> Diagnostic:
    # The reference checks no names in contracts: there the generator finds them.
    code, message = ("E008", _IN_CONTRACTS.get(use.role, "undefined")) if in_contract else ("E003", "undefined variable")
    return diagnostic(
        code,
        (use.start, use.end),
        f"{message}: {use.name}{suffix}",
        help=_help(use, near),
        why="" if code == "E008" else "no local variable, parameter, function or builtin of this name is visible here",
        name=use.name,
        fixes=fixes,
    )


def _contract_names(context: RuleContext, item: Item, offset: int) -> list[str]:
    """The locals that the clause around an offset sees: parameters, and in `ensures` the body's locals and `result`."""
    if not isinstance(item, Function):
        return []
    names = [parameter.name for parameter in item.parameters]
    if any(clause.start <= offset < clause.end for clause in item.ensures):
        inside = [local.name for local in context.summary.locals if item.body.start <= local.at < item.body.end]
        names += ["result", *inside]
    return names


def _nearest(use: NameUse, item: Item, local_names: list[str], functions: Sequence[str]) -> tuple[Sequence[str], str | None]:
    """The names that fit a use, and the nearest: where nothing is called, a function is meant only if no variable is near."""
    near = closest(use.name, local_names) if use.role != ROLE_CALL else None
    if near is not None:
        return local_names, near
    candidates = _in_order(item, local_names, functions)
    return candidates, closest(use.name, candidates)


def _in_order(item: Item, local_names: list[str], functions: Sequence[str]) -> list[str]:
    """Candidates in the order in which ties are decided: functions in source order, an item's locals behind its name."""
    ordered: list[str] = []
    for name in functions:
        ordered.append(name)
        if name == item.name:
            ordered += local_names
    if item.name not in functions:
        ordered += local_names
    return [*ordered, *BUILTINS]


def _help(use: NameUse, near: str | None) -> str:
    in_library = _library_advice(use, near) if use.role == ROLE_CALL else ""
    if near or in_library:
        return in_library or f"did you mean '{near}'?"
    return (
        f"define the function '{use.name}', or import it" if use.role == ROLE_CALL else f"declare it first: `let {use.name} = …`"
    )


def _library_advice(use: NameUse, near: str | None) -> str:
    """The function of a library that a called name is, or is like; "" if a visible name is as near."""
    name = use.name if use.name in LIBRARIES else closest(use.name, LIBRARIES)
    if name is None or (near and distance(use.name, near, swaps=False) <= distance(use.name, name, swaps=False)):
        return ""
    library = LIBRARIES[name]
    if name == use.name:
        return f"the library '{library}' has it: `import \"{library}\"`"
    return f"did you mean '{name}' of the library '{library}'? Write it, and `import \"{library}\"`"


def _rename(use: NameUse, new: str, code: str, others: Sequence[str]) -> Fix:
    steps = distance(use.name, new, swaps=False)
    rationale = f"'{use.name}' is not defined; did you mean '{new}'? (edit distance: {steps})"
    return renaming(code, use.name, new, others, (use.start, use.end), rationale, Confidence.MEDIUM)


def _arity(context: RuleContext, use: NameUse) -> Iterator[Diagnostic]:
    function = context.function(use.name)
    expected = len(function.parameters) if function is not None else BUILTINS[use.name].arity
    if use.arguments == expected or use.call is None:
        return
    plural = "" if expected == 1 else "s"
    if _is_contract(context, use):
        # A wrong number compiles here (W108 reports it), except for a builtin: then the name is undefined.
        if function is None:
            help = f"'{use.name}' expects {expected} argument{plural}, got {use.arguments}"
            yield diagnostic("E008", (use.start, use.start + len(use.name)), f"undefined: {use.name}", help=help, name=use.name)
        return
    message = f"function '{use.name}' expects {expected} argument{plural}, got {use.arguments}"
    help = _parameters(function.parameters if function is not None else BUILTINS[use.name].parameters)
    yield diagnostic("E009", (use.start, use.call.end), message, help=help, name=use.name, topic=Topic.CALL_ARITY)


@cached(256)
def _parameters(parameters: tuple[tuple[str, str], ...]) -> str:
    # A changed signature is reported at hundreds of calls.
    return f"its parameters are ({', '.join([f'{name}: {kind}' for name, kind in parameters])})"


def _is_contract(context: RuleContext, use: NameUse) -> bool:
    item = _item_at(context, use.start)
    return isinstance(item, Function) and use.start < item.body.start
