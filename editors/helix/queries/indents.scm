; Indentation of Boruna in Helix.

[
  (block)
  (match)
  (record)
  (enum)
  (record_value)
  (list)
  (arguments)
  (parameters)
  (capabilities)
  (parenthesized)
] @indent

[
  "}"
  "]"
  ")"
] @outdent
