"""A `while` that counts through a list becomes a `for`, and back."""

from __future__ import annotations

from typing import Final

from analysis.ide.name_types import item_named
from analysis.ide.refactor.change import Change, Refusal
from analysis.ide.refactor.shapes import edited_function
from analysis.ide.refactor.site import INDENT, Site
from analysis.semantics.occurrences import GLOBAL, Occurrence, Use
from analysis.syntax import tree as t

_LENGTHS: Final = ("list_len", "__builtin_list_len")


def while_to_for(site: Site) -> Change | Refusal | None:
    """`let mut i = 0  while i < list_len(xs) { let x = list_get(xs, i) …  i = i + 1 }` as `for x in xs { … }`."""
    loop = site.around(t.While)
    if not isinstance(loop, t.While) or not loop.start <= site.span[0] <= loop.start + 5:
        return None
    counting = _counting(site, loop)
    if isinstance(counting, Refusal):
        return counting
    let, items, counter = counting
    block = site.parent(loop)
    assert isinstance(block, t.Block)
    *rest, last = loop.body.statements
    if not _adds_one(site, last, counter):
        return Refusal("the last statement of the loop must add 1 to the counter")
    gets = [node for node in t.walk(loop.body) if _is_get(site, node, items, counter)]
    uses = [use for use in site.uses(counter) if use.start > let.end]
    expected = 3 + len(gets)
    if len(uses) != expected or any(use.start > loop.end for use in uses):
        return Refusal("the counter is used for more than reading the items")
    if items.local == GLOBAL or any(
        use.use is Use.WRITE and loop.start <= use.start < loop.end for use in site.uses(items.local)
    ):
        return Refusal("the list is assigned in the loop")
    if any(local.name == items.name and loop.start <= local.at < loop.end for local in site.names.locals.values()):
        return Refusal("the name of the list is declared again in the loop")
    if not gets:
        return Refusal("the loop reads no items of the list")
    first = rest[0] if rest else None
    named = first if isinstance(first, t.Let) and first.value in gets and not _is_written(site, first) else None
    name = named.name if named is not None else site.free_name("item")
    edits = [site.edit(site.lines_of((let.start, site.whole(let.value)[1])), "")]
    edits.append(site.edit((loop.start, site.whole(loop.condition)[1]), f"for {name} in {items.name}"))
    edits += [site.edit(site.whole(get), name) for get in gets if named is None or get is not named.value]
    if named is not None:
        edits.append(site.edit(site.lines_of((named.start, site.whole(named.value)[1])), ""))
    edits.append(site.edit(site.lines_of((last.start, last.end)), ""))
    rewritten = edited_function(site, edits)
    is_right = rewritten is not None and sum(isinstance(node, t.For) for node in t.walk(rewritten)) == 1 + sum(
        isinstance(node, t.For) for node in t.walk(site.function)
    )
    return Change({site.file: edits}) if is_right else Refusal("the text around it would parse differently")


def _counting(site: Site, loop: t.While) -> tuple[t.Let, Occurrence, int] | Refusal:
    """The `let` of the counter, the list that is counted through, and where the counter is declared."""
    condition = loop.condition
    refusal = Refusal("the condition must be `i < list_len(xs)`, with `let mut i = 0` directly before the loop")
    if not isinstance(condition, t.Binary) or condition.operator != "<" or not isinstance(condition.left, t.Name):
        return refusal
    call = condition.right
    if not isinstance(call, t.Call) or not isinstance(call.callee, t.Name) or call.callee.name not in _LENGTHS:
        return refusal
    if len(call.arguments) != 1 or not isinstance(call.arguments[0], t.Name):
        return refusal
    block = site.parent(loop)
    items = site.names.at(call.arguments[0].start)
    counter = site.names.at(condition.left.start)
    if not isinstance(block, t.Block) or items is None or counter is None or not _is_builtin(site, call.callee):
        return refusal
    number = block.statements.index(loop)
    let = block.statements[number - 1] if number else None
    if not isinstance(let, t.Let) or let.at != counter.local or not isinstance(let.value, t.IntLiteral) or int(let.value.text):
        return refusal
    return let, items, counter.local


def _is_builtin(site: Site, callee: t.Name) -> bool:
    occurrence = site.names.at(callee.start)
    return (
        occurrence is not None and occurrence.local == GLOBAL and item_named(site.db, site.file, callee.name, t.Function) is None
    )


def _adds_one(site: Site, node: t.Node, counter: int) -> bool:
    if not isinstance(node, t.Assign) or not isinstance(node.value, t.Binary) or node.value.operator != "+":
        return False
    target, left, right = site.names.at(node.at), node.value.left, node.value.right
    read = site.names.at(left.start) if isinstance(left, t.Name) else None
    is_one = isinstance(right, t.IntLiteral) and int(right.text) == 1
    return is_one and target is not None and read is not None and target.local == counter == read.local


def _is_get(site: Site, node: t.Node, items: Occurrence, counter: int) -> bool:
    if not isinstance(node, t.Call) or not isinstance(node.callee, t.Name) or node.callee.name != "list_get":
        return False
    if (
        len(node.arguments) != 2
        or not all(isinstance(argument, t.Name) for argument in node.arguments)
        or not _is_builtin(site, node.callee)
    ):
        return False
    held, at = site.names.at(node.arguments[0].start), site.names.at(node.arguments[1].start)
    return held is not None and at is not None and held.local == items.local and at.local == counter


def _is_written(site: Site, let: t.Let) -> bool:
    return any(use.use is Use.WRITE for use in site.uses(let.at))


def for_to_while(site: Site) -> Change | Refusal | None:
    """`for x in xs { … }` as a `while` with a counter."""
    loop = site.around(t.For)
    if not isinstance(loop, t.For) or not loop.start <= site.span[0] <= loop.start + 3:
        return None
    if site.types.of(loop.iterable).head != "List":
        return Refusal("the value is not known to be a list")
    block = site.parent(loop)
    assert isinstance(block, t.Block)
    counter = site.free_name("index")
    indent = site.indent(loop.start) + ("" if site.begins_line(loop.start) else INDENT)
    head, items = "", site.text(loop.iterable)
    occurrence = site.names.at(loop.iterable.start) if isinstance(loop.iterable, t.Name) else None
    written = (
        occurrence is None
        or occurrence.local == GLOBAL
        or any(use.use is Use.WRITE and loop.start <= use.start < loop.end for use in site.uses(occurrence.local))
    )
    hidden = occurrence is not None and any(
        local.name == occurrence.name and loop.start <= local.at < loop.end for local in site.names.locals.values()
    )
    if written or hidden:
        # The list is evaluated once.
        items = site.free_name("items", (counter,))
        head = f"let {items} = {site.text(loop.iterable)}\n{indent}"
    mutable = "mut " if any(use.use is Use.WRITE for use in site.uses(loop.at)) else ""
    head += f"let mut {counter} = 0\n{indent}while {counter} < list_len({items}) "
    body = loop.body
    opening = f"{{\n{indent}{INDENT}let {mutable}{loop.name} = list_get({items}, {counter})"
    closing = body.end - 1
    inner_end = len(site.written[:closing].rstrip())
    edits = [
        site.edit((loop.start, body.start), head),
        site.edit((body.start, body.start + 1), opening),
        site.edit((inner_end, closing), f"\n{indent}{INDENT}{counter} = {counter} + 1\n{indent}"),
    ]
    if not body.statements:
        edits = [edits[0], site.edit((body.start, body.end), f"{opening}\n{indent}{INDENT}{counter} = {counter} + 1\n{indent}}}")]
    elif site.written[body.start + 1 : body.start + 2] not in ("\n", "\r"):
        edits[1] = site.edit((body.start, body.start + 1), f"{opening}\n{indent}{INDENT}")
    rewritten = edited_function(site, edits)
    whiles = [node for node in t.walk(rewritten) if isinstance(node, t.While)] if rewritten is not None else []
    old = sum(isinstance(node, t.While) for node in t.walk(site.function))
    if len(whiles) != old + 1 or not any(len(candidate.body.statements) == len(body.statements) + 2 for candidate in whiles):
        return Refusal("the text around it would parse differently")
    return Change({site.file: edits})
