"""The graph of a workflow as SVG, its steps in the colour and with the word of their state. One text, no script, no reference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from analysis.data_classes import dataclass
from analysis.syntax.escaping import escaped
from analysis.workflow.graph_layout import HEIGHT, WIDTH, layout_of
from analysis.workflow.reader import GATE, TRIGGER, Definition, Step

_LONGEST: Final = 20
"""Characters of a name that are shown; the whole is its title."""
_MARKUP: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
"""`xml.sax.saxutils` does it, too, and imports an HTTP client."""


@dataclass(frozen=True, slots=True)
class Look:
    """Style of a state, which never differs by its colour alone."""

    word: str
    mark: str
    fill: str
    line: str


LOOKS: Final[Mapping[str, Look]] = {
    "pending": Look("pending", "○", "#f3f4f6", "#6b7280"),
    "running": Look("running", "▶", "#dbeafe", "#1d4ed8"),
    "completed": Look("completed", "✓", "#dcfce7", "#15803d"),
    "failed": Look("failed", "✗", "#fee2e2", "#b91c1c"),
    "awaiting_approval": Look("waits for approval", "?", "#fef3c7", "#b45309"),
    "awaiting_external_event": Look("waits for an event", "…", "#f3e8ff", "#7e22ce"),
}
_KINDS: Final = {GATE: "gate", TRIGGER: "trigger"}


def picture(definition: Definition, states: Mapping[str, str] | None = None) -> str:
    """The SVG text of a definition; with `states` by step its steps are shown as they are in a run."""
    layout = layout_of(definition)
    width, height = _number(layout.width), _number(layout.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="system-ui, sans-serif" font-size="13" role="img">',
        f"<title>{_text(definition.name)}</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#6b7280"/></marker></defs>',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        '<g fill="none" stroke="#6b7280" stroke-width="1.3" marker-end="url(#tip)">',
    ]
    lines += [f'<path d="{path_of(line.points)}" marker-end="url(#tip)"/>' for line in layout.lines]
    lines.append("</g>")
    for name, place in sorted(layout.places.items()):
        state = "" if states is None else states.get(name, "pending")
        lines += _step(name, definition.steps[name], place, state)
    return "\n".join([*lines, "</svg>", ""])


def path_of(points: Iterable[tuple[float, float]]) -> str:
    """The curve of a line, as the attribute `d` of a path: level where it meets a step."""
    (x, y), *rest = points
    parts = [f"M{_number(x)} {_number(y)}"]
    for to_x, to_y in rest:
        middle = _number((x + to_x) / 2)
        parts.append(f"C{middle} {_number(y)} {middle} {_number(to_y)} {_number(to_x)} {_number(to_y)}")
        x, y = to_x, to_y
    return "".join(parts)


def _step(name: str, step: Step, place: tuple[float, float], state: str) -> list[str]:
    look = LOOKS.get(state or "pending", LOOKS["pending"])
    x, y = place
    dash = "" if step.kind not in _KINDS else ' stroke-dasharray="5 3"'
    about = _about(step)
    below = f"{look.mark} {look.word}" if state else about
    box = f'x="{_number(x)}" y="{_number(y)}" width="{WIDTH:.0f}" height="{HEIGHT:.0f}" rx="8"'
    return [
        f'<g data-step="{_text(name)}" data-state="{_text(state)}">',
        f"<title>{_text(f'{name}: {about}' + (f', {look.word}' if state else ''))}</title>",
        f'<rect {box} fill="{look.fill}" stroke="{look.line}" stroke-width="1.6"{dash}/>',
        f'<text x="{_number(x + 12)}" y="{_number(y + 24)}" font-weight="600" fill="#111827">{_text(_short(name))}</text>',
        f'<text x="{_number(x + 12)}" y="{_number(y + 44)}" fill="{look.line}">{_text(_short(below, 24))}</text>',
        "</g>",
    ]


def _about(step: Step) -> str:
    if step.kind == GATE:
        return f"gate for {step.required_role}" if step.required_role else "gate"
    return "event from outside" if step.kind == TRIGGER else step.source


def _short(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _text(text: str) -> str:
    """Text of others in XML: what is hidden in it is shown as an escape, so nothing is left that XML cannot hold."""
    return escaped(text).translate(_MARKUP)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
