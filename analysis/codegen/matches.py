"""Matches (chapter 07 section 10), in three forms.

The table form dispatches by tag, the chain form compares strings and integers one after another. Both are the reference's
sequences; where its result would be wrong (chapter 26: S5, S6, S9), the careful form tests each arm's pattern at every depth.
"""

from __future__ import annotations

from analysis.bytecode.module import CATCH_ALL, TAG_ERR, TAG_NONE, TAG_OK, TAG_SOME, Arm
from analysis.codegen.output import Output
from analysis.codegen.want import Want
from analysis.syntax import tree as t
from analysis.syntax.lexer import decoded

_WRAP_TAGS = {"Some": TAG_SOME, "Ok": TAG_OK, "Err": TAG_ERR}


def match(out: Output, node: t.Match, want: Want) -> None:
    """A match; each arm's body leaves the wanted values."""
    out.value(node.value)
    tops = [arm.pattern for arm in node.arms]
    if any(isinstance(top, (t.StringPattern, t.IntPattern)) for top in tops) or any(_tests_inside(top) for top in tops):
        _chain(out, node, want)
    else:
        _table(out, node, want)


def _is_catch_all(pattern: t.Pattern) -> bool:
    return isinstance(pattern, (t.WildcardPattern, t.NamePattern))


def _inner(pattern: t.Pattern) -> t.Pattern | None:
    """The pattern for the payload, None if there is none."""
    if isinstance(pattern, t.WrapPattern):
        return pattern.inner
    return pattern.payload if isinstance(pattern, t.VariantPattern) else None


def _tests_inside(pattern: t.Pattern) -> bool:
    """True if a pattern tests more of a payload than its presence."""
    inner = _inner(pattern)
    return inner is not None and not _is_catch_all(inner)


# ---- table form -----------------------------------------------------------------------------------------------------


def _table(out: Output, node: t.Match, want: Want) -> None:
    # The number is taken before the arms are generated, so that matches inside of them get other ones (S5).
    number = out.table()
    out.emit(("Match", number), node)
    rows: list[Arm] = []
    ends: list[int] = []
    for arm in node.arms:
        rows += _rows(out, arm.pattern, len(out.code))
        with out.block():
            _bind_top(out, _inner(arm.pattern) or arm.pattern)
            out.write(arm.body, want)
        if arm is not node.arms[-1]:
            ends.append(out.jump("Jmp", arm))
    out.land(*ends)
    out.tables[number] = tuple(rows)


def _rows(out: Output, pattern: t.Pattern, target: int) -> list[Arm]:
    """The rows of a match table that lead to a target; none for a variant that no enum has."""
    match pattern:
        case t.BoolPattern(value=wanted):
            return [Arm(int(wanted), target, ())]
        case t.NonePattern():
            return [Arm(TAG_NONE, target)]
        case t.WrapPattern(kind=kind):
            return [Arm(_WRAP_TAGS[kind], target)]
        case t.VariantPattern(name=name):
            types: dict[int, list[int]] = {}
            for number, position in out.meanings.variants.get(name, ()):
                types.setdefault(position, []).append(number)
            return [Arm(position, target, tuple(numbers)) for position, numbers in types.items()]
    return [Arm(CATCH_ALL, target, ())]


def _bind_top(out: Output, innermost: t.Pattern) -> None:
    """Stores the value that a match pushed in a variable, or drops it."""
    if isinstance(innermost, t.NamePattern):
        slot = out.slot()
        out.bind(innermost.name, innermost.start, slot)
        out.emit(("StoreLocal", slot), innermost)
    else:
        out.emit(("Pop",), innermost)


# ---- chain form and careful form ------------------------------------------------------------------------------------


def _chain(out: Output, node: t.Match, want: Want) -> None:
    """Arms tried one after another. With strings, integers and a final catch-all this is the reference's chain form."""
    value = out.slot()
    out.emit(("StoreLocal", value), node.value)
    ends: list[int] = []
    for arm in node.arms:
        with out.block():
            failures = _test(out, arm.pattern, value)
            out.write(arm.body, want)
        last_catch_all = arm is node.arms[-1] and _is_catch_all(arm.pattern)
        if not last_catch_all:
            ends.append(out.jump("Jmp", arm))
        failures.land(out)
    if not _is_catch_all(node.arms[-1].pattern):
        out.emit(("LoadLocal", value), node)
        # No arm: the empty table's error says so.
        out.emit(("Match", out.table()), node)
    out.land(*ends)


class _Failures:
    """The jumps of failed pattern tests: with the tested value still on the stack, or without."""

    __slots__ = ("jumps", "node", "pending")

    def __init__(self, node: t.Node) -> None:
        self.node = node
        self.jumps: list[int] = []
        self.pending: list[tuple[int, list[Arm]]] = []

    def land(self, out: Output) -> None:
        """The next arm begins here."""
        if self.pending:
            for number, rows in self.pending:
                out.tables[number] = (*rows, Arm(CATCH_ALL, len(out.code), ()))
            out.emit(("Pop",), self.node)
        out.land(*self.jumps)


def _test(out: Output, pattern: t.Pattern, value: int) -> _Failures:
    """Tests the value in a slot against a pattern at every depth and binds its name."""
    failures = _Failures(pattern)
    if isinstance(pattern, t.WildcardPattern):
        return failures
    out.emit(("LoadLocal", value), pattern)
    tested: t.Pattern | None = pattern
    while tested is not None:
        match tested:
            case t.WildcardPattern() | t.NamePattern():
                _bind_top(out, tested)
                break
            case t.IntPattern(text=text):
                out.push(("Int", int(text)), tested)
            case t.StringPattern(raw=raw):
                out.push(("String", decoded(raw)), tested)
            case t.BoolPattern(value=wanted):
                out.push(("Bool", wanted), tested)
            case t.NonePattern():
                out.push(("None",), tested)
            case _:
                tested = _open(out, tested, failures)
                continue
        out.emit(("Eq",), tested)
        failures.jumps.append(out.jump("JmpIfNot", tested))
        break
    return failures


def _open(out: Output, pattern: t.Pattern, failures: _Failures) -> t.Pattern | None:
    """Replaces a value of the wanted variant by its payload; gives the pattern for that."""
    number = out.table()
    out.emit(("Match", number), pattern)
    failures.pending.append((number, _rows(out, pattern, len(out.code))))
    inner = _inner(pattern)
    if inner is None:
        out.emit(("Pop",), pattern)
    return inner
