"""Maps whose keys are variants of a plain enum: the place of a variant stands as a text for it, so that they keep its order."""

from __future__ import annotations

from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.lowering.lowering_systems import Systems
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head

_MOST: Final = 100


class EnumKeys(Systems):
    """`key` writes the text of a variant; `_key_of_text` the variant of a text."""

    def _key_enum(self, kind: Type | None) -> n.Enum | None:
        enum = self.program.enums.get(head(kind))
        is_plain = enum is not None and len(enum.variants) <= _MOST and not any(each.payload for each in enum.variants)
        return enum if is_plain else None

    def _is_written(self, kind: Type | None) -> bool:
        return self._key_enum(kind) is not None or super()._is_written(kind)

    def key(self, node: n.Expr) -> str:
        enum = self._key_enum(node.ty)
        if enum is None:
            return super().key(node)
        arms = ", ".join(f'{each.name} => "{text}"' for each, text in _texts(enum))
        name = self._key_function(enum, "key_of", f"value: {enum.name}", "String", f"match value {{ {arms} }}")
        return f"{name}({self.value(node)})"

    def _key_of_text(self, text: str, kind: Type) -> tuple[str, str]:
        enum = self._key_enum(kind)
        if enum is None:
            return super()._key_of_text(text, kind)
        *rows, last = _texts(enum)
        arms = "".join(f'"{word}" => {enum.name}::{each.name}, ' for each, word in rows)
        body = f"match text {{ {arms}_ => {enum.name}::{last[0].name} }}"
        return "", f"{self._key_function(enum, 'by_key', 'text: String', enum.name, body)}({text})"

    def _key_function(self, enum: n.Enum, word: str, parameter: str, result: str, body: str) -> str:
        name = f"{enum.name.lower()}_{word}"
        text = f"fn {name}({parameter}) -> {result} {{ {body} }}"
        if not any(each.startswith(f"fn {name}(") for each in self.added.functions) and name not in self._written_keys:
            self._written_keys.add(name)
            self.added.functions.append(text)
        return name

    @lazily
    def _written_keys(self) -> set[str]:
        """The functions that are written."""
        return set()


def _texts(enum: n.Enum) -> list[tuple[n.Variant, str]]:
    width = len(str(len(enum.variants) - 1))
    return [(each, str(place).zfill(width)) for place, each in enumerate(enum.variants)]
