"""Calls that other languages write by their own libraries' means, as calls that the lexicon knows."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Final

from analysis.fixes.dialect.libraries.class_library import function_of, made_by_size, with_options
from analysis.fixes.dialect.libraries.cpp_calls import of_cpp
from analysis.fixes.dialect.libraries.dart_calls import of_dart
from analysis.fixes.dialect.libraries.functional_calls import ITEM_FIRST, of_functional
from analysis.fixes.dialect.libraries.go_calls import of_go
from analysis.fixes.dialect.libraries.kotlin_calls import of_kotlin
from analysis.fixes.dialect.libraries.php_calls import of_php
from analysis.fixes.dialect.libraries.printing import of_printing
from analysis.fixes.dialect.libraries.repeated_values import is_no_count, is_one_character, repeated_sign
from analysis.fixes.dialect.libraries.ruby_calls import of_ruby
from analysis.fixes.dialect.libraries.rust_calls import entry_value, of_rust
from analysis.fixes.dialect.libraries.script_calls import of_scripts
from analysis.fixes.dialect.libraries.substrings import end_behind_start
from analysis.fixes.dialect.libraries.swift_calls import of_swift
from analysis.fixes.dialect.libraries.text_formats import with_letter
from analysis.fixes.dialect.libraries.zig_calls import of_zig
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.walking import walk
from analysis.suggestions.lexicon import KINDS

_LISTS: Final = frozenset(("List", "Arrays", "Set", "Stream", "Seq", "Array", "Vector", "IntStream", "ImmutableList"))
_OF_VALUES: Final = frozenset(("String", "Integer", "Int", "Double", "Object", "Boolean", "Long", "Str"))
_HOLE: Final = re.compile(r"(?<!\{)\{([A-Za-z_][A-Za-z0-9_]*)?(:[^{}\"]{0,12})?\}(?!\})")
"""A hole of a format that shows a value as it is."""
_BRACE: Final = re.compile(r"(?<!\{)\{(?!\{)")
_FOLDS: Final = ("fold", "foldl", "fold_left", "foldLeft", "reduce", "scan", "scanl", "try_fold")
_FOLDS_RIGHT: Final = ("foldr", "fold_right", "foldRight", "foldBack")
_NUMBERED: Final = ("index_map", "indexedMap", "indexed_map", "mapi", "iteri", "map_indexed", "mapIndexed")
_SO_FAR: Final = frozenset(
    "acc accum accumulator a0 total sum so result res state out memo best seen count counts model dict map product prev".split()
)
"""Usual names of a fold's accumulator."""
_PLACES: Final = frozenset("i idx index ix place pos position".split())
_REVERSED: Final = {"modBy": "mod", "remainderBy": "rem"}
_ORDERED: Final = ("Int", "int", "Float", "float", "String", "string", "Char", "Stdlib", "Basics", "Integer")
"""Modules whose `compare` orders two values."""
_TEXTS: Final = r"\bString\.(?:join|concat|split|startsWith|endsWith|contains)"
_LISTS_BY: Final = r"\b[A-Za-z]\w*\.(?:map|filter|fold\w*|any|all)"
_DATA_LAST: Final = re.compile(_TEXTS + r'[ (]{1,2}"[^"\n]*"[ ,]|' + _LISTS_BY + r"[ (]{1,3}(?:\\|fun\b)")
"""Calls of modules with what they work on behind the rest."""
_DATA_FIRST: Final = re.compile(_TEXTS + r'\([a-z][\w.]*, *"|' + _LISTS_BY + r"\([a-z\[][\w.]*, *(?:fn|fun|\|)")
_PRINTING: Final = frozenset(("sprintf", "println", "printf"))


_LIBRARIES: Final = (of_ruby, of_printing, of_functional, of_swift, of_go, of_zig, of_cpp, of_kotlin, of_dart, of_rust)


def _of_library(call: n.Call, is_php: bool) -> n.Expr | None:
    """Translation of a call of another language's library; None if there is none."""
    member = call.function if isinstance(call.function, n.Member) else None
    for read in _LIBRARIES:
        if (translated := read(call)) is not None:
            method = translated.function if isinstance(translated, n.Call) else None
            if member is not None and member.optional and isinstance(method, n.Member) and method.object is member.object:
                # `value?.joined(separator: ",")` stays a call of what may be absent.
                method.optional = True
            return translated
    return of_php(call, is_php) or of_scripts(call)


def rewritten(call: n.Call, is_own: bool = False, is_php: bool = False) -> n.Expr:
    """A call of a class or a module that is a literal or an operator here; every other call as it is, so one of the program's."""
    function, arguments = call.function, call.arguments
    _put_in_order(call)
    if not is_own:
        end_behind_start(call)
    plain = None if is_own else _of_library(call, is_php)
    if plain is not None:
        return plain
    if isinstance(function, n.Name):
        return _rewritten_function(call, function)
    if isinstance(function, n.Path) and (function.owner, function.name) == ("std", "string"):
        return _rewritten_function(call, n.Name("string", start=function.start, end=function.end))
    if not isinstance(function, n.Member):
        return call
    owner = function.object
    if isinstance(owner, n.Name):
        if function.name == "compare" and owner.name in _ORDERED and len(arguments) == 2:
            return n.Binary("<=>", arguments[0].value, arguments[1].value)
        if owner.name == "Printf" and function.name in _PRINTING:
            return n.Call(n.Name(function.name, start=owner.start, end=function.end), arguments)
        if owner.name in _LISTS and function.name in ("of", "asList"):
            items = n.ListOf([each.value for each in arguments], start=call.start, end=call.end)
            return items if owner.name != "Set" else n.Call(n.Member(items, "toSet"), [], start=call.start, end=call.end)
        if owner.name == "Arrays" and function.name == "stream" and len(arguments) == 1:
            return arguments[0].value
        if owner.name in ("errors", "fmt") and function.name in ("new", "errorf") and arguments:
            text = n.Call(n.Name("sprintf", start=owner.start, end=function.end), arguments, start=call.start, end=call.end)
            reason = arguments[0] if function.name == "new" else n.Argument(text)
            return n.Call(n.Name("Some", start=owner.start, end=function.end), [reason])
        if owner.name == "fmt" and function.name in _PRINTING:
            return n.Call(n.Name(function.name, start=owner.start, end=function.end), arguments)
    if arguments and arguments[-1].name == "out":
        return _given_out(call, function, arguments)
    if function.name == "format" and isinstance(owner, n.Literal) and arguments:
        return n.Call(n.Name("sprintf", start=call.start, end=call.end), [n.Argument(owner), *arguments])
    form = arguments[0].value if function.name == "toString" and len(arguments) == 1 else None
    if isinstance(form, n.Literal) and (shown := with_letter(owner, form.text.strip('"'), call)) is not None:
        return shown
    if function.name in ("substring", "slice") and len(arguments) == 1 and isinstance(arguments[0].value, n.Range):
        bounds = arguments[0].value
        return n.Slice(owner, bounds.low, bounds.high, bounds.inclusive, start=call.start, end=call.end)
    if function.name in ("joinToString", "firstWhere", "update", "putIfAbsent", "sort") and arguments:
        named = with_options(call, function)
        if named is not None:
            return named
    if function.name in ("split", "Split") and len(arguments) == 1 and _is_pattern(arguments[0].value):
        return n.Call(n.Member(owner, "split_pattern"), arguments, start=call.start, end=call.end)
    if function.name in ("getKey", "getValue") and not arguments:
        return n.Member(owner, "key" if function.name == "getKey" else "value", start=owner.start, end=function.end)
    if function.name == "equals" and len(arguments) == 1:
        return n.Binary("==", owner, arguments[0].value)
    if function.name == "collect" and len(arguments) == 1:
        return _collected(call, owner, arguments[0].value)
    return call


def _rewritten_function(call: n.Call, function: n.Name) -> n.Expr:
    """A call of a function without a class."""
    arguments = call.arguments
    if function.name == "format" and arguments and _has_holes(arguments[0].value):
        return n.Call(n.Name("format!", start=function.start, end=function.end), with_named_holes(arguments))
    if function.name == "compare" and len(arguments) == 2:
        return n.Binary("<=>", arguments[0].value, arguments[1].value)
    if function.name in _REVERSED and len(arguments) == 2:
        return n.Call(n.Member(arguments[1].value, _REVERSED[function.name]), [arguments[0]])
    if function.name in ("Pair", "Triple") and len(arguments) == (2 if function.name == "Pair" else 3):
        return n.TupleOf([each.value for each in arguments], start=call.start, end=call.end)
    if function.name == "maxOf" and len(arguments) == 2:
        return n.Call(n.Member(arguments[0].value, "max"), arguments[1:], start=call.start, end=call.end)
    if function.name == "minOf" and len(arguments) == 2:
        return n.Call(n.Member(arguments[0].value, "min"), arguments[1:], start=call.start, end=call.end)
    if function.name == "list_repeat" and len(arguments) == 2 and is_no_count(arguments[1].value):  # none of 3 is not meant
        return n.Call(function, arguments[::-1], start=call.start, end=call.end)
    if (sized := made_by_size(call, function.name)) is not None:
        return sized
    if function.name in ("StringBuilder", "StringBuffer") and len(arguments) <= 1:
        value = arguments[0].value if arguments else None
        is_text = value is not None and not (isinstance(value, n.Literal) and value.kind == "int")
        return value if value is not None and is_text else n.Literal("string", '""', start=call.start, end=call.end)
    if function.name in ("string", "String") and (text := repeated_sign(arguments)) is not None:
        return n.Call(n.Member(text[0], "repeat"), [n.Argument(text[1])], start=call.start, end=call.end)
    named = arguments[0].value if function.name == "nameof" and len(arguments) == 1 else None
    if isinstance(named, (n.Name, n.Member)):
        return n.Literal("string", f'"{named.name}"', start=call.start, end=call.end)
    if function.name == "String" and len(arguments) == 1:
        return n.Call(n.Member(arguments[0].value, "to_text"), [], start=call.start, end=call.end)
    if function.name == "append" and len(arguments) > 2:
        more = n.ListOf([each.value for each in arguments[1:]])
        return n.Call(n.Member(arguments[0].value, "concat"), [n.Argument(more)])
    if function.name in ("set", "Set", "frozenset") and len(arguments) <= 1:
        given = arguments[0].value if arguments else n.ListOf([], start=call.start, end=call.end)
        return n.Call(n.Member(given, "toSet"), [], start=call.start, end=call.end)
    if function.name in ("setOf", "mutableSetOf", "hashSetOf", "linkedSetOf") or (function.name == "Set" and len(arguments) > 1):
        items = n.ListOf([each.value for each in arguments], start=call.start, end=call.end)
        return n.Call(n.Member(items, "toSet"), [], start=call.start, end=call.end)
    return call


def _is_pattern(value: n.Expr) -> bool:
    """True if a separator can only be a regular expression."""
    return isinstance(value, n.Literal) and value.kind == "string" and ("\\\\" in value.text or " +" in value.text)


def _given_out(call: n.Call, function: n.Member, arguments: list[n.Argument]) -> n.Expr:
    """`m.TryGetValue(k, out var v)`, `int.TryParse(s, out int n)`: whether there is a value, and its name."""
    value = arguments[-1].value
    is_known = function.name in ("tryGetValue", "TryGetValue", "tryParse", "TryParse")
    if not isinstance(value, n.Name) or len(arguments) != 2 or not is_known:
        return call
    pattern = n.VariantPattern("", "Some", [n.Wildcard() if value.name == "_" else n.Binding(value.name)])
    owner = function.object
    if function.name in ("tryParse", "TryParse"):
        is_float = isinstance(owner, n.Name) and owner.name in ("double", "Double", "float", "decimal")
        got = n.Call(n.Member(arguments[0].value, "to_float" if is_float else "to_int"), [], start=call.start, end=call.end)
    else:
        got = n.Call(n.Member(owner, "get"), arguments[:1], start=call.start, end=call.end)
    return n.LetCondition(pattern, got, start=call.start, end=call.end)


def _put_in_order(call: n.Call) -> None:
    """Puts the parameters of a module's fold in the order that is read here, by their names."""
    function = call.function
    is_module = isinstance(function, n.Member) and isinstance(function.object, n.Name) and function.object.name.lower() in KINDS
    name = function.name if isinstance(function, (n.Member, n.Name)) else ""
    name = name.removeprefix("list_") if isinstance(function, n.Name) else name
    if not (is_module or isinstance(function, n.Name)) or name not in (*_FOLDS, *_FOLDS_RIGHT, *_NUMBERED):
        return
    for each in call.arguments:
        if not isinstance(each.value, n.Lambda) or len(each.value.parameters) != 2:
            continue
        first, second = (part.name if isinstance(part, n.Binding) else "" for part in each.value.parameters)
        words = _PLACES if name in _NUMBERED else _SO_FAR
        is_first, is_second = (_says(part, words) for part in (first, second))
        wants_first = name not in _FOLDS_RIGHT
        if is_first and is_second and isinstance(function, n.Member) and _gives_item_first(function):
            is_first = False
        if not is_first and not is_second and isinstance(function, n.Member) and _gives_item_first(function):
            is_second = True
        if is_first != is_second and is_first != wants_first:
            each.value.parameters.reverse()


def _gives_item_first(function: n.Member) -> bool:
    """True if a module's fold gives the item before the value so far, as in Elixir and Elm."""
    owner = function.object.name if isinstance(function.object, n.Name) else ""
    return owner == "Enum" or (function.name == "foldl" and owner in ITEM_FIRST)


def _has_holes(value: n.Expr) -> bool:
    return isinstance(value, n.Literal) and value.kind == "string" and "{}" in value.text


def _says(name: str, words: frozenset[str]) -> bool:
    return name in words or name.split("_")[0] in words


def takes_data_last(text: str) -> bool | None:
    """True if a program's functions of modules take what they work on as their last argument; None if no call says it."""
    last, first = len(_DATA_LAST.findall(text)), len(_DATA_FIRST.findall(text))
    return None if last == first else last > first


def takes_texts(call: n.Call) -> bool:
    """`String.startsWith(a, b)`: a text is looked for in another one, in an order that languages do not share."""
    function = call.function
    return (
        isinstance(function, n.Member)
        and isinstance(function.object, n.Name)
        and function.object.name == "String"
        and function.name in ("startsWith", "endsWith", "contains", "split", "indexes", "indices")
        and len(call.arguments) == 2
        and not any(each.name for each in call.arguments)
        and not (function.name == "contains" and is_one_character(call.arguments[1].value))
    )


def with_named_holes(arguments: list[n.Argument]) -> list[n.Argument]:
    """`"{} of {name}", a`: names in the braces of a format as arguments of their own, in order."""
    first = arguments[0].value if arguments else None
    if not isinstance(first, n.Literal) or first.kind != "string":
        return arguments
    for each in arguments[1:]:
        if each.name and isinstance(each.value, n.Literal) and f"{each.name}$" in first.text:
            # A width by its name.
            first.text = first.text.replace(f"{each.name}$", each.value.text)
            arguments = [part for part in arguments if part is not each]
    holes = [hole[1] for hole in _HOLE.finditer(first.text)]
    if not any(holes) or len(holes) != len(_BRACE.findall(first.text)):
        return arguments
    named = {each.name: each.value for each in arguments[1:] if each.name}
    others = [each for each in arguments[1:] if not each.name]
    ordered: list[n.Argument] = []
    for name in holes:
        if name:
            ordered.append(n.Argument(named.get(name) or n.Name(name, start=first.start, end=first.end)))
        elif others:
            ordered.append(others.pop(0))
    text = n.Literal("string", _HOLE.sub(r"{\2}", first.text), start=first.start, end=first.end)
    return [n.Argument(text), *ordered]


def _collected(call: n.Call, owner: n.Expr, collector: n.Expr) -> n.Expr:
    """`.collect(Collectors.joining(", "))`, `.collect(Collectors.toList())`."""
    if not isinstance(collector, n.Call) or not isinstance(collector.function, n.Member):
        return call
    name = collector.function.name
    own = collector.function.object
    if not (isinstance(own, n.Name) and own.name == "Collectors"):
        return call
    more = collector.arguments

    def method(word: str, *arguments: n.Argument) -> n.Call:
        return n.Call(n.Member(owner, word, start=owner.start, end=owner.end), list(arguments), start=call.start, end=call.end)

    if name == "joining" and len(more) == 3:
        joined = method("join", more[0])
        return n.Binary("++", n.Binary("++", more[1].value, joined), more[2].value, start=call.start, end=call.end)
    if name == "joining":
        return method("join", *more)
    if name in ("toSet", "toUnmodifiableSet"):
        return method("toSet")
    if name == "counting":
        return method("len")
    if name == "groupingBy" and len(more) == 1:
        return method("group_by", *more)
    if name == "partitioningBy" and len(more) == 1:
        return method("group_by", *more)
    if name == "groupingBy" and len(more) >= 2:
        inner = _grouped(more[-1].value)
        return method("group_by", more[0]) if inner is None else method("group_and", more[0], n.Argument(inner))
    if name == "toMap" and len(more) >= 2 and len(more) != 3:
        return method("map_of_both", more[0], more[1])
    return owner if name in ("toList", "toUnmodifiableList") else call


def _grouped(collector: n.Expr) -> n.Expr | None:
    """Closure that a collector applies to each group; None to keep the group's list."""
    group = n.Name("group", start=collector.start, end=collector.end)
    name = collector.function.name if isinstance(collector, n.Call) and isinstance(collector.function, n.Member) else ""
    if name == "toList":
        return None
    collected: n.Expr = n.Call(n.Member(group, "collect"), [n.Argument(collector)], start=collector.start, end=collector.end)
    if name in ("summingInt", "summingLong", "summingDouble") and isinstance(collector, n.Call):
        collected = n.Call(n.Member(group, "sumBy"), collector.arguments, start=collector.start, end=collector.end)
    elif name == "mapping" and isinstance(collector, n.Call) and len(collector.arguments) == 2:
        mapped = n.Call(n.Member(group, "map"), collector.arguments[:1], start=collector.start, end=collector.end)
        collected = _collected(n.Call(n.Member(mapped, "collect"), collector.arguments[1:]), mapped, collector.arguments[1].value)
    else:
        assert isinstance(collected, n.Call)
        collected = _collected(collected, group, collector)
    return n.Lambda([n.Binding("group")], collected, start=collector.start, end=collector.end)


def counted(call: n.Expr, closure: n.Lambda) -> n.Expr:
    """Call for a counting closure (`5.times`, `1.upto(5)`, `xs.each_with_index`); puts the closure's parameters in order."""
    inner = call.function if isinstance(call, n.Call) else call
    arguments = call.arguments if isinstance(call, n.Call) else []
    source: n.Expr
    if isinstance(inner, n.Name) and inner.name == "repeat" and len(arguments) == 1:
        closure.parameters = closure.parameters or [n.Wildcard()]
        return n.Call(n.Member(n.Range(n.Literal("int", "0"), arguments[0].value, False), "for_each"), [])
    if isinstance(inner, n.Name) and inner.name == "vec!;":  # `IntArray(3) { 7 }` of Kotlin, with a zero before its length
        inner, arguments = n.Name("List"), arguments[1:]
    sized = made_by_size(n.Call(inner, [*arguments, n.Argument(closure)]), inner.name) if isinstance(inner, n.Name) else None
    if isinstance(sized, n.Call):
        sized.arguments = []
        return sized
    if not isinstance(inner, n.Member):
        return call
    if inner.name == "times" and not arguments:
        source = n.Range(n.Literal("int", "0"), inner.object, False)
    elif inner.name == "downto" and len(arguments) == 1:
        source = n.Call(n.Member(n.Range(arguments[0].value, inner.object, True), "reversed"), [])
    elif inner.name == "step" and len(arguments) == 2:
        rising = n.Range(inner.object, arguments[0].value, True)
        source = n.Call(n.Member(rising, "step_by"), [n.Argument(arguments[1].value)])
    elif inner.name == "upto" and len(arguments) == 1:
        source = n.Range(inner.object, arguments[0].value, True)
    elif inner.name in ("each_with_index", "forEachIndexed") and len(closure.parameters) == 2:
        source = n.Call(n.Member(inner.object, "enumerate"), [])
        first, second = closure.parameters
        is_value_first = inner.name == "each_with_index"
        closure.parameters = [n.TuplePattern([second, first] if is_value_first else [first, second])]
    elif inner.name == "select":
        # Of Ruby, where it keeps what the block says.
        inner.name = "filter"
        return call
    else:
        return call
    closure.parameters = closure.parameters or [n.Wildcard()]
    return n.Call(n.Member(source, "for_each"), [])


def pushed(target: n.Expr, value: n.Expr) -> n.Statement | None:
    """`xs[#xs + 1] = x`: an item behind the last one; None for another assignment."""
    if isinstance(target, n.Index) and isinstance(target.index, n.Name) and target.index.name == "[]":
        return _pushed_behind(target, value)
    if not isinstance(target, n.Index) or not isinstance(target.object, n.Name) or not isinstance(target.index, n.Binary):
        return None
    length = target.index.left
    if target.index.operator != "+" or not isinstance(length, n.Call) or not isinstance(length.function, n.Member):
        return None
    counted, step = length.function.object, target.index.right
    if length.function.name != "len" or not (isinstance(counted, n.Name) and counted.name == target.object.name):
        return None
    if not isinstance(step, n.Literal) or step.text != "1":
        return None
    return n.Evaluate(n.Call(n.Member(target.object, "append"), [n.Argument(value)], start=target.start, end=value.end))


def _pushed_behind(target: n.Index, value: n.Expr) -> n.Statement:
    """`xs[] = x` of PHP; `groups[k][] = x` makes the list where it is missing."""
    place = target.object
    if not isinstance(place, n.Index):
        return n.Evaluate(n.Call(n.Member(place, "append"), [n.Argument(value)], start=target.start, end=value.end))
    first = n.Argument(n.ListOf([], start=target.start, end=target.end))
    held = n.Call(n.Member(deepcopy(place.object), "get_or"), [n.Argument(deepcopy(place.index)), first])
    held.start, held.end = place.start, place.end
    grown = n.Call(n.Member(held, "append_item"), [n.Argument(value)], start=target.start, end=value.end)
    return n.Assign(place, "", grown)


def partial(call: n.Expr, closure: n.Lambda) -> n.Expr:
    """`xs.collect { case A(x) => x }` of Scala: the values of the items that a case fits."""
    function = call.function if isinstance(call, n.Call) else call
    if not isinstance(function, n.Member) or function.name != "collect" or not isinstance(closure.body, n.Match):
        return call
    function.name = "filter_map"
    for arm in closure.body.arms:
        arm.body = n.Call(n.Name("Some"), [n.Argument(arm.body)], start=arm.start, end=arm.end)
    none = n.Literal("none", "None", start=closure.start, end=closure.end)
    closure.body.arms.append(n.Arm(n.Wildcard(), None, none, start=closure.start, end=closure.end))
    return call


def counted_entry(target: n.Expr, sign: str, value: n.Expr) -> n.Statement | None:
    """`*m.entry(k).or_insert(d) += v`: the map with the value that it has, or `d`, changed."""
    entry = entry_value(target)
    if entry is None:
        return None
    counts, key, before = entry
    return n.Evaluate(n.Call(n.Member(counts, "insert"), [key, n.Argument(n.Binary(sign, before, value))]))


_PARSING: Final = ("int", "long", "double", "char", "Char")
"""Types of C# whose functions are given by name."""


def with_holes(value: n.Expr) -> n.Expr:
    """`_ + 1`, `_ + _`: a closure whose parameters are the underscores, in order; `String::trim` one that calls the method."""
    if isinstance(value, n.Path) and (function := function_of(value.owner, value.name)) is not None:
        function.start, function.end = value.start, value.end
        return function
    if isinstance(value, n.Path) and value.owner in _OF_VALUES and value.name[0].islower():
        return n.Lambda([n.Binding("_arg0")], n.Call(n.Member(n.Name("_arg0"), value.name), []), start=value.start, end=value.end)
    if isinstance(value, n.Member) and isinstance(value.object, n.Name) and value.object.name in _PARSING:
        # `Select(int.Parse)`; what `int.parse` gives depends on what is wanted.
        named = function_of(value.object.name, value.name)
        if named is not None:
            named.start, named.end = value.start, value.end
            return named
    if isinstance(value, (n.Name, n.Lambda)):
        return value
    holes = [node for node in walk(value) if isinstance(node, n.Name) and node.name == "_"]
    if not holes or any(isinstance(node, n.Lambda) for node in walk(value)):
        return value
    for place, hole in enumerate(sorted(holes, key=_start)):
        hole.name = f"_arg{place}"
    names: list[n.Pattern] = [n.Binding(f"_arg{place}") for place in range(len(holes))]
    return n.Lambda(names, value, start=value.start, end=value.end)


def _start(node: n.Node) -> int:
    return node.start
