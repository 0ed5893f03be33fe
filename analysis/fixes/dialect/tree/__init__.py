"""The tree of a program in any dialect: its nodes and types, walks over it, and the bound of the work on it.

| module | holds |
| --- | --- |
| `nodes` | the tree: nodes of `.ax` and of the forms that others add |
| `walking` | walks over the tree |
| `attempts` | `try` as the tree holds it |
| `classes` | a class as it is declared |
| `loop_tails` | values that a block ends with, as steps of a loop |
| `substitution` | a name written as an expression |
| `types` | constructors and variables that unification solves |
| `guesses` | what a translation invents or guesses, and where |
| `effort` | a bound on the work |
| `untranslatable` | the one exception |
"""
