"""`write!` and `writeln!` of Rust: texts that grow, and the function `fmt` as one that gives the text."""

from __future__ import annotations

from typing import Final

from analysis.fixes.dialect.tree import nodes as n
from analysis.fixes.dialect.tree.types import STRING
from analysis.fixes.dialect.tree.walking import replace_below, root_of, walk

_WRITING: Final = ("write!", "writeln!")
_DONE: Final = ("unwrap", "expect", "ok")


def with_pushes(body: n.Block) -> None:
    """Writes `write!(text, …)` below a function's body as a change of the text."""
    pushed: set[int] = set()

    def changed(node: n.Node) -> n.Node:
        if isinstance(node, n.Try) and id(node.value) in pushed:
            return node.value
        if not isinstance(node, n.Call):
            return node
        function = node.function
        if isinstance(function, n.Member) and function.name in _DONE and id(function.object) in pushed:
            return function.object
        if isinstance(function, n.Name) and function.name in _WRITING and len(node.arguments) > 1:
            target = node.arguments[0].value
            if not root_of(target):
                return node
            change = _pushed(target, node, node.arguments[1:], function.name == "writeln!")
            pushed.add(id(change))
            return change
        return node

    replace_below(body, changed)


def _pushed(target: n.Expr, node: n.Call, arguments: list[n.Argument], ends_line: bool) -> n.Call:
    start, end = node.start, node.end
    text: n.Expr = n.Call(n.Name("format!", start=start, end=start), arguments, start=start, end=end)
    if ends_line:
        text = n.Binary("++", text, n.Literal("string", '"\\n"', start=end, end=end), start=start, end=end)
    member = n.Member(target, "push_str", start=start, end=end)
    return n.Call(member, [n.Argument(text)], start=start, end=end)


def shown(function: n.Function) -> n.Function:
    """`fn fmt(&self, f: &mut Formatter) -> fmt::Result { write!(f, …) }` as a function that gives the text."""
    if function.name != "fmt" or len(function.parameters) != 2:
        return function
    target = function.parameters[1].name
    written = [
        node
        for node in walk(function.body)
        if isinstance(node, n.Call)
        and ((isinstance(node.function, n.Name) and node.function.name in _WRITING) or _writes_text(node, target))
    ]
    mentions = sum(isinstance(node, n.Name) and node.name == target for node in walk(function.body))
    if not written or mentions != len(written):
        return function
    loops = any(isinstance(node, (n.For, n.While, n.Assign)) for node in walk(function.body))
    if loops or len(function.body.statements) != 1:
        if not _collected(function, target):
            return function
    else:
        for call in written:
            if isinstance(call.function, n.Name):
                ends_line = call.function.name == "writeln!"
                call.function.name = "format!"
                call.arguments = call.arguments[1:]
                if ends_line:
                    return function
            else:
                call.function = n.Name("format!", start=call.start, end=call.end)
    function.name, function.result, function.parameters = "to_string", STRING, function.parameters[:1]
    return function


def _collected(function: n.Function, target: str) -> bool:
    """Writes several `write!` one after the other into a text; whether the function only writes and ends well."""
    body = function.body
    start, end = body.start, body.end
    last = body.statements[-1]
    value = last.value if isinstance(last, n.Evaluate) else None
    is_ok = isinstance(value, n.Call) and isinstance(value.function, n.Name) and value.function.name == "Ok"
    is_written = isinstance(value, n.Call) and isinstance(value.function, n.Name) and value.function.name in _WRITING
    if not (is_ok or is_written) or any(isinstance(node, n.Jump) and node.kind == "return" for node in walk(body)):
        return False
    if is_ok:
        body.statements.pop()
    replace_below(body, lambda node: node.value if isinstance(node, n.Try) and _is_writing(node.value, target) else node)
    for node in [each for each in walk(body) if isinstance(each, n.Call) and _writes_text(each, target)]:
        assert isinstance(node.function, n.Member)
        node.function.name = "push_str"
    with_pushes(body)
    empty = n.Literal("string", '""', start=start, end=start)
    body.statements.insert(0, n.Let(n.Binding(target, start=start, end=start), STRING, empty, True, start=start, end=start))
    body.statements.append(n.Evaluate(n.Name(target, start=end, end=end), start=end, end=end))
    return True


def _is_writing(node: n.Expr, target: str) -> bool:
    if not isinstance(node, n.Call):
        return False
    return (isinstance(node.function, n.Name) and node.function.name in _WRITING) or _writes_text(node, target)


def _writes_text(node: n.Call, target: str) -> bool:
    """`f.write_str("…")`."""
    member = node.function
    if not isinstance(member, n.Member) or member.name not in ("write_str", "push_str", "write_char"):
        return False
    return isinstance(member.object, n.Name) and member.object.name == target
