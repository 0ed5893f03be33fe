"""A document as data with places: what readers of any format give, and all that features look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from analysis.config.toml_places import nearest
from analysis.data_classes import dataclass, field
from analysis.text.edits import Span
from analysis.workflow.json_steps import Places

Path = tuple[str | int, ...]
"""Keys and numbers of items from the document downwards."""


class Defect(NamedTuple):
    """A syntax error: its place and reason."""

    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class Parsed:
    """Readable part of a text. `keys` are the spans of names, `values` of their values; the last of equal names counts.

    A value that is missing, during typing, is None with an empty span.
    """

    data: Any = None
    keys: Mapping[Path, Span] = field(default_factory=dict)
    values: Mapping[Path, Span] = field(default_factory=dict)
    repeated: tuple[tuple[Path, Span], ...] = ()
    """Names that their table has already, and where they stand."""
    defect: Defect | None = None

    def get(self, path: Path) -> Any:
        """The value under a path, None where there is none."""
        value = self.data
        for part in path:
            is_item = isinstance(value, list) and isinstance(part, int) and part < len(value)
            if not is_item and not (isinstance(value, dict) and part in value):
                return None
            value = value[part]
        return value

    def table(self, path: Path) -> dict[str, Any]:
        """The table under a path, an empty one where there is none."""
        value = self.get(path)
        return value if isinstance(value, dict) else {}

    def span(self, path: Path, on_key: bool = False) -> Span:
        """The span of a value, or of its name; of the nearest one around it that has one."""
        first, second = (self.keys, self.values) if on_key else (self.values, self.keys)
        return nearest(path, first, second)

    def at(self, offset: int) -> tuple[Path, bool] | None:
        """The innermost name or value at an offset, and whether it is a name."""
        best: tuple[int, Path, bool] | None = None
        for places, is_key in ((self.keys, True), (self.values, False)):
            near = places.around(offset) if isinstance(places, Places) else places.items()
            for path, (start, end) in near:
                if start <= offset <= end and (best is None or (end - start, -len(path)) < (best[0], -len(best[1]))):
                    best = end - start, path, is_key
        return best[1:] if best is not None else None

    def texts(self) -> Iterator[tuple[Path, str, Span]]:
        """All values that are texts."""
        for path, span in self.values.items():
            value = self.get(path)
            if isinstance(value, str):
                yield path, value, span
