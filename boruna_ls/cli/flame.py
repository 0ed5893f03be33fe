"""A flame graph as SVG: each bar is a function at the end of a path of calls, as wide as its steps; callers stand below."""

from __future__ import annotations

from html import escape
from typing import Final

from analysis.bytecode.module import Module
from boruna_ls.cli.output import visible
from boruna_ls.runtime.profile import Node, Profiler

WIDTH: Final = 1200.0
HEIGHT: Final = 18
_NARROWEST: Final = 0.5
_CHARACTER: Final = 7.0
_COLOURS: Final = ("#e4572e", "#f18f3b", "#f4b942", "#e9724c", "#d95d39", "#f2a65a")


def flame_graph(profiler: Profiler, module: Module, title: str) -> str:
    """The picture as a text."""
    totals = _totals(profiler.root)
    whole = totals[id(profiler.root)] or 1
    bars: list[str] = []
    deepest = 0
    todo = [(profiler.root, 0.0, 0)]
    while todo:
        node, left, depth = todo.pop()
        if node is not profiler.root:
            width = WIDTH * totals[id(node)] / whole
            if width < _NARROWEST:
                continue
            deepest = max(deepest, depth)
            bars.append(_bar(visible(module.functions[node.function].name), node, totals[id(node)], whole, left, width, depth))
        start = left
        for child in node.children.values():
            todo.append((child, start, depth + 1))
            start += WIDTH * totals[id(child)] / whole
    height = (deepest + 2) * HEIGHT + 10
    # The y of a bar counts from the bottom: the group is moved there.
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.0f}" height="{height}" font-family="monospace" font-size="11">\n'
        f'<rect width="100%" height="100%" fill="#fffaf0"/>\n<text x="6" y="14">{escape(visible(title))}: {whole} steps</text>\n'
        f'<g transform="translate(0,{height})">\n{"".join(bars)}</g>\n</svg>\n'
    )


def _bar(name: str, node: Node, total: int, whole: int, left: float, width: float, depth: int) -> str:
    top = -depth * HEIGHT - 4
    room = int((width - 6) / _CHARACTER)
    shown = name if len(name) <= room else name[: room - 1] + "…" if room > 2 else ""
    label = f'<text x="{left + 3:.1f}" y="{top + 13}">{escape(shown)}</text>' if shown else ""
    title = f"{name}: {total} steps ({100 * total / whole:.1f} %), {node.steps} of its own, {node.calls} calls"
    colour = _COLOURS[sum(name.encode()) % len(_COLOURS)]
    return (
        f'<g><title>{escape(title)}</title><rect x="{left:.1f}" y="{top}" width="{max(width - 0.5, 0.3):.1f}" '
        f'height="{HEIGHT - 1}" fill="{colour}" rx="2"/>{label}</g>\n'
    )


def _totals(root: Node) -> dict[int, int]:
    """Steps of each node with everything above it, by identity."""
    order = [root]
    for node in order:
        order += node.children.values()
    totals: dict[int, int] = {}
    for node in reversed(order):
        totals[id(node)] = node.steps + sum(totals[id(child)] for child in node.children.values())
    return totals
