"""Translation of programs in the forms of other languages to `.ax`.

A text is read as a superset of the language (`else if`, `xs[i]`, closures, tuples, guards, blocks by layout, …) into nodes,
rewritten, typed as far as needed, and lowered to the forms of `.ax`. A form without a counterpart raises `Untranslatable`:
the item stays as it is. Nothing is guessed silently.

Packages from the bottom up; every import points down. A new module needs a row in the table of its package; a row may name
several modules, with what each does in the same order.

| package or module | holds |
| --- | --- |
| `tree/` | nodes, types, walks |
| `libraries/` | calls of other languages' libraries as calls that the lexicon knows |
| `rewriting/` | trees to simpler trees, without types |
| `reading/` | tokens to nodes: the grammar in layers |
| `typing/` | declarations of a draft, types of its expressions |
| `lowering/` | nodes to `.ax`, each layer on the one before |
| `habits`, `habit_marks` | which language's habits prevail; marks of Lua, Julia, Nim and Elixir |
| `translate` | which items of a file are replaced, by what |
| `contradictions` | what must not count as verified |
"""
