"""Values that an expression's code must leave on the operand stack."""

from __future__ import annotations

from enum import Enum


class Want(Enum):
    """`PLAIN`: what the expression leaves by itself; asked for only where that does not depend on the way taken."""

    PLAIN = "as it is"
    VALUE = "exactly one value"
    NOTHING = "nothing"
