"""Several names of one value or place.

| module | rewrites |
| --- | --- |
| `named_places` | names for places: C++ and Go |
| `places` | names for places: Rust |
| `several_targets` | assignments to several names of one value |
| `shared_items` | names for items of lists and maps that are changed |
"""
