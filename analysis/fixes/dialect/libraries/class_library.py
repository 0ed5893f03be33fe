"""Calls of the class libraries of Java, C#, Kotlin, Dart and PHP, as methods that the lexicon knows.

Rows: classes, functions, the number of arguments, and what stands for a call: `0 name 1` is the method `name` of the first
argument with the second one.
"""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Final

from analysis.fixes.dialect.tree import nodes as n

_ROWS: Final = """
Math Integer Long | floorMod | 2 | 0 mod 1
Math Integer Long | floorDiv | 2 | 0 floor_div 1
Math | Abs | 1 | 0 abs
Math | Max | 2 | 0 max 1
Math | Min | 2 | 0 min 1
Math | Pow | 2 | 0 pow 1
Math | Sqrt | 1 | 0 sqrt
Math | Floor | 1 | 0 floor
Math | Ceiling | 1 | 0 ceil
Math | round | 1 | 0 round_half_up
Math | Round | 1 | 0 round_whole
Math | Round | 2 | 0 round_product 1
Math | Truncate | 1 | 0 truncate
Math | Clamp | 3 | 0 clamp 1 2
Math | Sign Signum signum | 1 | 0 signum
Math | toIntExact | 1 | 0 to_int
Math | addExact | 2 | 0 + 1
Math | subtractExact | 2 | 0 - 1
Math | multiplyExact | 2 | 0 * 1
Integer Long | compare | 2 | 0 compare 1
Integer Long Double | sum | 2 | 0 + 1
Integer Long Double | max | 2 | 0 max 1
Integer Long Double | min | 2 | 0 min 1
Integer Long | signum | 1 | 0 signum
Integer Long Double Boolean Float | toString | 1 | 0 to_string
Integer Long | toBinaryString | 1 | 0 to_binary
Integer Long | toHexString | 1 | 0 to_hex
Integer Long BitOperations | bitCount PopCount | 1 | 0 bit_count
Double Float double decimal Decimal | parseDouble parseFloat Parse parse valueOf | 1 | 0 parse_number
Convert | ToInt32 ToInt64 | 1 | 0 to_number
Convert | ToString | 1 | 0 to_string
Convert | ToDouble | 1 | 0 to_double
Character Char char | isDigit IsDigit IsNumber | 1 | 0 is_digit
Character Char char | isLetter isAlphabetic IsLetter | 1 | 0 is_letter
Character Char char | isLetterOrDigit IsLetterOrDigit | 1 | 0 is_alphanumeric
Character Char char | isUpperCase IsUpper | 1 | 0 is_upper
Character Char char | isLowerCase IsLower | 1 | 0 is_lower
Character Char char | isWhitespace isSpaceChar IsWhiteSpace | 1 | 0 is_space
Character Char char | toUpperCase ToUpper ToUpperInvariant | 1 | 0 to_upper
Character Char char | toLowerCase ToLower ToLowerInvariant | 1 | 0 to_lower
Character Char char | getNumericValue GetNumericValue | 1 | 0 digit_value
Character Char | toString valueOf | 1 | 0 to_string
Character | toChars | 1 | 0 chr
String string | IsNullOrEmpty | 1 | 0 is_empty
String string | IsNullOrWhiteSpace IsNullOrBlank | 1 | 0 is_blank
String string | Compare CompareOrdinal | 2 | 0 compareTo 1
String string | copyValueOf | 1 | 0 to_text
String string | Concat Join | 1 | 0 join
String | fromCharCodes | 1 | 0 from_codes
Objects | equals | 2 | 0 == 1
Objects | isNull | 1 | 0 is_none
Objects | nonNull | 1 | 0 is_some
Objects | requireNonNull | 1 | 0
Objects | requireNonNullElse | 2 | 0 orElse 1
Objects | toString | 1 | 0 to_string
Collections | max | 1 | 0 max_of
Collections | min | 1 | 0 min_of
Collections | reverse | 1 | 0 reverse
Collections | swap | 3 | 0 swap 1 2
Collections | addAll | 2 | 0 append 1
Collections | frequency | 2 | 0 occurrences 1
Collections | unmodifiableList unmodifiableMap unmodifiableSet | 1 | 0
Arrays Array | fill Fill | 2 | 0 fill_with 1
Arrays Array | copyOf | 2 | 0 take 1
Arrays | copyOfRange | 3 | 0 slice 1 2
Arrays | equals | 2 | 0 == 1
Array | Sort | 1 | 0 sort
Array | Reverse | 1 | 0 reverse
Array | IndexOf | 2 | 0 indexOf 1
Array | Copy | 2 | 0
IntStream LongStream Enumerable | range | 2 | 0 range_to 1
IntStream LongStream | rangeClosed | 2 | 0 range_through 1
Enumerable | Range | 2 | 0 range_of 1
Enumerable | Repeat | 2 | 0 repeated 1
Stream IntStream | concat | 2 | 0 concat 1
Optional OptionalInt | ofNullable | 1 | 0 as_option
Duration Instant System | nanoTime currentTimeMillis | 0 | time_now
"""
_VALUES: Final = {
    ("Integer", "MAX_VALUE"): "2147483647", ("Integer", "MIN_VALUE"): "-2147483648", ("Int", "MAX_VALUE"): "2147483647",
    ("Int", "MIN_VALUE"): "-2147483648", ("int", "MaxValue"): "2147483647", ("int", "MinValue"): "-2147483648",
    ("Long", "MAX_VALUE"): "9223372036854775807", ("long", "MaxValue"): "9223372036854775807",
    ("Int32", "MaxValue"): "2147483647", ("Int", "MaxValue"): "2147483647", ("Int", "MinValue"): "-2147483648",
    ("Long", "MaxValue"): "9223372036854775807", ("Long", "MinValue"): "-9223372036854775807 - 1",
    ("Int32", "MinValue"): "-2147483648", ("Long", "MIN_VALUE"): "-9223372036854775807 - 1",
}  # fmt: skip
_FLOATS: Final = {("Math", "PI"): "3.141592653589793", ("Math", "E"): "2.718281828459045"}
MAKERS: Final = frozenset(
    "mutableMapOf mapOf hashMapOf mutableListOf listOf emptyList emptyMap arrayListOf arrayOf setOf mutableSetOf hashSetOf "
    "compareBy compareByDescending linkedMapOf sortedMapOf emptySet listOfNotNull".split()
)
"""Functions of Kotlin that take the types of what they make."""
DICTIONARIES: Final = ("Dictionary", "SortedDictionary", "HashMap", "Map", "ConcurrentDictionary")
_NUMBERS: Final = ("Integer", "Long", "Double", "String")
_OPERATORS: Final = ("+", "-", "*", "==", "++", "^^")
_ORDERS: Final = ("comparing", "comparingInt", "comparingLong", "comparingDouble", "compareBy", "Comparing")


@cache
def forms(rows: str) -> dict[tuple[str, str, int], tuple[str, ...]]:
    """A table's rows `owners | names | arguments | form`, by owner, name and number of arguments."""
    table: dict[tuple[str, str, int], tuple[str, ...]] = {}
    for row in rows.strip().split("\n"):
        owners, names, count, form = (part.strip() for part in row.split("|"))
        for owner in owners.split():
            for name in names.split():
                table[owner, name, int(count)] = tuple(form.split())
    return table


def _names_away(arguments: list[n.Argument]) -> bool:
    """True for `MidpointRounding.AwayFromZero`."""
    last = arguments[-1].value if len(arguments) > 1 else None
    return isinstance(last, n.Member) and last.name.lower() == "awayfromzero"


def of_class(call: n.Call, owner: str, name: str) -> n.Expr | None:
    """Translation of a static call of a class; None if the class is unknown."""
    arguments = call.arguments
    if any(each.name for each in arguments):
        return None
    if (owner, name) == ("Math", "Round") and _names_away(arguments):
        away: tuple[str, ...] = ("0", "round_away") if len(arguments) == 2 else ("0", "round_to", "1")
        return made(away, [each.value for each in arguments[:-1]], call)
    form = forms(_ROWS).get((owner, name, len(arguments)))
    if form is not None:
        return made(form, [each.value for each in arguments], call)
    if owner in ("Optional", "OptionalInt") and name == "of" and len(arguments) == 1:
        return n.Call(n.Name("Some", start=call.start, end=call.end), arguments, start=call.start, end=call.end)
    if owner in ("Optional", "OptionalInt") and name == "empty" and not arguments:
        return n.Literal("none", "None", start=call.start, end=call.end)
    if owner in ("Result", "Either") and name in ("success", "ok", "failure", "error") and len(arguments) == 1:
        variant = "Ok" if name in ("success", "ok") else "Err"
        return n.Call(n.Name(variant, start=call.start, end=call.end), arguments, start=call.start, end=call.end)
    if owner == "Collections" and name == "nCopies" and len(arguments) == 2:
        return n.Call(n.Name("vec!;"), [arguments[1], arguments[0]], start=call.start, end=call.end)
    if owner in ("Collections", "List", "Set", "Map") and name in ("emptyList", "emptySet", "empty") and not arguments:
        empty = n.ListOf([], start=call.start, end=call.end)
        is_set = owner == "Set" or name == "emptySet"
        return n.MapOf([]) if owner == "Map" else n.Call(n.Member(empty, "toSet"), []) if is_set else empty
    if owner == "List" and name in ("copyOf", "from", "unmodifiable") and len(arguments) == 1:
        return n.Call(n.Member(arguments[0].value, "to_list"), [], start=call.start, end=call.end)
    if owner in ("Map", "HashMap") and name in ("copyOf", "from") and len(arguments) == 1:
        return arguments[0].value
    if owner == "Map" and name == "entry" and len(arguments) == 2:
        return n.TupleOf([each.value for each in arguments], start=call.start, end=call.end)
    if owner == "Map" and name == "ofEntries":
        pairs = [each.value.items for each in arguments if isinstance(each.value, n.TupleOf)]
        return n.MapOf([(pair[0], pair[1]) for pair in pairs]) if len(pairs) == len(arguments) else None
    if owner in ("List", "Array") and name in ("generate", "filled", "tabulate") and len(arguments) == 2:
        return _generated(call, name, arguments)
    if owner in ("Stream", "IntStream") and name == "iterate" and len(arguments) == 2:
        return None
    return None


def _generated(call: n.Call, name: str, arguments: list[n.Argument]) -> n.Expr:
    """`List.generate(n, (i) => …)`, `List.filled(n, v)`."""
    if name == "filled":
        return n.Call(n.Name("vec!;"), [arguments[1], arguments[0]], start=call.start, end=call.end)
    source = n.Range(n.Literal("int", "0"), arguments[0].value, False, start=call.start, end=call.end)
    return n.Call(n.Member(source, "map"), [arguments[1]], start=call.start, end=call.end)


def made(form: tuple[str, ...], values: list[n.Expr], call: n.Call) -> n.Expr:
    if not form[0].isdigit():
        return n.Call(n.Name(form[0]), [], start=call.start, end=call.end)
    owner = values[int(form[0])]
    if len(form) == 1:
        return owner
    name, rest = form[1], [values[int(place)] for place in form[2:]]
    if name in _OPERATORS:
        return n.Binary(name, owner, rest[0], start=call.start, end=call.end)
    if name == "compare":
        return n.Binary("<=>", owner, rest[0], start=call.start, end=call.end)
    if name in ("range_to", "range_through"):
        return n.Range(owner, rest[0], name == "range_through", start=call.start, end=call.end)
    if name == "range_of":
        return n.Range(owner, n.Binary("+", deepcopy(owner), rest[0]), False, start=call.start, end=call.end)
    if name == "repeated":
        return n.Call(n.Name("vec!;"), [n.Argument(owner), n.Argument(rest[0])], start=call.start, end=call.end)
    return n.Call(n.Member(owner, name), [n.Argument(each) for each in rest], start=call.start, end=call.end)


def constant_of(owner: str, name: str) -> n.Expr | None:
    """The value of a constant of a class."""
    text = _VALUES.get((owner, name))
    if text is not None:
        return _number(text)
    decimal = _FLOATS.get((owner.capitalize(), name.upper()))
    return n.Literal("float", decimal) if decimal is not None else None


def _number(text: str) -> n.Expr:
    if text.endswith("- 1"):
        return n.Binary("-", _number(text.removesuffix(" - 1")), n.Literal("int", "1"))
    if text.startswith("-"):
        return n.Unary("-", n.Literal("int", text[1:]))
    return n.Literal("int", text)


SIZED: Final = {
    "IntArray": ("int", "0"), "LongArray": ("int", "0"), "DoubleArray": ("float", "0.0"), "BooleanArray": ("bool", "false"),
    "List": None, "MutableList": None, "Array": None, "ArrayList": None,
}  # fmt: skip


def made_by_size(call: n.Call, name: str) -> n.Expr | None:
    """`IntArray(n)`, `List(n) { it * it }` of Kotlin: a list of a length."""
    if name not in SIZED or not call.arguments or any(each.name for each in call.arguments):
        return None
    size, zero = call.arguments[0].value, SIZED[name]
    if len(call.arguments) == 1 and zero is not None:
        value = n.Literal(*zero, start=call.start, end=call.end)
        return n.Call(n.Name("vec!;"), [n.Argument(value), n.Argument(size)], start=call.start, end=call.end)
    if len(call.arguments) != 2 or not isinstance(call.arguments[1].value, n.Lambda):
        return None
    closure = call.arguments[1].value
    closure.parameters = closure.parameters or [n.Wildcard()]
    source = n.Range(n.Literal("int", "0"), size, False, start=call.start, end=call.end)
    return n.Call(n.Member(source, "map"), [n.Argument(closure)], start=call.start, end=call.end)


def with_options(call: n.Call, function: n.Member) -> n.Expr | None:
    """Calls with arguments by name: `joinToString(separator = ",", prefix = "[")`, `firstWhere(f, orElse: () => 0)`."""
    named = {each.name: each.value for each in call.arguments if each.name}
    plain = [each for each in call.arguments if not each.name]
    owner = function.object

    def method(value: n.Expr, name: str, *arguments: n.Expr) -> n.Call:
        given = [n.Argument(each) for each in arguments]
        return n.Call(n.Member(value, name, start=call.start, end=call.end), given, start=call.start, end=call.end)

    if function.name == "joinToString" and set(named) <= {"separator", "prefix", "postfix", "transform"}:
        closure = plain.pop().value if plain and isinstance(plain[-1].value, (n.Lambda, n.Path)) else named.get("transform")
        if len(plain) > 3 or (not named and closure is None and len(plain) < 2):
            return None
        defaults = [named.get(word) for word in ("separator", "prefix", "postfix")]
        for place, each in enumerate(plain):
            defaults[place] = each.value
        mapped = method(owner, "map", closure) if closure is not None else owner
        joined: n.Expr = method(mapped, "join", defaults[0] or n.Literal("string", '", "'))
        joined = n.Binary("++", defaults[1], joined) if defaults[1] is not None else joined
        return n.Binary("++", joined, defaults[2], start=call.start, end=call.end) if defaults[2] is not None else joined
    if function.name == "firstWhere" and set(named) == {"orElse"} and len(plain) == 1:
        closure = named["orElse"]
        first = method(owner, "find", plain[0].value)
        is_none = isinstance(closure, n.Lambda) and isinstance(closure.body, n.Literal) and closure.body.kind == "none"
        return first if is_none else method(first, "unwrap_or_else", closure)
    if function.name == "update" and set(named) == {"ifAbsent"} and len(plain) == 2:
        return method(owner, "update_or", plain[0].value, plain[1].value, named["ifAbsent"])
    if function.name == "putIfAbsent" and not named and len(plain) == 2 and isinstance(plain[1].value, n.Lambda):
        return method(owner, "putIfAbsent_by", plain[0].value, plain[1].value)
    return None


# ---- functions that are named ----

_OF_TWO: Final = {"sum": "+", "max": "max", "min": "min", "compare": "<=>", "compareTo": "<=>", "pow": "pow", "concat": "++"}


def function_of(owner: str, name: str) -> n.Lambda | n.OperatorFunction | None:
    """`Integer::sum`, `Math::max`, `Character::isDigit`, `List::size`: a method that is named as a function."""
    if owner in ("Integer", "Long", "Double", "Math", "String") and name in _OF_TWO:
        if name == "sum":
            return n.OperatorFunction("+")
        left, right = n.Name("left"), n.Name("right")
        sign = _OF_TWO[name]
        body: n.Expr = n.Binary(sign, left, right)
        if sign.isalpha():
            body = n.Call(n.Member(left, sign), [n.Argument(right)])
        return n.Lambda([n.Binding("left"), n.Binding("right")], body)
    form = forms(_ROWS).get((owner, name, 1))
    value = n.Name("_arg0")
    if form is not None:
        return n.Lambda([n.Binding("_arg0")], made(form, [value], n.Call(value, [])))
    if owner in ("Integer", "Long", "int") and name in ("parseInt", "valueOf", "parseLong", "parse", "Parse"):
        return n.Lambda([n.Binding("_arg0")], n.Call(n.Member(value, "to_number"), []))
    if owner == "String" and name in ("valueOf", "toString"):
        return n.Lambda([n.Binding("_arg0")], n.Call(n.Member(value, "to_string"), []))
    if owner in ("Integer", "Long", "Double") and name.endswith("Value"):
        return n.Lambda([n.Binding("_arg0")], value)
    if owner in ("List", "Collection", "Set", "Map", "Entry", "Optional") and name[0].islower():
        word = {"getKey": "key", "getValue": "value"}.get(name)
        body = n.Member(value, word) if word is not None else n.Call(n.Member(value, name), [])
        return n.Lambda([n.Binding("_arg0")], body)
    return None


# ---- orders ----


def order_of(value: n.Expr) -> list[tuple[n.Expr | None, bool]] | None:
    """The keys of a comparator and whether each counts downwards, the weightiest first; a key of None is the value itself."""
    if isinstance(value, n.Name) and value.name == "naturalOrder":
        return [(None, False)]
    if isinstance(value, n.Path) and value.owner in _NUMBERS and value.name in ("compare", "compareTo"):
        return [(None, False)]
    if isinstance(value, n.Member) and isinstance(value.object, n.Name) and value.object.name == "String":
        return [(None, False)] if value.name in ("CASE_SENSITIVE_ORDER",) else None
    if not isinstance(value, n.Call):
        return None
    function, arguments = value.function, [each.value for each in value.arguments]
    name = function.name if isinstance(function, (n.Member, n.Name)) else ""
    owner = function.object if isinstance(function, n.Member) else None
    if name in ("naturalOrder", "reverseOrder", "comparingByValue", "comparingByKey") and not arguments:
        if name.startswith("comparingBy"):
            return [(_part_of_entry(name), False)]
        return [(None, name == "reverseOrder")]
    if name in ("comparingByValue", "comparingByKey") and len(arguments) == 1:
        inner = order_of(arguments[0])
        return [(_part_of_entry(name), inner[0][1])] if inner is not None and inner[0][0] is None else None
    if name in (*_ORDERS, "compareByDescending"):
        keys: list[tuple[n.Expr | None, bool]] = [(arguments[0], name == "compareByDescending")] if arguments else []
        if len(arguments) == 2 and name == "comparing":
            inner = order_of(arguments[1])
            return [(arguments[0], inner[0][1])] if inner is not None and inner[0][0] is None else None
        if len(arguments) > 1:
            keys = [(each, False) for each in arguments]
        return keys or None
    if owner is None:
        return None
    first = order_of(owner)
    if first is None:
        return None
    if name == "reversed" and not arguments:
        return [(key, not is_down) for key, is_down in first]
    if name in (
        "thenComparing",
        "thenComparingInt",
        "thenComparingDouble",
        "thenComparingLong",
        "thenBy",
        "then",
        "thenByDescending",
    ):
        if not arguments:
            return None
        inner = order_of(arguments[0]) if len(arguments) == 1 else None
        if len(arguments) == 2:
            second = order_of(arguments[1])
            return [*first, (arguments[0], second[0][1])] if second is not None and second[0][0] is None else None
        return [*first, *(inner or [(arguments[0], name == "thenByDescending")])]
    return None


def _part_of_entry(name: str) -> n.Expr:
    value = n.Name("_arg0")
    return n.Lambda([n.Binding("_arg0")], n.Member(value, "value" if name == "comparingByValue" else "key"))


def sorted_in(value: n.Expr, order: list[tuple[n.Expr | None, bool]], call: n.Call) -> n.Expr:
    """A list in an order: as sorting is stable, the key that matters least comes first."""
    for place, (key, is_down) in reversed(list(enumerate(order))):
        is_last = place == 0
        if key is None:
            word, arguments = ("sortDescending" if is_down else "sort"), []
        else:
            word = "sort_by_key_descending" if is_down else "sort_by_key"
            arguments = [n.Argument(key)]
        if not is_last:
            word = {"sort": "sorted", "sortDescending": "sortedDescending", "sort_by_key": "then_by_key"}.get(
                word, "then_by_key_descending"
            )
        value = n.Call(n.Member(value, word, start=call.start, end=call.end), arguments, start=call.start, end=call.end)
    return value


def in_order(call: n.Call, function: n.Member) -> n.Expr | None:
    """`xs.sort(Comparator.comparing(f).thenComparing(g))`, `xs.sortedWith(compareBy({ … }, { … }))`, `xs.max(order)`."""
    if len(call.arguments) != 1 or function.name not in (
        "sort",
        "sorted",
        "sortWith",
        "sortedWith",
        "max",
        "min",
        "maxWith",
        "minWith",
    ):
        return None
    value = call.arguments[0].value
    if isinstance(value, n.Literal) and value.kind == "none" and function.name == "sort":
        return n.Call(n.Member(function.object, "sort"), [], start=call.start, end=call.end)
    if function.name[:3] in ("max", "min") and isinstance(value, n.Lambda) and len(value.parameters) == 2:
        # By a comparison of two items.
        word = f"{function.name[:3]}_by"
        return n.Call(
            n.Member(function.object, word, start=call.start, end=call.end), call.arguments, start=call.start, end=call.end
        )
    order = order_of(value)
    if order is None:
        return None
    if function.name[:3] in ("max", "min"):
        key, is_down = order[0]
        if len(order) != 1:
            return None
        word = "max" if function.name.startswith("max") != is_down else "min"
        arguments = [n.Argument(key)] if key is not None else []
        name = f"{word}_by" if arguments else f"{word}_of"
        return n.Call(n.Member(function.object, name), arguments, start=call.start, end=call.end)
    if function.name.startswith("sorted"):
        order = [*order]
        sorting = sorted_in(function.object, order, call)
        assert isinstance(sorting, n.Call)
        assert isinstance(sorting.function, n.Member)
        sorting.function.name = {"sort": "sorted", "sortDescending": "sortedDescending"}.get(
            sorting.function.name, sorting.function.name
        )
        return sorting
    return sorted_in(function.object, order, call)
