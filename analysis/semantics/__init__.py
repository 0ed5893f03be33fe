"""What names and expressions mean: declarations, the environment of a file, scopes, types, the table of builtins."""
