"""Trees that mean the same and stand nearer to `.ax`: exceptions, families of classes, places, loops. Knows no types.

| module | rewrites |
| --- | --- |
| `iterators` | C++: iterators in variables |
| `array_maps` | PHP: arrays that are maps |
| `written_texts` | Rust: `write!` |
| `script_idioms` | maps with a value for every key |
| `accessors`, `field_accessors` | fields as functions of records: called, named by their record |
| `changing_closures` | closures of Rust that change what they are given |
| `characters` | parameters that hold characters |
| `closure_tries` | `?` in closures of Rust |
| `complete_cases` | functions that end with cases which all return |
| `counting` | whether places count from 0 or 1 |
| `comparisons`, `compared_keys` | closures that compare; lists by which items are ordered |
| `true_divisions`, `rounded_down` | divisions that keep their fraction; that round down |
| `doubtful_ranges` | ranges of which nothing says whether the end is meant |
| `early_exits`, `early_returns` | jumps in an operand; closures that return early |
| `endless_lists` | lists that repeat without an end |
| `entry` | `Main` of C# |
| `enum_values` | `rawValue`, `ordinal`, `allCases` of plain enums |
| `exceptions` | functions that throw as Results |
| `exception_classes` | exceptions whose classes handlers tell apart, as an enum |
| `exception_kinds`, `exception_values` | what fails unsaid; what `catch` gets |
| `families` | interfaces with their classes as an enum |
| `functional` | partial application, functions of functions, constructors as functions |
| `generators` | functions that yield, as functions that give a list |
| `generic_records` | records for values of any type that are made of one |
| `go_results` | errors beside a value |
| `several_targets` | assignments to several names of one value |
| `labels`, `loop_values` | jumps out of several loops; loops that give a value |
| `loop_else` | `else` behind a loop |
| `lifted_closures` | inner functions that change what is around them |
| `large_matches` | matches whose arms would be written too often, in parts |
| `list_parts` | names for items of a list that may be absent |
| `numbered_items` | items with their places in the order that names tell |
| `named_places`, `places` | names for places: C++ and Go; Rust |
| `open_objects` | objects of JavaScript, dicts of Python: objects that begin empty |
| `kept_best` | loops over maps that give the same in every order |
| `kept_rests` | lists that are given what their own removal returns |
| `ordered_maps`, `map_order`, `map_parts` | order of maps: kept by a list; doubts; what a loop over a map yields |
| `own_types` | enums that repeat built-in types |
| `partitions` | lists of Results as two lists |
| `reference_parameters`, `changes` | parameters by reference; parameters changed for the caller |
| `shared_items` | names for items of lists and maps that are changed |
| `smart_casts` | contents of values that a test has shown to be of a variant |
| `variadics` | several values as one list |
| `variants` | variants with a small letter |
| `global_variables` | variables outside of functions that functions change |
"""
