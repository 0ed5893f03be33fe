[
  (record)
  (enum)
  (block)
  (match)
  (list)
  (record_value)
  (arguments)
  (parameters)
  (comment)+
] @fold
