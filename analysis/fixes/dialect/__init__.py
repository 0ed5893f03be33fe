"""Programs written with the forms of other languages, read and written anew in `.ax`.

`scanner` and the `grammar_*` modules read a superset of the language (`else if`, `xs[i]`, `a += 1`, closures, tuples, guards,
list patterns, interpolation, methods, …) into the nodes of `nodes`. `inference` finds types as far as they matter, `lowering`
writes every form that `.ax` lacks with the forms that it has, `translate` decides which items of a file are replaced.

A form without a counterpart raises `Untranslatable`: the item stays as it is. Nothing is guessed silently.
"""
