"""Classes as records and functions; a class and those that inherit from it as one record that knows of which class it is."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Final

from analysis.fixes.dialect.rewriting.data_types.class_families import add_family, is_recursive
from analysis.fixes.dialect.rewriting.data_types.class_tests import settle_tests
from analysis.fixes.dialect.rewriting.data_types.constructors import constructor_function, default_record, making
from analysis.fixes.dialect.rewriting.data_types.enum_members import enum_items
from analysis.fixes.dialect.rewriting.data_types.families import Families
from analysis.fixes.dialect.rewriting.data_types.own_names import settle_own_names
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.classes import Annotated, ClassDeclaration
from analysis.fixes.dialect.tree.types import STRING, Type
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import replace_below, walk

TAG: Final = "class_name"
"""The field that says of which class a record is."""
_SUPER: Final = ("super", "base", "parent")


@dataclass
class Tree:
    """Classes that inherit from one another: `classes` with the base of all first; `name` is that of their record."""

    name: str
    classes: list[ClassDeclaration]
    by_name: dict[str, ClassDeclaration] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.by_name = {each.name: each for each in self.classes}

    def chain(self, own: ClassDeclaration) -> list[ClassDeclaration]:
        """A class behind its bases, the first of all first; interfaces are none of them."""
        classes = [own]
        while (base := next((self.by_name[each] for each in classes[0].bases if self._is_class(each)), None)) is not None:
            if base in classes:
                raise Untranslatable("a class that does not inherit from itself", own.start)
            classes.insert(0, base)
        return classes

    def _is_class(self, name: str) -> bool:
        return name in self.by_name and self.by_name[name].word not in ("interface", "protocol", "trait")

    def lookup(self, own: ClassDeclaration) -> list[ClassDeclaration]:
        """Where a method of a class is looked for, in order."""
        order: list[ClassDeclaration] = []
        waiting = [own]
        while waiting:
            each = waiting.pop(0)
            if each not in order:
                order.append(each)
            waiting = [self.by_name[name] for name in each.bases if name in self.by_name] + waiting
        return order

    def made(self) -> list[ClassDeclaration]:
        """The classes of which there are values."""
        return [each for each in self.classes if not each.is_abstract]

    def below(self, name: str) -> list[str]:
        """The names of the classes whose values are also of a class."""
        return [each.name for each in self.made() if any(one.name == name for one in self.lookup(each))]


def settle_classes(items: list[n.Item], families: Families) -> list[n.Item]:
    """The items with records and functions in the places of classes; classes that hold their own kind become `families`."""
    declared = [item for item in items if isinstance(item, ClassDeclaration)]
    if not declared:
        return items
    items = _gathered(items, declared)
    declared = [item for item in items if isinstance(item, ClassDeclaration)]
    trees = _trees([item for item in declared if item.word != "enum"])
    replaced: dict[int, list[n.Item]] = {}
    constants: dict[tuple[str, str], str] = {}
    for item in declared:
        for each in item.constants:
            constants[item.name, each.name] = f"{_snake(item.name)}_{each.name.lower()}"
    for item in declared:
        if item.word == "enum":
            replaced[id(item)] = enum_items(item, constants)
    makers: dict[str, str] = {}
    for tree in list(trees):
        for own in tree.classes:
            _add_assigned(own)
        if len(tree.classes) > 1 and is_recursive(tree, items):
            _settle_bare_names(tree, constants)
            add_family(tree, families, replaced, items)
            trees.remove(tree)
        else:
            _settle_tree(tree, replaced, makers, constants)
    settled = [part for item in items for part in replaced.get(id(item), [item])]
    named = {each.name: tree for tree in trees for each in tree.classes}
    tests = {name: (tree.name, tree.below(name), _has_tag(tree), list(tree.by_name[name].fields)) for name, tree in named.items()}
    records = {id(node) for item in settled for node in walk(item) if isinstance(node, n.RecordOf) and item.start == item.end}
    for part in settled:
        if not isinstance(part, n.Verbatim):
            settle_tests(part, tests)
            _settle_uses(part, named, makers, constants, records)
    return settled


def _gathered(items: list[n.Item], declared: list[ClassDeclaration]) -> list[n.Item]:
    """The items with functions of other blocks in their classes, and structs that inherit as such."""
    by_name = {each.name: each for each in declared}
    gathered: list[n.Item] = []
    for item in items:
        owner = by_name.get(item.owner) if isinstance(item, n.Implementation) else None
        if owner is None or not isinstance(item, n.Implementation):
            gathered.append(item)
            continue
        owner.functions += item.functions
        gathered.append(n.Alias("", Type(), start=item.start, end=item.end))
    return gathered


def _snake(name: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() and place else sign.lower() for place, sign in enumerate(name))


def _trees(classes: list[ClassDeclaration]) -> list[Tree]:
    by_name = {each.name: each for each in classes}
    root = {each.name: each.name for each in classes}

    def top(name: str) -> str:
        while root[name] != name:
            name = root[name]
        return name

    for each in classes:
        for base in each.bases:
            if base in by_name and top(base) != top(each.name):
                root[top(each.name)] = top(base)
    return [
        Tree(name, sorted((each for each in classes if top(each.name) == name), key=lambda each: (each.name != name, each.start)))
        for name in by_name
        if top(name) == name
    ]


def _has_tag(tree: Tree) -> bool:
    return len(tree.made()) > 1


def _fields(tree: Tree) -> dict[str, Type]:
    """The fields of all classes of a tree."""
    fields: dict[str, Type] = {TAG: STRING} if _has_tag(tree) else {}
    for each in tree.classes:
        for name, kind in each.fields.items():
            earlier = fields.setdefault(name, kind)
            if earlier.name and kind.name and earlier.name != kind.name:
                raise Untranslatable("a field of one type in all classes", each.start)
            if not earlier.name and kind.name:
                fields[name] = kind
    return fields


def _add_assigned(own: ClassDeclaration) -> None:
    """Fields that only the constructor or the steps of a class name."""
    kinds = {part.name: part.type for part in own.constructor.parameters} if own.constructor is not None else {}
    statements = [*own.steps, *(own.constructor.body.statements if own.constructor is not None else [])]
    for statement in statements:
        for node in walk(statement):
            target = node.target if isinstance(node, n.Assign) else None
            is_own = isinstance(target, n.Member) and isinstance(target.object, n.Name) and target.object.name == "self"
            if is_own and isinstance(target, n.Member) and isinstance(node, n.Assign):
                value = node.value.name if isinstance(node.value, n.Name) else ""
                if isinstance(node, Annotated):
                    own.fields[target.name] = node.kind
                own.fields.setdefault(target.name, kinds.get(value) or Type())


def _settle_tree(
    tree: Tree, replaced: dict[int, list[n.Item]], makers: dict[str, str], constants: dict[tuple[str, str], str]
) -> None:
    first, last = tree.classes[0], max(tree.classes, key=lambda each: each.start)
    _settle_bare_names(tree, constants)
    fields = _fields(tree)
    _refuse_double_names(tree, fields)
    functions: list[n.Function] = _methods(tree)
    others: list[n.Item] = []
    for own in tree.made():
        if own.word == "object":
            continue
        extra: dict[str, n.Expr] = {}
        if _has_tag(tree):
            extra[TAG] = n.Literal("string", f'"{own.name}"', start=own.start, end=own.start)
        name = f"new_{_snake(own.name)}"
        others.append(constructor_function(name, tree.name, own, making(tree.chain(own)), fields, extra))
        makers[own.name] = name
    for own in tree.classes:
        others += [n.Constant(constants[own.name, each.name], each.type, each.value) for each in own.constants]
    record = n.Record(tree.name, fields, start=first.start, end=first.end)
    for own in tree.classes:
        alias = n.Alias(own.name if own is not first else "", Type(tree.name), start=own.start, end=own.end)
        replaced[id(own)] = [alias]
    if fields or not all(own.word == "object" for own in tree.classes):
        replaced[id(first)] = [record]
    behind: list[n.Item] = [n.Implementation(tree.name, functions), *others]
    for item in behind:
        item.start = item.end = last.end
    replaced[id(last)] = [*replaced[id(last)], *behind]


def _refuse_double_names(tree: Tree, fields: dict[str, Type]) -> None:
    """Refuses a name that is a field in one class and a method in another one, where nothing says which is meant."""
    for own in tree.classes:
        for function in own.functions:
            if function.name in fields and function.name in own.getters and not _gives_field(function):
                raise Untranslatable(f"`{function.name}` is a field and a method", function.start)


def _gives_field(function: n.Function) -> bool:
    """True if all that a method does is give the field of its name."""
    last = function.body.statements[-1] if len(function.body.statements) == 1 else None
    value = last.value if isinstance(last, n.Evaluate) else None
    value = value.value if isinstance(value, n.Jump) else value
    return isinstance(value, n.Member) and value.name == function.name and isinstance(value.object, n.Name)


def _settle_bare_names(tree: Tree, constants: dict[tuple[str, str], str]) -> None:
    """Fields, methods and constants that are named alone, in the methods of each class."""
    getters = {function.name for own in tree.classes for function in own.functions if _is_getter(function)}
    abstract = {function.name for own in tree.classes for function in own.functions if _is_of_value(function)}
    for own in tree.classes:
        held: set[str] = set(getters)
        methods: set[str] = set(abstract)
        others: dict[str, n.Expr] = {}
        called: dict[str, str] = {}
        for each in tree.lookup(own):
            held |= set(each.fields) | {function.name for function in each.functions if _is_getter(function)}
            methods |= {function.name for function in each.functions if _is_of_value(function)}
            called |= {function.name: each.name for function in each.functions if not _is_of_value(function)}
            for constant in each.constants:
                others.setdefault(constant.name, n.Name(constants[each.name, constant.name], start=own.start, end=own.start))
        own_part = n.Parameter("self", Type(own.name), start=own.start, end=own.start)
        body = n.Block(own.steps, start=own.start, end=own.end)
        starting = n.Function("", [own_part, *own.header], None, body, start=own.start, end=own.end)
        functions = [*own.functions, starting]
        if own.constructor is not None:
            maker = own.constructor
            functions.append(n.Function("", [own_part, *maker.parameters], None, maker.body, start=maker.start, end=maker.end))
        for function in functions:
            settle_own_names(function, frozenset(held), frozenset(methods), others, called)
            _settle_own_constants(function, others)
        for constant in own.constants:
            holder = n.Block([n.Evaluate(constant.value)], start=own.start, end=own.start)
            settle_own_names(n.Function("", [], None, holder), frozenset(), frozenset(), others, called)
            value = holder.statements[0]
            assert isinstance(value, n.Evaluate)
            constant.value = value.value


def _settle_own_constants(function: n.Function, others: dict[str, n.Expr]) -> None:
    """`self.LIMIT`: the constant of the class."""

    def change(node: n.Node) -> n.Node:
        is_own = isinstance(node, n.Member) and isinstance(node.object, n.Name) and node.object.name == "self"
        return deepcopy(others[node.name]) if is_own and isinstance(node, n.Member) and node.name in others else node

    replace_below(function, change)


def _is_of_value(function: n.Function) -> bool:
    return any(part.name == "self" for part in function.parameters)


def _is_getter(function: n.Function) -> bool:
    return _is_of_value(function) and len(function.parameters) == 1


# ---- methods ----


def _methods(tree: Tree) -> list[n.Function]:
    """The functions of a tree: one for each method, which chooses by the class where classes differ."""
    functions: list[n.Function] = []
    for own in tree.classes:
        for function in own.functions:
            _settle_plain_super(function)
    named_above = _called_above(tree)
    for own in tree.classes:
        for function in own.functions:
            for node in walk(function.body):
                _settle_super(node, own, function, tree)
    names = dict.fromkeys(function.name for own in tree.classes for function in own.functions)
    for name in names:
        by_class = {own.name: _found(tree, own, name) for own in tree.made()}
        chosen = list({id(each): each for each in by_class.values() if each is not None}.values())
        if not chosen:
            chosen = [each for own in tree.classes for each in own.functions if each.name == name][:1]
        if len(chosen) > 1 and (not _is_of_value(chosen[0]) or any(name in own.private for own in tree.classes)):
            raise Untranslatable(f"one method `{name}` for all classes", chosen[0].start)
        if len(chosen) == 1:
            functions += [deepcopy(each) for each in chosen]
        else:
            functions.append(_choosing(name, by_class, chosen))
    for own in tree.classes:
        for function in own.functions:
            if (own.name, function.name) in named_above:
                copied = deepcopy(function)
                copied.name = _above(function.name, own)
                functions.append(copied)
    results = {name: kind for own in tree.classes for name, kind in own.signatures.items() if kind.name}
    for function in functions:
        function.result = function.result or results.get(function.name)
        for part in function.parameters:
            if part.name == "self":
                part.type = Type(tree.name)
    return functions


def _found(tree: Tree, own: ClassDeclaration, name: str) -> n.Function | None:
    return next((function for each in tree.lookup(own) if (function := each.method(name)) is not None), None)


def _choosing(name: str, by_class: dict[str, n.Function | None], chosen: list[n.Function]) -> n.Function:
    first = chosen[0]
    parameters = deepcopy(first.parameters)
    result = first.result or next((each.result for each in chosen if each.result is not None), None)
    arms: list[n.Arm] = []
    for each in chosen:
        classes = [own for own, function in by_class.items() if function is each]
        options: list[n.Pattern] = [n.LiteralPattern(n.Literal("string", f'"{own}"')) for own in classes]
        pattern = options[0] if len(options) == 1 else n.OrPattern(options)
        body = deepcopy(each.body)
        for given, wanted in zip(each.parameters, parameters, strict=False):
            if given.name != wanted.name:
                renamed = n.Let(n.Binding(given.name), None, n.Name(wanted.name), start=body.start, end=body.start)
                body.statements.insert(0, renamed)
        arms.append(n.Arm(pattern, None, body, start=body.start, end=body.end))
    if all(each is not None for each in by_class.values()):
        arms[-1].pattern = n.Wildcard(start=first.start, end=first.start)
    else:
        failure = n.Call(n.Name("panic"), [n.Argument(n.Literal("string", '"this class has no such method"'))])
        arms.append(n.Arm(n.Wildcard(), None, failure, start=first.start, end=first.end))
    tag = n.Member(n.Name("self", start=first.start, end=first.start), TAG, start=first.start, end=first.start)
    match = n.Match(tag, arms, start=first.start, end=first.end)
    body = n.Block([n.Evaluate(match, start=first.start, end=first.end)], start=first.start, end=first.end)
    return n.Function(name, parameters, result, body, generics=first.generics, start=first.start, end=first.end)


def _settle_plain_super(function: n.Function) -> None:
    """`super` alone of Ruby: a call that hands on what the method was given."""
    nodes = [node for node in walk(function.body) if isinstance(node, (n.Call, n.Member))]
    parts = {id(node.function if isinstance(node, n.Call) else node.object) for node in nodes}

    def change(node: n.Node) -> n.Node:
        is_alone = isinstance(node, n.Name) and node.name == "super" and id(node) not in parts
        return n.Call(node, [], start=node.start, end=node.end) if is_alone and isinstance(node, n.Name) else node

    replace_below(function.body, change)


def _above(name: str, own: ClassDeclaration) -> str:
    return f"{name}_of_{_snake(own.name)}"


def _base_method(tree: Tree, own: ClassDeclaration, name: str) -> ClassDeclaration | None:
    return next((each for each in tree.lookup(own)[1:] if each.method(name) is not None), None)


def _super_call(node: n.Node, own: ClassDeclaration, function: n.Function, tree: Tree) -> str:
    """The method of a base that a call names: `super.describe()`, `super().describe()`, `base.Describe()`; "" for none."""
    called = node.function if isinstance(node, n.Call) else node
    if isinstance(node, n.Call) and isinstance(called, n.Name) and called.name == "super" and function.name != "new":
        return function.name
    owner = called.object if isinstance(called, n.Member) else None
    if isinstance(owner, n.Call) and not owner.arguments:
        owner = owner.function
    bases = {*_SUPER, *(each for each in own.bases if each in tree.by_name)}
    is_it = isinstance(called, n.Member) and isinstance(owner, n.Name) and owner.name in bases
    return called.name if is_it and isinstance(called, n.Member) else ""


def _called_above(tree: Tree) -> set[tuple[str, str]]:
    methods: set[tuple[str, str]] = set()
    for own in tree.classes:
        for function in own.functions:
            for node in walk(function.body):
                name = _super_call(node, own, function, tree) if isinstance(node, (n.Call, n.Member)) else ""
                base = _base_method(tree, own, name) if name else None
                if base is not None:
                    methods.add((base.name, name))
    return methods


def _settle_super(node: n.Node, own: ClassDeclaration, function: n.Function, tree: Tree) -> None:
    if not isinstance(node, (n.Call, n.Member)):
        return
    name = _super_call(node, own, function, tree)
    base = _base_method(tree, own, name) if name else None
    if base is None:
        return
    method = base.method(name)
    assert method is not None
    self_name = n.Name("self", start=node.start, end=node.start)
    if isinstance(node, n.Member):
        node.object, node.name = self_name, _above(name, base)
        return
    if isinstance(node.function, n.Name) and not node.arguments:
        # `super` of Ruby hands on what the method was given.
        node.arguments = [n.Argument(n.Name(part.name)) for part in function.parameters if part.name != "self"]
    first = node.arguments[0].value if node.arguments else None
    if isinstance(first, n.Name) and first.name == "self" and len(node.arguments) == len(method.parameters):
        node.arguments.pop(0)
    node.function = n.Member(self_name, _above(name, base), start=node.start, end=node.end)


# ---- uses ----


def _settle_uses(
    item: n.Item, named: dict[str, Tree], makers: dict[str, str], constants: dict[tuple[str, str], str], records: set[int]
) -> None:
    """Constructors, constants and functions of classes where a program names them."""

    def change(node: n.Node) -> n.Node:
        match node:
            case n.Name() if node.name in makers:
                return n.Name(makers[node.name], start=node.start, end=node.end)
            case n.Call(function=n.Member(object=n.Name(name=maker), name="new")) if maker in makers.values():
                return n.Call(node.function.object, node.arguments, start=node.start, end=node.end)  # type: ignore[attr-defined]
            case n.RecordOf() if node.name in makers and node.base is None and id(node) not in records:
                return _initialised(node, named[node.name], makers)
            case n.Member(object=n.Name(name=owner)) | n.Path(owner=owner):
                own = next((name for name, maker in makers.items() if maker == owner), owner)
                if (own, node.name) in constants:
                    return n.Name(constants[own, node.name], start=node.start, end=node.end)
                if own in named and isinstance(node, n.Member):
                    node.object = n.Name(named[own].name, start=node.start, end=node.start)
        return node

    replace_below(item, change)


def _initialised(node: n.RecordOf, tree: Tree, makers: dict[str, str]) -> n.Expr:
    """`new Item { Name = "a" }`: the fields besides those that the constructor sets."""
    record = n.RecordOf(tree.name, dict(node.fields), None, start=node.start, end=node.end)
    if _has_tag(tree):
        record.fields[TAG] = n.Literal("string", f'"{node.name}"', start=node.start, end=node.start)
    own = tree.by_name[node.name]
    if own.constructor is not None or not own.is_data:
        record.base = n.Call(n.Name(makers[node.name], start=node.start, end=node.start), [], start=node.start, end=node.end)
    elif any(name not in record.fields for each in tree.classes for name in each.fields):
        record.base = default_record()
    return record
