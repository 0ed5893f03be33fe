"""The graph of a workflow: edges, order, levels, ancestors and cycles (spec chapter 16, section 5).

All walks are loops over dictionaries, so that a chain of 10,000 steps needs no deep stack.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from analysis.data_classes import dataclass
from analysis.workflow.reader import Definition

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Graph:
    """The graph as the reference orders it: names that are no step take part, inputs add no edges."""

    edges: tuple[Edge, ...]
    """Every edge once, sorted; from `edges` and `depends_on`."""
    order: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    steps_count: int

    @property
    def cycle_message(self) -> str | None:
        """The reference's message if the order lacks a step; None if it has all."""
        if len(self.order) == self.steps_count:
            return None
        return f"cycle detected: resolved {len(self.order)} of {self.steps_count} steps"


def graph_of(definition: Definition, inputs_too: bool = False) -> Graph:
    """The graph of a definition; with `inputs_too` a step also comes after the steps that it reads."""
    edges = set(definition.edges)
    for name, step in definition.steps.items():
        edges.update((dependency, name) for dependency in step.depends_on)
        if inputs_too:
            edges.update((read, name) for read in reads(step.inputs) if read in definition.steps)
    ordered = tuple(sorted(edges))
    order, levels = _order(definition.steps, ordered)
    return Graph(ordered, order, levels, len(definition.steps))


def reads(inputs: Mapping[str, str]) -> list[str]:
    """The steps that inputs refer to, by name of the input."""
    return [inputs[name].partition(".")[0] for name in sorted(inputs) if "." in inputs[name]]


def _order(steps: Mapping[str, object], edges: tuple[Edge, ...]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    incoming = dict.fromkeys(steps, 0)
    following: dict[str, list[str]] = {}
    for start, end in edges:
        incoming[end] = incoming.get(end, 0) + 1
        following.setdefault(start, []).append(end)
    queue = deque(sorted(name for name, count in incoming.items() if count == 0))
    level = dict.fromkeys(queue, 0)
    order: list[str] = []
    while queue:
        name = queue.popleft()
        order.append(name)
        for other in following.get(name, ()):
            incoming[other] -= 1
            if incoming[other] == 0:
                level[other] = level[name] + 1
                queue.append(other)
    levels: list[list[str]] = []
    for name in order:
        while len(levels) <= level[name]:
            levels.append([])
        levels[level[name]].append(name)
    return tuple(order), tuple(tuple(sorted(names)) for names in levels)


def dependencies(definition: Definition) -> dict[str, list[str]]:
    """For each step the names that it comes after, sorted, names that are no step included."""
    needs: dict[str, set[str]] = {name: set(step.depends_on) for name, step in definition.steps.items()}
    for start, end in definition.edges:
        if end in needs:
            needs[end].add(start)
    return {name: sorted(needs[name]) for name in sorted(needs)}


def cycles(definition: Definition) -> list[tuple[str, ...]]:
    """One shortest real cycle for each group of steps that wait for each other, beginning with its first id."""
    after = dependencies(definition)
    return [_shortest_cycle(group, after) for group in _knots(after)]


def _knots(after: Mapping[str, list[str]]) -> list[set[str]]:
    """The strongly connected groups that hold a cycle (Tarjan, as a loop), by first id."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    groups: list[set[str]] = []
    for root in after:
        if root in index:
            continue
        work = [(root, iter(after[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            name, others = work[-1]
            for other in others:
                if other not in after:
                    continue
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(after[other])))
                    break
                if other in on_stack:
                    low[name] = min(low[name], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    group = set()
                    while name not in group:
                        group.add(stack.pop())
                    on_stack -= group
                    if len(group) > 1 or name in after[name]:
                        groups.append(group)
    return sorted(groups, key=min)


def _shortest_cycle(group: set[str], after: Mapping[str, list[str]]) -> tuple[str, ...]:
    """A shortest cycle through the first id of a group, in the order in which the steps would run."""
    start = min(group)
    towards: dict[str, str] = {}
    queue = deque([start])
    while queue:
        name = queue.popleft()
        for other in after[name]:
            if other == start:
                # `towards` leads from a dependency to the step that waits for it.
                path = [name]
                while path[-1] != start:
                    path.append(towards[path[-1]])
                return (start, *path[:-1])
            if other in group and other not in towards:
                towards[other] = name
                queue.append(other)
    return (start,)


def unordered_reads(definition: Definition, graph: Graph) -> list[tuple[str, str, str]]:
    """Inputs of steps in the order that read a step which need not have ended: step, name of the input, step that is read."""
    after = dependencies(definition)
    bit = {name: 1 << number for number, name in enumerate(graph.order)}
    before: dict[str, int] = {}
    reads = []
    # A set of ancestors is the bits of one number: 10,000 steps take some megabytes.
    for name in graph.order:
        mask = 0
        for other in after.get(name, ()):
            mask |= before.get(other, 0) | bit.get(other, 0)
        before[name] = mask
        step = definition.steps.get(name)
        for input_name, reference in sorted(step.inputs.items()) if step else ():
            read, dot, _ = reference.partition(".")
            if dot and read in definition.steps and not mask & bit.get(read, 0):
                reads.append((name, input_name, read))
    return reads
