"""Lists: their places, their order, and what is made of them.

| module | rewrites |
| --- | --- |
| `compared_keys` | lists by which items are ordered |
| `comparisons` | closures that compare |
| `counting` | whether places count from 0 or 1 |
| `doubtful_ranges` | ranges of which nothing says whether the end is meant |
| `endless_lists` | lists that repeat without an end |
| `generators` | functions that yield, as functions that give a list |
| `iterators` | C++: iterators in variables |
| `kept_rests` | lists that are given what their own removal returns |
| `list_parts` | names for items of a list that may be absent |
| `numbered_items` | items with their places in the order that names tell |
"""
