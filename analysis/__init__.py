"""The language `.ax` as pure functions: text in, plain data out.

Nothing here performs I/O, starts a thread or knows a protocol. `check.check_file` is the one list of diagnostics that every view
shows; `database` is the engine that keeps all answers; `ide/` has one module per editor feature.
"""
