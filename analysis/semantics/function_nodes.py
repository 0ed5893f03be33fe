"""The nodes of functions as rules look at them: one walk over a chunk for all rules, whatever its names mean now."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Final, TypeVar, overload
from weakref import ref

from analysis.database import paced
from analysis.syntax.tree import Function, Item, Node, walk

_Found = TypeVar("_Found")
_Asked = TypeVar("_Asked")
_One = TypeVar("_One", bound=Node)
_Two = TypeVar("_Two", bound=Node)
_Three = TypeVar("_Three", bound=Node)
RESIDENT: Final = 1_000
"""Chunks whose walks are kept: those under repair, and the callers of what is edited."""
_MANY: Final = 2_000
"""Nodes that a rule can look at without asking whether to stop. Of a chunk with more, they are not kept."""


class Nodes(list[Node]):
    """The nodes of a function, parents first, in source order; walks through many check for cancellation."""

    __slots__ = ("_by_kind", "_kept")

    def __init__(self, nodes: Iterable[Node]) -> None:
        super().__init__(nodes)
        self._kept: dict[Any, Any] = {}
        self._by_kind: dict[type[Node], list[Node]] | None = None

    def __iter__(self) -> Iterator[Node]:
        return super().__iter__() if len(self) < _MANY else paced(super().__iter__())

    @overload
    def of(self, kind: type[_One], /) -> Sequence[_One]: ...

    @overload
    def of(self, kind: type[_One], other: type[_Two], /) -> Sequence[_One | _Two]: ...

    @overload
    def of(self, kind: type[_One], other: type[_Two], third: type[_Three], /) -> Sequence[_One | _Two | _Three]: ...

    @overload
    def of(self, *kinds: type[Node]) -> Sequence[Node]: ...

    def of(self, *kinds: type[Node]) -> Sequence[Node]:
        """Those of these classes, found once for all rules: most rules are about few nodes."""
        nodes: list[Node] | None = self._kept.get(kinds)
        if nodes is None:
            nodes = self._kept[kinds] = self._found(kinds)
        return nodes

    def _found(self, kinds: tuple[type[Node], ...]) -> list[Node]:
        if self._by_kind is None:
            by_kind: defaultdict[type[Node], list[Node]] = defaultdict(list)
            for node in self:
                by_kind[type(node)].append(node)
            self._by_kind = dict(by_kind)
        groups = [self._by_kind[kind] for kind in kinds if kind in self._by_kind]
        if len(groups) > 1:
            # In source order. Of few nodes without the detour through `__iter__`.
            nodes = self if len(self) >= _MANY else list.__iter__(self)
            return [node for node in nodes if type(node) in kinds]
        return groups[0] if groups else []

    def once(self, find: Callable[[Nodes], _Found]) -> _Found:
        """What a function finds among them, found once for all who ask."""
        if find not in self._kept:
            self._kept[find] = find(self)
        result: _Found = self._kept[find]
        return result


Walked = tuple[tuple[Function, Nodes], ...]
"""Each function of a chunk with all nodes of its body."""


class Walk:
    """The walk over the functions of some items, kept with them: a changed signature elsewhere repeats none.

    It follows from the items, so it is no part of the value of what holds it. It takes half as much memory as the tree, so only
    the latest are kept.
    """

    __slots__ = ("__weakref__", "_kept", "_walked", "typed")
    _latest: ClassVar[deque[ref[Walk]]] = deque()

    def __init__(self) -> None:
        self._walked: Walked | None = None
        self._kept: dict[Any, Any] = {}
        self.typed: object = None
        """The latest types of the items, with all that they depend on (`diagnostics/typed.py`): no more than a memo of it."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Walk)

    __hash__ = None  # type: ignore[assignment]

    def over(self, items: Iterable[Item]) -> Walked:
        """The functions among these items, always the same ones."""
        if self._walked is not None:
            return self._walked
        walked = tuple([(item, Nodes(walk(item.body))) for item in items if isinstance(item, Function)])
        if sum([len(nodes) for _, nodes in walked]) < _MANY:
            self._walked = walked
            self._latest.append(ref(self))
            while len(self._latest) > RESIDENT:
                if (oldest := self._latest.popleft()()) is not None:
                    oldest._walked, oldest._kept, oldest.typed = None, {}, None
        return walked

    def keep_types(self, typed: object) -> None:
        """Keeps the latest types, as long as the walk itself is kept."""
        if self._walked is not None:
            self.typed = typed

    def once(self, find: Callable[[_Asked], _Found], asked: _Asked) -> _Found:
        """What a function finds about the same text, found once; it must look at nothing but the text."""
        if find not in self._kept:
            self._kept[find] = find(asked)
        result: _Found = self._kept[find]
        return result
