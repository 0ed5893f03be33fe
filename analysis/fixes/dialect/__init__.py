"""Translation of programs in the forms of other languages to `.ax`.

A text is read as a superset of the language (`else if`, `xs[i]`, closures, tuples, guards, blocks by layout, …) into nodes,
rewritten, typed as far as needed, and lowered to the forms of `.ax`. A form without a counterpart raises `Untranslatable`:
the item stays as it is. Nothing is guessed silently.

A new module needs a row here; a row may name several modules, with what each does in the same order.

Reading: tokens to nodes

| module | reads or does |
| --- | --- |
| `scanner` | tokens of every dialect |
| `nodes` | the tree: nodes of `.ax` and of the forms that others add |
| `walking` | walks over the tree |
| `habits`, `habit_marks` | which language's habits prevail; marks of Lua, Julia, Nim and Elixir |
| `grammar_cursor` | the cursor over the tokens |
| `grammar_kinds` | types before parts of a pattern, traits of several types |
| `grammar_base` | types and patterns |
| `grammar_marks` | signs that mean different things by language: ends of ranges, blocks, assignments |
| `grammar_ahead` | what the tokens ahead say about a statement |
| `grammar_names` | names that may stand before arguments without parentheses |
| `grammar_application` | arguments without parentheses |
| `grammar_primary` | words, closures, `if`, `match` as operands |
| `grammar_literals` | texts with holes, brackets of every meaning |
| `grammar_calls` | calls, members and indexing behind an operand |
| `grammar_bits` | operators on bits |
| `grammar_closures` | closures of all spellings |
| `grammar_trailing` | closures in braces behind a call |
| `grammar_expressions` | operators by precedence, `if` and `match` in every spelling |
| `grammar_arms`, `grammar_cases` | arms of matches; cases of a `switch` with a colon |
| `grammar_statements` | statements and blocks |
| `grammar_loops` | loops |
| `grammar_exceptions`, `grammar_exception_classes` | `throw`, `raise`, `try`; classes of exceptions |
| `grammar_fields` | fields of records, blocks of methods of Rust |
| `grammar_classes`, `grammar_families` | classes; interfaces, abstract and sealed classes |
| `grammar_modules` | modules inside of a text, imports |
| `grammar_variants` | enums and their variants |
| `grammar_items` | items, and the parser of all layers |
| `grammar_patterns` | literals of regular expressions, calls that search with them |
| `grammar_macros` | macros of Rust, values that must be there |
| `grammar_clauses` | functions by clauses, guards, `where` |
| `grammar_functional` | Haskell, Scala, F#: sections, composition, comprehensions, steps that may fail |
| `functional_words` | words of ML and Haskell that stand for others |
| `let_bodies` | where the value of `let … in` ends |
| `grammar_layout`, `grammar_ml` | ML: blocks by layout, `function`, `let … in`; loops, `begin … end`, arrays |
| `grammar_scripts`, `grammar_script_statements` | Python, Ruby, JavaScript, PHP: expressions; statements |
| `grammar_clojure` | Clojure |
| `grammar_cpp`, `grammar_c_arrays` | C++; arrays of C |
| `grammar_dart` | Dart |
| `grammar_elixir`, `elixir_ahead` | Elixir; what the tokens ahead say about its forms |
| `grammar_gleam` | Gleam |
| `grammar_go` | Go |
| `grammar_typed_values` | collections constructed as elsewhere, with types written as in `.ax` |
| `grammar_haskell` | items of Haskell, Elm, OCaml and Scala |
| `grammar_julia` | Julia |
| `grammar_kotlin` | Kotlin, Java, C# |
| `grammar_lua` | Lua |
| `grammar_nim` | Nim |
| `grammar_perl`, `perl_tokens` | Perl: blocks before lists; forms that tokens of other languages stand for |
| `grammar_scala` | Scala |
| `grammar_ruby` | Ruby: names with a mark, symbols as patterns |
| `grammar_swift`, `tuple_labels` | Swift; names of parts of tuples |
| `grammar_tests` | tests of what a value is: `instanceof`, `is` |
| `grammar_typescript` | TypeScript: types that are values, interfaces of fields |
| `grammar_zig` | Zig |

Libraries: calls as methods that the lexicon knows

| module | reads or does |
| --- | --- |
| `foreign_calls` | calls that several languages share |
| `operation_names` | which operation a name means, by what stands beside it |
| `derived`, `functional_rows` | operations written with other ones; those of functional languages |
| `class_library`, `collections_of_classes` | Java, C#, Kotlin, Dart, PHP; their sets, queues and stacks |
| `clojure_calls` | Clojure |
| `cpp_calls`, `iterators` | C++: algorithms on ranges; iterators in variables |
| `dart_calls` | Dart |
| `elixir_calls` | Elixir |
| `functional_calls`, `functional_forms` | modules of OCaml, F#, Elm, Haskell; calls that are methods here |
| `functional_modules` | those of their modules that take what they work on last |
| `go_calls` | Go |
| `julia_calls` | Julia |
| `kotlin_calls` | Kotlin: calls with a block; streams of Java |
| `lua_calls` | Lua |
| `nim_calls` | Nim |
| `php_calls`, `array_maps` | PHP: functions; arrays that are maps |
| `rust_calls`, `library_types`, `written_texts` | Rust: library; iterators and heaps; `write!` |
| `ruby_calls` | Ruby: calls whose blocks mean more than what they give |
| `scala_maps` | Scala: maps of what a closure gives for entries |
| `script_calls`, `script_functions` | script languages: methods; functions and constants |
| `script_methods` | methods that a few arguments tell apart |
| `script_idioms` | maps with a value for every key |
| `swift_calls` | Swift |
| `zig_calls` | Zig |
| `formats`, `brace_formats`, `text_formats` | formats: of `printf` and `format!`; in braces; as calls |
| `printing` | what prints by classes and streams |
| `limits` | greatest numbers of types, constants |

Rewriting: trees to simpler trees

| module | reads or does |
| --- | --- |
| `accessors`, `field_accessors` | fields as functions of records: called, named by their record |
| `absent_values` | patterns of values that may be absent |
| `arm_forms` | arms with texts of a known beginning, numbers that may not be any |
| `changing_closures` | closures of Rust that change what they are given |
| `characters`, `character_lists` | parameters that hold characters; texts that are lists of characters |
| `closure_tries` | `?` in closures of Rust |
| `counting` | whether places count from 0 or 1 |
| `comparisons`, `compared_keys` | closures that compare; lists by which items are ordered |
| `decorators` | decorators and annotations that change nothing |
| `compared_names` | names asked for their Option, place or pair |
| `divisions`, `true_divisions` | `//`: divisor or comment; divisions that keep their fraction |
| `doubtful_ranges` | ranges of which nothing says whether the end is meant |
| `early_exits`, `early_returns` | jumps in an operand; closures that return early |
| `endless_lists` | lists that repeat without an end |
| `enum_values` | `rawValue`, `ordinal`, `allCases` of plain enums |
| `attempts`, `exceptions` | `try` as the tree holds it; functions that throw as Results |
| `exception_classes` | exceptions whose classes handlers tell apart, as an enum |
| `exception_kinds`, `exception_values` | what fails unsaid; what `catch` gets |
| `families` | interfaces with their classes as an enum |
| `fold_order` | the order in which a fold's closure takes its values |
| `functional` | partial application, functions of functions, constructors as functions |
| `generators` | functions that yield, as functions that give a list |
| `generic_records` | records for values of any type that are made of one |
| `go_results` | errors beside a value |
| `joined_values` | operators and arguments as the tree holds them |
| `several_targets` | assignments to several names of one value |
| `labels`, `loop_values` | jumps out of several loops; loops that give a value |
| `loop_else`, `loop_tails` | `else` behind a loop; values that a block ends with, as steps of a loop |
| `lifted_closures` | inner functions that change what is around them |
| `large_matches` | matches whose arms would be written too often, in parts |
| `list_parts` | names for items of a list that may be absent |
| `numbered_items` | items with their places in the order that names tell |
| `listed_items` | items in brackets, repeated items |
| `named_places`, `places`, `substitution` | names for places: C++ and Go; Rust; a name written as an expression |
| `objects`, `open_objects` | objects of JavaScript, dicts of Python: maps or records; objects that begin empty |
| `kept_best` | loops over maps that give the same in every order |
| `kept_rests` | lists that are given what their own removal returns |
| `ordered_maps`, `map_order`, `map_parts` | order of maps: kept by a list; doubts; what a loop over a map yields |
| `own_types` | enums that repeat built-in types |
| `partitions` | lists of Results as two lists |
| `references`, `changes` | parameters by reference; parameters changed for the caller |
| `shared_items` | names for items of lists and maps that are changed |
| `smart_casts` | contents of values that a test has shown to be of a variant |
| `text_holes` | fields behind a name in a text |
| `repeated_values` | a value and how often it stands |
| `truths` | what counts as true wherever it is |
| `variadics` | several values as one list |
| `variants` | variants with a small letter |

Types

| module | reads or does |
| --- | --- |
| `types` | constructors and variables that unification solves |
| `program` | what the program declares |
| `inference` | types of expressions |
| `inference_calls`, `inference_free` | names and calls; functions without a module |
| `inference_operations`, `inference_operators` | operations of the lexicon; operators, indexing |
| `inference_wanted` | what a call gives where its context says more |

Lowering: nodes to `.ax`, each layer on the one before

| module | reads or does |
| --- | --- |
| `writer` | fresh names, statements before an expression, notes |
| `lowering_operators`, `lowering_expressions` | operators; literals, records, indexing, conversions |
| `lowering_formats`, `lowering_debug` | formats; `{:?}` |
| `lowering_widths`, `lowering_zeros` | numbers with a width; zeros of absent entries |
| `lowering_options` | operations on Option and Result |
| `lowering_loops`, `lowering_lists` | operations over lists as loops; groups, windows, folds that may fail |
| `lowering_collections`, `lowering_classes` | operations of script languages; of class libraries |
| `lowering_scripts`, `lowering_systems` | functions written into the program, slices; characters, keys of several values |
| `lowering_changes` | methods that change what an Option holds |
| `lowering_patterns`, `regular_expressions`, `pattern_helpers` | regular expressions: calls, steps, the machine in `.ax` |
| `lowering_calls`, `lowering_references` | calls; of functions that give back what they changed |
| `global_variables` | variables outside of functions that functions change |
| `call_parts` | parameters and texts of written calls |
| `lowering_conditions`, `lowering_matches` | conditions that match; matches |
| `lowering_statements`, `lowering_for` | statements; loops |
| `lowering_copies` | copies of functions for closures and types |
| `lowering` | items, and functions of closures |
| `script_helpers` | functions in `.ax` that are written into a program |

The whole

| module | reads or does |
| --- | --- |
| `translate` | which items of a file are replaced, by what |
| `contradictions` | what must not count as verified |
| `effort` | a bound on the work |
| `untranslatable` | the one exception |
"""
