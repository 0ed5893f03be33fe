"""Rules about a whole file: they read the declarations of all items, and their problems are placed afterwards.

| Module | Content |
| --- | --- |
| `problem` | the record `Problem`, and `FileContext`, what a rule is given |
| `file_problems` | the table of the rules, and the query that runs them |
| `placing` | from a problem to a diagnostic; the table of fixes by code |
| `duplicates` | W304 |
| `imported_modules` | E013, E015, W404, W405, W406 |
| `purity` | E007 of apps |
| `unused_capabilities` | W401, W402, W403 for pure functions |
| `app_effects` | W403 for the data of apps |
| `entry_functions` | W307 |
| `unused_items` | W501, a query for each block |
"""
