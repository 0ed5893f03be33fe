[
  (function)
  (block)
  (for)
  (arm)
] @local.scope

(function name: (identifier) @local.definition.function)
(parameter name: (identifier) @local.definition.parameter)
(let name: (identifier) @local.definition.var)
(for name: (identifier) @local.definition.var)
(identifier) @local.reference
