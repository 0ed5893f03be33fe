"""Names for items of lists and maps in languages that share them: `row = rows[0]; row.append(x)`.

What is done to such a name is done to the item: the name is written as its place. Names of fields that are set are read by
`named_places`, as long as nothing but their fields is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from analysis.fixes.dialect.habits import habit
from analysis.fixes.dialect.rewriting.functions.changes import changing_methods
from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.substitution import substituted
from analysis.fixes.dialect.tree.untranslatable import Untranslatable
from analysis.fixes.dialect.tree.walking import root_of, walk

_COPYING: Final = re.compile(
    r"\bfunc\b|:= |\bguard\b|\\\(|&mut\b|\.clone\(\)|\bstd(?:::|\.)|\bimpl\b|\bauto\b|\bvector<|\bsize_t\b|\*[a-z]\w* =|\$\w+ ="
    r"|\bif let\b|\binout\b|\bvec!|\.iter\(\)|&self\b|\belse if let\b|\bfn \w+\([^\n()]{0,60}\w\[\]"
)
"""Marks of languages that copy lists and records on assignment."""
_SHARING: Final = re.compile(r"\bnew \w|===|\bval \w|;$|[lL]istOf\(|\.[aA]dd\(|\bconst \w+ =", re.MULTILINE)
"""Marks of languages that share them, and whose variables begin with `var`, too."""
_CHANGING: Final = frozenset(
    "append push pop shift unshift extend popleft appendleft insert add Add remove Remove removeAt RemoveAt sort reverse clear "
    "Clear removeFirst removeLast addAll AddRange push! shift_left put update delete discard sort! reverse! add! concat "
    "append! pop! addLast addFirst offer poll enqueue Enqueue dequeue Dequeue Push Pop splice setdefault".split()
)
"""Methods that change a list, a map or a set in its place, where they are statements."""
_FINDING: Final = ("find", "first", "firstOrNull", "single", "detect", "First", "FirstOrDefault", "firstWhere", "Find", "Single")
_MOST: Final = 60
"""Names for items in a function: what follows is looked through for each."""


def settle_shared(items: list[n.Item], text: str) -> list[n.Item]:
    """Writes names of shared items as their places; items in which that cannot be done stay as they were."""
    is_go = ":= " in text and re.search(r"\bfunc\b|\[\]\w|\bmap\[|\blen\(", text) is not None
    if not is_go and (_COPYING.search(text) is not None or habit(text) in ("php", "nim")):
        return items
    methods = [function for item in items if isinstance(item, n.Implementation) for function in item.functions]
    changing = frozenset() if is_go else changing_methods(methods)
    return [_settled(item, text, is_go, changing) for item in items]


def _settled(item: n.Item, text: str, is_go: bool, changing: frozenset[str]) -> n.Item:
    functions = item.functions if isinstance(item, n.Implementation) else [item]
    try:
        for function in functions:
            if isinstance(function, n.Function):
                _Settling(function, text, is_go, changing).run()
    except Untranslatable as error:
        return n.Verbatim(error.reason, start=item.start, end=item.end)
    return item


def _bound(statement: n.Statement) -> tuple[str, n.Expr] | None:
    """The name that a statement gives a value, and the value."""
    match statement:
        case n.Let(pattern=n.Binding(name=name), value=n.Expr() as value, otherwise=None):
            return name, value
        case n.Assign(target=n.Name(name=name), operator="", value=value):
            return name, value
    return None


class _Settling:
    """The names in one function."""

    def __init__(self, function: n.Function, text: str, is_go: bool, changing: frozenset[str]) -> None:
        self.function = function
        self.changing = changing
        self.text = text
        self.is_go = is_go
        self.count = 0

    def run(self) -> None:
        """Rewrites the function's body."""
        waiting = [node for node in walk(self.function.body) if isinstance(node, n.Block)]
        if not self.is_go:
            for block in waiting:
                self._loops(block)
        for block in waiting:
            self._names(block)

    def _loops(self, block: n.Block) -> None:
        for place, statement in enumerate(block.statements):
            if isinstance(loop := _as_loop(statement), n.For) and (by_place := _over_places(loop, self.changing)) is not None:
                block.statements[place] = by_place

    def _names(self, block: n.Block) -> None:
        rewritten_block: list[n.Statement] = []
        statements = block.statements
        while statements:
            statement, statements = statements[0], statements[1:]
            bound = _bound(statement)
            if bound is None or self._is_copy(statement):
                rewritten_block.append(statement)
                continue
            name, value = bound
            end = next((at for at, each in enumerate(statements) if (_bound(each) or ("",))[0] == name), len(statements))
            rest, behind = statements[:end], statements[end:]
            if (
                not _is_changed(rest, name, self.changing)
                or _is_put_back(rest, name)
                or not self._is_shared(statement, name, value, rest)
            ):
                rewritten_block.append(statement)
                continue
            settled = self._placed(statement, name, value, rest)
            if settled is None:
                rewritten_block.append(statement)
                continue
            rewritten_block += settled[0]
            statements = [*settled[1], *behind]
        block.statements = rewritten_block

    def _is_copy(self, statement: n.Statement) -> bool:
        word = self.text[statement.start : statement.start + 7]
        return word == "let mut" or (word.startswith("var ") and _SHARING.search(self.text) is None)

    def _is_shared(self, statement: n.Statement, name: str, value: n.Expr, rest: list[n.Statement]) -> bool:
        """False where a change cannot be seen: in Go what is a copy, and another name for what is not used any more."""
        if isinstance(value, n.Name):
            later = [node for node in walk(self.function.body) if isinstance(node, n.Name) and node.name == value.name]
            return not self.is_go and any(node.start > statement.end for node in later)
        return not self.is_go or (isinstance(value, n.Index) and _sets_items_only(rest, name))

    def _placed(
        self, statement: n.Statement, name: str, value: n.Expr, rest: list[n.Statement]
    ) -> tuple[list[n.Statement], list[n.Statement]] | None:
        """The statements that come first, and the rest with the name's place; None if the value is one of its own."""
        self.count += 1
        if self.count > _MOST:
            raise Untranslatable("so many names for items", statement.start)
        parts = _place_of(value, name)
        if parts is None:
            if _gives_item(value) and _sets_field(rest, name):
                raise Untranslatable(f"`{name}` is another name for an item that is computed", value.start)
            return None
        before, place, asked = parts
        if isinstance(statement, n.Assign) and self._is_used_elsewhere(name, [statement, *rest]):
            raise Untranslatable(f"`{name}` is another name for a place that moves", value.start)
        _refuse_moving(place, name, rest)
        holder = n.Block(rest, start=statement.start, end=statement.end)
        _put_tests(holder, name, asked)
        substituted(holder, name, place)
        return before, holder.statements

    def _is_used_elsewhere(self, name: str, within: list[n.Statement]) -> bool:
        inside = {id(node) for each in within for node in walk(each)}
        starts = [
            node.target
            for node in walk(self.function.body)
            if isinstance(node, n.Assign) and isinstance(node.target, n.Name) and node.target.name == name
        ]
        uses = [node for node in walk(self.function.body) if isinstance(node, n.Name) and node.name == name]
        return any(id(node) not in inside for node in uses if not starts or node.start < min(each.start for each in starts))


def _is_changed(statements: list[n.Statement], name: str, changing: frozenset[str]) -> bool:
    """True if a field or an item of a value is set, or a method changes it: one of a library, or of the program (`changing`)."""
    return any(_changes(node, name) or _is_told(node, name, changing) for each in statements for node in walk(each))


def _is_told(node: n.Node, name: str, changing: frozenset[str]) -> bool:
    called = node.function if isinstance(node, n.Call) else None
    is_own = isinstance(called, n.Member) and isinstance(called.object, n.Name) and called.object.name == name
    return is_own and isinstance(called, n.Member) and called.name in changing


def _changes(node: n.Node, name: str) -> bool:
    if isinstance(node, n.Assign):
        targets = node.target.items if isinstance(node.target, n.TupleOf) else [node.target]
        return any(isinstance(each, (n.Member, n.Index)) and root_of(each) == name for each in targets)
    called = node.value.function if isinstance(node, n.Evaluate) and isinstance(node.value, n.Call) else None
    return isinstance(called, n.Member) and called.name in _CHANGING and root_of(called.object) == name


def _sets_items_only(statements: list[n.Statement], name: str) -> bool:
    """True if each change is one of an item: `row[0] = 1`."""
    for each in statements:
        for node in walk(each):
            is_item = isinstance(node, n.Assign) and isinstance(node.target, n.Index) and isinstance(node.target.object, n.Name)
            if _changes(node, name) and not is_item:
                return False
    return True


def _sets_field(statements: list[n.Statement], name: str) -> bool:
    return any(
        isinstance(node, n.Assign) and isinstance(node.target, n.Member) and root_of(node.target) == name
        for each in statements
        for node in walk(each)
    )


def _is_put_back(statements: list[n.Statement], name: str) -> bool:
    """True if a value is stored in a place, so that both ways mean the same, or gets another value."""
    for each in statements:
        for node in walk(each):
            if isinstance(node, n.Assign) and (
                (isinstance(node.value, n.Name) and node.value.name == name)
                or (isinstance(node.target, n.Name) and node.target.name == name)
            ):
                return True
            is_put = isinstance(node, n.Call) and isinstance(node.function, n.Member) and node.function.name in ("put", "set")
            if is_put and isinstance(node, n.Call):
                given = [argument.value for argument in node.arguments]
                if any(isinstance(value, n.Name) and value.name == name for value in given):
                    return True
    return False


def _place_of(value: n.Expr, name: str) -> tuple[list[n.Statement], n.Expr, n.Expr | None] | None:
    """Statements that come first, the place of an item, and what says whether there is one; None for another value."""
    if isinstance(value, n.Binary) and value.operator == "??" and isinstance(value.right, n.Jump):
        return _or_leaving(value.left, value.right, name)
    if isinstance(value, n.Call) and isinstance(value.function, n.Member):
        method, owner, arguments = value.function.name, value.function.object, [each.value for each in value.arguments]
        if method == "unwrap":
            return _place_of(owner, name)
        parts = _found(value, owner, method, arguments, name)
        if parts is not None:
            return parts
        if not root_of(owner) or not arguments:
            return None
        if method in ("get", "getValue") and len(arguments) == 1:
            before, key = _named(arguments[0], f"key_of_{name}")
            held = n.Call(n.Member(owner, "containsKey"), [n.Argument(key)], start=value.start, end=value.end)
            return before, n.Index(owner, key, start=value.start, end=value.end), held
        if method in ("getOrPut", "setdefault", "computeIfAbsent") and len(arguments) == 2:
            before, key = _named(arguments[0], f"key_of_{name}")
            value.arguments[0].value = key
            put = n.Evaluate(value, start=value.start, end=value.end)
            return [*before, put], n.Index(owner, key, start=value.start, end=value.end), None
        return None
    if isinstance(value, n.Name):
        return [], value, None
    if not isinstance(value, (n.Index, n.Member)) or not root_of(value):
        return None
    if isinstance(value, n.Member) and (value.optional or value.name[:1].isupper()):
        return None
    if isinstance(value, n.Index):
        before, key = _named(value.index, f"place_of_{name}")
        return before, n.Index(value.object, key, start=value.start, end=value.end), None
    return [], value, None


def _or_leaving(value: n.Expr, leaving: n.Jump, name: str) -> tuple[list[n.Statement], n.Expr, n.Expr | None] | None:
    """`orders.firstOrNull { it.id == id } ?: return false`."""
    parts = _place_of(value, name)
    before, place, asked = parts or ([], value, None)
    if asked is None:
        return None
    start, end = leaving.start, leaving.end
    body = n.Block([n.Evaluate(leaving, start=start, end=end)], start=start, end=end)
    choice = n.If(n.Unary("!", asked, start=start, end=start), body, None, start=start, end=end)
    return [*before, n.Evaluate(choice, start=start, end=end)], place, None


def _found(
    value: n.Call, owner: n.Expr, method: str, arguments: list[n.Expr], name: str
) -> tuple[list[n.Statement], n.Expr, n.Expr | None] | None:
    """`users.find(u => u.id === 2)`, `next(u for u in users if u.id == 2)`: the number of the item, and its place."""
    test: n.Expr | None = None
    if method in _FINDING and len(arguments) == 1 and isinstance(arguments[0], n.Lambda) and root_of(owner):
        test = arguments[0]
    if method in ("first_value", "first") and isinstance(owner, n.Comprehension) and owner.condition is not None:
        is_item = (
            isinstance(owner.value, n.Name) and isinstance(owner.pattern, n.Binding) and owner.value.name == owner.pattern.name
        )
        if is_item and root_of(owner.source):
            test = n.Lambda([owner.pattern], owner.condition, start=value.start, end=value.end)
            owner = owner.source
    if test is None:
        return None
    start, end = value.start, value.end
    number = n.Name(f"place_of_{name}", start=start, end=end)
    look = n.Call(n.Member(owner, "findIndex", start=start, end=end), [n.Argument(test)], start=start, end=end)
    asked = n.Binary(">=", number, n.Literal("int", "0", start=start, end=end), start=start, end=end)
    let = n.Let(n.Binding(number.name, start=start, end=end), None, look, start=start, end=end)
    return [let], n.Index(owner, number, start=start, end=end), asked


def _named(key: n.Expr, name: str) -> tuple[list[n.Statement], n.Expr]:
    """A key that stays the same: a literal, or a name that nothing else has."""
    is_behind = isinstance(key, n.Unary) and isinstance(key.operand, n.Literal)
    if isinstance(key, (n.Literal, n.Name)) or is_behind:
        return [], key
    let = n.Let(n.Binding(name, start=key.start, end=key.end), None, key, start=key.start, end=key.end)
    return [let], n.Name(name, start=key.start, end=key.end)


def _gives_item(value: n.Expr) -> bool:
    """True if a value is an item of a list that has no name, or that a call chooses."""
    if isinstance(value, n.Index):
        return not root_of(value)
    called = value.function if isinstance(value, n.Call) else None
    if isinstance(called, n.Name):
        return called.name in ("max", "min", "next") and isinstance(value, n.Call) and bool(value.arguments)
    return isinstance(called, n.Member) and called.name in (
        "maxBy", "minBy", "maxByOrNull", "minByOrNull", "max_by", "min_by", "first_value", "max_of_by", "min_of_by", *_FINDING,
    )  # fmt: skip


def _refuse_moving(place: n.Expr, name: str, rest: list[n.Statement]) -> None:
    """Refuses a place whose way there changes while the name is in use."""
    names = {node.name for node in walk(place) if isinstance(node, n.Name)}
    root = root_of(place)
    has_moved = False
    for statement in rest:
        nodes = list(walk(statement))
        moves = any(
            isinstance(node, n.Assign) and isinstance(node.target, n.Name) and node.target.name in names for node in nodes
        ) or any(_takes_out(node, root) for node in nodes)
        is_used = any(isinstance(node, n.Name) and node.name == name for node in nodes)
        if is_used and (moves or has_moved):
            raise Untranslatable(f"`{name}` is another name for a place that moves", place.start)
        has_moved |= moves


def _takes_out(node: n.Node, root: str) -> bool:
    """True if a list gets shorter or another order by a method."""
    if not isinstance(node, n.Call) or not isinstance(node.function, n.Member):
        return False
    member = node.function
    is_list = isinstance(member.object, n.Name) and member.object.name == root
    return is_list and member.name in _CHANGING and member.name not in ("append", "push", "add", "Add", "put", "shift_left")


def _put_tests(body: n.Block, name: str, asked: n.Expr | None) -> None:
    """`if (user)`, `if user is None`: whether there is an item; refused where nothing says so."""
    for node in walk(body):
        if isinstance(node, n.Member) and node.optional and isinstance(node.object, n.Name) and node.object.name == name:
            node.optional = False
        for field, value in _tests(node, name):
            if asked is None:
                raise Untranslatable(f"`{name}` may be absent", node.start)
            is_absent = (isinstance(value, n.Unary) and value.operator == "!") or (
                isinstance(value, n.Binary) and value.operator in ("==", "===")
            )
            new = n.Unary("!", asked, start=node.start, end=node.start) if is_absent else asked
            setattr(node, field, new)


def _tests(node: n.Node, name: str) -> Iterator[tuple[str, n.Expr]]:
    """The fields of a node that hold a test of whether a name has a value."""
    for field in ("condition", "left", "right", "operand"):
        if isinstance(node, n.Binary) and field != "condition" and node.operator not in ("&&", "||"):
            continue
        if isinstance(node, n.Unary) and node.operator != "!":
            continue
        value = getattr(node, field, None)
        if isinstance(value, n.Expr) and _is_test(value, name):
            yield field, value


def _is_test(value: n.Expr, name: str) -> bool:
    if isinstance(value, n.Unary) and value.operator == "!":
        return _is_test(value.operand, name) and isinstance(value.operand, n.Name)
    if isinstance(value, n.Binary) and value.operator in ("==", "!=", "===", "!=="):
        is_none = isinstance(value.right, n.Literal) and value.right.kind == "none"
        return is_none and isinstance(value.left, n.Name) and value.left.name == name
    return isinstance(value, n.Name) and value.name == name


# ---- loops ----


def _as_loop(statement: n.Statement) -> n.Statement:
    """`rows.forEach(row => …)`, `rows.each do |row| …`: a loop."""
    call = statement.value if isinstance(statement, n.Evaluate) else None
    if not isinstance(call, n.Call) or not isinstance(call.function, n.Member) or len(call.arguments) != 1:
        return statement
    closure = call.arguments[0].value
    is_each = call.function.name in ("each", "forEach", "ForEach", "for_each")
    if not is_each or not isinstance(closure, n.Lambda) or len(closure.parameters) != 1:
        return statement
    body = closure.body
    if not isinstance(body, n.Block):
        body = n.Block([n.Evaluate(body, start=body.start, end=body.end)], start=body.start, end=body.end)
    if any(isinstance(node, n.Jump) for node in walk(body)):
        return statement
    return n.For(closure.parameters[0], call.function.object, body, start=statement.start, end=statement.end)


def _over_places(loop: n.For, changing: frozenset[str]) -> n.For | None:
    """A loop that changes the items themselves, by their numbers or keys; None for another loop."""
    pattern, source = loop.pattern, loop.source
    number: n.Pattern | None = None
    items, is_map = source, False
    if isinstance(pattern, n.TuplePattern) and len(pattern.items) == 2 and isinstance(source, n.Call):
        called = source.function
        numbering = ("enumerate", "withIndex", "each_with_index", "items", "entries")
        if not isinstance(called, n.Member) or called.name not in numbering or source.arguments:
            return None
        is_map = called.name in ("items", "entries")
        number, pattern = pattern.items
        items = called.object
    elif isinstance(source, n.Call) and isinstance(source.function, n.Member) and source.function.name == "values":
        if isinstance(pattern, n.Binding) and _is_changed(loop.body.statements, pattern.name, changing):
            raise Untranslatable("the values of a map are changed", loop.start)
        return None
    if not isinstance(pattern, n.Binding) or not root_of(items):
        return None
    name = pattern.name
    if not _is_changed(loop.body.statements, name, changing) or _is_put_back(loop.body.statements, name):
        return None
    if number is None and isinstance(items, n.Member) and items.name in ("reversed", "indices"):
        return None
    start, end = source.start, source.end
    if not isinstance(number, n.Binding):
        number = n.Binding(f"{'key' if is_map else 'place'}_of_{name}", start=start, end=start)
    place = n.Index(items, n.Name(number.name, start=start, end=end), start=start, end=end)
    _refuse_moving(place, name, loop.body.statements)
    substituted(loop.body, name, place)
    if is_map:
        numbers: n.Expr = n.Call(n.Member(items, "keys", start=start, end=end), [], start=start, end=end)
    else:
        count = n.Call(n.Member(items, "len", start=start, end=end), [], start=start, end=end)
        numbers = n.Range(n.Literal("int", "0", start=start, end=end), count, False, start=start, end=end)
    return n.For(number, numbers, loop.body, start=loop.start, end=loop.end)
