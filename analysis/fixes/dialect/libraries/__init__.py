"""Calls of the libraries of other languages, as calls that the lexicon knows: one module per language or kind of call.

| module | calls of |
| --- | --- |
| `foreign_calls` | calls that several languages share |
| `class_library` | Java, C#, Kotlin, Dart, PHP |
| `clojure_calls` | Clojure |
| `cpp_calls` | C++: algorithms on ranges |
| `dart_calls` | Dart |
| `elixir_calls` | Elixir |
| `functional_calls`, `functional_forms` | modules of OCaml, F#, Elm, Haskell; calls that are methods here |
| `functional_modules` | those of their modules that take what they work on last |
| `go_calls` | Go |
| `julia_calls` | Julia |
| `kotlin_calls` | Kotlin: calls with a block; streams of Java |
| `lua_calls` | Lua |
| `nim_calls` | Nim |
| `php_calls` | PHP: functions |
| `rust_calls`, `library_types` | Rust: library; iterators and heaps |
| `ruby_calls` | Ruby: calls whose blocks mean more than what they give |
| `script_calls`, `script_functions` | script languages: methods; functions and constants |
| `script_methods` | methods that a few arguments tell apart |
| `substrings` | parts of texts by a length |
| `swift_calls` | Swift |
| `zig_calls` | Zig |
| `text_formats` | formats: as calls |
| `printing` | what prints by classes and streams |
| `number_limits` | greatest numbers of types, constants |
| `repeated_values` | a value and how often it stands |
"""
