"""What a draft's names and expressions mean: its declarations, and the types of its expressions as far as they are needed.

| module | types |
| --- | --- |
| `operation_names` | which operation a name means, by what stands beside it |
| `derived`, `functional_rows` | operations written with other ones; those of functional languages |
| `class_collections` | sets, queues and stacks of class libraries |
| `scala_maps` | Scala: maps of what a closure gives for entries |
| `absent_values` | patterns of values that may be absent |
| `character_lists` | texts that are lists of characters |
| `coded_characters` | characters that a program counts with |
| `compared_names` | names asked for their Option, place or pair |
| `fractional_starts` | whole numbers where Floats come, too |
| `fold_order` | the order in which a fold's closure takes its values |
| `own_operators` | operators and texts of a program's own types |
| `roundings` | what `round` and formats do with halves |
| `objects` | objects of JavaScript, dicts of Python: maps or records |
| `shared_objects` | doubts about objects that have two names |
| `shown_styles` | how languages show collections |
| `taken_entries` | entries that are removed and given |
| `text_holes` | fields behind a name in a text |
| `truths` | what counts as true wherever it is |
| `program` | what the program declares |
| `inference` | types of expressions |
| `inference_calls`, `inference_free` | names and calls; functions without a module |
| `inference_operations`, `inference_operators` | operations of the lexicon; operators, indexing |
| `inference_wanted` | what a call gives where its context says more |
"""
