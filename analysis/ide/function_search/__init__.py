"""The search of `boruna_builtins`: functions for words, names of other languages, types, and examples.

`known` has what is searched, `forms` what is written where there is no function. `words`, `type_queries` and `examples` each
answer one sort of query; `queries` decides which sort a query is.
"""
