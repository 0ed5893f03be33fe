"""Positions of a workflow's steps in a picture: columns by level, rows so that few lines cross (Sugiyama).

Pure. A line that passes columns has a point in each, and the steps there leave room for it; points are bounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from analysis.data_classes import dataclass
from analysis.workflow.graph import graph_of
from analysis.workflow.reader import Definition

WIDTH: Final = 184.0
HEIGHT: Final = 58.0
"""Size of a step, in the units of the picture."""
_COLUMN: Final = 76.0
_ROW: Final = 22.0
"""Room between two columns, and between two rows."""
_MARGIN: Final = 16.0
_LANE: Final = 8.0
"""Height of the room that a passing line takes."""
_SWEEPS: Final = 6
_MOST_POINTS: Final = 20_000
"""Points of passing lines; with more of them lines go straight."""

_Node = tuple[str, int]
"""A step (its level) or the point of a line in a column: ("", number)."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line from the right edge of one step to the left edge of another, through `points` (x, y)."""

    start: str
    end: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """The left upper corner of each step, the lines, and the size of the whole picture."""

    places: Mapping[str, tuple[float, float]]
    lines: tuple[Line, ...]
    width: float
    height: float


def layout_of(definition: Definition) -> Layout:
    """The picture of a definition. Steps that wait for each other stand in a last column; names that are no step are left out."""
    graph = graph_of(definition, inputs_too=True)
    level = {name: number for number, names in enumerate(graph.levels) for name in names if name in definition.steps}
    knots = [name for name in definition.steps if name not in level]
    level |= dict.fromkeys(sorted(knots), len(graph.levels))
    edges = [(start, end) for start, end in graph.edges if start in level and end in level and start != end]
    columns, routes, links = _columns(level, edges)
    _sort(columns, links)
    rows = _rows(columns, links)
    return _drawn(columns, rows, routes)


def _columns(
    level: Mapping[str, int], edges: list[tuple[str, str]]
) -> tuple[list[list[_Node]], dict[tuple[str, str], list[_Node]], list[tuple[_Node, _Node]]]:
    """The nodes of each column, the nodes that each line passes, and the pairs of neighbours."""
    columns: list[list[_Node]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for name in sorted(level):
        columns[level[name]].append((name, level[name]))
    routes: dict[tuple[str, str], list[_Node]] = {}
    links: list[tuple[_Node, _Node]] = []
    points = 0
    for start, end in edges:
        route = [(start, level[start])]
        for column in range(level[start] + 1, level[end]):
            if points >= _MOST_POINTS:
                break
            points += 1
            columns[column].append(("", points))
            route.append(("", points))
        route.append((end, level[end]))
        routes[start, end] = route
        if level[start] < level[end]:
            links += pairwise(route)
    return columns, routes, links


def _sort(columns: list[list[_Node]], links: list[tuple[_Node, _Node]]) -> None:
    """Orders each column by the mean place of the neighbours, forth and back."""
    before, after = _neighbours(links)
    for sweep in range(_SWEEPS):
        forth = sweep % 2 == 0
        place = {node: float(number) for column in columns for number, node in enumerate(column)}
        for column in columns if forth else reversed(columns):
            near = before if forth else after
            wanted = {node: _mean([place[other] for other in near.get(node, ())], place[node]) for node in column}
            column.sort(key=lambda node: (wanted[node], place[node]))
            place |= {node: float(number) for number, node in enumerate(column)}


def _neighbours(links: list[tuple[_Node, _Node]]) -> tuple[dict[_Node, list[_Node]], dict[_Node, list[_Node]]]:
    before: dict[_Node, list[_Node]] = {}
    after: dict[_Node, list[_Node]] = {}
    for start, end in links:
        before.setdefault(end, []).append(start)
        after.setdefault(start, []).append(end)
    return before, after


def _rows(columns: list[list[_Node]], links: list[tuple[_Node, _Node]]) -> dict[_Node, float]:
    """The middle of each node: near its neighbours, as far as the order and the room allow."""
    before, after = _neighbours(links)
    rows: dict[_Node, float] = {}
    for column in columns:
        _place(column, rows, dict.fromkeys(column, 0.0) if not rows else _wishes(column, before, rows))
    for near in (after, before):
        for column in reversed(columns) if near is after else columns:
            _place(column, rows, _wishes(column, near, rows))
    return rows


def _wishes(column: list[_Node], near: Mapping[_Node, list[_Node]], rows: Mapping[_Node, float]) -> dict[_Node, float]:
    return {node: _mean([rows[other] for other in near.get(node, ())], rows.get(node, 0.0)) for node in column}


def _place(column: list[_Node], rows: dict[_Node, float], wanted: Mapping[_Node, float]) -> None:
    """Places a column in its order, with room, as near to what is wanted as a shift of the whole allows."""
    below = float("-inf")
    places = []
    for node in column:
        half = (HEIGHT if node[0] else _LANE) / 2
        middle = max(wanted[node], below + half)
        places.append(middle)
        below = middle + half + _ROW
    shift = _mean([wanted[node] - middle for node, middle in zip(column, places, strict=True)], 0.0)
    rows |= {node: middle + shift for node, middle in zip(column, places, strict=True)}


def _drawn(columns: list[list[_Node]], rows: Mapping[_Node, float], routes: Mapping[tuple[str, str], list[_Node]]) -> Layout:
    top = min((rows[node] - HEIGHT / 2 for column in columns for node in column), default=0.0) - _MARGIN
    left = {node: _MARGIN + number * (WIDTH + _COLUMN) for number, column in enumerate(columns) for node in column}
    places = {node[0]: (left[node], rows[node] - HEIGHT / 2 - top) for column in columns for node in column if node[0]}
    lines = []
    for (start, end), route in routes.items():
        points = [(left[route[0]] + WIDTH, rows[route[0]] - top)]
        for node in route[1:-1]:
            points += [(left[node], rows[node] - top), (left[node] + WIDTH, rows[node] - top)]
        points.append((left[route[-1]], rows[route[-1]] - top))
        lines.append(Line(start, end, tuple((round(x, 1), round(y, 1)) for x, y in points)))
    height = max((y + HEIGHT for _, y in places.values()), default=0.0) + _MARGIN
    width = _MARGIN * 2 + len(columns) * (WIDTH + _COLUMN) - (_COLUMN if columns else 0)
    shown = {name: (round(x, 1), round(y, 1)) for name, (x, y) in places.items()}
    return Layout(shown, tuple(lines), round(width, 1), round(height, 1))


def _mean(values: list[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
