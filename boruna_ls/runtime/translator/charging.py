"""Placement of step charges: as few subtractions from the budget as possible, exact at every instruction.

Blocks that are always executed together are charged together, at the first of them; a block that ends in a branch leaves its
charge to the branches. The budget is checked where a function or a round of a loop begins, for the longest way to the next
such place, and again after calls of functions that check it themselves. `credit` is what has been charged and not executed
yet (less than zero: executed and not charged yet): it is known for every instruction, so a run can be continued anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from boruna_ls.runtime.translator.graph import CALLS, Block, Graph

MAX_BLOCKS: Final = 400
"""Functions of more blocks are charged block by block."""


class Inexact(Exception):
    """Two ways to a block that were charged differently; the function is written in its simple form."""


class Plan:
    """Charges and budget checks of a function; keys are starts of blocks."""

    def __init__(self, graph: Graph, leaf_cost: Callable[[int], int | None]) -> None:
        self.graph = graph
        self._leaf_cost = leaf_cost
        self.charge: dict[int, int] = {}
        self.check: dict[int, int] = {}
        self.credit: dict[int, int] = {}
        self.counted: dict[int, int] = {}
        """Heads of loops whose rounds all take the same number of steps."""
        self.dirty: set[int] = set()
        """Blocks where the last look at the budget may lie behind a call that used it up."""
        self._longest: dict[int, int] = {}

    # -- the simple form: every block for itself --

    def singly(self) -> Plan:
        """Every block looks at the budget and is charged."""
        for start, block in self.graph.blocks.items():
            self.charge[start] = block.cost
            self.check[start] = block.cost + self._leaves(block)
            self.credit[start] = 0
        return self

    # -- the good form --

    def together(self, is_leaf: bool) -> Plan:
        """Blocks together; a leaf never looks at the budget, since its callers do."""
        graph = self.graph
        self._find_counted()
        in_counted = {start for head in self.counted for start in graph.bodies[head]}
        totals = self._totals(in_counted)
        carried: dict[int, int] = {}
        deferred: dict[int, int] = {}
        for start in graph.order:
            amount = totals[start] + carried.get(start, 0)
            if start not in in_counted and self._can_defer(graph.blocks[start]):
                deferred[start] = amount
                for target in graph.blocks[start].succs:
                    carried[target] = amount
                amount = 0
            self.charge[start] = amount
        if not is_leaf:
            self._place_checks(carried, deferred)
        self._work_out_credit()
        return self

    def _leaves(self, block: Block) -> int:
        """The longest way through the leaves that a block calls."""
        cost = 0
        for index in range(block.start, block.end):
            op = self.graph.op(index)
            if op[0] == "Call":
                cost += self._leaf_cost(op[1]) or 0
        return cost

    def leaf_after_call(self, block: Block, index: int) -> int | None:
        """Steps to look for before an instruction that calls a leaf, where the budget was last looked at before another call."""
        cost = self._leaf_cost(self.graph.op(index)[1])
        if cost is None:
            return None
        before = (self.graph.op(earlier) for earlier in range(block.start, index))
        called = any(op[0] in CALLS and (op[0] != "Call" or self._leaf_cost(op[1]) is None) for op in before)
        return cost if called or block.start in self.dirty else None

    def _calls(self, block: Block, also_leaves: bool = False) -> bool:
        for index in range(block.start, block.end):
            op = self.graph.op(index)
            if op[0] in CALLS and (also_leaves or op[0] != "Call" or self._leaf_cost(op[1]) is None):
                return True
        return False

    def _find_counted(self) -> None:
        graph = self.graph
        for head, body in graph.bodies.items():
            inside = [graph.blocks[start] for start in body]
            if any(block.loop != head or self._calls(block, also_leaves=True) for block in inside):
                continue
            staying = [[target for target in block.succs if target in body] for block in inside]
            leaving = [block for block in inside if any(target not in body for target in block.succs)]
            straight = all(len(ways) == 1 for ways in staying)
            if straight and [block.start for block in leaving] == [head] and len(graph.blocks[head].succs) == 2:
                self.counted[head] = sum(block.cost for block in inside)

    def _can_defer(self, block: Block) -> bool:
        if len(block.succs) < 2 or self._calls(block):
            return False
        targets = [self.graph.blocks[target] for target in block.succs]
        return all(len(target.preds) == 1 and not target.back and target.start != self.graph.first for target in targets)

    def _totals(self, in_counted: set[int]) -> dict[int, int]:
        """Steps of each first block with all that are always executed together with it; 0 for the others."""
        graph = self.graph
        totals = {start: 0 if start in in_counted else block.cost for start, block in graph.blocks.items()}
        if len(graph.order) > MAX_BLOCKS:
            return totals
        for start in reversed(graph.order):
            block = graph.blocks[start]
            leader = graph.blocks[block.idom]
            if start == graph.first or start in in_counted or leader.start in in_counted:
                continue
            if leader.loop == block.loop and not block.back and self._always_leads(leader, start):
                totals[leader.start] += totals[start]
                totals[start] = 0
        return totals

    def _always_leads(self, leader: Block, goal: int) -> bool:
        graph = self.graph
        body = graph.bodies.get(leader.loop)
        todo = list(leader.succs)
        seen = {goal}
        if not todo:
            return False
        while todo:
            start = todo.pop()
            if start == leader.loop or (body is not None and start not in body):
                return False
            if start in seen:
                continue
            seen.add(start)
            succs = graph.blocks[start].succs
            if not succs:
                return False
            todo.extend(succs)
        return True

    def longest(self, start: int) -> int:
        """Steps of the longest way from a block to the next place that looks at the budget, leaves included."""
        if not self._longest:
            for begin in reversed(self.graph.order):
                block = self.graph.blocks[begin]
                ways = [
                    self._longest[target]
                    for target in block.succs
                    if target in self._longest and not self.graph.blocks[target].back
                ]
                self._longest[begin] = block.cost + self._leaves(block) + max(ways, default=0)
        return self._longest[start]

    def _place_checks(self, carried: dict[int, int], deferred: dict[int, int]) -> None:
        graph = self.graph
        dirty: dict[int, bool] = {}
        for start in graph.order:
            block = graph.blocks[start]
            is_head = start == graph.first or bool(block.back)
            unsure = is_head or any(self._leaves_dirty(pred, start, dirty) for pred in graph.forward_preds(start))
            if is_head or (unsure and (self.charge[start] or deferred.get(start))):
                self.check[start] = self.longest(start) + carried.get(start, 0)
                unsure = False
            if unsure:
                self.dirty.add(start)
            dirty[start] = unsure or self._calls(block)

    def _leaves_dirty(self, pred: int, start: int, dirty: dict[int, bool]) -> bool:
        """Rounds that are counted look at the budget for a round only, not for what comes behind the loop."""
        return dirty[pred] or (pred in self.counted and start not in self.graph.bodies[pred])

    def _work_out_credit(self) -> None:
        graph = self.graph
        left: dict[int, int] = {}
        for start in graph.order:
            block = graph.blocks[start]
            credits = {self._on_edge(pred, start, left) for pred in graph.forward_preds(start)} or {0}
            if len(credits) > 1:
                raise Inexact
            self.credit[start] = credits.pop()
            left[start] = self.credit[start] + self.charge[start] + self.counted.get(start, 0) - block.cost
        for head in graph.bodies:
            if any(left[pred] != self.credit[head] for pred in graph.blocks[head].back):
                raise Inexact

    def _on_edge(self, pred: int, start: int, left: dict[int, int]) -> int:
        """Leaving a counted loop gives back what the last round did not use."""
        if pred in self.counted and start not in self.graph.bodies[pred]:
            return left[pred] - self.refund(pred)
        return left[pred]

    def refund(self, head: int) -> int:
        """Steps of a counted round that are not taken when the loop ends."""
        return self.counted[head] - self.graph.blocks[head].cost

    def credit_at(self, block: Block, index: int) -> int:
        """Credit before an instruction, after the block was charged."""
        return self.credit[block.start] + self.charge[block.start] + self.counted.get(block.start, 0) - (index - block.start)
