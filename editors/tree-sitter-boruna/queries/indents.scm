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
] @indent.begin

[
  "}"
  "]"
  ")"
] @indent.branch @indent.end

(comment) @indent.ignore
