"""Numbers, characters and texts.

| module | rewrites |
| --- | --- |
| `absent_choices` | what stands for a value that is absent |
| `characters` | parameters that hold characters |
| `rounded_down` | divisions that round down |
| `true_divisions` | divisions that keep their fraction |
| `written_texts` | Rust: `write!` |
"""
