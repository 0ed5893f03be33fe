"""Functions with fewer arguments than they take, functions that give functions, constructors as functions, `Left` and `Nil`.

Changes the tree of a program before its types are inferred, where the forms of functional languages say what is meant.
"""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.libraries.functional_calls import called_function, changed_cell, knows_call, of_functional
from analysis.fixes.dialect.libraries.functional_forms import added, as_method, member_function, pair_of, with_pairs
from analysis.fixes.dialect.rewriting.lists.list_parts import Defaulted
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head
from analysis.fixes.dialect.tree.walking import bound_names, rewritten, walk
from analysis.suggestions.lexicon import FREE, KINDS, kinds_with

_HIGHER: Final = frozenset(
    (
        "map filter reject any all every some exists forall find partition filter_map filterMap flat_map flatMap concatMap "
        "takeWhile dropWhile take_while drop_while foldl foldr fold reduce sortBy sort_by sortOn sort_on groupBy group_by "
        "mapMaybe and_then andThen for_each each iter count find_map choose collect map_values mapValues"
    ).split()
)
"""Functions of other languages that take a function."""
_PARTS: Final = {"fst": "0", "snd": "1"}
_METHODS: Final = ("contains", "includes", "has", "containsKey", "contains_key", "startsWith", "endsWith", "indexOf", "equals")
"""Methods that are passed on as functions of one value."""
_OF_ONE: Final = ("Some", "Just", "Ok", "Error", "Err", "Left", "Right", "fst", "snd")
"""Functions and variants that take one value."""
_WRAPPERS: Final = {"Left": "Err", "Right": "Ok"}


def written_out(items: list[n.Item], shows: bool = False) -> list[n.Item]:
    """The items of a program with what functional languages leave to be understood; `shows`: `show` is that of Haskell."""
    functional = Functional(items)
    functional.shows = shows
    return [functional.item(item) for item in items]


class Functional:
    """`item` rewrites one item of a program whose declarations are known."""

    def __init__(self, items: list[n.Item]) -> None:
        functions = [item for item in items if isinstance(item, n.Function)]
        for function in functions:
            _uncurry(function)
        self.functions = {function.name: function for function in functions}
        self.variants = {
            variant.name: variant for item in items if isinstance(item, n.Enum) for variant in item.variants if variant.name
        }
        self.records = {item.name: item for item in items if isinstance(item, n.Record)}
        self.shows = False
        self._piped: set[int] = set()
        self._bound: set[str] = set()
        self._closures: dict[str, int] = {}

    def item(self, item: n.Item) -> n.Item:
        nodes = list(walk(item))
        self._piped = {id(node.function) for node in nodes if isinstance(node, n.Piped)}
        self._bound = {name for node in nodes if isinstance(node, n.Pattern) for name in bound_names(node)}
        self._bound |= {node.name for node in nodes if isinstance(node, n.Parameter)}
        self._closures = self._closing_over(nodes)
        changed = rewritten(item, self._change)
        assert isinstance(changed, n.Item)
        return changed

    def _closing_over(self, nodes: list[n.Node]) -> dict[str, int]:
        """Names of closures and inner functions that use what is around them, with the number of their parameters."""
        counts: dict[str, int] = {}
        for node in nodes:
            if isinstance(node, n.Let) and isinstance(node.pattern, n.Binding) and isinstance(node.value, n.Lambda):
                name, inside, count = node.pattern.name, list(walk(node.value)), len(node.value.parameters)
            elif isinstance(node, n.Local):
                name, inside, count = node.function.name, list(walk(node.function)), len(node.function.parameters)
            else:
                continue
            own = {each for part in inside if isinstance(part, n.Pattern) for each in bound_names(part)}
            own |= {part.name for part in inside if isinstance(part, n.Parameter)} | {name}
            used = {part.name for part in inside if isinstance(part, n.Name)}
            if count and (used - own) & self._bound and name not in self.functions:
                counts[name] = 0 if name in counts else count
        return {name: count for name, count in counts.items() if count}

    def _change(self, node: n.Node) -> n.Node:
        match node:
            case n.Name(name="Left" | "Right") if node.name not in self.variants:
                node.name = _WRAPPERS[node.name]
            case n.Name(name="show") if self.shows and self._is_foreign("show"):
                node.name = "show_value"
            case n.VariantPattern(name="Left" | "Right") if node.name not in self.variants:
                node.name, node.owner = _WRAPPERS[node.name], ""
            case n.VariantPattern(name="Nil", items=[]) if "Nil" not in self.variants and not node.owner:
                return n.ListPattern([], start=node.start, end=node.end)
            case n.VariantPattern(name="Cons", items=[first, rest]) if "Cons" not in self.variants:
                return n.ListPattern([first], rest, start=node.start, end=node.end)
            case n.VariantPattern(name="List" | "Seq" | "Vector" | "Array" as word) if (
                not node.owner and word not in self.variants
            ):
                return n.ListPattern(node.items, start=node.start, end=node.end)
            case n.Name(name="Nil") if "Nil" not in self.variants and "Nil" not in self.records:
                return n.ListOf([], start=node.start, end=node.end)
            case n.RecordOf(name="Some" | "Ok" | "Error" | "Err" as word) if word not in self.records and node.base is None:
                # `Some { year = y }` of F#.
                inside = n.RecordOf("", node.fields, start=node.start, end=node.end)
                return n.Call(
                    n.Name(word, start=node.start, end=node.start), [n.Argument(inside)], start=node.start, end=node.end
                )
            case n.RecordOf() if node.name in self.variants and node.name not in self.records and node.base is None:
                return n.VariantRecord("", node.name, node.fields, start=node.start, end=node.end)
            case n.RecordPattern() if node.name in self.variants and node.name not in self.records:
                return n.VariantPattern("", node.name, named=node.fields, start=node.start, end=node.end)
            case n.Let(pattern=n.Binding(), value=n.Lambda()):
                return _local(node)
            case n.Evaluate() if (changed := changed_cell(node.value, {*self.functions})) is not None:
                return changed
            case n.Call(function=n.Name(name=word), arguments=[_, _, *_] as parts) if word in _OF_ONE and self._takes_one(word):
                # `Some (a, b)`: what stands in the parentheses is one value.
                node.arguments = [n.Argument(n.TupleOf([each.value for each in parts], start=parts[0].value.start, end=node.end))]
                return self._change(node)
            case n.Call(function=n.Name(name="fst" | "snd" as word), arguments=[only]) if self._is_foreign(word):
                return n.Member(only.value, _PARTS[word], start=node.start, end=node.end)
            case n.Binary(operator="+") if (pair := pair_of(node.right)) is not None and not isinstance(node.left, n.TupleOf):
                return added(node.left, pair, node)
            case n.Assign(operator="+") if (pair := pair_of(node.value)) is not None:
                return n.Evaluate(added(node.target, pair, node), start=node.start, end=node.end)
            case n.Call(function=n.Name(name="Map" | "Seq" | "List" | "Vector" as word)) if (
                self._is_foreign(word) and node.arguments
            ):
                paired = with_pairs(node, word)
                return self._call(paired) if isinstance(paired, n.Call) else paired
            case n.Call():
                method = as_method(node, self._is_foreign, self.functions)
                return method if method is not None and not isinstance(method, n.Call) else self._call(method or node)
            case n.Argument():
                node.value = self._as_function(node.value)
            case n.Piped(function=n.Name()):
                node.function = self._as_function(node.function)
            case n.Piped(function=n.Call() as call) if _word(call.function) == "take" and len(call.arguments) == 1:
                taken = n.Call(call.function, [*call.arguments, n.Argument(node.value)], start=node.start, end=node.end)
                return self._iterated(taken) or node
            case n.Let(value=n.Call() as call) if self._lacks(call):
                node.value = self._waiting(call, self._missing(call))
        return node

    def _takes_one(self, word: str) -> bool:
        return self._is_foreign(word) and word not in self.variants and word not in self.records

    def _is_foreign(self, name: str) -> bool:
        return name not in self.functions and name not in self._bound

    def _call(self, node: n.Call) -> n.Expr:
        inner = node.function
        if (repeated := self._iterated(node)) is not None:
            return repeated
        if isinstance(inner, n.Call) and self._lacks(inner) and len(node.arguments) <= self._missing(inner):
            # `f(a)(b)`: one call.
            inner.arguments += node.arguments
            inner.end = node.end
            return inner
        word = _word(inner)
        if word in _HIGHER and not (isinstance(inner, n.Name) and inner.name in self.functions):
            for each in node.arguments:
                if isinstance(each.value, n.Call) and self._is_short(each.value):
                    each.value = self._waiting(each.value, 1)
        for place, each in enumerate(node.arguments):
            if isinstance(each.value, n.Call) and self._lacks(each.value) and self._takes_function(node, place):
                each.value = self._waiting(each.value, self._missing(each.value))
        return node

    def _iterated(self, node: n.Expr) -> n.Expr | None:
        """`take(4, iterate(f, x))`: so many values, each made of the one before it."""
        if not isinstance(node, n.Call) or _word(node.function) != "take" or len(node.arguments) not in (1, 2):
            return None
        values = [each.value for each in node.arguments]
        if isinstance(node.function, n.Member) and not _is_module(node.function.object):
            values.insert(0, node.function.object)
        source = next((each for each in values if isinstance(each, n.Call) and _word(each.function) == "iterate"), None)
        if len(values) != 2 or source is None:
            return None
        count = values[0] if values[1] is source else values[1]
        inner = [each.value for each in source.arguments]
        if isinstance(source.function, n.Call):
            # `Iterator.iterate(x)(f)` of Scala.
            inner = [*(each.value for each in source.function.arguments), *inner]
        if len(inner) != 2:
            return None
        inner.sort(key=lambda each: self._is_function_by_form(each))
        call = n.Call(n.Member(count, "iterate_times", start=node.start, end=node.end), [n.Argument(each) for each in inner])
        call.start, call.end = node.start, node.end
        return call

    def _is_function_by_form(self, node: n.Expr) -> bool:
        return isinstance(node, (n.Lambda, n.OperatorFunction)) or (isinstance(node, n.Name) and node.name in self.functions)

    # ---- too few arguments ----

    def _missing(self, node: n.Call) -> int:
        assert isinstance(node.function, n.Name)
        return len(self.functions[node.function.name].parameters) - len(node.arguments)

    def _lacks(self, node: n.Expr | None) -> bool:
        """True if a call of a function of the program gives it too few arguments, and none by name."""
        if not isinstance(node, n.Call) or not isinstance(node.function, n.Name) or id(node) in self._piped or not node.arguments:
            return False
        function = self.functions.get(node.function.name)
        if function is None or node.function.name in self._bound or any(each.name for each in node.arguments):
            return False
        has_more = any(part.default is not None or part.name == "self" for part in function.parameters)
        return not has_more and self._missing(node) > 0

    def _takes_function(self, node: n.Call, place: int) -> bool:
        """True if an argument of a call may be a function."""
        if not isinstance(node.function, n.Name):
            return True
        function = self.functions.get(node.function.name)
        if function is None:
            return node.function.name[:1].islower()
        place += id(node) in self._piped
        kind = function.parameters[place].type if place < len(function.parameters) else None
        return head(kind) in ("", "Fn")

    def _is_short(self, node: n.Call) -> bool:
        """True if a call of another language's function lacks what it works on: `take 2`, `String.append "x"`."""
        word = _word(node.function)
        is_own = isinstance(node.function, n.Name) and (node.function.name in self.functions or node.function.name in self._bound)
        if is_own or (isinstance(node.function, n.Member) and not _is_module(node.function.object)):
            return False
        count = len(node.arguments)
        if count == 0 or not kinds_with(word, count):
            return False
        if knows_call(node.function, count + 1) and not knows_call(node.function, count):
            return True
        are_plain = all(isinstance(each.value, (n.Literal, n.Lambda, n.OperatorFunction)) for each in node.arguments)
        return are_plain or not kinds_with(word, count - 1)

    def _waiting(self, node: n.Call, count: int) -> n.Lambda:
        """A closure of the arguments that are missing."""
        names = [f"_arg{place}" for place in range(count)]
        more = [n.Argument(n.Name(name, start=node.end, end=node.end)) for name in names]
        is_text = _word(node.function) in ("starts_with", "ends_with", "startsWith", "endsWith", "split") and count == 1
        if is_text and not (isinstance(node.function, n.Name) and node.function.name in self.functions):
            node.arguments[:0] = more
        else:
            node.arguments += more
        is_own = isinstance(node.function, n.Name) and not self._is_foreign(node.function.name)
        body = None if is_own else of_functional(node)
        return n.Lambda([n.Binding(name) for name in names], body or node, start=node.start, end=node.end)

    # ---- constructors ----

    def _as_function(self, value: n.Expr) -> n.Expr:
        """A constructor that is passed on, as a closure of its values."""
        if isinstance(value, n.Name) and value.name in ("id", "identity") and self._is_foreign(value.name):
            own = n.Name("_arg0", start=value.start, end=value.end)
            return n.Lambda([n.Binding("_arg0")], own, start=value.start, end=value.end)
        if isinstance(value, n.Name) and (count := self._closures.get(value.name, 0)):
            own_names = [f"_arg{place}" for place in range(count)]
            given = [n.Argument(n.Name(name, start=value.start, end=value.start)) for name in own_names]
            whole = n.Call(value, given, start=value.start, end=value.end)
            return n.Lambda([n.Binding(name) for name in own_names], whole, start=value.start, end=value.end)
        if isinstance(value, n.Member) and (closure := member_function(value)) is not None:
            return closure
        is_free = isinstance(value, n.Name) and self._is_foreign(value.name)
        if (is_free or isinstance(value, n.Member)) and (closure := called_function(value)) is not None:
            return closure
        if isinstance(value, n.Name) and value.name in _PARTS and self._is_foreign(value.name):
            own = n.Name("_arg0", start=value.start, end=value.end)
            part = n.Member(own, _PARTS[value.name], start=value.start, end=value.end)
            return n.Lambda([n.Binding("_arg0")], part, start=value.start, end=value.end)
        if (order := self._comparison(value)) is not None:
            return order
        if isinstance(value, n.Member) and isinstance(value.object, n.Name) and self._is_method(value.object.name, value.name):
            # `stop.contains`: a method of a variable.
            own = n.Name("_arg0", start=value.start, end=value.end)
            called = n.Call(value, [n.Argument(own)], start=value.start, end=value.end)
            return n.Lambda([n.Binding("_arg0")], called, start=value.start, end=value.end)
        if isinstance(value, n.Member) and value.name == "empty" and _is_module(value.object):
            # `Map.empty`: a call without its parentheses.
            return n.Call(value, [], start=value.start, end=value.end)
        if not isinstance(value, (n.Name, n.Path)) or not value.name[:1].isupper():
            return value
        variant = self.variants.get(value.name)
        record = self.records.get(value.name) if isinstance(value, n.Name) and variant is None else None
        count = len(variant.payload) if variant is not None else len(record.fields) if record is not None else 0
        if isinstance(value, n.Name) and value.name in ("Some", "Ok", "Err", "Just") and variant is None:
            count = 1
        if count == 0 or (isinstance(value, n.Path) and count == 1):
            return value
        names = [f"_arg{place}" for place in range(count)]
        call = n.Call(value, [n.Argument(n.Name(name)) for name in names], start=value.start, end=value.end)
        return n.Lambda([n.Binding(name) for name in names], call, start=value.start, end=value.end)

    def _is_method(self, owner: str, name: str) -> bool:
        """True if a variable's method takes one value, and no field is called so."""
        is_field = any(name in record.fields for record in self.records.values())
        return owner in self._bound and name in _METHODS and not is_field

    def _comparison(self, value: n.Expr) -> n.Expr | None:
        """`compare` as a function of two values."""
        is_plain = isinstance(value, n.Name) and value.name == "compare" and self._is_foreign("compare")
        is_member = isinstance(value, n.Member) and value.name == "compare" and _is_module(value.object)
        if not is_plain and not is_member:
            return None
        names = [n.Name(name, start=value.start, end=value.end) for name in ("_arg0", "_arg1")]
        body = n.Binary("<=>", names[0], names[1], start=value.start, end=value.end)
        return n.Lambda([n.Binding("_arg0"), n.Binding("_arg1")], body, start=value.start, end=value.end)


def _local(node: n.Let) -> n.Statement:
    """A closure that calls itself by its name, or with default values, as a function; any other one as it is."""
    assert isinstance(node.pattern, n.Binding)
    closure, name = node.value, node.pattern.name
    assert isinstance(closure, n.Lambda)
    calls_itself = any(isinstance(each, n.Name) and each.name == name for each in walk(closure.body))
    if not calls_itself and not any(isinstance(part, Defaulted) for part in closure.parameters):
        return node
    parameters: list[n.Parameter] = []
    lets: list[n.Statement] = []
    for place, part in enumerate(closure.parameters):
        is_plain = isinstance(part, n.Binding) and part.inner is None
        own = part.name if isinstance(part, n.Binding) and is_plain else f"part_{place + 1}"
        kind = part.type if isinstance(part, n.Binding) and is_plain else Type()
        default = part.default if isinstance(part, Defaulted) else None
        parameters.append(n.Parameter(own, kind, default, start=part.start, end=part.end))
        if not is_plain and not isinstance(part, n.Wildcard):
            lets.append(n.Let(part, None, n.Name(own, start=part.start, end=part.end), start=part.start, end=part.end))
    body = closure.body
    statements = body.statements if isinstance(body, n.Block) else [n.Evaluate(body, start=body.start, end=body.end)]
    block = n.Block([*lets, *statements], start=body.start, end=body.end)
    return n.Local(n.Function(name, parameters, None, block, start=node.start, end=node.end), start=node.start, end=node.end)


def _uncurry(function: n.Function) -> None:
    """A function that gives a closure takes the closure's parameters, too."""
    for _ in range(4):
        last = function.body.statements[-1] if len(function.body.statements) == 1 else None
        closure = last.value if isinstance(last, n.Evaluate) else None
        if not isinstance(closure, n.Lambda) or not closure.parameters:
            return
        if not all(isinstance(part, n.Binding) and part.inner is None for part in closure.parameters):
            return
        kinds = list(function.result.arguments) if function.result is not None and head(function.result) == "Fn" else []
        if function.result is not None and len(kinds) != len(closure.parameters) + 1:
            return
        for place, part in enumerate(closure.parameters):
            assert isinstance(part, n.Binding)
            kind = kinds[place] if kinds else part.type
            function.parameters.append(n.Parameter(part.name, kind, start=part.start, end=part.end))
        function.result = kinds[-1] if kinds else None
        body = closure.body
        function.body = body if isinstance(body, n.Block) else n.Block([n.Evaluate(body)], start=body.start, end=body.end)


def _word(function: n.Expr) -> str:
    """The operation that a function is by its name: without a module, or the kind before an underscore."""
    if isinstance(function, (n.Member, n.Path)):
        return function.name
    if not isinstance(function, n.Name):
        return ""
    prefix, _, rest = function.name.partition("_")
    return rest if prefix in KINDS and rest else FREE.get(function.name, function.name)


def _is_module(node: n.Expr) -> bool:
    return isinstance(node, n.Name) and (node.name[:1].isupper() or node.name in KINDS)
