"""Jumps that end more or less than one loop, and what loops give.

| module | rewrites |
| --- | --- |
| `complete_cases` | functions that end with cases which all return |
| `early_exits` | jumps in an operand |
| `early_returns` | closures that return early |
| `implicit_results` | functions that end without a value on some ways |
| `labels` | jumps out of several loops |
| `loop_else` | `else` behind a loop |
| `loop_variables` | variables of loops that hide others or are read behind their loop |
| `loop_values` | loops that give a value |
"""
