"""Every diagnostic code: one table that the checks, the views, the documentation and the tests read.

E001–E009 have the reference's names, categories and summaries (spec chapter 05 section 3), the others are ours (chapter 27).
"""

from __future__ import annotations

from typing import Final

from analysis.data_classes import dataclass
from analysis.diagnostics.diagnostic import Severity, Tag


@dataclass(frozen=True, slots=True)
class Code:
    """`tags` say what an editor may do with the marked text; the page of a code is `docs/diagnostics/{code}.md`."""

    code: str
    name: str
    category: str
    severity: Severity
    summary: str
    tags: tuple[Tag, ...] = ()


_ERROR, _WARNING, _INFO, _HINT = Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.HINT
_UNNECESSARY: Final = (Tag.UNNECESSARY,)

CODES: Final[dict[str, Code]] = {
    code.code: code
    for code in (
        Code("E001", "lexer-error", "lexical", _ERROR, "The source could not be tokenized (invalid character or token)."),
        Code("E002", "parse-error", "syntax", _ERROR, "The token stream did not form a valid syntax tree."),
        Code("E003", "undefined-variable", "name-resolution", _ERROR, "A referenced variable is not defined in scope."),
        Code("E004", "undefined-function", "name-resolution", _ERROR, "A called function is not defined in the module."),
        Code("E005", "non-exhaustive-match", "pattern-matching", _ERROR, "A match expression does not cover all possible cases."),
        Code("E006", "unknown-field", "type", _ERROR, "A record field access or construction references an unknown field."),
        Code("E007", "capability-violation", "capability", _ERROR,
             "A function performs an effect it does not declare in its capability set."),
        Code("E008", "codegen-error", "codegen", _ERROR, "The typechecked program could not be lowered to bytecode."),
        Code("E009", "type-error", "type", _ERROR, "An expression's type does not match the type required by its context."),
        Code("E013", "unknown-library", "import", _ERROR, "An imported library does not exist."),
        Code("E014", "unreadable-source", "source", _ERROR, "A file cannot be read, is not UTF-8, or is too large to check."),
        Code("E015", "unknown-server", "mcp", _ERROR, "A program names an MCP server that is not configured, or not imported."),
        Code("E016", "unknown-tool", "mcp", _ERROR, "An MCP server has no tool of this name."),
        Code("E017", "tool-arguments", "mcp", _ERROR, "A tool is called with a wrong number of arguments, or not called at all."),
        Code("W101", "argument-type", "type", _WARNING, "An argument has another type than its parameter."),
        Code("W102", "value-type", "type", _WARNING, "A value has another type than its place declares."),
        Code("W103", "result-type", "type", _WARNING, "A function returns another type than it declares, or nothing."),
        Code("W104", "operand-type", "type", _WARNING, "An operator does not accept its operands, or a comparison is constant."),
        Code("W105", "condition-not-bool", "type", _WARNING, "A condition is not a Bool and is always true or always false."),
        Code("W106", "branches-differ", "type", _HINT, "Branches whose value is used have values of different types."),
        Code("W107", "no-such-field", "type", _WARNING, "A field is read from a value that has no such field."),
        Code("W108", "bad-call", "type", _WARNING, "A called value is not a function, or gets a wrong number of arguments."),
        Code("W109", "constant-failure", "type", _WARNING, "A constant expression certainly fails."),
        Code("W110", "constant-contract", "type", _HINT, "A contract clause is not a Bool, or is constant."),
        Code("W111", "unknown-choice", "mcp", _WARNING, "A tool does not accept this string."),
        Code("W201", "match-misses-values", "pattern-matching", _WARNING, "A match has no arm for some of the possible values."),
        Code("W202", "unreachable-arm", "pattern-matching", _HINT, "An arm of a match is never reached.", _UNNECESSARY),
        Code("W203", "name-for-variant", "pattern-matching", _WARNING,
             "A name in a pattern is spelt like a variant, and matches everything."),
        Code("W204", "pattern-type", "pattern-matching", _WARNING,
             "A pattern has another type than the value, or its payload does not fit the declaration."),
        Code("W301", "unknown-type", "name-resolution", _INFO, "A type name is not defined."),
        Code("W302", "missing-field", "type", _WARNING, "A record literal lacks a field."),
        Code("W303", "repeated-field", "type", _WARNING, "A record literal has a field twice."),
        Code("W304", "duplicate-definition", "name-resolution", _INFO, "A name is defined twice in one place."),
        Code("W305", "unknown-variant", "pattern-matching", _WARNING, "A pattern names a variant that does not exist."),
        Code("W306", "assignment-to-immutable", "name-resolution", _INFO, "The target of an assignment is not `mut`."),
        Code("W307", "entry-shape", "framework", _HINT, "`main` is missing, or it or a function of an app has a wrong shape."),
        Code("W308", "hidden-name", "name-resolution", _HINT, "A name hides an outer local, a function or a builtin."),
        Code("W401", "undeclared-capability", "capability", _INFO, "A function uses an effect that it does not declare."),
        Code("W402", "unknown-capability", "capability", _HINT, "A declared capability does not exist, or is never used."),
        Code("W403", "app-effect", "capability", _INFO, "Effects of an app do not fit its functions or its policies."),
        Code("W404", "unused-import", "import", _HINT, "An import is not used, or is repeated.", _UNNECESSARY),
        Code("W405", "import-without-effect", "import", _INFO, "An import names no library and has no effect."),
        Code("W406", "tools-not-seen", "mcp", _HINT, "The tools of a server were never listed, or long ago."),
        Code("W501", "unused-definition", "dead-code", _HINT, "A definition is never used.", _UNNECESSARY),
        Code("W502", "unreachable-code", "dead-code", _HINT, "Statements are never reached.", _UNNECESSARY),
        Code("W503", "unused-value", "dead-code", _HINT, "The value of an expression without effect is not used.", _UNNECESSARY),
        Code("W504", "constant-condition", "dead-code", _HINT, "A condition is constant."),
        Code("W505", "endless", "dead-code", _HINT, "A loop's condition never changes, or a function always calls itself."),
        Code("W506", "never-read", "dead-code", _HINT, "A variable is assigned and never read."),
        Code("W601", "line-continues", "trap", _HINT, "A line continues the previous statement, or has two expressions."),
        Code("W602", "both-sides", "trap", _HINT, "`&&` or `||` evaluates a right side that can fail."),
        Code("W603", "byte-length", "trap", _HINT, "A length in bytes is used as a number of characters."),
        Code("W604", "silent-zero", "trap", _HINT, "A failure reads as 0, or a division drops a needed fraction."),
        Code("W605", "applied-effect", "trap", _HINT, "`spawn f(x)` or `emit f(x)` calls the result of `spawn f` or `emit f`."),
        Code("W606", "lost-digits", "trap", _HINT, "An Int becomes a Float and loses digits."),
        Code("W607", "copied-in-loop", "trap", _HINT, "Work in a loop grows with the square of the data."),
        Code("W608", "indexing", "trap", _WARNING, "`name[…]` is not indexing but two statements."),
        Code("W609", "brace-behind-name", "trap", _HINT, "A capitalised name before `{` is read as a record literal."),
        Code("W610", "text-with-hole", "trap", _WARNING, "A text names a variable in braces, as if it held its value."),
        Code("W611", "carriage-returns", "trap", _HINT, "A text over several lines holds the carriage returns of its file."),
        Code("P001", "escapes-kept", "portability", _HINT, "boruna 3.2.0 does not decode the escapes of a text."),
        Code("P002", "carriage-return", "portability", _HINT, "boruna 3.2.0 refuses carriage returns."),
        Code("P003", "branch-without-value", "portability", _HINT, "boruna 3.2.0 loses count of its values here."),
        Code("P004", "loop-keeps-values", "portability", _HINT, "boruna 3.2.0 keeps the value that ends the body of a `for`."),
        Code("P005", "arms-of-others", "portability", _HINT, "boruna 3.2.0 takes a wrong arm of a match."),
        Code("P006", "pattern-not-tested", "portability", _HINT, "boruna 3.2.0 does not test a part of a pattern."),
        Code("P007", "wrapped-values", "portability", _HINT, "boruna 3.2.0 does not match a Some, Ok or Err of a program."),
        Code("P008", "fields-by-position", "portability", _HINT, "boruna 3.2.0 finds a field by its position."),
        Code("P009", "variant-of-another-enum", "portability", _HINT, "boruna 3.2.0 reads this as another enum's variant."),
        Code("P010", "overwritten-variable", "portability", _HINT, "boruna 3.2.0 overwrites an outer variable."),
        Code("P011", "builtin-instead", "portability", _HINT, "boruna 3.2.0 calls a builtin instead of a function."),
        Code("P012", "shifted-definitions", "portability", _HINT, "boruna 3.2.0 confuses definitions when one is repeated."),
        Code("P013", "unchecked-ensures", "portability", _HINT, "boruna 3.2.0 does not check `ensures` at an early `return`."),
        Code("P014", "imports-as-text", "portability", _HINT, "boruna 3.2.0 reads imports on its command line only, as text."),
        Code("P015", "applied-effects", "portability", _HINT, "`spawn f(x)` and `emit f(x)` call the result of the effect."),
    )
}  # fmt: skip

ABOUT_FORM: Final = frozenset(
    (*(code for code in CODES if code.startswith("P")), "W308", "W402", "W404", "W406", "W501", "W502", "W506", "W607")
)
"""Codes of hints about how a program is written: without what they mark, it computes the same."""
