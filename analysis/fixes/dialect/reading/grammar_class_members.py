"""Members of classes: fields, constructors, methods, properties that are computed, cases of enums."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_base import NAME, STRING
from analysis.fixes.dialect.reading.grammar_classes import ZEROS, kind_of_made
from analysis.fixes.dialect.reading.grammar_families import FamilyGrammar
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.classes import Case, ClassDeclaration
from analysis.fixes.dialect.tree.types import Type
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import walk

MODIFIERS: Final = frozenset(
    "public private protected internal final open abstract sealed static override virtual readonly mutating nonmutating export "
    "default operator infix inline suspend tailrec async lateinit required convenience fileprivate transient volatile new "
    "synchronized weak unowned lazy const extern declare dynamic pub implicit".split()
)
_FUNCTIONS: Final = ("fn", "def", "fun", "func", "function")
_DECLARING: Final = ("let", "var", "val", "const", "mut")
_CONSTRUCTORS: Final = ("__init__", "__construct", "constructor", "init", "initialize")
OWN: Final = ("self", "this")
_ASKED: Final = re.compile(r"\b([A-Z]\w{0,60})\.(\w{1,60})")


class ClassMembers(FamilyGrammar):
    """`_read_members` reads the body of a class."""

    @abstractmethod
    def _enum_variant(self) -> n.Variant: ...

    @abstractmethod
    def _symbols(self) -> list[str]: ...

    @abstractmethod
    def _header(self, declaration: ClassDeclaration, all_held: bool = False) -> list[n.Parameter]: ...

    # ---- members ----

    def _read_members(self, declaration: ClassDeclaration, column: int, words: set[str]) -> None:
        if self.skip("{"):
            if declaration.word == "enum":
                self._read_cases(declaration)
            while not self.skip("}"):
                self._read_member(declaration, declaration.word == "object")
        elif self.is_sign(":") and self.ahead().is_first:
            self.take()
            declaration.is_layout = True
            while self.token.kind != "end" and self.token.is_first and self.token.column > column:
                if declaration.word == "enum" and self.token.kind == NAME and self.ahead().text == "=":
                    self._read_python_case(declaration)
                else:
                    self._read_member(declaration, False)
        elif self.uses_end and self.token.is_first and declaration.word == "class":
            self._read_ruby_members(declaration)
        elif not (self.token.is_first or self.token.kind == "end" or self.is_sign(";", "}")):
            raise self.unknown("the body of a class is expected")

    def _read_ruby_members(self, declaration: ClassDeclaration) -> None:
        while not self.skip("end"):
            if self.is_word("attr_accessor", "attr_reader", "attr_writer"):
                self.take()
                for name in self._symbols():
                    declaration.fields.setdefault(name, Type())
            elif self.is_word("include", "extend"):
                self.take()
                self.name()
            elif self.is_word("private", "public", "protected") and (self.ahead().is_first or self.ahead().text == "def"):
                self.take()
            elif self.token.kind == NAME and self.token.text[0].isupper() and self.ahead().text == "=":
                start, name = self.token.start, self.name()
                self.take()
                declaration.constants.append(n.Constant(name, None, self.expression(), start=start, end=self.before.end))
            elif self.is_sign("@@") and self.text.count(f"@@{self.ahead().text}") == 1:
                self.take()
                self.name()
                self.expect("=")
                self.expression()
            else:
                self._read_member(declaration, False)

    def _read_cases(self, declaration: ClassDeclaration) -> None:
        """The variants of an enum, before its members."""
        while self.token.kind == NAME and not self.is_word("case", *_DECLARING, *_FUNCTIONS, "companion", "init"):
            start = self.token.start
            case = Case(self.name(), start=start, end=self.before.end)
            if self.is_sign("("):
                self.take()
                case.arguments = self._arguments(")")
            if self.is_sign("{"):
                self.take()
                inner = ClassDeclaration(declaration.name, "class")
                while not self.skip("}"):
                    self._read_member(inner, False)
                case.functions = inner.functions
            if self.skip("="):
                raw = self.expression()
                case.arguments = [n.Argument(raw, start=raw.start, end=raw.end)]
            declaration.cases.append(case)
            if not self.skip(","):
                break
        self.skip(";")

    def _read_member(self, declaration: ClassDeclaration, is_static: bool) -> None:
        if self.skip(";", ",", "pass", "...") or (self.token.kind == STRING and self.token.is_first and self._skips_remark()):
            return
        if self.is_word("companion") and self.ahead().text == "object":
            self.take()
            self.take()
            if self.token.kind == NAME:
                self.take()
            self.expect("{")
            while not self.skip("}"):
                self._read_member(declaration, True)
            return
        if self.is_word("case") and declaration.word == "enum":
            self._read_swift_case(declaration)
            return
        if self.inner_type():
            return
        start, words = self.token.start, set[str]()
        while self.token.kind == NAME and self.token.text in MODIFIERS and self._is_modifier():
            words.add(self.take().text)
        if self.is_word("set") and self.before.text in ("private", ")", "internal", "fileprivate") and self.is_sign("("):
            raise self.unknown("a member is expected")
        if self.is_sign("(") and self.before.text in ("private", "fileprivate") and self.ahead().text == "set":
            self.at += 3
        is_static |= bool(words & {"static", "const"})
        earlier = len(declaration.functions)
        if self.is_word("init") and self.ahead().text == "{":
            self.take()
            block = self.block()
            declaration.steps += block.statements
            return
        if self._begins_constructor(declaration.name):
            self._read_constructor(declaration, start)
            return
        self._read_function_or_field(declaration, is_static, "abstract" in words, start)
        if "private" in words:
            declaration.private |= {each.name for each in declaration.functions[earlier:]}

    def _is_modifier(self) -> bool:
        """True if a word is one before a declaration, not the name that is declared."""
        follows = self.ahead()
        return (follows.kind == NAME and not (follows.is_first and self.token.is_first)) or (
            follows.text in ("(", "[") and (self.token.text in ("private", "fileprivate") and self.ahead(2).text == "set")
        )

    def _skips_remark(self) -> bool:
        self.take()
        return True

    def _read_swift_case(self, declaration: ClassDeclaration) -> None:
        """`case north, south`, `case red = "r"`."""
        self.take()
        while True:
            start = self.token.start
            variant = self._enum_variant()
            case = Case(variant.name, variant=variant, start=start, end=self.before.end)
            if self.skip("="):
                self.raw_values[start] = self.raw_value()
            declaration.cases.append(case)
            if not self.skip(","):
                self.skip(";")
                return

    def _read_python_case(self, declaration: ClassDeclaration) -> None:
        """`RED = 1`, `RED = auto()`, `EARTH = (5.9, 6.3)` with a constructor."""
        start, name = self.token.start, self.name()
        self.take()
        value = self.expression()
        if isinstance(value, n.Call) and isinstance(value.function, n.Name) and value.function.name == "auto":
            value = n.Literal("int", str(len(declaration.cases) + 1), start=value.start, end=value.end)
        declaration.cases.append(
            Case(name, [n.Argument(value, start=value.start, end=value.end)], start=start, end=self.before.end)
        )

    def _begins_constructor(self, name: str) -> bool:
        if self.is_word(*_FUNCTIONS):
            return self.ahead().text in _CONSTRUCTORS and self.before.text != "."
        return self.is_word(*_CONSTRUCTORS, name) and self.ahead().text in ("(", "?", "!")

    def _read_constructor(self, declaration: ClassDeclaration, start: int) -> None:
        if declaration.constructor is not None:
            raise self.unknown("a single constructor is expected")
        if self.is_word(*_FUNCTIONS):
            self.take()
        self.take()
        if self.is_sign("?", "!"):
            raise self.unknown("a constructor that cannot fail is expected")
        parameters = self._header(declaration) if self.is_sign("(") else []
        given: list[n.Argument] | None = None
        if self.skip("->"):
            self.type()
        if self.is_sign(":") and self.ahead().text in ("base", "super") and not self.ahead().is_first:
            self.take()
            self.take()
            self.expect("(")
            given = self._arguments(")")
        while self.is_word("throws"):
            self.take()
            self.name()
            while self.skip(","):
                self.name()
        if self.skip(";"):
            body = n.Block([], start=self.before.end, end=self.before.end)
        elif self.skip("=>"):
            at = self.before.end
            statement = self.statement()
            body = n.Block([statement], start=at, end=self.before.end)
            self.skip(";")
        else:
            body = self.block()
        declaration.given = given if given is not None else declaration.given
        declaration.constructor = n.Function("new", parameters, Type(declaration.name), body, start=start, end=self.before.end)

    def _read_function_or_field(self, declaration: ClassDeclaration, is_static: bool, is_abstract: bool, start: int) -> None:
        at = self.at
        if not declaration.is_layout and (signature := self._signature_of_method()) is not None:
            declaration.signatures.setdefault(*signature)
            return
        self.at = at
        if self.is_word("def") and self.ahead().kind == NAME and self.ahead(2).text in (":", "=") and not self.ahead(3).is_first:
            self._read_scala_getter(declaration, is_static)
            return
        if self.is_word(*_FUNCTIONS) and self.ahead().kind == NAME:
            is_of_class = self.ahead().text == "self" and self.ahead(2).text == "."
            self.at += 2 if is_of_class else 0
            function = self.inner_function()
            is_static |= is_of_class
        elif self.is_word("get") and self.ahead().kind == NAME and self.ahead(2).text == "(":
            self.take()
            declaration.getters.add(self.token.text)
            function = self._named_method(start)
        elif self.is_word("set") and self.ahead().kind == NAME and self.ahead(2).text == "(":
            raise self.unknown("a member without a setter is expected")
        elif (typed := self.typed_name("(")) is not None:
            parameters = self._parameters()
            while self.is_word("throws"):
                self.take()
                self.name()
            function = n.Function(typed[1], parameters, typed[0], self.arrow_body(), start=start, end=self.before.end)
        elif self.token.kind == NAME and self.ahead().text == "(":
            function = self._named_method(start)
        else:
            self._read_field(declaration, is_static, is_abstract, start)
            return
        if self.uses_end or self.text.startswith(("@property", "@cached_property"), start):
            declaration.getters.add(function.name)
        self._add_function(declaration, function, is_static)

    def _signature_of_method(self) -> tuple[str, Type] | None:
        """`fun area(): Double`, `abstract int area();`, behind which no body stands: the name and the result."""
        result, typed = Type(), None
        try:
            if self.is_word(*_FUNCTIONS):
                self.take()
                name = self.name()
                self._generics()
                if not self.is_sign("("):
                    return None
            elif (typed := self.typed_name("(")) is not None:
                result, name = typed
            elif self.token.kind == NAME and self.ahead().text == "(":
                name = self.name()
            else:
                return None
            self._parameters()
            if typed is None and (self.skip("->", ":") or (self.token.kind == NAME and not self.token.is_first)):
                result = self.type()
        except Untranslatable:
            return None
        ends = self.skip(";") or self.token.is_first or self.is_sign("}")
        return (name, result) if ends and not self.is_sign("{", "=", "=>") and not self._begins_ruby_body() else None

    def _begins_ruby_body(self) -> bool:
        return self.uses_end

    def _read_scala_getter(self, declaration: ClassDeclaration, is_static: bool) -> None:
        """`def area: Double = w * h` of Scala."""
        self.take()
        name = self.name()
        kind = self.type() if self.skip(":") else Type()
        if not self.skip("="):
            declaration.signatures.setdefault(name, kind)
            return
        value = self.body_value()
        body = value if isinstance(value, n.Block) else n.Block([n.Evaluate(value)], start=value.start, end=value.end)
        self._add_getter(declaration, name, kind, body, is_static)

    def _parameters(self) -> list[n.Parameter]:
        """Also `([int by = 1])`, `({required int by})` of Dart."""
        inside = self.tokens[self.at + 1 : self.behind_brackets.get(self.at, self.at)] if self.is_sign("(") else []
        is_dart = any(
            sign.text in ("[", "{") and (word.text == "required" or (word.kind == NAME and name.kind == NAME))
            for sign, word, name in zip(inside, inside[1:], inside[2:], strict=False)
        )
        return self._header(ClassDeclaration("", "class")) if is_dart else super()._parameters()

    def _named_method(self, start: int) -> n.Function:
        name = self.name()
        parameters = self._parameters()
        result = self.type() if self.skip(":", "->") else None
        return n.Function(name, parameters, result, self.block(), start=start, end=self.before.end)

    def _add_function(self, declaration: ClassDeclaration, function: n.Function, is_static: bool) -> None:
        first = function.parameters[0] if function.parameters else None
        if is_static and first is not None and first.name == "cls":
            function.parameters.pop(0)
            for node in walk(function.body):
                if isinstance(node, n.Name) and node.name == "cls":
                    node.name = declaration.name
        function.parameters = [part for part in function.parameters if part.name not in OWN]
        if not is_static:
            own = n.Parameter("self", Type(declaration.name), start=function.start, end=function.start)
            function.parameters.insert(0, own)
        declaration.functions.append(function)

    def _add_getter(self, declaration: ClassDeclaration, name: str, kind: Type, body: n.Block, is_static: bool) -> None:
        declaration.getters.add(name)
        function = n.Function(name, [], kind if kind.name else None, body, start=body.start, end=body.end)
        self._add_function(declaration, function, is_static)

    def _read_field(self, declaration: ClassDeclaration, is_static: bool, is_abstract: bool, start: int) -> None:
        is_declared = self.is_word(*_DECLARING)
        while self.is_word(*_DECLARING):
            self.take()
        typed = self.typed_name("=", ";", "{", ",", "=>", "\n")
        name = typed[1] if typed is not None else self.name()
        is_absent = typed is None and self.skip("?", "!")
        kind = typed[0] if typed is not None else self.type() if self.skip(":") else Type()
        kind = Type("Option", kind) if is_absent else kind
        if self._reads_getter(declaration, name, kind, typed is not None, is_static):
            return
        value = self.expression() if self.skip("=") else None
        if self.is_word("get") and self.ahead().text in ("(", "{") and value is None:
            raise self.unknown("a property is expected")
        if value is None and is_abstract:
            return
        self._skip_setter()
        if value is None and typed is not None and not is_static and kind.name in ZEROS:
            # Numbers and truths of Java and C# begin as zero.
            value = n.Literal(*ZEROS[kind.name], start=self.before.end, end=self.before.end)
        if value is None and not (is_declared or typed is not None or kind.name or is_absent):
            raise self.unknown("a member is expected")
        self._add_field(declaration, name, kind, value, is_static, start)
        while self.is_sign(",") and self.ahead().kind == NAME and typed is not None:
            self.take()
            name = self.name()
            self._add_field(declaration, name, kind, self.expression() if self.skip("=") else None, is_static, start)
        self.skip(";")

    def _add_field(
        self, declaration: ClassDeclaration, name: str, kind: Type, value: n.Expr | None, is_static: bool, start: int
    ) -> None:
        is_static |= value is not None and self._is_constant_of_python(declaration, name)
        if is_static and value is not None:
            declaration.constants.append(n.Constant(name, kind if kind.name else None, value, start=start, end=self.before.end))
            return
        if is_static:
            raise self.unknown("a value of the class is expected")
        if declaration.is_layout and not declaration.is_data and isinstance(value, (n.ListOf, n.MapOf, n.Comprehension)):
            raise self.unknown("a list or a map that not all values of the class share is expected")
        declaration.fields[name] = kind if value is None else kind_of_made(kind, value)
        if value is not None:
            own = n.Member(n.Name("self", start=start, end=start), name, start=start, end=self.before.end)
            declaration.steps.append(n.Assign(own, "", value, start=start, end=self.before.end))

    @lazily
    def _asked_of_classes(self) -> frozenset[tuple[str, str]]:
        """What a program asks of names with a capital letter: `Cart.LIMIT`."""
        return frozenset(_ASKED.findall(self.text))

    def _is_constant_of_python(self, declaration: ClassDeclaration, name: str) -> bool:
        """`LIMIT = 3` in the body of a class, which all its values share."""
        return (
            declaration.is_layout
            and not declaration.is_data
            and (name.isupper() or (declaration.name, name) in self._asked_of_classes)
        )

    def _skip_setter(self) -> None:
        """`private set` on the line below a property of Kotlin."""
        while self.is_word("private", "protected", "internal") and self.ahead().text == "set":
            self.take()
            self.take()

    def _reads_getter(self, declaration: ClassDeclaration, name: str, kind: Type, is_typed: bool, is_static: bool) -> bool:
        """A property that is computed: `get() = w * h`, `{ w * h }`, `=> w * h;`."""
        if self.is_word("get") and self.ahead().text == "(":
            self.at += 3
            if self.skip(":"):
                kind = self.type()
            self._add_getter(declaration, name, kind, self.arrow_body(), is_static)
            return True
        if self.is_sign("=>"):
            self._add_getter(declaration, name, kind, self.arrow_body(), is_static)
            return True
        if not self.is_sign("{"):
            return False
        if self.ahead().text in ("get", "private", "set", "init") and self._has_plain_accessors():
            self.at = self.behind_brackets[self.at]
            return False
        if self.ahead().text == "get" and self.ahead(2).text in ("{", "=>"):
            self.take()
            self.take()
            body = self.arrow_body()
            self.skip(";")
            self.expect("}")
        elif is_typed:
            return False
        else:
            body = self.block()
        self._add_getter(declaration, name, kind, body, is_static)
        return True

    def _has_plain_accessors(self) -> bool:
        """`{ get; private set; }`, `{ get }` of a protocol."""
        inside = self.tokens[self.at + 1 : self.behind_brackets.get(self.at, self.at + 1) - 1]
        return all(each.text in ("get", "set", "init", "private", "protected", "internal", ";") for each in inside)
