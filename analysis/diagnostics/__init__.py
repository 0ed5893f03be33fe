"""What is wrong with a program: `Diagnostic`, the table of codes, a module a rule family in `rules/`, and `check_file`."""
