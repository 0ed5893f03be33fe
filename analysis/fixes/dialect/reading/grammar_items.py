"""Items of all dialects, and the parser that puts the layers together.

An item that is not understood is kept verbatim, up to the next one that begins at the left margin.
"""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.reading.grammar_base import NAME
from analysis.fixes.dialect.reading.grammar_clauses import merged
from analysis.fixes.dialect.reading.grammar_expressions import _block
from analysis.fixes.dialect.reading.grammar_names import FUNCTIONS
from analysis.fixes.dialect.reading.grammar_variants import Variants
from analysis.fixes.dialect.rewriting.basic_values.absent_choices import settle_absent_choices
from analysis.fixes.dialect.rewriting.data_types.class_trees import settle_classes
from analysis.fixes.dialect.rewriting.data_types.families import SIGNATURE, absorbed, joined_families
from analysis.fixes.dialect.rewriting.data_types.own_types import with_built_in
from analysis.fixes.dialect.rewriting.data_types.type_constants import settle_type_constants
from analysis.fixes.dialect.rewriting.lists.generators import settle_generator
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, option_of
from analysis.fixes.dialect.tree.untranslatable import Untranslatable

_RECORDS: Final = ("type", "struct", "record", "class", "interface", "data", "alias", "typealias")
_ENUMS: Final = ("enum",)
_CONSTANTS: Final = ("let", "const", "val", "static", "var", "final")
_EXPORTS: Final = ("export", "pub", "public", "private", "internal", "open", "sealed", "inline", "async", "override", "indirect",
    "tailrec", "local", "abstract", "protected", "operator", "infix", "suspend", "partial", "virtual")  # fmt: skip
_ITEM_WORDS: Final = frozenset(
    (
        *FUNCTIONS,
        *_RECORDS,
        *_ENUMS,
        *_CONSTANTS,
        *_EXPORTS,
        "exception",
        "import",
        "module",
        "impl",
        "use",
        "trait",
        "from",
        "using",
        "package",
        "mod",
    )
)
_MARKS: Final = (
    "begins_blocks", "binds_tightly", "captures", "closed_ranges", "declared_fields", "declared_names", "dots_include_end",
    "gives_defaults", "given_nested", "habit", "has_braced_tuples", "has_list_module", "inner_names", "is_cpp", "is_go",
    "is_haskell", "is_like_haskell", "is_lua", "looks_last", "means_bits", "modules", "nested_types", "objects", "own_types",
    "pairs_by_to", "raises_by_name", "ruby_classes", "speaks_clojure", "speaks_elixir", "speaks_julia", "speaks_lua",
    "speaks_nim", "tuple_labels", "uses_end",
)  # fmt: skip
"""What the whole text says and a piece of it does not."""


class Parser(Variants):
    """A whole text as items in order; `comments` are those that stand between and in them.

    `doubtful_roundings`: the places of divisions that may be meant as those of `.ax`.
    """

    doubtful_roundings: tuple[int, ...] = ()

    def program(self) -> list[n.Item]:
        self.settle_tokens()
        self._note_functions()
        items: list[n.Item] = []
        while self.token.kind != "end":
            if self.skip(";"):
                continue
            start, at = self.token.start, self.at
            try:
                items += self._items()
            except (Untranslatable, RecursionError) as error:
                self._begin_anew(at)
                if (whole := self._whole_class_at(at)) is not None:
                    items += whole
                    continue
                self._skip_item(at)
                reason = error.reason if isinstance(error, Untranslatable) else "it is nested too deeply"
                items.append(n.Verbatim(reason, start=start, end=self.before.end))
        settle_absent_choices(items)
        settle_type_constants(items, self.type_constants)
        items = settle_classes(self.with_bases(items), self.families)
        items = joined_families(merged(items, self.patterns, self.guards), self.families)
        self.settle_extensions(items)
        return absorbed(with_built_in(self.with_thrown(items)), self.text)

    def sub_parser(self, text: str) -> Parser:
        inner = Hole(text)
        for mark in _MARKS:
            inner.__dict__[mark] = getattr(self, mark)
        inner.names_of_functions = self.names_of_functions
        inner.library_words = self.library_words
        inner.references = self.references
        return inner

    def _begin_anew(self, at: int) -> None:
        """Moves back to where an item that was not understood begins."""
        self.at = at
        self._depth = self._plain = self._no_ternary = self._no_bars = 0
        self.inner_items.clear()

    def _whole_class_at(self, at: int) -> list[n.Item] | None:
        """A class with more than fields and methods; None for another item, and for a class that is not understood."""
        try:
            return [self.whole_class(), *self.nested_records()]
        except (Untranslatable, RecursionError):
            self._begin_anew(at)
            return None

    def _skip_item(self, at: int) -> None:
        """Moves behind a broken item: to the next word of an item in the first column."""
        self.at = at
        self.take()
        while self.token.kind != "end":
            token = self.token
            if token.is_first and token.column == 0 and token.text in _ITEM_WORDS:
                return
            self.take()

    def _items(self) -> list[n.Item]:
        start, first = self.token.start, self.at
        if (of_tree := self.class_of_tree()) is not None:
            return [of_tree, *self.nested_records()]
        exported = self._exported()
        word = self.token.text if self.token.kind == NAME else ""
        if word == "const" and self.ahead().text == "fn":
            self.take()
            word = "fn"
        is_abstract = any(token.text in ("abstract", "sealed") for token in self.tokens[first : self.at])
        if (member := self.family_item(is_abstract)) is not None:
            member.start = start
            return [member]
        if (items := self.item_of_language(word)) is not None:
            pass
        elif word in FUNCTIONS and self.ahead().text == "(":
            items = [self.received(exported)]
        elif word in FUNCTIONS and self.is_extension():
            items = [self.extension(exported)]
        elif word in FUNCTIONS:
            function = self.function(exported)
            items = [function if function.name else n.Alias("", Type(SIGNATURE))]
        elif word in ("data", "case") and self.ahead().text == "class":
            self.take()
            items = [self._record(exported)]
        elif word == "enum":
            items = [self._enum(exported)]
        elif word in ("class", "struct") and not self.speaks_julia and (at_body := self._class_body_at()) is not None:
            column, name = self.token.column, self.ahead().text
            self.at = at_body
            items = self.class_body(name, column, exported)
        elif word == "typedef" and self.ahead().text in ("struct", "enum"):
            items = [self.named_last(exported)]
        elif word in _RECORDS:
            items = [self._record(exported)]
        elif (typed := self._typed_function(exported)) is not None:
            items = [typed]
        elif word == "exception":
            items = [self.exception_item()]
        elif word in _CONSTANTS and self.ahead().text == "(":
            self.take()
            items = self.constants()
        elif word in _CONSTANTS:
            items = (self.declared_by_const() if word == "const" else None) or [self._constant()]
        elif word in ("import", "module", "use", "from", "using", "package") or self._opens_module():
            items = [self._import()]
        elif self.is_signature():
            items = [self.signature()]
        elif self.token.column == 0 and word and self.is_equation():
            items = [self.equation()]
        elif word and self.tokens[first].column == 0 and (self.ahead().text == "=" or self.is_typed_constant()):
            items = [self._bare_constant()]
        else:
            raise self.unknown("an item is expected")
        items += [*self.methods_behind(items), *self.nested_records()]
        self.skip(";")
        for place, each in enumerate(items):
            # What a class holds besides its record stands behind it.
            each.start, each.end = start if place == 0 else self.before.end, self.before.end
        return items

    def _exported(self) -> bool:
        """Reads the words before an item; true if one of them exports it."""
        exported = False
        while (self.is_word(*_EXPORTS) or (self.is_word("static") and self.ahead().text in ("class", "func"))) and not (
            self._opens_module()
        ):
            exported |= self.take().text in ("export", "pub", "public")
            if self.is_sign("("):
                while not self.skip(")"):
                    self.take()
        return exported

    def _class_body_at(self) -> int | None:
        """Token index of the body of a class with methods; None for a record."""
        at = self.at
        self.take()
        body: int | None = None
        if self.token.kind == NAME:
            self.take()
            if self.is_sign("(") and self.tokens[self.behind_brackets.get(self.at, len(self.tokens) - 1)].text == ":":
                self.at = self.behind_brackets[self.at]
            if self.is_sign("{", ":") and self.is_class_body():
                body = self.at
        self.at = at
        return body

    # ---- functions ----

    def _typed_function(self, exported: bool) -> n.Function | None:
        """`int f(int a) { … }`, also behind `static`."""
        at, start = self.at, self.token.start
        self.skip("static")
        typed = self.typed_name("(")
        if typed is None:
            self.at = at
            return None
        parameters = self._parameters()
        function = n.Function(typed[1], parameters, typed[0], self.arrow_body(), "", exported, start=start, end=self.before.end)
        settle_generator(function)
        return function

    def function(self, exported: bool = False) -> n.Function:
        start = self.take().start
        self.skip("*")
        if self.is_word("rec") and self.ahead().kind == NAME:
            self.take()
        name = self.name()
        generics = self._generics()
        is_curried = self.token.spaced
        outer, self._derefs = self._derefs, []
        patterns = self._clause_patterns()
        parameters = self._parameters()
        while (
            self.is_sign("(")
            and not self.token.is_first
            and (not self.token.spaced or (is_curried and self.ahead(2).text == ":"))
        ):
            parameters += self._parameters()
        result = None
        if (not self._begins_indented() and self.skip("->", ":")) or (
            self.token.kind == NAME
            and not self.token.is_first
            and not self.is_word("intent", "requires", "ensures", "where", "throws", "when", "if", "do")
        ):
            result = self.type()
        if self.skip("throws"):
            if self.skip("->"):
                result = self.type()
            while self.token.kind == NAME or self.is_sign(","):
                self.take()
        if result is None and self.is_sign("[", "(", "!", "?", "*") and not self.token.is_first:
            result = self._result_before_body()
        head = self._head()
        guard = self._clause_guard()
        if self.is_word(*FUNCTIONS) and self.token.is_first and self.ahead().text == name and result is not None:
            self.signatures[name] = [*(part.type or Type() for part in parameters), result]
            return n.Function("", parameters, result, n.Block([]), start=start, end=self.before.end)
        if (kinds := self.signatures.get(name)) is not None and len(kinds) == len(parameters) + 1:
            for part, kind in zip(parameters, kinds, strict=False):
                part.type = part.type or kind
            result = result or kinds[-1]
        if self.is_sign("|") or self.has_guards_inside():
            body = self.guarded_rows()
        elif self.skip("=", "=>") or self._is_short_body():
            value = self.do_steps() if self.is_do() else self.body_value()
            body = value if isinstance(value, n.Block) else n.Block([n.Evaluate(value)], start=value.start, end=value.end)
        else:
            body = self.block()
        self.with_bindings(body)
        changed, self._derefs = self._derefs, outer
        self.settle_body(name, body, parameters, changed, start)
        function = n.Function(name, parameters, result, body, head, exported, generics, start=start, end=self.before.end)
        self.with_result(function)
        settle_generator(function)
        self.patterns[id(function)] = patterns
        if guard is not None:
            self.guards[id(function)] = guard
        return function

    def _begins_indented(self) -> bool:
        """True at the colon before a body of Python, also before `return n // 2` on its line."""
        return self.is_sign(":") and (self.ahead().is_first or self.ahead().text in ("return", "raise", "pass", "yield", "self"))

    def _result_before_body(self) -> Type | None:
        """A result type without an arrow that begins with a sign: `[]int`, `(int, error)`, `?i32`."""
        if self.is_sign("!") and self.ahead().text == "{":
            return None
        if self.skip("!"):
            return self.type()
        return option_of(self.type()) if self.skip("?") else self.type()

    def _head(self) -> str:
        """Capabilities and clauses as they are written."""
        start = self.token.start
        if self.is_sign("!") and self.ahead().text == "{":
            self.take()
            while not self.is_sign("}"):
                self.take()
            self.take()
        if self.skip("where"):
            while not self.is_sign("{"):
                self.take()
            return ""
        while self.is_word("intent", "requires", "ensures"):
            self.take()
            self.condition()
        return self.text[start : self.before.end] if self.token.start > start else ""

    # ---- types ----

    def _record(self, exported: bool) -> n.Item:
        word = self.take().text
        if word == "type" and self.is_word("alias"):
            self.take()
        name = self.name()
        self._generics()
        if self.skip("="):
            return self._defined(name, exported)
        if self.is_word("int", "string", "float64", "bool") or (word == "type" and self.is_word("map")) or self._is_array_type():
            # `type Celsius float64`, `type Grid [][]int` of Go.
            return n.Alias(name, self.type())
        is_struct = self.skip("struct")
        if self.skip("("):
            fields, defaults = self._unnamed_fields() or self._fields(")")
            return n.Record(name, fields, exported, defaults)
        if self.skip(":"):
            self.type()
        self.expect("{")
        if not is_struct and self.token.kind == NAME and self.token.text[0].isupper() and self.ahead().text in ("(", ",", "}"):
            return self._record_or_enum(name, self._variants("}"), exported)
        fields, defaults = self._fields("}")
        return n.Record(name, fields, exported, defaults)

    def _is_array_type(self) -> bool:
        return self.is_sign("[") and self.ahead().text == "]"

    def _defined(self, name: str, exported: bool) -> n.Item:
        """`type Name = { … }`, `type Name = A | B(Int)`, `type Name = Other`."""
        if (union := self.union_of_records(name)) is not None:
            return union
        if self.skip("{"):
            fields, defaults = self._fields("}")
            return n.Record(name, fields, exported, defaults)
        leading = self.skip("|")
        at = self.at
        if self.token.kind == NAME and self.token.text[0].isupper():
            variants = [self._sum_variant()]
            while self.skip("|"):
                variants.append(self._sum_variant())
            if leading or len(variants) > 1:
                return n.Enum(name, variants, exported)
            self.at = at
        return n.Alias(name, self.type())

    def _constant(self) -> n.Item:
        word = self.take()
        self.skip("mut", "rec")
        if word.text == "static":
            self.skip("final", "readonly", "const")
        if word.text in ("final", "static", "const") and (constant := self.typed_constant()) is not None:
            return constant
        return self.definition(word.start) if self.is_definition() else self._bare_constant(word.start)

    def _bare_constant(self, start: int = 0) -> n.Item:
        """A constant from its name on; Python, Ruby and Lua need no word before it."""
        start = start or self.token.start
        name = self.name()
        kind = self.type() if self.skip(":") else None
        self.expect("=")
        if kind is None and self.is_sign("(") and (function := self._arrow_function(name)) is not None:
            return function
        value = self.body_value()
        if kind is None and isinstance(value, n.Lambda) and all(isinstance(part, n.Binding) for part in value.parameters):
            parameters = [n.Parameter(part.name, part.type) for part in value.parameters if isinstance(part, n.Binding)]
            return n.Function(name, parameters, None, _block(value.body), start=start, end=self.before.end)
        return n.Constant(name, kind, value)

    def _arrow_function(self, name: str) -> n.Function | None:
        """`const f = (a: Int): Int => …`; None for a value in parentheses."""
        at, start = self.at, self.token.start
        try:
            parameters = self._parameters()
            result = self.type() if self.skip(":") else None
            self.expect("=>")
        except Untranslatable:
            self.at = at
            return None
        value = self._closure_body()
        body = value if isinstance(value, n.Block) else n.Block([n.Evaluate(value)], start=value.start, end=value.end)
        return n.Function(name, parameters, result, body, start=start, end=self.before.end)


class Hole(Parser):
    """The code in a hole of a text, such as `{a // b}`."""

    is_hole = True
