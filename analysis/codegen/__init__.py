"""Code generation (chapter 07 of the spec, corrected by section 2 of chapter 26): one function of a chunk at a time.

`index` says what names mean in a whole program, `generate` is the query that `compile` asks for each chunk. Nothing
here knows about constants or places of other functions: those are added when a module is put together.
"""
