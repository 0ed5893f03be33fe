"""Fixes for undefined names that are no misspellings: words, numbers and forms of other languages that parse here as names
(spec chapter 27 section 9).

Rules look at the tokens and the tree around the use; the engine of repairs tries what they propose.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from analysis.database.lazily import lazily
from analysis.semantics.builtins import BUILTIN_TYPES
from analysis.semantics.rule_context import RuleContext
from analysis.semantics.spelling import closest, is_short, is_tied
from analysis.semantics.ty import UNKNOWN, partial_text
from analysis.semantics.uses import ROLE_ASSIGN, ROLE_CALL, NameUse
from analysis.suggestions.foreign_builtins import MOST_GUESSES, TYPE_WORDS, builtins_called
from analysis.suggestions.foreign_operations import function_advice, method_advice
from analysis.suggestions.foreign_words import DECLARING, OPERATORS, PLAIN_TYPES, UNAVAILABLE, VALUES, WRAPPERS
from analysis.suggestions.lexicon import operations
from analysis.suggestions.library_words import LIBRARIES
from analysis.suggestions.lost_results import GIVE_CHANGED, assigned_if_lost
from analysis.syntax.lexer import EOF, IDENT, INT, STRING, Tokens
from analysis.syntax.tree import Call, FieldAccess, For, Function, If, Item, Name, Node, While, path_to
from analysis.text.edits import Confidence, Edit, Fix, FixKind

_LONGEST_ADVICE: Final = 160
"""Characters of advice that repeats a piece of the program."""


class Meant(NamedTuple):
    """`why` says what is wrong, `advice` what to do; `is_likely`: more so than that the name is a misspelt one."""

    slug: str
    why: str
    advice: str
    edits: tuple[Edit, ...]
    is_likely: bool = True
    kind: FixKind = FixKind.OTHER

    @property
    def fix(self) -> Fix:
        confidence = Confidence.MEDIUM if self.is_likely else Confidence.LOW
        name = self.edits[0].new_text if len(self.edits) == 1 else ""
        return Fix(f"E003-{self.slug}", self.advice, confidence, self.why, self.edits, kind=self.kind, name=name)


class Site:
    """A use of a name, its tokens and the nodes around it."""

    def __init__(self, context: RuleContext, item: Item, use: NameUse) -> None:
        self.context = context
        self.item = item
        self.use = use
        self.span = use.start, use.end

    @lazily
    def tokens(self) -> Tokens:
        return self.context.tokens

    @lazily
    def at(self) -> int:
        """The index of the name's token."""
        return bisect_left(self.tokens.starts, self.use.start)

    @lazily
    def path(self) -> list[Node]:
        """The nodes around the name, the nearest last, the name itself left out."""
        path = path_to(self.item, self.use.start)
        return path[:-1] if isinstance(path[-1], Name) else path

    def kind(self, step: int) -> str:
        """The kind of the token so many steps on."""
        index = self.at + step
        return self.tokens.kinds[index] if 0 <= index < len(self.tokens.kinds) else EOF

    def word(self, step: int) -> str:
        index = self.at + step
        return self.tokens.word(index) if 0 <= index < len(self.tokens.kinds) else ""

    def start(self, step: int) -> int:
        return self.tokens.starts[self.at + step]

    def end(self, step: int) -> int:
        return self.tokens.ends[self.at + step]

    def same_line(self, step: int) -> bool:
        """True if the next token (1) or the one before (-1) stands on the name's line."""
        gap = (self.use.end, self.start(1)) if step > 0 else (self.end(-1) if self.at else 0, self.use.start)
        return self.kind(step) != EOF and "\n" not in self.context.text[slice(*gap)]

    def let(self, name: str) -> str:
        """`let`, or `let mut` for a name that is assigned more than once."""
        written = rf"\b{re.escape(name)}\s*=(?![=>])"
        return "let mut" if len(re.findall(written, self.context.text[self.item.start : self.item.end])) > 1 else "let"


def meant(context: RuleContext, item: Item, use: NameUse) -> list[Meant]:
    """Fixes for an undefined name, the likeliest first."""
    site = Site(context, item, use)
    return [fix for rule in _RULES for fix in rule(site)]


# ---- words of other languages -------------------------------------------------------------------------------------------


def _words(site: Site) -> Iterator[Meant]:
    name = site.use.name
    if name in VALUES and site.use.role != ROLE_CALL:
        yield _replacement(site, name, VALUES[name])
    if name in WRAPPERS and site.use.role == ROLE_CALL and site.use.arguments == 1:
        yield _replacement(site, name, WRAPPERS[name])
    if name in OPERATORS and site.same_line(-1) and site.same_line(1):
        yield _replacement(site, name, OPERATORS[name])
    if name in ("not", "NOT") and site.same_line(1):
        yield Meant("write-not", f"there is no `{name}`", "write `!`", (Edit((site.use.start, site.start(1)), "!"),))
    if name == "new" and site.kind(1) == IDENT and site.same_line(1):
        edit = Edit((site.use.start, site.start(1)), "")
        yield Meant("remove-new", "there is no `new`: values are written `Type { field: value }`", "remove `new`", (edit,))
    if name == "loop" and site.kind(1) == "{":
        yield _replacement(site, name, "while true")
    if site.kind(-1) == "++" and site.at > 1 and "\n" in site.context.text[site.end(-2) : site.start(-1)]:
        edit = Edit((site.start(-1), site.use.end), f"{name} = {name} + 1")
        yield Meant("increment", "there is no `++` before a name", f"write `{name} = {name} + 1`", (edit,))
    if name == "println" and site.kind(1) == "!" and site.kind(2) == "(":
        edit = Edit((site.use.start, site.end(1)), "__builtin_debug")
        yield Meant("print", "there are no macros", "write `__builtin_debug(…)`", (edit,))
    if name == "pass":
        yield Meant("remove-pass", "an empty block needs no `pass`", "remove `pass`", (Edit(site.span, ""),))
    if name in ("this", "self") and (parameter := _receiver(site)):
        yield _replacement(site, name, parameter)
    if name in UNAVAILABLE:
        yield Meant("", f"there is no `{name}`", _without_jump(site) or UNAVAILABLE[name], ())
    if name == "as" and site.kind(-1) == IDENT and site.word(1) in ("Int", "Float", "String"):
        yield Meant("", "there is no `as`", _conversion(site.word(-1), site.word(1)), ())
    if name in BUILTIN_TYPES and site.kind(1) in (".", "("):
        yield Meant("", f"`{name}` is a type, and no value", f"`boruna_builtins` and hover list the functions for a {name}", ())
    if name in _MODULES and site.kind(1) == "." and site.kind(2) == IDENT:
        yield Meant("", f"there is no `{name}`", f"write `{_MODULES[name]}(…)`", ())
    if site.use.role == ROLE_CALL and name in LIBRARIES:
        yield Meant("", f"'{name}' is a function of a library", f'add `import "{LIBRARIES[name]}"`', ())
    if site.use.role == ROLE_CALL and (function := _in_library(name)):
        yield Meant("", f"there is no `{name}`", f'write `{function}(…)`, with `import "{LIBRARIES[function]}"`', ())
    elif site.use.call is not None and (advice := _operation(site, site.use.call)):
        yield Meant("", f"there is no `{name}`", advice, ())


def _operation(site: Site, call: Call) -> str:
    if builtins_called(site.use.name, _types(site, call)):
        return ""
    kind, _, rest = site.use.name.partition("_")
    is_typed = f"{kind}_" in TYPE_WORDS
    if is_typed and (called := builtins_called(rest, _types(site, call))):
        return f"write `{called[0]}(…)`"
    operands = [site.context.text[argument.start : argument.end] for argument in call.arguments]
    if is_typed and operands and (advice := method_advice(rest, _types(site, call)[0], operands)):
        return advice
    if kind in _MATCHES and (kind.capitalize(), rest, len(operands) - 1) in operations():
        return f"write a `match`: `match {operands[0]} {{ {_MATCHES[kind]} }}`"
    return function_advice(site.use.name, _types(site, call)[0], operands) if operands else ""


def _in_library(name: str) -> str:
    """The function of a library that a name of another one means: `list_sort` for `list_sort_ints` and `sort`."""
    for stem in (name, name.rpartition("_")[0] if name.endswith(_OF_ITEMS) else ""):
        for function in (_IN_LIBRARIES.get(stem, ""), f"list_{stem}" if stem != name else "", stem if stem != name else ""):
            if function in LIBRARIES:
                return function
    return ""


_MODULES: Final = {"console": "__builtin_debug", "fmt": "__builtin_debug", "System": "__builtin_debug"}
"""What a function of a module of other languages mostly is."""
_IN_LIBRARIES: Final = {
    "range": "list_range", "sorted": "list_sort", "sort": "list_sort", "sum": "list_sum", "max": "int_max",
    "min": "int_min", "abs": "int_abs", "round": "float_round", "floor": "float_floor", "ceil": "float_ceil",
    "sqrt": "float_sqrt", "pow": "int_pow", "substring": "string_substring", "repeat": "string_repeat",
    "includes": "list_contains", "indexOf": "list_index_of",
    **dict.fromkeys(("unwrap_or", "option_unwrap_or", "option_get_or", "option_get_or_else", "option_with_default"), "option_or"),
    **dict.fromkeys(("result_unwrap_or", "result_get_or", "result_get_or_else", "result_with_default"), "result_or"),
}  # fmt: skip
"""Functions of other languages that a library has."""
_MATCHES: Final = {"option": "Some(value) => …, None => …", "result": "Ok(value) => …, Err(error) => …"}
_OF_ITEMS: Final = ("_ints", "_strings", "_floats", "_numbers")
"""Ends of names that say what a list holds."""


def _receiver(site: Site) -> str:
    """The first parameter of the function around, if it is named like the value of a method."""
    function = next((item for item in site.context.summary.items if item.start <= site.use.start < item.end), None)
    parameters = function.parameters if isinstance(function, Function) else ()
    return next((each.name for each in parameters[:1] if each.name in ("self", "self_", "this", "this_")), "")


def _conversion(name: str, kind: str) -> str:
    return {
        "Float": f"write `{name} * 1.0`",
        "Int": f'write `float_to_int({name})`, with `import "std-math"`',
        "String": f"write `__builtin_int_to_string({name})`",
    }[kind]


def _replacement(site: Site, old: str, new: str) -> Meant:
    return Meant(f"write-{old}", f"there is no `{old}`", f"write `{new}`", (Edit(site.span, new),))


def _declarations(site: Site) -> Iterator[Meant]:
    """`var t = 1`, `Int t = 1`: a name before the name that is declared."""
    if site.kind(1) != IDENT or site.kind(2) != "=" or not site.same_line(1):
        return
    word, name = site.use.name, site.word(1)
    kind = word if word in BUILTIN_TYPES or site.context.type(word) is not None else PLAIN_TYPES.get(word)
    let = "let mut" if word == "var" else site.let(name)
    if kind is not None:
        why = "a variable is declared with `let`; its type comes after its name"
        new = f"{let} {name}: {kind}"
        yield Meant("declare", why, f"write `{new}`", (Edit((site.use.start, site.end(1)), new),))
    elif word in DECLARING:
        yield Meant(f"write-{word}", f"there is no `{word}`", f"write `{let}`", (Edit(site.span, let),), kind=FixKind.DECLARATION)


def _without_jump(site: Site) -> str:
    """What to write for `break` and `continue` that an `if` of a loop decides; "" elsewhere."""
    asked = next((node for node in reversed(site.path) if isinstance(node, If)), None)
    loop = next((node for node in reversed(site.path) if isinstance(node, For | While)), None)
    if asked is None or loop is None or asked.start < loop.start or site.use.name not in ("break", "continue"):
        return ""
    condition, text = asked.condition, site.context.text
    negated = f"!({text[condition.start : condition.end]})"
    if site.use.name == "continue":
        advice = f"put the rest of the body into `if {negated} {{ … }}`"
    elif isinstance(loop, While):
        advice = f"end the loop by its condition: `while {text[loop.condition.start : loop.condition.end]} && {negated} {{`"
    else:
        advice = f"put the loop into a function and `return` from it, or put the rest of its body into `if {negated} {{ … }}`"
    return advice if len(advice) <= _LONGEST_ADVICE and "\n" not in advice else ""


def _missing_let(site: Site) -> Iterator[Meant]:
    """`t = 1` where there is no `t` yet."""
    name = site.use.name
    if site.use.role != ROLE_ASSIGN:
        return
    same = [use for use in site.context.summary.names if use.name == name and _lies_in(use, site.item)]
    if same[0] != site.use:
        return
    let = site.let(name)
    edit = Edit((site.use.start, site.use.start), f"{let} ")
    why = "a variable is declared with `let` before it is used"
    yield Meant("let", why, f"write `{let} {name} = …`", (edit,), len(same) > 1 or len(name) < 3)


def _lies_in(use: NameUse, item: Item) -> bool:
    return item.start <= use.start < item.end


# ---- literals -----------------------------------------------------------------------------------------------------------

_SUFFIX: Final = re.compile(r"_?(?:[iu](?:8|16|32|64|128|size)|f(?:32|64)?|d|n|[uU]?[lL]{1,2})\Z")
_INTERPOLATED: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)\}")
_CONVERSIONS: Final = {
    "String": "{}",
    "Int": "__builtin_int_to_string({})",
    "Float": "__builtin_float_to_string({})",
    "Bool": "__builtin_bool_to_string({})",
}


def _numbers(site: Site) -> Iterator[Meant]:
    """`1_000`, `0xFF`, `1e5`, `2i64`: the name touches the digits before it."""
    if site.kind(-1) not in (INT, "FLOAT") or site.end(-1) != site.use.start:
        return
    rest, end = site.use.name, site.use.end
    if rest in ("e", "E") and site.kind(1) in ("-", "+") and site.kind(2) == INT:
        rest, end = site.context.text[site.use.start : site.end(2)], site.end(2)
    value = _value(site.word(-1), rest)
    if value is not None:
        why = "numbers are written with decimal digits only"
        yield Meant("number", why, f"write `{value}`", (Edit((site.start(-1), end), value),))


def _value(digits: str, rest: str) -> str | None:
    """A number as this language writes it; None if the text is none."""
    if _SUFFIX.match(rest):
        return f"{digits}.0" if rest.lstrip("_")[0] in "fd" and "." not in digits else digits
    text = (digits + rest).replace("_", "")
    try:
        if digits == "0" and rest[0] in "xXoObB":
            return str(int(text, 0))
        if "." in digits or "e" in rest.lower():
            value = f"{float(text):f}".rstrip("0")
            return f"{value}0" if value.endswith(".") else value
        return str(int(text))
    except (ValueError, OverflowError):
        return None


def _strings(site: Site) -> Iterator[Meant]:
    """`f"…"`, `r"…"`: the name touches the quote behind it."""
    prefix = site.use.name
    if site.kind(1) != STRING or site.start(1) != site.use.end or prefix.lower() not in ("f", "r", "b", "u", "s", "rb", "fr"):
        return
    raw = site.word(1)
    if prefix.lower() in ("f", "s", "fr") and (written := _concatenation(site, raw.replace("${", "{"))) is not None:
        why = "strings hold no expressions: pieces are joined with `++`"
        yield Meant("interpolation", why, f"write `{written}`", (Edit((site.use.start, site.end(1)), written),))
    if "{" in raw and prefix.lower() in ("f", "s", "fr"):
        # Without the prefix the text would show the code.
        return
    yield Meant("prefix", "strings have no prefix", f"remove `{prefix}`", (Edit(site.span, ""),))


def _concatenation(site: Site, raw: str) -> str | None:
    """A string with names in braces as pieces that are joined; None if a piece is no text and its type is unknown."""
    parts: list[str] = []
    types = site.context.inference.locals
    own = {
        name: partial_text(types.get(local.at, UNKNOWN)) for name, local in site.context.names.visible_at(site.use.start).items()
    }
    pieces = _INTERPOLATED.split(raw[1:-1])
    for place, piece in enumerate(pieces):
        if place % 2 == 0:
            parts += [f'"{piece}"'] if piece else []
            continue
        form = _CONVERSIONS.get(own.get(piece) or "")
        if form is None:
            return None
        parts.append(form.format(piece))
    return " ++ ".join(parts) if len(pieces) > 1 else None


def _comments(site: Site) -> Iterator[Meant]:
    """`-- why`: two signs of subtraction before words."""
    text = site.context.text
    line_start = text.rfind("\n", 0, site.use.start) + 1
    line_end = text.find("\n", site.use.start)
    line = text[line_start : len(text) if line_end < 0 else line_end]
    begin = line_start + len(line) - len(line.lstrip())
    if text.startswith("--", begin) and site.kind(1) != "(":
        yield Meant("comment", "a comment begins with `//`", "write `//`", (Edit((begin, begin + 2), "//"),))


# ---- types and variants as values -----------------------------------------------------------------------------------------


def _variants(site: Site) -> Iterator[Meant]:
    """`Color.Red`, `Red`: variants are written `Color::Red`."""
    name = site.use.name
    enum = site.context.type(name)
    access = site.path[-1] if site.path else None
    if enum is not None and enum.is_enum and isinstance(access, FieldAccess) and access.object.start == site.use.start:
        dot = Edit((site.use.end, access.at), "::")
        members = [member for member, _ in enum.members]
        variant = access.name if enum.has(access.name) else closest(access.name, members)
        edits = (dot,) if variant == access.name else (Edit((site.use.end, access.at + len(access.name)), f"::{variant}"),)
        if variant is not None:
            is_sure = variant == access.name or not (is_short(access.name, variant) or is_tied(access.name, variant, members))
            yield Meant("variant", "a variant is written `Type::Variant`", f"write `{name}::{variant}`", edits, is_sure)
    for owner in site.context.enums_with(name):
        edit = Edit((site.use.start, site.use.start), f"{owner.name}::")
        yield Meant("variant", f"`{name}` is a variant of {owner.name}", f"write `{owner.name}::{name}`", (edit,))


def _constructors(site: Site) -> Iterator[Meant]:
    """`Point(1, 2)`: records are written with the names of their fields."""
    record = site.context.type(site.use.name)
    call = site.use.call
    if record is None or record.is_enum or call is None or len(call.arguments) != len(record.members):
        return
    fields = [f"{field}: {written}" for (field, _), written in zip(record.members, _arguments(site, call), strict=True)]
    written = f"{record.name} {{ {', '.join(fields)} }}"
    edit = Edit((call.start, call.end), written)
    yield Meant("record", f"{record.name} is a record: its fields are named", "name the fields", (edit,))


def _arguments(site: Site, call: Call) -> list[str]:
    """The texts between the parentheses and commas of a call."""
    tokens, text = site.tokens, site.context.text
    index = bisect_left(tokens.starts, call.opening) + 1
    borders, depth = [call.opening], 0
    while tokens.starts[index] < call.end - 1:
        kind = tokens.kinds[index]
        depth += (kind in ("(", "[", "{")) - (kind in (")", "]", "}"))
        if kind == "," and depth == 0:
            borders.append(tokens.starts[index])
        index += 1
    return [text[start + 1 : end].strip() for start, end in pairwise([*borders, call.end - 1])]


# ---- builtins ---------------------------------------------------------------------------------------------------------------


def _builtins(site: Site) -> Iterator[Meant]:
    """`len(xs)`, `str(n)`: what other languages call a builtin."""
    call = site.use.call
    if call is None:
        return
    for builtin in builtins_called(site.use.name, _types(site, call))[:MOST_GUESSES]:
        lost = assigned_if_lost(site.context, call, call.arguments[0]) if builtin in GIVE_CHANGED else None
        declared, before, behind = lost if lost is not None else ((), "", "")
        edits = (*declared, Edit(site.span, f"{before}{builtin}"))
        edits += (Edit((call.end, call.end), behind),) if behind else ()
        written = f"{before.removeprefix('{ ')}{builtin}(…)" if before else builtin
        yield Meant(f"call-{builtin}", f"there is no `{site.use.name}`", f"write `{written}`", edits)


def _types(site: Site, call: Call) -> list[str | None]:
    return [site.context.type_of(argument) for argument in call.arguments]


_RULES: Final[tuple[Callable[[Site], Iterator[Meant]], ...]] = (
    _variants,
    _constructors,
    _declarations,
    _words,
    _numbers,
    _strings,
    _comments,
    _builtins,
    _missing_let,
)
