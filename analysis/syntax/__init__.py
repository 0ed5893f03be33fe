"""From text to tree: lexer, parser, the tree and its forms as JSON. Knows nothing of names, diagnostics or fixes."""
