"""Maps: their order, and values for missing keys.

| module | rewrites |
| --- | --- |
| `array_maps` | PHP: arrays that are maps |
| `kept_best` | loops over maps that give the same in every order |
| `map_order` | doubts about the order of maps |
| `map_parts` | what a loop over a map yields |
| `ordered_maps` | order of maps, kept by a list |
| `script_idioms` | maps with a value for every key |
"""
