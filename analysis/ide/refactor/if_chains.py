"""An `if` chain that compares one value becomes a `match`, and back."""

from __future__ import annotations

from typing import Final, NamedTuple

from analysis.ide.name_types import item_named
from analysis.ide.refactor.change import Change, Refusal
from analysis.ide.refactor.effects import effects_of
from analysis.ide.refactor.shapes import edited_function, shape
from analysis.ide.refactor.site import INDENT, Site
from analysis.semantics.environment import environment
from analysis.semantics.ty import BOOL, INT, STRING
from analysis.syntax import tree as t

_SHARED: Final = "two enums have '{}': a pattern fits both, a comparison only one"
_READ_ANOTHER_WAY: Final = Refusal("the text around it would parse differently")


class _Case(NamedTuple):
    """One branch: the compared value, the pattern for it, and the body."""

    value: t.Expr
    pattern: str
    body: t.Block


# ---- if to match --------------------------------------------------------------------------------------------------


def if_to_match(site: Site) -> Change | Refusal | None:
    """`if x == 1 { … } else { if x == 2 { … } else { … } }` as a `match x`."""
    node = site.around(t.If)
    if not isinstance(node, t.If) or not _is_at_keyword(site, node):
        return None
    compared = _comparison(node.condition)
    if compared is None:
        return None
    subject = compared[0]
    if not isinstance(subject, t.Name | t.FieldAccess):
        return Refusal("the compared expression must be a variable or a field of one")
    cases: list[_Case] = []
    last: t.Block | None = None
    current: t.If | None = node
    wanted = shape(subject)
    while current is not None:
        sides = _comparison(current.condition)
        if sides is None or shape(sides[0]) != wanted:
            # The rest of the chain compares something else: it stays an `if` in the last arm.
            break
        pattern = _pattern(site, subject, sides[1])
        if isinstance(pattern, Refusal):
            return pattern
        cases.append(_Case(sides[1], pattern, current.then_block))
        last = current.else_block
        current = _only_if(last)
    return _as_match(site, node, subject, cases, last)


def _as_match(site: Site, node: t.If, subject: t.Expr, cases: list[_Case], last: t.Block | None) -> Change | Refusal:
    if len({case.pattern for case in cases}) < len(cases):
        return Refusal("two branches compare with the same value")
    indent = site.indent(node.start)
    arms = [f"{indent}{INDENT}{case.pattern} => {site.bare(case.body)},\n" for case in cases]
    arms.append(f"{indent}{INDENT}_ => {site.bare(last) if last is not None else '{}'},\n")
    edit = site.edit((node.start, node.end), f"match {site.text(subject)} {{\n{''.join(arms)}{indent}}}")
    rewritten = edited_function(site, [edit])
    new_match = _at(rewritten, node.start, t.Match)
    if (
        rewritten is None
        or not isinstance(new_match, t.Match)
        or [shape(arm.body) for arm in new_match.arms[:-1]] != [shape(case.body) for case in cases]
    ):
        return _READ_ANOTHER_WAY
    if shape(rewritten, {id(new_match): node}) != shape(site.function):
        return _READ_ANOTHER_WAY
    return Change({site.file: [edit]})


def _comparison(condition: t.Expr) -> tuple[t.Expr, t.Expr] | None:
    """The compared expression, and the constant."""
    if not isinstance(condition, t.Binary) or condition.operator != "==":
        return None
    constant = (t.IntLiteral, t.StringLiteral, t.BoolLiteral, t.VariantLiteral, t.NoneLiteral)
    if isinstance(condition.right, constant) and not isinstance(condition.left, constant):
        return condition.left, condition.right
    if isinstance(condition.left, constant) and not isinstance(condition.right, constant):
        return condition.right, condition.left
    return None


def _only_if(block: t.Block | None) -> t.If | None:
    if block is None or len(block.statements) != 1:
        return None
    only = block.statements[0]
    return only if isinstance(only, t.If) else None


def _pattern(site: Site, subject: t.Expr, value: t.Expr) -> str | Refusal:
    """The pattern that matches exactly the values equal to a constant of the subject's type."""
    held = site.types.of(subject)
    unknown = Refusal("the type of the value is not known: annotate it")
    match value:
        case t.IntLiteral(text=text):
            return text if held is INT else unknown
        case t.StringLiteral():
            return site.bare(value) if held is STRING else unknown
        case t.BoolLiteral():
            return site.bare(value) if held is BOOL else unknown
        case t.NoneLiteral():
            return "None" if held.head == "Option" else unknown
        case t.VariantLiteral(enum=enum, variant=variant, payload=None):
            definition = item_named(site.db, site.file, enum, t.Enum)
            if held.head != "enum" or held.name != enum or definition is None or not isinstance(definition.item, t.Enum):
                return unknown
            candidates = [candidate for candidate in definition.item.variants if candidate.name == variant]
            if len(candidates) != 1 or candidates[0].payload is not None:
                return Refusal(f"'{variant}' has a payload")
            if _is_shared(site, variant):
                return Refusal(_SHARED.format(variant))
            return variant
    return Refusal("the comparison has a payload: write the match by hand")


# ---- match to if --------------------------------------------------------------------------------------------------


def match_to_if(site: Site) -> Change | Refusal | None:
    """A `match` over constants as an `if` chain."""
    node = site.around(t.Match)
    if not isinstance(node, t.Match) or not _is_at_keyword(site, node):
        return None
    if not isinstance(node.value, t.Name | t.FieldAccess):
        return Refusal("the value would be evaluated once for each arm: store it in a variable first")
    if effects_of(site, [node.value]).acts or not node.arms:
        return Refusal("a match without arms has no value")
    cases: list[tuple[str, t.Expr]] = []
    last: t.Expr | None = None
    for arm in node.arms:
        if isinstance(arm.pattern, t.WildcardPattern):
            last = arm.body
            break
        value = _constant(site, node.value, arm.pattern)
        if isinstance(value, Refusal):
            return value
        cases.append((value, arm.body))
    if last is None:
        if not _is_complete(site, node, len(cases)):
            return Refusal("other values fail in this match; an `if` would let them through: add an arm for `_`")
        last = cases.pop()[1]
    if not cases:
        return Refusal("there is only one arm")
    text = _chain(site, node, cases, last)
    edit = site.edit((node.start, node.end), text)
    rewritten = edited_function(site, [edit])
    new_if = _at(rewritten, node.start, t.If)
    if rewritten is None or new_if is None or shape(rewritten, {id(new_if): node}) != shape(site.function):
        return _READ_ANOTHER_WAY
    return Change({site.file: [edit]})


def _chain(site: Site, node: t.Match, cases: list[tuple[str, t.Expr]], last: t.Expr) -> str:
    base = site.indent(node.start)
    text, subject = "", site.text(node.value)
    for level, (value, body) in enumerate(cases):
        indent = base + INDENT * level
        text += f"if {subject} == {value} {_block(site, body, indent)} else "
        if level < len(cases) - 1:
            text += f"{{\n{indent}{INDENT}"
    text += _block(site, last, base + INDENT * (len(cases) - 1))
    for level in range(len(cases) - 2, -1, -1):
        text += f"\n{base}{INDENT * level}}}"
    return text


def _block(site: Site, body: t.Expr, indent: str) -> str:
    if isinstance(body, t.Block):
        return site.bare(body)
    return f"{{\n{indent}{INDENT}{site.text(body)}\n{indent}}}"


def _constant(site: Site, subject: t.Expr, pattern: t.Pattern) -> str | Refusal:
    """The constant that a value equals exactly if the pattern matches it."""
    held = site.types.of(subject)
    text = site.written[pattern.start : pattern.end]
    unknown = Refusal("the type of the value is not known: annotate it")
    match pattern:
        case t.IntPattern():
            return text if held is INT else unknown
        case t.StringPattern():
            return text if held is STRING else unknown
        case t.BoolPattern():
            return text if held is BOOL else unknown
        case t.NonePattern():
            return "None" if held.head == "Option" else unknown
        case t.VariantPattern(name=name, payload=None) if held.head == "enum":
            definition = item_named(site.db, site.file, held.name, t.Enum)
            variants = (
                [variant for variant in definition.item.variants if variant.name == name]
                if definition and isinstance(definition.item, t.Enum)
                else []
            )
            if len(variants) == 1 and _is_shared(site, name):
                return Refusal(_SHARED.format(name))
            if len(variants) == 1 and variants[0].payload is None:
                return f"{held.name}::{name}"
    return Refusal(f"the pattern `{text.splitlines()[0][:40]}` takes a value apart")


def _is_complete(site: Site, node: t.Match, cases: int) -> bool:
    """True if the arms cover all values of the type."""
    held = site.types.of(node.value)
    patterns = {site.written[arm.pattern.start : arm.pattern.end] for arm in node.arms}
    if held is BOOL:
        return {"true", "false"} <= patterns and cases == len(node.arms)
    definition = item_named(site.db, site.file, held.name, t.Enum) if held.head == "enum" else None
    return (
        definition is not None
        and isinstance(definition.item, t.Enum)
        and {variant.name for variant in definition.item.variants} <= patterns
    )


def _is_shared(site: Site, variant: str) -> bool:
    return len(environment(site.db, site.file).variants.get(variant, ())) > 1


# ---- both -----------------------------------------------------------------------------------------------------------


def _is_at_keyword(site: Site, node: t.Node) -> bool:
    word = site.written[node.start : node.start + 5]
    length = 2 if word.startswith("if") else 5
    return node.start <= site.span[0] <= node.start + length or site.selected() is node


def _at(function: t.Function | None, start: int, kind: type[t.Node]) -> t.Node | None:
    if function is None:
        return None
    return next((node for node in t.walk(function) if isinstance(node, kind) and node.start == start), None)
