"""From the text of a draft to its tree: one cursor, and one layer of grammar per form and language.

Not in packages by language: the layers are one chain of classes, each derived from the one before, and layers of forms and of
languages alternate in it. Such packages would import each other in both directions.

| module | reads |
| --- | --- |
| `scanner`, `number_literals` | tokens of every dialect; numbers |
| `grammar_cursor` | the cursor over the tokens |
| `grammar_kinds` | types before parts of a pattern, traits of several types |
| `grammar_base` | types and patterns |
| `grammar_marks` | signs that mean different things by language: ends of ranges, blocks, assignments |
| `grammar_ahead` | what the tokens ahead say about a statement |
| `grammar_names` | names that may stand before arguments without parentheses |
| `grammar_application` | arguments without parentheses |
| `grammar_primary` | words, closures, `if`, `match` as operands |
| `grammar_field_lists` | whether braces hold fields or statements |
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
| `grammar_whole_classes`, `grammar_class_members` | classes with bases, constructors with code, companions; their members |
| `class_hierarchies` | which classes, interfaces and traits belong together |
| `grammar_class_forms` | Kotlin, C#: forms in and around classes |
| `grammar_binding_operators` | `let*` of OCaml; `f <$> a <*> b` |
| `grammar_targets` | targets that take the rest of a list; lines that do nothing |
| `grammar_modules` | modules inside of a text, imports |
| `grammar_variants` | enums and their variants |
| `grammar_items` | items, and the parser of all layers |
| `grammar_patterns` | literals of regular expressions, calls that search with them |
| `grammar_macros` | macros of Rust, values that must be there |
| `grammar_clauses` | functions by clauses, guards, `where` |
| `grammar_infix` | functions between their values |
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
| `grammar_ruby_classes`, `defined_operators` | classes of Ruby; operators that a program defines |
| `grammar_swift`, `tuple_labels` | Swift; names of parts of tuples |
| `grammar_tests` | tests of what a value is: `instanceof`, `is` |
| `grammar_nested_types` | types of records where a name of a type could stand |
| `grammar_typescript` | TypeScript: types that are values, interfaces of fields |
| `token_forms`, `v_tokens` | Groovy, Crystal, ReScript, D; V: as tokens that other languages have |
| `grammar_zig` | Zig |
| `brace_formats` | formats: in braces |
| `arrow_types` | arrows in the types of functions |
| `arm_forms` | arms with texts of a known beginning, numbers that may not be any |
| `declared_fields` | names of the fields that a program declares |
| `decorators` | decorators and annotations that change nothing |
| `divisions` | `//`: divisor or comment |
| `joined_values` | operators and arguments as the tree holds them |
| `library_bases` | interfaces of libraries that types name |
| `listed_items` | items in brackets, repeated items |
"""
