"""Hints for run-time errors: the meaning in plain words, and the usual fix. The error's own text is the exact message."""

from __future__ import annotations

import re
from typing import Final

from analysis.bytecode.module import Module

_HINTS: Final[tuple[tuple[str, str], ...]] = (
    (
        r"max execution steps exceeded",
        "the program was still running: look for a loop or a recursion that never ends, or raise `max_steps`",
    ),
    (r"division by zero", "the right side of `/` or `%` was 0: test it before dividing"),
    (r"integer overflow in", "the result does not fit into a 64-bit integer: use smaller numbers, or Float"),
    (r"list index out of bounds: index -", "the position is negative: positions count from 0"),
    (
        r"list index out of bounds",
        "positions count from 0 to length - 1; `&&` evaluates both sides, so its left does not protect its right: nest an `if`",
    ),
    (r"no match found for value", "no arm of the `match` fits the value: add the missing pattern, or `_ => …` as the last arm"),
    (
        r"stack overflow \(max 256\)",
        "more than 256 calls were open at once: a recursion has no end, or goes too deep; a loop has no such limit",
    ),
    (r"stack overflow \(max 4096\)", "more than 4096 values were waiting at once: calls with pending operands nest too deep"),
    (r"stack underflow", "a value was needed where none was left; from a program in source this is a defect of the compiler"),
    (r"no field '", "this record's type has no such field: check where the value comes from"),
    (
        r"type error: expected numeric, got String",
        "numbers and texts do not mix: convert with `parse_int`, or join texts with `++`",
    ),
    (
        r"type error: expected numeric, got Unit",
        "a function or branch that ends without a value gives Unit: its last line must be the value",
    ),
    (r"type error: expected numeric", "both sides of an arithmetic operator must be Int or Float"),
    (
        r"type error: expected String",
        "`++` and the text functions take String only: convert numbers with `__builtin_int_to_string`",
    ),
    (
        r"type error: expected comparable",
        "`<` and its like compare Int with Int, Float with Float, String with String; make an Int a Float first (`n * 1.0`)",
    ),
    (
        r"type error: expected Record, got (Some|None|Ok|Err)",
        "the record is inside an Option or a Result: take it out with `match` first",
    ),
    (r"type error: expected Record", "this value is not a record, so it has no fields"),
    (r"type error: expected List", "the value is not a list"),
    (r"type error: expected Map", "the value is not a map; `map_new()` makes an empty one"),
    (r"type error: expected function reference", "only functions can be called"),
    (r"type error: expected ActorId", "the first operand of `send` must be what `spawn` gave"),
    (r"type error: expected Int", "an Int is needed here: `%` and positions take no Float"),
    (
        r"not allowed by the owner\. To allow it",
        "the owner of this machine decides about live effects: ask them to allow it",
    ),
    (r"capability denied: [a-z.]+ of \"", "live effects need a program in a workspace for which the owner allows them"),
    (
        r"capability denied: ",
        'the policy does not allow this capability: add a rule for it to `policy`, or call with "allow-all"',
    ),
    (r"capability budget exceeded: ", "the policy's budget for this capability is used up: raise it, or call it less often"),
    (r"assertion failed: capability error: step\.input", "give the inputs that the program asks for in `input`"),
    (r"assertion failed: capability error", "the capability itself failed; the text says why"),
    (r"\"precondition ", "the caller broke what `requires` asks: the counterexample shows the arguments"),
    (
        r"\"postcondition ",
        "the function did not keep what its `ensures` promises: the counterexample shows its parameters at the end",
    ),
    (r"output guard ", "the guarded value did not pass its test"),
    (r"invalid function index: 0$", "the program has no function: write `fn main() -> Int { … }`"),
)
_COMPILED: Final = tuple((re.compile(pattern), hint) for pattern, hint in _HINTS)


_ENTRY: Final = "a run calls `main` without arguments, so its parameters are Unit: remove them, and read inputs with `step_input`"


def hint_for(message: str, module: Module | None = None) -> str | None:
    """Advice on an error message, None if there is none; `module` is the program that failed."""
    if module is not None and message.endswith("got Unit") and 0 <= module.entry < len(module.functions):
        entry = module.functions[module.entry]
        if entry.arity:
            return _ENTRY
    return next((hint for pattern, hint in _COMPILED if pattern.match(message)), None)
