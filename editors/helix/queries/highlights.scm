; Colours of Boruna in Helix, by the scopes of its themes. Of patterns for one node the last one wins, and inner nodes win over outer ones.

(identifier) @variable
(capital_identifier) @variable
(field_name) @variable.other.member
(type_name) @type

(comment) @comment.line
(string) @string
(escape) @constant.character.escape
(integer) @constant.numeric.integer
(float) @constant.numeric.float
(boolean) @constant.builtin.boolean
(none) @constant.builtin
(wildcard) @variable.builtin

(named_type (identifier) @type)
(named_type (capital_identifier) @type)
(option_type "Option" @type.builtin)
(list_type "List" @type.builtin)
(result_type "Result" @type.builtin)
(map_type "Map" @type.builtin)
(function_type "Fn" @type.builtin)
(named_type (capital_identifier) @type.builtin
  (#any-of? @type.builtin "Int" "Float" "String" "Bool" "Unit"))

(module name: (identifier) @namespace)
(library_name (identifier) @namespace)

(function name: (identifier) @function)
(parameter name: (identifier) @variable.parameter)
(capability (identifier) @attribute)
(variant name: (identifier) @type.enum.variant)

(call function: (identifier) @function)
(call function: (identifier) @function.builtin
  (#match? @function.builtin "^__builtin_"))
(call function: (field_access field: (field_name) @function.method))

(constructor name: _ @constructor)
(constructor_pattern name: _ @constructor)
(enum_value enum: (identifier) @type)
(enum_value enum: (capital_identifier) @type)
(enum_value variant: (identifier) @type.enum.variant)
(variant_pattern variant: (capital_identifier) @type.enum.variant)
(record_value type: (capital_identifier) @type)

["fn"] @keyword.function
["let" "type" "enum"] @keyword.storage.type
["mut" "export"] @keyword.storage.modifier
["module" "import"] @keyword.control.import
["if" "else" "match"] @keyword.control.conditional
["while" "for" "in"] @keyword.control.repeat
(return "return" @keyword.control.return)
["intent" "requires" "ensures"] @keyword.directive
["spawn" "send" "emit"] @keyword.control
(receive) @keyword.control

["+" "-" "*" "/" "%" "++" "==" "!=" "<" "<=" ">" ">=" "&&" "||" "!" "=" "->" "=>" ".."] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" "::" "."] @punctuation.delimiter
