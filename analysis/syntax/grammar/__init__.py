"""The parser's parts, each a class that adds a layer of the grammar: cursor, patterns and types, expressions, items."""
