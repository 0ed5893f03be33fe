"""Trees that mean the same and stand nearer to `.ax`, in packages by topic, each with a table of its modules. Knows no types.

| package | rewrites |
| --- | --- |
| `jumps/` | jumps that end more or less than one loop, and what loops give |
| `lists/` | lists: their places, their order, and what is made of them |
| `functions/` | functions and closures: what they take, give and change |
| `aliases/` | several names of one value or place |
| `maps/` | maps: their order, and values for missing keys |
| `failures/` | what fails: exceptions and Results |
| `data_types/` | types that a program declares: classes, records, enums and their variants |
| `basic_values/` | numbers, characters and texts |
"""
