"""What fails: exceptions and Results.

| module | rewrites |
| --- | --- |
| `closure_tries` | `?` in closures of Rust |
| `exception_classes` | exceptions whose classes handlers tell apart, as an enum |
| `exception_kinds` | what fails unsaid |
| `exception_values` | what `catch` gets |
| `exceptions` | functions that throw as Results |
| `go_results` | errors beside a value |
| `partitions` | lists of Results as two lists |
"""
