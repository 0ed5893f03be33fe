; Where Zed closes no brackets and quotes in Boruna: see `not_in` in config.toml.

(comment) @comment.inclusive
(string) @string
