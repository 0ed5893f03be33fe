"""Declarations of a program in a dialect: functions, records, enums, constants, and the types of predefined names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache

from analysis.fixes.dialect.reading.grammar_base import TypesAndPatterns
from analysis.fixes.dialect.rewriting.aliases.several_targets import split_targets
from analysis.fixes.dialect.rewriting.data_types.variants import capitalise
from analysis.fixes.dialect.rewriting.functions.changes import changing_methods, gives_changed_self, note_changed
from analysis.fixes.dialect.rewriting.functions.reference_parameters import GivenBack, give_back
from analysis.fixes.dialect.rewriting.jumps.early_returns import without_early_returns
from analysis.fixes.dialect.rewriting.lists.counting import whole_list
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import Type, head, instantiated
from analysis.fixes.dialect.tree.walking import bound_names, root_of, walk
from analysis.semantics.builtins import BUILTINS
from analysis.semantics.spelling import closest
from analysis.suggestions.lexicon import operations
from analysis.suggestions.library_words import SIGNATURES

GENERIC = ("T", "U", "K", "V", "E", "A", "F")
_FUNCTION = re.compile(r"\bfunction \w++\(")


@dataclass
class Signature:
    """Types of a function's parameters and result; names in `generics` stand for any type, anew for each call."""

    parameters: tuple[Type, ...]
    result: Type
    generics: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    defaults: tuple[n.Expr | None, ...] = ()

    def fresh(self) -> tuple[tuple[Type, ...], Type]:
        if not self.generics:
            return self.parameters, self.result
        fresh = {name: Type() for name in self.generics}
        return tuple(instantiated(kind, fresh) for kind in self.parameters), instantiated(self.result, fresh)


@dataclass
class Program:
    """The declarations of a file. `constructors` leads from a variant's name to the enums that have it."""

    functions: dict[str, Signature] = field(default_factory=dict)
    definitions: dict[str, n.Function] = field(default_factory=dict)
    records: dict[str, n.Record] = field(default_factory=dict)
    enums: dict[str, n.Enum] = field(default_factory=dict)
    constants: dict[str, n.Constant] = field(default_factory=dict)
    constructors: dict[str, list[n.Enum]] = field(default_factory=dict)
    methods: dict[tuple[str, str], str] = field(default_factory=dict)
    """The function that a method of a type became."""
    changing: set[str] = field(default_factory=set)
    """The functions of methods that change their value and give nothing else: they give the changed value."""

    references: dict[str, GivenBack] = field(default_factory=dict)
    """The functions that give back what is passed to them by reference."""
    has_zeros: bool = False
    """True if absent entries of maps, fields and variables without a value hold zeros, as in Go."""
    counts_characters: bool = False
    """True if characters are numbers, so that one can be added to them."""
    quotes_texts: bool = False
    """True if single quotes hold texts, so that a number behind one is joined to it."""
    counts_bytes: bool = False
    """True if texts of the program have wide characters, and places in them count bytes, as in Go and Rust."""
    counts_wide_characters: bool = False
    """True if texts hold characters of several bytes, and their length is that in characters."""
    source: str = ""
    """The text of the program."""
    sorts_sets: bool = False
    """True if sets keep their items in order."""
    pristine: dict[str, n.Function] = field(default_factory=dict)
    """Functions that take functions, or values of any type, as they were before types were found."""
    is_counted: bool = False
    """True if the language of the program counts items from 1, and nothing in it says otherwise."""
    is_rust: bool = False
    """True if `'a'` is a character, which `{:?}` shows in quotes of its own."""
    counts_from_one: bool = False
    """True if a loop from 1 to the length of a list takes the items at its number, as in Lua and Julia."""

    objects: set[str] = field(default_factory=set)
    """The records that stand for objects without a declared type."""
    maps: set[int] = field(default_factory=set)
    """The object literals that are maps, by identity."""
    dicts: dict[int, str] = field(default_factory=dict)
    """The map literals that are records, by identity, with the record's name; "" for the declared one that fits."""
    shows_fractions: bool | None = False
    """True if 2.0 as a text is `2.0`; None for a doubt."""
    fails_early: bool = False
    is_like_haskell: bool = False
    """True if functions of modules that find nothing fail, as in OCaml and F#, instead of giving an Option."""
    divides_truly: bool = False
    """True if `/` keeps the fraction, as the language says in which the program is surely written."""
    statements: set[int] = field(default_factory=set)
    """The expressions that stand as statements, by identity."""
    variables: set[str] = field(default_factory=set)
    """Names of variables and parameters anywhere."""
    keeps_fractions: bool = False
    """True for a program of nothing but Python, where a quotient of two Ints is a Float wherever it is."""
    mixes_numbers: bool = False
    """True if some whole numbers are written as Floats, since Floats stand in their place, too."""
    doubtful_quotients: frozenset[tuple[int, int]] = frozenset()
    """The places of quotients that may have a fraction, though both values are Ints."""
    quotients: frozenset[str] = frozenset()
    """Variables that hold quotients, which have fractions in some languages."""
    rounds_to_even: bool = False
    """True if a free `round` makes 2 of 2.5, as in Python."""
    decimal_format: str = ""
    """The function that shows numbers with decimals as the language does; "" for that of the library."""
    habit: str = ""
    """The language whose habits prevail: `python`, `javascript`, `ruby`, or none."""

    @property
    def is_javascript(self) -> bool:
        """True also if nothing but its functions tells the language: the others with that word call no method `replace`."""
        return self.habit == "javascript" or (not self.habit and _FUNCTION.search(self.source) is not None)

    @property
    def has_characters(self) -> bool:
        """True if a text of one sign in single quotes is a character."""
        return self.counts_characters or self.is_rust

    def is_character(self, node: n.Expr) -> bool:
        """True if a literal is one in single quotes."""
        return self.source[node.start : node.start + 1] == "'" or self.source[node.start : node.start + 2] == "b'"

    def variant(self, owner: str, name: str) -> tuple[n.Enum, n.Variant] | None:
        """The enum and the variant that a pattern or a constructor names."""
        enums = [self.enums[owner]] if owner in self.enums else self.constructors.get(name, [])
        for enum in enums:
            for variant in enum.variants:
                if variant.name == name:
                    return enum, variant
        return None


def declared(items: list[n.Item]) -> Program:
    """The declarations of a file's items; methods become functions, aliases are followed."""
    program = Program()
    capitalise(items)
    # What is left out of a text, such as an import, is an alias without a name: so are types that are not known yet.
    aliases: dict[str, Type] = {item.name: item.type for item in items if isinstance(item, n.Alias) and item.name}
    for item in items:
        for node in walk(item):
            _without_aliases(node, aliases)
            if isinstance(node, n.Lambda):
                without_early_returns(node)
    program.counts_from_one = any(whole_list(node) for item in items for node in walk(item) if isinstance(node, n.For))
    for item in items:
        match item:
            case n.Record():
                program.records[item.name] = item
            case n.Enum():
                program.enums[item.name] = item
                for variant in item.variants:
                    program.constructors.setdefault(variant.name, []).append(item)
            case n.Constant():
                program.constants[item.name] = item
    program.variables = {name for item in items for node in walk(item) for name in _variables(node)}
    program.statements = {
        id(node.value) for item in items for node in walk(item) if isinstance(node, n.Evaluate) and isinstance(node.value, n.Call)
    }
    methods = [function for item in items if isinstance(item, n.Implementation) for function in item.functions]
    note_changed([item for item in items if isinstance(item, n.Function)], methods)
    changing = changing_methods(methods)
    chained = {id(function) for function in methods if gives_changed_self(function, changing)}
    for item in items:
        if isinstance(item, n.Implementation):
            for function in item.functions:
                _declare_method(program, item.owner, function)
                if id(function) in chained:
                    program.references[function.name] = GivenBack(False, (0,), is_value=True)
    for item in items:
        if isinstance(item, n.Function):
            declare(program, item)
    return program


def _variables(node: n.Node) -> Iterator[str]:
    """The variables that a node binds: a function of the same name could not be called there."""
    match node:
        case n.Binding() | n.Parameter():
            yield node.name
        case n.Assign(target=n.Name(name=name)):
            yield name
        case n.Assign(target=n.TupleOf(items=items)):
            yield from (each.name for each in items if isinstance(each, n.Name))


def pristine_functions(program: Program) -> dict[str, n.Function]:
    """Copies of the functions that may be written anew for a call."""
    return {name: deepcopy(each) for name, each in program.definitions.items() if _may_be_copied(each)}


def _may_be_copied(function: n.Function) -> bool:
    return bool(function.generics) or any(head(part.type) in ("", "Fn") for part in function.parameters)


def declare(program: Program, function: n.Function) -> None:
    _declare_variables(function)
    for parameter in function.parameters:
        if parameter.type is None:
            parameter.type = Type()
    if function.result is None:
        function.is_open = True
        function.result = Type()
    _may_be_absent(function)
    given = give_back(function) if function.name not in program.changing else None
    if given is not None:
        program.references[function.name] = given
    program.functions[function.name] = Signature(
        tuple(parameter.type or Type() for parameter in function.parameters),
        function.result,
        tuple(function.generics),
        tuple(parameter.name for parameter in function.parameters),
        tuple(parameter.default for parameter in function.parameters),
    )
    program.definitions[function.name] = function


def _may_be_absent(function: n.Function) -> None:
    """`-> Int` of a function that also returns `nil`: what it gives may be absent, which its callers ask."""
    if not function.is_open and head(function.result) in ("", "Option", "Result", "Unit"):
        return
    values = [node.value for node in walk(function.body) if isinstance(node, n.Jump) and node.kind == "return"]
    last = function.body.statements[-1] if function.body.statements else None
    values += [last.value] if isinstance(last, n.Evaluate) else []
    are_absent = [isinstance(value, n.Literal) and value.kind == "none" for value in values if value is not None]
    if not any(are_absent) or all(are_absent):
        return
    if not any(isinstance(node, (n.Lambda, n.Local)) for node in walk(function.body)):
        function.result = Type("Option", function.result or Type())


def _declare_variables(function: n.Function) -> None:
    """The first assignment of a name that nothing declares is its declaration, where every use lies in the same block."""
    new = split_targets(function)
    bound = {part.name for part in function.parameters}
    for node in walk(function.body):
        if isinstance(node, n.Pattern):
            bound.update(bound_names(node))
    for block in [node for node in walk(function.body) if isinstance(node, n.Block)]:
        for place, statement in enumerate(block.statements):
            if not isinstance(statement, n.Assign) or statement.operator:
                continue
            targets = statement.target.items if isinstance(statement.target, n.TupleOf) else [statement.target]
            names = [each.name for each in targets if isinstance(each, n.Name)]
            if len(names) != len(targets) or len(set(names)) < len(names):
                continue
            if any(name in bound or (len(name) > 2 and closest(name, sorted(bound - new)) is not None) for name in names):
                continue
            uses = [node for node in walk(function.body) if isinstance(node, n.Name) and node.name in names]
            if all(block.start <= use.start <= block.end for use in uses):
                bound.update(names)
                bindings: list[n.Pattern] = [n.Binding(name) if name != "_" else n.Wildcard() for name in names]
                pattern = bindings[0] if targets[0] is statement.target else n.TuplePattern(bindings)
                block.statements[place] = n.Let(pattern, None, statement.value, start=statement.start, end=statement.end)


def _declare_method(program: Program, owner: str, function: n.Function) -> None:
    for parameter in function.parameters:
        if parameter.name == "self":
            parameter.type = Type(owner)
    own = function.name
    is_known = own in program.functions or own in BUILTINS or own in ("new", "default", "from", "to_string", "fmt")
    is_taken = is_known or own in program.variables
    function.name = f"{_snake(owner)}_{own}" if is_taken else own
    program.methods[(owner, own)] = function.name
    # Where they are called, methods of Go and C# are read with a small letter.
    program.methods.setdefault((owner, own[0].lower() + own[1:]), function.name)
    _name_self(function, owner)
    if _only_changes(function):
        function.result = Type(owner)
        end = function.body.end
        function.body.statements.append(n.Evaluate(n.Name("self", start=end, end=end), start=end, end=end))
        program.changing.add(function.name)
    declare(program, function)


def _name_self(function: n.Function, owner: str) -> None:
    """Writes the type's own name for `Self` in a method: in types, also inside of others, in record literals and patterns."""
    kinds = [parameter.type for parameter in function.parameters] + [function.result]
    for node in walk(function.body):
        if isinstance(node, (n.RecordOf, n.RecordPattern)) and node.name == "Self":
            node.name = owner
        elif isinstance(node, n.Let):
            kinds.append(node.type)
    while kinds:
        kind = kinds.pop()
        if kind is not None:
            kind.name = owner if kind.name == "Self" else kind.name
            kinds += kind.arguments


def _only_changes(function: n.Function) -> bool:
    """True if a method sets fields of its value and returns nothing."""
    if function.result is not None and function.result.name != "Unit":
        return False
    if not any(parameter.name == "self" for parameter in function.parameters):
        return False
    body = list(walk(function.body))
    if any(isinstance(node, n.Jump) and node.kind == "return" for node in body):
        return False
    last = function.body.statements[-1] if function.body.statements else None
    if isinstance(last, n.Evaluate) and not isinstance(last.value, (n.Call, n.If, n.Match, n.Block)):
        return False
    return any(isinstance(node, n.Assign) and root_of(node.target) == "self" for node in body) or any(
        isinstance(node, n.Evaluate) and isinstance(node.value, n.Call) and isinstance(node.value.function, n.Member)
        and root_of(node.value.function.object) == "self" and isinstance(node.value.function.object, n.Member)
        and not (node is last and node.value.function.name in _asking())
        for node in body
    )  # fmt: skip


@cache
def _asking() -> frozenset[str]:
    """The operations that change no value of any kind."""
    changing = {operation.name for operation in operations().values() if operation.mutates}
    return frozenset(operation.name for operation in operations().values()) - changing


def _snake(name: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() and place else sign.lower() for place, sign in enumerate(name))


def _without_aliases(node: n.Node, aliases: dict[str, Type]) -> None:
    if not aliases:
        return
    match node:
        case n.Parameter() | n.Let() | n.Binding() | n.Constant():
            if node.type is not None:
                node.type = instantiated(node.type, aliases)
        case n.Function():
            if node.result is not None:
                node.result = instantiated(node.result, aliases)
        case n.Record():
            node.fields = {name: instantiated(kind, aliases) for name, kind in node.fields.items()}
        case n.Variant():
            node.payload = [instantiated(kind, aliases) for kind in node.payload]


@cache
def type_of_text(text: str) -> Type:
    """A type that a table writes."""
    return TypesAndPatterns(text).type()


@cache
def builtin_signatures() -> dict[str, Signature]:
    signatures = {}
    for name, builtin in BUILTINS.items():
        parameters = tuple(type_of_text(kind) for _, kind in builtin.parameters)
        signatures[name] = Signature(
            parameters, type_of_text(builtin.result), ("T",), tuple(part for part, _ in builtin.parameters)
        )
    for line in SIGNATURES:
        head, result = line.rsplit(" -> ", 1)
        name, parameters_text = head.split("(", 1)
        parts = [type_of_text(part) for part in _parts(parameters_text[:-1])]
        signatures[name] = Signature(tuple(parts), type_of_text(result), GENERIC)
    return signatures


def _parts(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for place, sign in enumerate(text):
        depth += (sign in "(<") - (sign == ")" or (sign == ">" and text[place - 1] != "-"))
        if sign == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [part for part in (*parts, text[start:].strip()) if part]
