"""Writes a function: its blocks in Python's own control flow, recovered from the jumps.

A block that dominates others is written with them behind or inside it; a place where ways come together follows the statement
whose branches they are. Flow that has no such form becomes a loop that dispatches on the number of the block.
"""

from __future__ import annotations

from typing import NamedTuple

from analysis.bytecode.module import CATCH_ALL, Arm
from boruna_ls.runtime.translator.charging import Inexact, Plan
from boruna_ls.runtime.translator.expressions import BlockWriter
from boruna_ls.runtime.translator.facts import BOOL, ENUM, NONE
from boruna_ls.runtime.translator.graph import Block, Graph, Untranslatable
from boruna_ls.runtime.translator.inference import state_at
from boruna_ls.runtime.translator.lines import REDO, Line, Lines, Site, Unstructured
from boruna_ls.runtime.translator.unit import Unit
from boruna_ls.runtime.translator.walk import Entry, State, accepts
from boruna_ls.runtime.values import NONE_HEAD


class Around(NamedTuple):
    """Targets of control flow: off the end of the written code, by `continue`, by `break`. -1: none."""

    falls: int
    continues: int = -1
    breaks: int = -1


def write_function(unit: Unit, function: int, indent: int) -> list[Line]:
    """The lines of a function's body."""
    facts = unit.facts[function]
    graph = facts.graph
    if graph is None:
        lines = Lines(indent)
        lines.add("raise Slow", Site(0, (), 0, REDO))
        return lines.lines
    return _written(unit, function, graph, facts.states, unit.leaf_cost(function) is not None, indent)


def write_rest(unit: Unit, function: int, first: int, indent: int) -> tuple[list[Line], int]:
    """The lines of what a function does from an instruction on, and with how many operands on the stack it gets there; all cells
    and operands are variables already. Raises Unstructured where that cannot be written."""
    facts = unit.facts.get(function)
    state = None if facts is None else state_at(unit.world, function, facts, first)
    if facts is None or facts.graph is None or state is None:
        raise Unstructured
    try:
        graph = Graph(unit.program, facts.graph.function, first, len(state.stack))
    except Untranslatable:
        raise Unstructured from None
    return _written(unit, function, graph, facts.states | {first: state}, False, indent, is_rest=True), len(state.stack)


def _written(
    unit: Unit, function: int, graph: Graph, states: dict[int, State], is_leaf: bool, indent: int, is_rest: bool = False
) -> list[Line]:
    for breaking in (False, True) if graph.reducible else ():
        try:
            plan = Plan(graph, unit.leaf_cost).together(is_leaf)
            return Structured(unit, function, graph, states, plan, indent, breaking, is_rest).write()
        except (Unstructured, Inexact):
            pass
    plan = Plan(graph, unit.leaf_cost).singly()
    return Dispatching(unit, function, graph, states, plan, indent, is_rest=is_rest).write()


class Structured:
    """A function in structured form. `breaking`: places where ways come together are reached by `break`, which needs no level for
    each of many branches in a row."""

    def __init__(
        self,
        unit: Unit,
        function: int,
        graph: Graph,
        states: dict[int, State],
        plan: Plan,
        indent: int,
        breaking: bool = False,
        is_rest: bool = False,
    ) -> None:
        self.unit = unit
        self.function = function
        self.graph = graph
        self.states = states
        self.plan = plan
        self.lines = Lines(indent)
        self._breaking = breaking
        self._is_rest = is_rest
        self._children: dict[int, list[int]] = {}
        for start in graph.order[1:]:
            self._children.setdefault(graph.blocks[start].idom, []).append(start)

    def write(self) -> list[Line]:
        """All lines."""
        self.begin()
        self.node(self.graph.first, Around(-1))
        return self.lines.lines

    def begin(self) -> None:
        """Cells that get no argument are Unit; recursion is bounded."""
        if self._is_rest:
            return
        code = self.graph.function
        if self.function in self.unit.cyclic:
            site = Site(0, (), 0, REDO)
            self.lines.add(f"if d > {self.unit.depth_limit(self.function)}: raise Slow", site)
        empty = [f"l{cell}" for cell in range(self.unit.parameters(self.function), code.locals)]
        for first in range(0, len(empty), 20):
            self.lines.add(f"{' = '.join(empty[first : first + 20])} = None")

    # -- nodes of the dominator tree --

    def node(self, start: int, around: Around) -> None:
        """A block with everything that it dominates; control ends at `around.falls` or leaves by a jump."""
        if self.graph.blocks[start].back:
            self._loop(start, around)
        else:
            self._with_merges(start, around)

    def _loop(self, head: int, around: Around) -> None:
        graph = self.graph
        body = graph.bodies[head]
        outside = [
            child
            for start in body
            for child in self._children.get(start, ())
            if child not in body and (len(graph.forward_preds(child)) > 1 or head in graph.forward_preds(child))
        ]
        outside.sort(key=lambda start: graph.blocks[start].index)
        behind = outside[-1] if outside else around.falls
        if head in self.plan.counted:
            self._counted_loop(head, Around(head, head, behind))
        else:
            self.lines.open_loop("while True:")
            self._with_merges(head, Around(head, head, behind))
            self.lines.close_loop()
        if outside:
            self.node(behind, around)

    def _counted_loop(self, head: int, around: Around) -> None:
        """Every round costs the same: the budget itself is what Python's loop counts down."""
        lines, cost = self.lines, self.plan.counted[head]
        writer = self.writer(head)
        site = writer.first_site() if writer is not None else None
        lines.open_loop("while True:")
        lines.open_loop(f"for left in range(left - {cost}, -1, -{cost}):", site)
        self._with_merges(head, around)
        lines.close_loop()
        lines.open("else:")
        lines.add(f"more({cost})", site)
        lines.add("continue")
        lines.close()
        if self.plan.refund(head):
            lines.add(f"left += {self.plan.refund(head)}")
        lines.add("break")
        lines.close_loop()

    def _with_merges(self, start: int, around: Around) -> None:
        graph = self.graph
        loop = graph.blocks[start].loop
        merges = [
            child
            for child in self._children.get(start, ())
            if len(graph.forward_preds(child)) > 1 and (graph.blocks[start].loop == -1 or child in graph.bodies[loop])
        ]
        merges.sort(key=lambda child: graph.blocks[child].index)
        if not merges:
            self._block(start, around)
        elif len(merges) == 1 and self._breaking:
            self.lines.open_loop("while True:")
            self._block(start, Around(-1, -1, merges[0]))
            self.lines.add("break")
            self.lines.close_loop()
            self.node(merges[0], around)
        elif len(merges) == 1:
            self._block(start, around._replace(falls=merges[0]))
            self.node(merges[0], around)
        else:
            last = merges[-1]
            self.lines.open_loop("while True:")
            for current, following in zip([start, *merges], [*merges, last], strict=False):
                if current == last:
                    break
                inside = Around(following, -1, last)
                if current == start:
                    self._block(start, inside)
                else:
                    self.node(current, inside)
            self.lines.add("break")
            self.lines.close_loop()
            self.node(last, around)

    # -- blocks --

    def writer(self, start: int) -> BlockWriter | None:
        """A writer for a block; None if no run can reach it."""
        state = self.states.get(start)
        if state is None:
            return None
        return BlockWriter(self.unit, self.graph, self.function, self.graph.blocks[start], state, self.plan, self.lines)

    def _block(self, start: int, around: Around) -> None:
        block = self.graph.blocks[start]
        writer = self.writer(start)
        if writer is None:
            self.lines.add("raise Slow", Site(start, (), 0, REDO))
            return
        self.charge(writer, block)
        if start >= self.graph.end:
            self.lines.add("return None")
            return
        last = block.end - 1
        writer.write(last)
        writer.index = last
        self._end(writer, block, last, around)

    def charge(self, writer: BlockWriter, block: Block) -> None:
        """Look at the budget and charge."""
        check = self.plan.check.get(block.start)
        if check and block.start not in self.plan.counted:
            self.lines.add(f"if left < {check}: more({check})", writer.first_site())
        amount = self.plan.charge[block.start]
        if amount:
            self.lines.add(f"left -= {amount}" if amount > 0 else f"left += {-amount}")

    def _end(self, writer: BlockWriter, block: Block, last: int, around: Around) -> None:
        op = self.graph.op(last)
        name = op[0]
        lines = self.lines
        if self.graph.is_bad(op) or name == "Halt":
            lines.add("raise Slow", writer.site())
        elif name == "Ret":
            self._return(writer)
        elif name == "Jmp":
            self._go_on(writer, block.succs[0], around)
        elif name in ("JmpIf", "JmpIfNot"):
            self._branch(writer, op, last, around)
        elif name == "Match":
            self._match(writer, op, around)
        else:
            writer.instruction(op)
            self._go_on(writer, last + 1, around)

    def _go_on(self, writer: BlockWriter, target: int, around: Around) -> None:
        """To the next block; nothing but a return that was charged already is written at once."""
        block = self.graph.blocks[target]
        is_return = block.end - block.start == 1 and self.graph.op(target)[0] == "Ret"
        if is_return and writer.stack and not self.plan.charge[target] and target not in self.plan.check:
            self._return(writer)
            return
        writer.flush()
        self.go(target, around)

    def _return(self, writer: BlockWriter) -> None:
        if writer.stack:
            value = writer.stack.pop()
            self.lines.add(f"return {writer.settle(value)}")
        else:
            # It takes what its caller has on the stack.
            self.lines.add("raise Slow", writer.site())

    def _branch(self, writer: BlockWriter, op: tuple[object, ...], last: int, around: Around) -> None:
        graph = self.graph
        condition = writer.stack.pop()
        text = writer.condition(condition)
        if any(entry.text != f"s{slot}" and f"s{slot}" in text for slot, entry in enumerate(writer.stack)):
            text = writer.keep(Entry(condition.fact, None, text))
        writer.flush()
        target = min(int(str(op[1])), graph.end)
        when_true, when_false = (target, last + 1) if op[0] == "JmpIf" else (last + 1, target)
        if when_true == when_false:
            self.go(when_true, around)
            return
        self.choose([(text, when_true, None), ("", when_false, None)], around)

    def _match(self, writer: BlockWriter, op: tuple[object, ...], around: Around) -> None:
        arms = self.graph.function.match_tables[int(str(op[1]))]
        site = writer.site()
        value = writer.stack.pop()
        name = writer.keep(value)
        writer.flush()
        slot = len(writer.stack)
        ways: list[tuple[str, int, str | None]] = []
        if not self._is_telling(value):
            chosen, handed = self.lines.temporary(), self.lines.temporary()
            self.lines.add(f"{chosen}, {handed} = choose(tables[{self.function}][{op[1]}], {name})", site)
            targets = list(dict.fromkeys(arm.target for arm in up_to_catch_all(arms)))
            ways = [(f"{chosen} == {target}", min(target, self.graph.end), f"s{slot} = {handed}") for target in targets]
        else:
            ways = self._tested(arms, value, name, slot)
        if ways and ways[-1][0] and self._is_complete(arms, value):
            ways[-1] = ("", *ways[-1][1:])
        if not ways or ways[-1][0]:
            ways.append(("", -1, "raise Slow"))
        self.choose(ways, around, site)

    def _is_telling(self, value: Entry) -> bool:
        """True if the head, or the Bool, alone decides which arm fits."""
        kinds = value.fact.kinds
        return kinds == BOOL or (0 < kinds == kinds & (ENUM | NONE) and not (kinds & ENUM and value.fact.heads is None))

    def _is_complete(self, arms: tuple[Arm, ...], value: Entry) -> bool:
        """True if some arm fits every value that this can be."""
        if any(arm.tag == -1 for arm in arms):
            return True
        fact = value.fact
        if fact.kinds & ~(ENUM | NONE) or fact.heads is None:
            return False
        none = not fact.kinds & NONE or any(arm.tag == -2 for arm in arms)
        return none and all(any(accepts(arm, head) for arm in arms) for head in fact.heads)

    def _tested(self, arms: tuple[Arm, ...], value: Entry, name: str, slot: int) -> list[tuple[str, int, str | None]]:
        """Tests of a value that is an enum, None, or a Bool for sure."""
        fact = value.fact
        left = {head for head in fact.heads or () if head < 0} if fact.kinds & ENUM else set()
        none = bool(fact.kinds & NONE)
        ways: list[tuple[str, int, str | None]] = []
        for arm in arms:
            target = min(arm.target, self.graph.end)
            keeps = f"s{slot} = {name}"
            if arm.tag == -1:
                if arm.types is not None or not left:
                    ways.append(("", target, keeps))
                elif none:
                    ways.append(("", target, f"s{slot} = {name}[1] if len({name}) > 1 else {name}"))
                else:
                    ways.append(("", target, keeps if fact.kinds == BOOL else f"s{slot} = {name}[1]"))
                break
            if fact.kinds == BOOL:
                if arm.tag in (0, 1) and not arm.types:
                    ways.append((name if arm.tag else f"not {name}", target, keeps))
                continue
            if arm.tag == -2 and none:
                ways.append((f"{name}[0] == {NONE_HEAD}", target, keeps))
            fitting = sorted(head for head in left if accepts(arm, head))
            if fitting:
                test = f"{name}[0] == {fitting[0]}" if len(fitting) == 1 else f"{name}[0] in {tuple(fitting)}"
                ways.append((test, target, f"s{slot} = {name}[1]"))
                left -= set(fitting)
        return ways

    # -- jumps --

    def choose(self, ways: list[tuple[str, int, str | None]], around: Around, site: Site | None = None) -> None:
        """`if`, `elif`, `else`: conditions, targets (-1: none), what is done first."""
        lines = self.lines
        last = len(ways) - 1
        if len(ways) == 2 and not ways[1][0] and ways[1][2] is None and ways[0][2] is None:
            self._two_ways(ways[0][0], ways[0][1], ways[1][1], around)
            return
        for number, (condition, target, first) in enumerate(ways):
            if number == last and not condition and not number:
                if first is not None:
                    lines.add(first, site)
                if target >= 0:
                    self.go(target, around)
                return
            lines.open(f"if {condition}:" if not number else f"elif {condition}:" if condition else "else:", site)
            if first is not None:
                lines.add(first, site)
            if target >= 0:
                self.go(target, around)
            lines.close()

    def _two_ways(self, condition: str, when_true: int, when_false: int, around: Around) -> None:
        lines = self.lines
        if when_true == around.falls:
            lines.open(f"if not {condition}:")
            self.go(when_false, around)
            lines.close()
            return
        lines.open(f"if {condition}:")
        self.go(when_true, around)
        lines.close()
        if self._has_left():
            self.go(when_false, around)
            return
        if when_false != around.falls:
            lines.open("else:")
            self.go(when_false, around)
            lines.close()

    def _has_left(self) -> bool:
        """True if control never reaches the end of the block that was just closed."""
        last = self.lines.lines[-1]
        return last.indent == self.lines.indent + 1 and last.text.startswith(("return", "break", "continue"))

    def go(self, target: int, around: Around) -> None:
        """Continue at a block."""
        graph = self.graph
        if target == around.falls:
            return
        if target == around.continues:
            self.lines.add("continue")
        elif target == around.breaks:
            self.lines.add("break")
        elif len(graph.forward_preds(target)) == 1:
            self.node(target, around)
        else:
            raise Unstructured


def up_to_catch_all(arms: tuple[Arm, ...]) -> tuple[Arm, ...]:
    """The arms that can be chosen."""
    tags = [arm.tag for arm in arms]
    return arms[: tags.index(CATCH_ALL) + 1] if CATCH_ALL in tags else arms


class Dispatching(Structured):
    """A function as one loop over the numbers of its blocks, each of them charged for itself."""

    def write(self) -> list[Line]:
        """All lines."""
        self.begin()
        lines = self.lines
        lines.add(f"b = {self.graph.first}")
        lines.open_loop("while True:")
        self._search([start for start in self.graph.order if start in self.states])
        lines.close_loop()
        return lines.lines

    def _search(self, starts: list[int]) -> None:
        ordered = sorted(starts)
        if len(ordered) == 1:
            self._block(ordered[0], Around(-1))
            return
        middle = len(ordered) // 2
        self.lines.open(f"if b < {ordered[middle]}:")
        self._search(ordered[:middle])
        self.lines.close()
        self.lines.open("else:")
        self._search(ordered[middle:])
        self.lines.close()

    def go(self, target: int, around: Around) -> None:
        """Continue at a block."""
        self.lines.add(f"b = {target}")
