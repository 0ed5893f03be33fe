"""Applications: programs with `init`, `update` and `view` that the host drives by messages (docs/apps.md).

`validation` judges the shape of a source. `app` calls the functions of a compiled program, `machine` holds states, `session`
sends messages and renders what comes of them, `job` does that in a worker process. `templates` makes sources of new
applications. Nothing here performs an effect: `update` only declares them.
"""
