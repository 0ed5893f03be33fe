"""W308: a name that hides an outer local, a function or a builtin."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.database import paced
from analysis.diagnostics.diagnostic import Diagnostic, Related
from analysis.diagnostics.rules.building import diagnostic
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.occurrences import LocalKind
from analysis.semantics.rule_context import TextContext
from analysis.syntax.tree import Function


def check(context: TextContext) -> Iterator[Diagnostic]:
    """Functions named like builtins, then locals."""
    for item in context.summary.items:
        if isinstance(item, Function) and item.name in BUILTINS and BUILTINS[item.name].arity == len(item.parameters):
            span = item.at, item.at + len(item.name)
            why = "calls of this name mean the function of the program"
            yield diagnostic("W308", span, f"function '{item.name}' hides the builtin", help="rename it", why=why, name=item.name)
    for local in paced(context.summary.locals):
        name = local.name
        span = local.at, local.at + len(name)
        if name.startswith("_"):
            continue
        if local.hides >= 0:
            outer = Related("the outer one", (local.hides, local.hides + len(name)))
            help = (
                "rename one of them, or assign to the outer one without `let`"
                if local.declared.kind is LocalKind.VARIABLE
                else "rename one of them"
            )
            why = "after the block, the outer variable has its old value"
            message = f"'{name}' hides an outer local of that name"
            yield diagnostic("W308", span, message, help=help, why=why, related=(outer,), name=name)
        elif name in BUILTINS or context.is_function(name):
            kind = "function" if context.is_function(name) else "builtin"
            why = "inside this block, a call of this name calls the local"
            yield diagnostic("W308", span, f"'{name}' hides the {kind} of that name", help="rename it", why=why, name=name)
