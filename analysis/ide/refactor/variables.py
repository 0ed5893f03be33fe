"""Extract variable and inline variable."""

from __future__ import annotations

from typing import Final

from analysis.ide.refactor.change import Change, Refusal
from analysis.ide.refactor.effects import Effects, effects_of
from analysis.ide.refactor.shapes import edited_function, means, shape
from analysis.ide.refactor.site import INDENT, Site, snake
from analysis.semantics.occurrences import GLOBAL, LocalKind, Use
from analysis.syntax import tree as t
from analysis.text.edits import Edit

_CONDITIONAL: Final = (t.Arm, t.While, t.For)
_LEVELS: Final = {
    "||": 1,
    "&&": 2,
    "==": 3,
    "!=": 3,
    "<": 4,
    "<=": 4,
    ">": 4,
    ">=": 4,
    "++": 5,
    "+": 6,
    "-": 6,
    "*": 7,
    "/": 7,
    "%": 7,
}
_SIMPLE: Final = (
    t.Name, t.IntLiteral, t.FloatLiteral, t.StringLiteral, t.BoolLiteral, t.NoneLiteral, t.ListLiteral, t.Wrap, t.VariantLiteral,
)  # fmt: skip
_DELIMITED: Final = (t.Let, t.Assign, t.Return, t.ListLiteral, t.FieldInit, t.Wrap, t.VariantLiteral)


# ---- extract ------------------------------------------------------------------------------------------------------


def extract_variable(site: Site, name: str = "") -> Change | Refusal | None:
    """Replaces the selected expression by a variable, declared before its statement."""
    node = site.selected()
    if node is None or isinstance(node, t.Name | t.Block | t.ErrorExpr):
        return None
    parent = site.parent(node)
    if isinstance(parent, t.Let) or (isinstance(parent, t.Call) and parent.callee is node):
        return None
    place = site.statement_of(node)
    if place is None:
        return Refusal("a contract has no place to declare a variable")
    block, statement = place
    arm = next((ancestor for ancestor in site.above(node) if isinstance(ancestor, t.Arm)), None)
    in_arm = arm is not None and arm.start >= statement.start and arm.body.start <= node.start
    scope: t.Node = arm.body if in_arm and arm is not None else statement
    if isinstance(scope, t.While) and node.end <= scope.condition.end:
        return Refusal("the condition of a loop is evaluated in every round")
    if refusal := _moved_before(site, node, scope):
        return refusal
    name = name or site.free_name(_name_for(node))
    if any(occurrence.name == name for occurrence in site.names.occurrences):
        return Refusal(f"'{name}' is already used here")
    text = f"let {name} = {site.text(node)}"
    if in_arm:
        whole = site.whole(scope)
        indent = site.indent(whole[0])
        body = site.written[whole[0] : site.whole(node)[0]] + name + site.written[site.whole(node)[1] : whole[1]]
        edits = [site.edit(whole, f"{{\n{indent}{INDENT}{text}\n{indent}{INDENT}{body}\n{indent}}}")]
    else:
        at = site.whole(statement)[0]
        indent = site.indent(at) + ("" if site.begins_line(at) else INDENT)
        edits = [site.edit((at, at), f"{text}\n{indent}"), site.edit(site.whole(node), name)]
    if not _is_extracted(site, edits, name, block if not in_arm else None):
        return Refusal("the text around it would parse differently")
    return Change({site.file: edits}, {"variable_name": name})


def _moved_before(site: Site, node: t.Expr, scope: t.Node) -> Refusal | None:
    """Refusal if an expression cannot be evaluated before the rest of its statement; None if it can."""
    outer = {id(ancestor) for ancestor in site.above(node)} | {id(node)}
    inside = [inner for inner in t.walk(scope) if id(inner) not in outer]
    tops = [inner for inner in inside if id(site.parent(inner)) in outer]
    has_spread = any(
        isinstance(ancestor, t.RecordLiteral) and ancestor.spread
        for ancestor in site.above(node)
        if ancestor.start >= scope.start
    )
    before = [
        top for top in tops if isinstance(top, t.Expr | t.Statement | t.FieldInit) and (top.start < node.start or has_spread)
    ]
    moved, passed = effects_of(site, [node]), effects_of(site, before)
    if not moved.may_swap_with(passed):
        return Refusal("it would be evaluated before something that it depends on")
    return None


def _is_extracted(site: Site, edits: list[Edit], name: str, block: t.Block | None) -> bool:
    """True if substituting the variable's value gives the original function."""
    function = edited_function(site, edits)
    if function is None:
        return False
    lets = [node for node in t.walk(function) if isinstance(node, t.Let) and node.name == name]
    uses = [node for node in t.walk(function) if isinstance(node, t.Name) and node.name == name]
    if len(lets) != 1 or len(uses) != 1:
        return False
    instead: dict[int, t.Node] = {id(uses[0]): lets[0].value}
    if block is None:
        new_block = next(node for node in t.walk(function) if isinstance(node, t.Block) and lets[0] in node.statements)
        if len(new_block.statements) != 2:
            return False
        rest = new_block.statements[1]
        instead[id(new_block)] = lets[0].value if rest is uses[0] else rest
    return bool(shape(function, instead, {id(lets[0])}) == shape(site.function))


def _name_for(node: t.Expr) -> str:
    match node:
        case t.FieldAccess(name=name):
            return snake(name)
        case t.Call(callee=t.Name(name=name)):
            return snake(name.removeprefix("__builtin_").removeprefix("get_"))
        case t.RecordLiteral(name=name) | t.VariantLiteral(enum=name):
            return snake(name)
    return "value"


# ---- inline -------------------------------------------------------------------------------------------------------


def inline_variable(site: Site) -> Change | Refusal | None:
    """Replaces each use of the variable at the cursor by its value and removes the variable."""
    occurrence = site.names.at(site.span[0])
    local = site.names.locals.get(occurrence.local) if occurrence is not None and occurrence.local >= 0 else None
    if local is None or local.kind is not LocalKind.VARIABLE:
        return None
    let = next((node for node in t.walk(site.function.body) if isinstance(node, t.Let) and node.at == local.at), None)
    block = site.parent(let) if let is not None else None
    if let is None or not isinstance(block, t.Block):
        return None
    names = site.uses(local.at)
    uses = [node for node in t.walk(site.function) if isinstance(node, t.Name) and any(node.start == use.start for use in names)]
    if refusal := _not_inlined(site, let, block, uses, len(names)):
        return refusal
    uses.sort(key=lambda use: use.start)
    edits = [site.edit(site.lines_of((let.start, site.whole(let.value)[1])), "")]
    edits += [site.edit(site.whole(use), _value_at(site, let.value, use)) for use in uses]
    if not means(site, edits, shape(site.function, {id(use): let.value for use in uses}, {id(let)})):
        return Refusal("the text around it would parse differently")
    return Change({site.file: edits}, {"occurrences_replaced": len(uses), "variable_name": let.name})


def _not_inlined(site: Site, let: t.Let, block: t.Block, uses: list[t.Name], names: int) -> Refusal | None:
    name = let.name
    if any(use.use is Use.WRITE for use in site.uses(let.at)):
        return Refusal(f"'{name}' is assigned again")
    if not uses:
        return Refusal(f"'{name}' is never read: remove it instead")
    if len(uses) != names or any(use.start < let.end or use.end > block.end for use in uses):
        return Refusal(f"'{name}' is read in a contract")
    own = effects_of(site, [let.value])
    if own.acts:
        return Refusal(f"the value of '{name}' has effects: inlining would move or repeat them")
    if own.returns or own.writes or any(isinstance(node, t.Let) for node in t.walk(let.value)):
        return Refusal(f"the value of '{name}' contains statements")
    if refusal := _hidden(site, let, uses):
        return refusal
    return _order_kept(site, let, block, min(uses, key=lambda use: use.start), own, len(uses)) if own.fails else None


def _hidden(site: Site, let: t.Let, uses: list[t.Name]) -> Refusal | None:
    """Refusal if a name in the value means something else at a use, or has another value there; None if not."""
    last = max(use.start for use in uses)
    free = {
        occurrence.name: occurrence.local
        for occurrence in site.values((let.value.start, let.value.end))
        if occurrence.local not in range(let.start, let.end)
    }
    for name, declared in free.items():
        if any(local.name == name and let.end <= local.at <= last for local in site.names.locals.values()):
            return Refusal(f"'{name}' is declared again before '{let.name}' is read")
        if declared != GLOBAL and any(use.use is Use.WRITE and use.start >= let.end for use in site.uses(declared)):
            return Refusal(f"'{name}', which the value depends on, is assigned afterwards")
    return None


def _order_kept(site: Site, let: t.Let, block: t.Block, first: t.Name, own: Effects, count: int) -> Refusal | None:
    """A refusal unless a value that can fail is still always evaluated, once if it calls, and before any effect."""
    refusal = Refusal(f"the value of '{let.name}'can fail, and inlining would change how often or in which order it is evaluated")
    if own.calls and count > 1:
        return refusal
    path = [ancestor for ancestor in site.above(first) if ancestor.start >= block.start and ancestor is not block]
    inner: t.Node = first
    for outer in path:
        is_branch = isinstance(outer, t.If) and inner is not outer.condition
        is_body = (
            isinstance(outer, t.Arm) or (isinstance(outer, t.For) and inner is not outer.iterable) or isinstance(outer, t.While)
        )
        if is_branch or is_body:
            return refusal
        inner = outer
    around = {id(node) for node in (first, *path)}
    between = [
        node
        for node in t.walk(block)
        if id(node) not in around and let.end <= node.start < first.start and id(site.parent(node)) in around | {id(block)}
    ]
    passed = effects_of(site, between)
    return refusal if passed.acts or passed.returns else None


def _value_at(site: Site, value: t.Expr, use: t.Name) -> str:
    """The value as it must be written in place of a name."""
    text, parent = site.bare(value), site.parent(use)
    if isinstance(value, _SIMPLE) or isinstance(parent, _DELIMITED):
        return text
    if isinstance(parent, t.Call) and parent.callee is not use:
        return text
    is_postfix = isinstance(value, t.Call | t.FieldAccess)
    if is_postfix and not isinstance(parent, t.Spawn | t.Emit | t.Send):
        return text
    if isinstance(parent, t.Binary) and isinstance(value, t.Binary):
        level, outer = _LEVELS[value.operator], _LEVELS[parent.operator]
        if level > outer or (level == outer and parent.left is use):
            return text
    if isinstance(parent, t.Block | t.If | t.Match | t.While | t.For) and isinstance(value, t.Binary):
        return text
    return f"({text})"
