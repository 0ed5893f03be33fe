"""Programs written with the forms of other languages, read and written anew in `.ax`.

`scanner` and the `grammar_*` modules read a superset of the language (`else if`, `xs[i]`, `a += 1`, closures, tuples, guards,
list patterns, interpolation, methods, blocks by layout, …) into the nodes of `nodes`. Calls with arguments in another order
become methods of the lexicon (`foreign_calls`, `script_calls`, `script_functions`, `class_library`, `go_calls`, `rust_calls`,
`swift_calls`), `derived` writes operations with other ones, and `collections_of_classes` says what sets and queues are.
`habits` tells whose habits prevail where languages differ, `script_idioms` writes maps with defaults, `objects` finds maps
and records among objects, `text_formats` reads formats. The `inference*` modules find types as far as they matter,
`references` which functions give back what was passed to them. The `lowering*` modules, each a layer on the one before, write
every form that `.ax` lacks with the forms that it has and the functions of `script_helpers`. `translate` decides which items
of a file are replaced, `contradictions` and `divisions` what of it must not count as verified. `changes` finds the parameters
that are changed for the caller, `labels` rewrites jumps out of several loops, `early_returns` closures that return early;
`comparisons` tells closures that compare, `formats` reads formats of texts, `limits` knows the greatest numbers of types,
`functional` what functional languages leave to be understood.
`functional_calls` and `functional_forms` hold what the modules and the functions of functional languages mean, `arm_forms` arms
that say otherwise what a pattern says here, `own_types` enums that repeat built-in types.
`named_places` puts a place where a name stands for it, `early_exits` takes jumps out of operands, `enum_values` knows raw values,
`characters` finds parameters that hold characters, `iterators`, `variadics` and `go_results` settle iterators, functions that
take several values and errors beside values. `grammar_go`, `grammar_swift`, `grammar_zig`, `grammar_cpp`, `grammar_dart` and
`grammar_kotlin` read forms of one language each, `cpp_calls`, `zig_calls`, `dart_calls` and `kotlin_calls` their libraries.
`functional` what functional languages leave to be understood. Of Rust, `places` writes names that stand for places as these
(with `substitution`), `changing_closures` closures that change what they are given, `loop_values` loops that give a value,
`written_texts` what `write!` writes, and `library_types` knows iterators and heaps. `habit_marks` tells Lua, Julia, Nim and
Elixir; their forms and calls are read by `grammar_lua`, `lua_calls` and so on.
`inference_free` says what functions without a module are, `exceptions` rewrites functions that throw and what catches.

A form without a counterpart raises `Untranslatable`: the item stays as it is. Nothing is guessed silently.
"""
