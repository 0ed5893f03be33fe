; Names of Boruna that mean the same, for the colours of Helix.

[
  (function)
  (block)
  (for)
  (arm)
] @local.scope

(parameter name: (identifier) @local.definition.variable.parameter)
(let name: (identifier) @local.definition.variable)
(for name: (identifier) @local.definition.variable)

(identifier) @local.reference
