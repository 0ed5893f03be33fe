"""Functions and closures: what they take, give and change.

| module | rewrites |
| --- | --- |
| `changes` | parameters changed for the caller |
| `changing_closures` | closures of Rust that change what they are given |
| `entry` | `Main` of C# |
| `functional` | partial application, functions of functions, constructors as functions |
| `global_variables` | variables outside of functions that functions change |
| `kept_results` | functions that keep their results |
| `lifted_closures` | inner functions that change what is around them |
| `reference_parameters` | parameters by reference |
| `variadics` | several values as one list |
"""
