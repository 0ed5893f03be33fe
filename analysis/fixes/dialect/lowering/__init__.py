"""From the typed tree to the text of `.ax`: one layer per kind of expression or statement, and the helpers that they need.

| module | writes |
| --- | --- |
| `formats` | formats: of `printf` and `format!` |
| `writer` | fresh names, statements before an expression, notes |
| `lowering_operators`, `lowering_expressions` | operators; literals, records, indexing, conversions |
| `lowering_formats`, `lowering_debug` | formats; `{:?}` |
| `lowering_shown` | collections and tuples as texts |
| `lowering_widths`, `lowering_zeros` | numbers with a width; zeros of absent entries |
| `lowering_options` | operations on Option and Result |
| `lowering_loops`, `lowering_lists` | operations over lists as loops; groups, windows, folds that may fail |
| `lowering_collections`, `lowering_classes` | operations of script languages; of class libraries |
| `lowering_scripts`, `lowering_systems` | functions written into the program, slices; characters, keys of several values |
| `lowering_enum_keys` | maps whose keys are variants |
| `lowering_changes` | methods that change what an Option holds |
| `lowering_patterns`, `regular_expressions`, `pattern_helpers` | regular expressions: calls, steps, the machine in `.ax` |
| `lowering_calls`, `lowering_references` | calls; of functions that give back what they changed |
| `call_parts` | parameters and texts of written calls |
| `lowering_conditions`, `lowering_matches` | conditions that match; matches |
| `lowering_statements`, `lowering_for` | statements; loops |
| `lowering_copies` | copies of functions for closures and types |
| `lowering` | items, and functions of closures |
| `script_helpers`, `number_helpers` | functions in `.ax` that are written into a program; those that round |
"""
