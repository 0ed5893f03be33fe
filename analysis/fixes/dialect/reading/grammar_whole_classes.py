"""Classes with all that a class may hold: bases, constructors that do more than set fields, companions, enums with methods.

Read where the layers below find no plain record, interface or enum, and for every class of a hierarchy with a concrete base.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.class_hierarchies import Hierarchies, hierarchies
from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_class_members import MODIFIERS, OWN, ClassMembers
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.classes import ClassDeclaration
from analysis.fixes.dialect.tree.types import Type, list_of
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import bound_names, walk

_WORDS: Final = ("class", "struct", "interface", "protocol", "object", "trait", "record", "enum")
_BEFORE_WORDS: Final = frozenset(
    "public private protected internal final open abstract sealed static data case inner export default indirect partial".split()
)
_HELD: Final = ("val", "var", "public", "private", "protected", "readonly", "internal", "let")
"""Words before a parameter of a constructor that make it a field."""
_NO_BASES: Final = ("Flag", "IntFlag", "NamedTuple", "TypedDict", "Exception")
_ENUM_BASES: Final = ("Enum", "IntEnum", "StrEnum")


class WholeClasses(ClassMembers):
    """`whole_class` reads one as a `ClassDeclaration`."""

    @abstractmethod
    def _items(self) -> list[n.Item]: ...

    @lazily
    def hierarchies(self) -> Hierarchies:
        """The classes of the program that inherit from one another."""
        return hierarchies(self.tokens, self.behind_brackets)

    @lazily
    def reads_all_trees(self) -> bool:
        """True if interfaces with their classes are read as trees of classes, too, not as enums."""
        return False

    @property
    def class_tree(self) -> frozenset[str]:
        """The classes that are read as parts of trees."""
        return self.hierarchies.all if self.reads_all_trees else self.hierarchies.concrete

    def class_of_tree(self) -> n.Item | None:
        """A class of such a hierarchy; None, and no token taken, for every other item."""
        if not self.hierarchies.all and not self._with_constants and "companion" not in self.text and "Enum)" not in self.text:
            return None
        at = self.at
        while self.is_word(*_BEFORE_WORDS) and self.ahead().kind == NAME:
            self.take()
        is_it = self.is_word(*_WORDS) and self.ahead().text in self.class_tree
        is_it |= self.is_word("class") and (
            self._has_companion() or self._is_enum_of_python() or self.ahead().text in self._with_constants
        )
        if self.reads_all_trees and self.token.text in self.class_tree and self.ahead().text == "=" and self.token.is_first:
            return self._union()
        is_go = self.is_word("type") and self.ahead().text in self.class_tree and self.ahead(2).text == "interface"
        self.at = at
        return self._go_interface() if is_go else self.whole_class() if is_it else None

    def _union(self) -> ClassDeclaration:
        """`Shape = Circle | Rect` of Python: what all of them belong to."""
        start = self.token.start
        declaration = ClassDeclaration(self.name(), "interface", is_abstract=True)
        self.take()
        while not self.token.is_first and self.token.kind != "end":
            self.take()
        declaration.start, declaration.end = start, self.before.end
        return declaration

    def _go_interface(self) -> ClassDeclaration:
        """`type Shape interface { Area() int }`."""
        start = self.take().start
        declaration = ClassDeclaration(self.name(), "interface", is_abstract=True)
        self.take()
        self.at = self.behind_brackets.get(self.at, self.at + 1)
        declaration.start, declaration.end = start, self.before.end
        return declaration

    @lazily
    def _with_constants(self) -> frozenset[str]:
        """The classes of Python of which a program asks for a constant: `Cart.LIMIT`."""
        names = {owner for owner, word in self._asked_of_classes if word.isupper()} if self.habit == "python" else set()
        return frozenset(names & self.own_types)

    def _is_enum_of_python(self) -> bool:
        """`class Color(Enum):`, `class Level(str, Enum):`."""
        behind = self.behind_brackets.get(self.at + 2, 0)
        inside = self.tokens[self.at + 3 : max(behind - 1, 0)]
        return bool(behind) and self.tokens[behind].text == ":" and any(each.text in _ENUM_BASES for each in inside)

    def _has_companion(self) -> bool:
        """True if `companion object` stands in the braces of the class whose word is here."""
        place = self.at + 2
        while self.tokens[place].text == "(" or (self.tokens[place].text != "{" and not self.tokens[place].is_first):
            if place >= len(self.tokens) - 1:
                return False
            place = self.behind_brackets.get(place, place + 1) if self.tokens[place].text == "(" else place + 1
        inside = self.tokens[place : self.behind_brackets.get(place, place)]
        return any(token.text == "companion" and token.kind == NAME for token in inside)

    def inner_type(self) -> bool:
        at = self.at
        try:
            return super().inner_type()
        except Untranslatable:
            self.at = at
        self.inner_items[at] = [self.whole_class()]
        return True

    # ---- heads ----

    def whole_class(self) -> ClassDeclaration:
        """A class, struct, object or enum, from its modifiers on."""
        start, column = self.token.start, self.token.column
        words = set()
        while self.is_word(*_BEFORE_WORDS) and self.ahead().kind == NAME:
            words.add(self.take().text)
        if not self.is_word(*_WORDS):
            raise self.unknown("a class is expected")
        word = self.take().text
        if word in ("enum", "record") and self.skip("class", "struct"):
            pass
        declaration = ClassDeclaration(
            self.name(), word, is_abstract="abstract" in words or word in ("interface", "protocol", "trait")
        )
        if not (self.is_sign("<") and self.token.spaced):
            self._generics()
        is_python = self.is_sign("(") and self._is_layout_head()
        if is_python:
            declaration.bases = self._python_bases()
        elif self.is_sign("("):
            declaration.header = self._header(declaration, all_held=bool(words & {"data", "case"}) or word == "record")
        self._read_bases(declaration)
        if is_python and set(declaration.bases) & set(_ENUM_BASES):
            declaration.word, declaration.header = "enum", [n.Parameter("value", None, start=start, end=start)]
        declaration.is_data = word in ("struct", "record") or bool(words & {"data", "case"}) or self._is_data_class(start)
        self._read_members(declaration, column, words)
        declaration.start, declaration.end = start, self.before.end
        for function in declaration.functions:
            self._settle_names(function, declaration)
        return declaration

    def _is_data_class(self, start: int) -> bool:
        return self.text.startswith(("@dataclass", "@dataclasses.dataclass"), start)

    def _is_layout_head(self) -> bool:
        behind = self.tokens[self.behind_brackets.get(self.at, len(self.tokens) - 1)]
        return behind.text == ":" and self.tokens[min(self.behind_brackets[self.at] + 1, len(self.tokens) - 1)].is_first

    def _python_bases(self) -> list[str]:
        self.take()
        names: list[str] = []
        while not self.skip(")"):
            names.append(self.name())
            if self.is_sign(".", "="):
                self.take()
                names[-1] = self.name()
            if self.is_sign("["):
                self.at = self.behind_brackets[self.at]
            self.skip(",")
        if set(names) & set(_NO_BASES):
            raise self.unknown("a class of its own is expected")
        return names

    def _read_bases(self, declaration: ClassDeclaration) -> None:
        while (
            self.is_word("extends", "implements", "with")
            or self.is_sign("<")
            or (self.is_sign(":") and not self.ahead().is_first)
        ):
            self.take()
            while True:
                declaration.bases.append(self.type().name)
                if self.is_sign("(") and not self.token.is_first:
                    self.take()
                    declaration.given = self._arguments(")")
                if not self.skip(","):
                    break

    def _header(self, declaration: ClassDeclaration, all_held: bool = False) -> list[n.Parameter]:
        """The parameters of a constructor; those that are fields are noted in the class."""
        parameters: list[n.Parameter] = []
        self.expect("(")
        while not self.skip(")"):
            is_held, start = all_held, self.token.start
            is_several = False
            self.skip("{", "[")
            self.skip("required")
            if self.is_word("this", "super") and self.ahead().text == "." and self.ahead(2).kind == NAME:
                self._given_by_place(declaration, parameters)
                continue
            while (
                self.is_word(*_HELD, *MODIFIERS, "vararg", "params") or self.is_sign("...", "*")
            ) and self.ahead().kind == NAME:
                word = self.take().text
                is_held |= word in _HELD
                is_several |= word in ("vararg", "params", "...", "*")
            several = self._several_of_type()
            is_several |= several is not None
            typed = several or self.typed_name(",", ")", "=")
            name = typed[1] if typed is not None else self.name()
            if typed is None and self.token.kind == NAME:
                # `init(from text: String)`, `init(_ x: Int)` of Swift.
                name = self.name()
            is_absent = self.skip("?")
            kind = typed[0] if typed is not None else self.type() if self.skip(":") else None
            if is_several:
                kind = list_of(kind or Type()) if typed is None or kind is None or kind.name != "List" else kind
                self.variadic.add(start)
            kind = Type("Option", kind or Type()) if is_absent else kind
            default = self.expression() if self.skip("=") else None
            if is_absent and default is None:
                default = n.Literal("none", "None", start=start, end=self.before.end)
            if is_held:
                declaration.fields[name] = kind or Type()
                declaration.given_fields.add(name)
            if name not in OWN:
                parameters.append(n.Parameter(name, kind, default, start=start, end=self.before.end))
            self.skip("}", "]")
            if not self.skip(","):
                self.skip("}", "]")
                self.expect(")")
                break
        return parameters

    def _given_by_place(self, declaration: ClassDeclaration, parameters: list[n.Parameter]) -> None:
        """`this.name`, `super.name` of Dart, `{this.size = 1}`."""
        start = self.token.start
        is_base = self.take().text == "super"
        self.take()
        name = self.name()
        default = self.expression() if self.skip("=") else None
        parameters.append(n.Parameter(name, declaration.fields.get(name), default, start=start, end=self.before.end))
        if is_base:
            value = n.Name(name, start=start, end=self.before.end)
            declaration.given = [*(declaration.given or []), n.Argument(value, start=start, end=self.before.end)]
        else:
            declaration.fields.setdefault(name, Type())
            declaration.given_fields.add(name)
        self.skip("}", "]")
        self.skip(",")
        self.skip("}", "]")

    # ---- names in methods ----

    def with_bases(self, items: list[n.Item]) -> list[n.Item]:
        """The items with what their heads do not say of a class: traits that it implements, interfaces that it fits."""
        items = [self._as_class(item) if isinstance(item, n.Record) and item.name in self.class_tree else item for item in items]
        declared = {item.name: item for item in items if isinstance(item, ClassDeclaration)}
        for name, base in self.hierarchies.edges:
            if name in declared and base in declared and base not in declared[name].bases:
                declared[name].bases.append(base)
        return items

    @staticmethod
    def _as_class(record: n.Record) -> ClassDeclaration:
        declaration = ClassDeclaration(
            record.name, "struct", fields=record.fields, is_data=True, start=record.start, end=record.end
        )
        for name, value in record.defaults.items():
            own = n.Member(n.Name("self", start=value.start, end=value.start), name, start=value.start, end=value.end)
            declaration.steps.append(n.Assign(own, "", value, start=value.start, end=value.end))
        return declaration

    def _settle_names(self, function: n.Function, declaration: ClassDeclaration) -> None:
        """Parameters of the header that methods name become fields."""
        own = {part.name for part in function.parameters}
        own |= {name for node in walk(function.body) if isinstance(node, n.Pattern) for name in bound_names(node)}
        if not any(part.name == "self" for part in function.parameters):
            return
        kinds = {part.name: part.type for part in declaration.header}
        for node in walk(function.body):
            if isinstance(node, n.Name) and node.name in kinds and node.name not in own:
                declaration.fields.setdefault(node.name, kinds[node.name] or Type())


__all__ = ["Untranslatable", "WholeClasses"]
