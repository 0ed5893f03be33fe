"""Functions by cases: parameters that are patterns, clauses of one name, guards, bindings behind `where`."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from analysis.database.lazily import lazily
from analysis.fixes.dialect.reading.grammar_base import FLOAT, INT, NAME, OPERATOR, STRING
from analysis.fixes.dialect.reading.grammar_expressions import _block
from analysis.fixes.dialect.reading.grammar_fields import Fields
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head, list_of
from analysis.fixes.dialect.tree.walking import bound_names, walk
from analysis.suggestions.foreign_words import PLAIN_TYPES

_WORDS: Final = frozenset(
    (
        "if then else case of in where let do and or when with match type enum const val var fn def fun func function data "
        "struct class return for while import module use pub export record alias newtype static final trait impl "
        "opaque unless local"
    ).split()
)
"""Words that neither name a function at the start of a line nor one of its parameters."""


class Clauses(Fields):
    """`patterns` and `guards` hold by a function's identity what its parameters have to be."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.patterns: dict[int, list[n.Pattern | None]] = {}
        self.guards: dict[int, n.Expr] = {}
        self._clause: list[n.Pattern | None] = []
        self._takes_patterns = False
        self.signatures: dict[str, list[Type]] = {}

    @abstractmethod
    def function(self, exported: bool = False) -> n.Function: ...

    # ---- parameters ----

    def _clause_patterns(self) -> list[n.Pattern | None]:
        """The patterns of the parameters that are read next; None stands for a plain name."""
        self._clause, self._takes_patterns = [], True
        return self._clause

    def _parameter_by_pattern(self) -> n.Parameter | None:
        """`0`, `[x | rest]`, `(a, b): (Int, Int)`, `Circle(r)`, `_`; None where a plain name stands."""
        if not self._takes_patterns:
            return None
        token, follows = self.token, self.ahead()
        if token.text == "_" and follows.kind == NAME:
            # A parameter without a label, in Swift.
            return None
        is_name = token.kind == NAME and token.text not in ("_", "true", "false", "True", "False", "None", "Nothing", "nil")
        if is_name and token.text[0].isupper() and follows.kind != NAME and follows.text not in (":", "<", "["):
            is_name = False
        is_cons = follows.text == ":" and not follows.spaced and not self.ahead(2).spaced
        if is_name and is_cons and len(self.ahead(2).text) > 1:
            # `total(x:xs)`.
            start = token.start
            if (consed := self._consed_names()) is not None:
                name = f"part_{len(self._clause) + 1}"
                self._clause.append(consed)
                return n.Parameter(name, None, start=start, end=self.before.end)
        if is_name and follows.text not in ("::", "@"):
            return None
        if not is_name and not (token.kind in (NAME, INT, FLOAT, STRING) or self.is_sign("(", "[", "{", "-", "#")):
            return None
        start = token.start
        pattern = self.pattern()
        kind = self.type() if self.skip(":") else None
        name = f"part_{len(self._clause) + 1}"
        self._clause.append(pattern)
        return n.Parameter(name, kind, start=start, end=self.before.end)

    def _parameters(self) -> list[n.Parameter]:
        parameters: list[n.Parameter] = []
        if self.uses_end and not self.is_sign("("):
            return parameters
        self.expect("(")
        while not self.skip(")"):
            if (by_pattern := self._parameter_by_pattern()) is not None:
                parameters.append(by_pattern)
                if not self.skip(","):
                    self.expect(")")
                    break
                continue
            self._clause.append(None)
            is_marked = self.ahead().kind == NAME and self.skip("vararg", "params", "*", "...")
            by_reference = not is_marked and self._is_reference()
            while self.skip("&", "mut", "val", "var", "inout", "_"):
                pass
            start = self.token.start
            typed = self._several_of_type() or self.typed_name(",", ")", "=")
            kind, name = typed if typed is not None else (None, self.name())
            if kind is None and self.token.kind == NAME and self.ahead().text == ":":
                name = self.name()
            is_several = self.is_sign("...") and self.ahead().kind == NAME
            follows = self.token.kind == NAME or (self.is_sign("[") and self.ahead().text == "]") or self._is_pointer()
            if kind is None and (self.skip(":") or is_several or follows):
                is_several |= self.skip("...")
                by_reference |= self._is_reference()
                kind = self.type()
                is_several |= self.skip("...")
                by_reference |= self.skip("&")
            if is_several or is_marked:
                kind = list_of(kind or Type()) if head(kind) != "List" or is_several else kind
                self.variadic.add(start)
            default = self.expression() if self.skip("=") else None
            parameters.append(n.Parameter(name, kind, default, by_reference, start=start, end=self.before.end))
            if not self.skip(","):
                self.expect(")")
                break
        self._takes_patterns = False
        for place in range(len(parameters) - 2, -1, -1):
            # `a, b int`: names in front share the type.
            if parameters[place + 1].start in self.variadic:
                continue
            if parameters[place].type is None and parameters[place].name != "self":
                parameters[place].type = parameters[place + 1].type
        return parameters

    def _is_pointer(self) -> bool:
        """`account *Account`."""
        return self.is_sign("*") and self.ahead().kind == NAME and self.ahead(2).text in (",", ")")

    def _several_of_type(self) -> tuple[Type, str] | None:
        """`int... numbers` of Java."""
        is_type = self.token.kind == NAME and (self.token.text in PLAIN_TYPES or self.token.text[0].isupper())
        if not is_type or self.ahead().text != "..." or self.ahead(2).kind != NAME:
            return None
        self.variadic.add(self.token.start)
        kind = self._named_type(self.name())
        self.expect("...")
        return list_of(kind), self.name()

    @lazily
    def variadic(self) -> set[int]:
        """Offsets of variadic parameters."""
        return set()

    def inner_function(self, exported: bool = False) -> n.Function:
        """A function inside of another one: its parameters may be patterns that every value matches."""
        function = self.function(exported)
        patterns = [part for part in self.patterns.get(id(function), ()) if part is not None]
        if id(function) in self.guards or any(
            not isinstance(part, (n.TuplePattern, n.RecordPattern, n.Wildcard)) for part in patterns
        ):
            raise self.unknown("a function without cases")
        return _with_cases([function], self.patterns, self.guards) if patterns else function

    # ---- equations ----

    def is_signature(self) -> bool:
        """`name :: Int -> Int`."""
        token = self.token
        return (
            token.kind == NAME
            and token.is_first
            and token.text[0].islower()
            and self.ahead().text == "::"
            and self.ahead().spaced
        )

    def signature(self) -> n.Item:
        start, name = self.token.start, self.name()
        self.expect("::", ":")
        if "=>" in [token.text for token in self.tokens[self.at : self.at + 12]]:
            while not self.skip("=>"):
                self.take()
        kind = self.type()
        parts = []
        while kind.name == "Fn" and len(kind.arguments) == 2:
            parts.append(kind.arguments[0])
            kind = kind.arguments[1]
        self.signatures[name] = [*parts, kind]
        return n.Alias("", Type(), start=start, end=self.before.end)

    def is_equation(self) -> bool:
        """`name 0 acc = …`, `go (x:xs) | x > 0 = …`: a name at the start of a line, patterns, a sign."""
        token = self.token
        if token.kind != NAME or not token.is_first or not token.text[0].islower() or token.text in _WORDS:
            return False
        place, has_pattern = self.at + 1, False
        while self.tokens[place].kind in (NAME, INT, FLOAT, STRING) or self.tokens[place].text in ("(", "["):
            part = self.tokens[place]
            if part.is_first or not part.spaced or (part.kind == NAME and part.text in _WORDS):
                return False
            is_group = part.kind == OPERATOR
            has_pattern |= part.kind != NAME or part.text == "_" or part.text[0].isupper()
            place = self.behind_brackets.get(place, len(self.tokens) - 1) if is_group else place + 1
        end = self.tokens[place]
        if end.kind != OPERATOR or place == self.at + 1:
            return False
        if end.text == "|":
            return True
        return end.text == "=" and not end.is_first and (has_pattern or token.text in self.signatures)

    def equation(self) -> n.Function:
        start, name = self.token.start, self.name()
        patterns: list[n.Pattern] = []
        while not self.is_sign("=", "|"):
            patterns.append(self._one_pattern())
        if self.is_sign("|"):
            body = self.guarded_rows()
        else:
            self.expect("=")
            body = _block(self.do_steps() if self.is_do() else self.body_value())
        self.with_bindings(body)
        body.start, body.end = body.start or start, self.before.end
        kinds = self.signatures.get(name, [])
        parameters: list[n.Parameter] = []
        by_case: list[n.Pattern | None] = []
        for place, pattern in enumerate(patterns):
            is_plain = isinstance(pattern, n.Binding) and pattern.inner is None
            own = pattern.name if isinstance(pattern, n.Binding) and is_plain else f"part_{place + 1}"
            kind = kinds[place] if place < len(kinds) - 1 else None
            parameters.append(n.Parameter(own, kind, start=pattern.start, end=pattern.end))
            by_case.append(None if is_plain else pattern)
        result = kinds[len(patterns)] if len(kinds) == len(patterns) + 1 else None
        function = n.Function(name, parameters, result, body, start=start, end=self.before.end)
        self.patterns[id(function)] = by_case
        return function

    def equations(self) -> n.Function:
        """The equations of one function inside of another one."""
        name = self.token.text
        clauses = [self.equation()]
        while self.token.text == name and self.is_equation():
            clauses.append(self.equation())
        functions = merged(list(clauses), self.patterns, self.guards)
        if len(functions) != 1 or not isinstance(functions[0], n.Function):
            raise self.unknown("equations of one function")
        return functions[0]

    # ---- bodies ----

    def _clause_guard(self) -> n.Expr | None:
        """`when n > 0`, `if n > 0` between the parameters and the body."""
        if self.is_word("when") or (self.is_word("if") and not self.token.is_first):
            self.take()
            return self.condition()
        return None

    def _is_short_body(self) -> bool:
        """`, do: value`."""
        if self.is_sign(",") and self.ahead().text == "do" and self.ahead(2).text == ":":
            for _ in range(3):
                self.take()
            return True
        return False

    def has_guards_inside(self) -> bool:
        """True if `{ | a > b = 1 | otherwise = 2 }` follows: guards, no closure between bars."""
        if not self.is_sign("{") or self.ahead().text != "|" or not self.ahead().is_first:
            return False
        for token in self.tokens[self.at + 2 : self.at + 40]:
            if token.text in ("|", "{", "}", "=>", "->") or token.is_first:
                return False
            if token.text == "=":
                return True
        return False

    def guarded_rows(self) -> n.Block:
        """`| a > b = 1 | otherwise = 2` as the body of a function."""
        start = self.token.start
        rows: list[tuple[n.Expr, n.Expr]] = []
        otherwise: n.Block | None = None
        in_braces = self.skip("{")
        while self.is_sign("|") and otherwise is None:
            self.take()
            guard = self._bar_guard()
            self.expect("=", "->", "=>")
            value = self.body_value()
            if guard is None:
                otherwise = _block(value)
            else:
                rows.append((guard, value))
        if otherwise is None:
            raise self.unknown("`| otherwise` is expected")
        if in_braces:
            self.expect("}")
        for guard, value in reversed(rows):
            otherwise = _block(n.If(guard, _block(value), otherwise, start=guard.start, end=value.end))
        return n.Block(otherwise.statements, start=start, end=self.before.end)

    def with_bindings(self, body: n.Block) -> None:
        """Puts what stands behind `where` before a body."""
        if not self._stands_where():
            return
        self.take()
        in_braces = self.skip("{")
        column = self.token.column
        bindings: list[n.Statement] = []
        while (self.token.kind == NAME and self.token.column == column) or (in_braces and not self.is_sign("}")):
            if self.is_signature():
                self.signature()
            else:
                bindings.append(self._binding())
            self.skip(";", ",")
        if in_braces:
            self.expect("}")
        # What uses names of the statements before the last one stands behind them.
        behind = len(body.statements) - 1 if _use_names_of(bindings, body.statements[:-1]) else 0
        body.statements[behind:behind] = _by_use(bindings)
        body.end = self.before.end

    def _stands_where(self) -> bool:
        """`where name = …`, `where { name = … }`."""
        follows = self.ahead()
        return self.is_word("where") and (follows.kind == NAME or (follows.text == "{" and self.ahead(2).kind == NAME))

    def _binding(self) -> n.Statement:
        start = self.token.start
        if self.is_word("let", "val"):
            self.take()
        if self.is_word("fn", "def", "fun"):
            return n.Local(self.inner_function(), start=start, end=self.before.end)
        if self.is_equation():
            return n.Local(self.equations(), start=start, end=self.before.end)
        if self.is_definition():
            return n.Local(self.definition(start), start=start, end=self.before.end)
        pattern = self._comma_pattern()
        kind = self.type() if self.skip(":") else None
        self.expect("=")
        return n.Let(pattern, kind, self.body_value(), start=start, end=self.before.end)


def _use_names_of(bindings: list[n.Statement], statements: list[n.Statement]) -> bool:
    names = {name for each in statements if isinstance(each, n.Let) for name in bound_names(each.pattern)}
    return any(isinstance(node, n.Name) and node.name in names for each in bindings for node in walk(each))


def _by_use(bindings: list[n.Statement]) -> list[n.Statement]:
    """Bindings in the order in which they need each other; those behind `where` may stand in any."""
    names: dict[str, n.Statement] = {}
    for each in bindings:
        if isinstance(each, n.Let):
            names |= dict.fromkeys(bound_names(each.pattern), each)
        elif isinstance(each, n.Local):
            names[each.function.name] = each
    ordered: list[n.Statement] = []

    def add(each: n.Statement, waiting: tuple[n.Statement, ...]) -> None:
        if each in ordered or each in waiting:
            return
        for node in walk(each):
            if isinstance(node, n.Name) and node.name in names:
                add(names[node.name], (*waiting, each))
        ordered.append(each)

    for each in bindings:
        add(each, ())
    return ordered


def merged(items: list[n.Item], patterns: dict[int, list[n.Pattern | None]], guards: dict[int, n.Expr]) -> list[n.Item]:
    """The items with clauses of one function as one that matches its parameters."""
    joined: list[n.Item] = []
    at = 0
    while at < len(items):
        item = items[at]
        group = [item]
        if isinstance(item, n.Function):
            for other in items[at + 1 :]:
                if not (isinstance(other, n.Function) and other.name == item.name):
                    break
                if len(other.parameters) != len(item.parameters):
                    break
                group.append(other)
        clauses = [each for each in group if isinstance(each, n.Function)]
        by_case = [each for each in clauses if any(patterns.get(id(each), ())) or id(each) in guards]
        if not by_case or (len(clauses) > 1 and not any(each in by_case for each in clauses[:-1])):
            joined.append(item)
            at += 1
            continue
        joined.append(_with_cases(clauses, patterns, guards))
        at += len(clauses)
    return joined


def _with_cases(clauses: list[n.Function], patterns: dict[int, list[n.Pattern | None]], guards: dict[int, n.Expr]) -> n.Function:
    first = clauses[0]
    plain = [_name_of(place, clauses, patterns) for place in range(len(first.parameters))]
    arms: list[n.Arm] = []
    for clause in clauses:
        own = patterns.get(id(clause), [])
        parts: list[n.Pattern] = []
        for place, parameter in enumerate(clause.parameters):
            pattern = own[place] if place < len(own) else None
            parts.append(pattern or n.Binding(parameter.name, start=parameter.start, end=parameter.end))
        pattern = parts[0] if len(parts) == 1 else n.TuplePattern(parts, start=clause.start, end=clause.end)
        only = clause.body.statements[0] if len(clause.body.statements) == 1 else None
        body = only.value if isinstance(only, n.Evaluate) else clause.body
        arms.append(n.Arm(pattern, guards.get(id(clause)), body, start=clause.start, end=clause.end))
    parameters = [
        n.Parameter(name, next((each.parameters[place].type for each in clauses if each.parameters[place].type), None),
                    start=first.parameters[place].start, end=first.parameters[place].end)
        for place, name in enumerate(plain)
    ]  # fmt: skip
    names: list[n.Expr] = [n.Name(name, start=first.start, end=first.start) for name in plain]
    value = names[0] if len(names) == 1 else n.TupleOf(names, start=first.start, end=first.start)
    end = clauses[-1].end
    if len(clauses) == 1 and arms[0].guard is None and not isinstance(arms[0].pattern, n.LiteralPattern):
        lets: list[n.Statement] = [
            n.Let(pattern, None, n.Name(name, start=first.start, end=first.start), start=first.start, end=first.start)
            for name, pattern in zip(plain, patterns[id(first)], strict=True)
            if pattern is not None and not isinstance(pattern, n.Wildcard)
        ]
        statements = [*lets, *first.body.statements]
    else:
        statements = [n.Evaluate(n.Match(value, arms, start=first.start, end=end), start=first.start, end=end)]
    result = next((each.result for each in clauses if each.result is not None), None)
    generics = next((each.generics for each in clauses if each.generics), [])
    exported = any(each.exported for each in clauses)
    body = n.Block(statements, start=first.body.start, end=end)
    return n.Function(first.name, parameters, result, body, first.head, exported, generics, start=first.start, end=end)


def _name_of(place: int, clauses: list[n.Function], patterns: dict[int, list[n.Pattern | None]]) -> str:
    """The name of a parameter: what all clauses call it that name it, if they agree."""
    names = {
        clause.parameters[place].name
        for clause in clauses
        if not (patterns.get(id(clause)) and place < len(patterns[id(clause)]) and patterns[id(clause)][place])
    } - {"_"}
    return names.pop() if len(names) == 1 else f"part_{place + 1}"
