; Colours of Boruna. Later patterns win: general names first, what is known about them after.

(identifier) @variable
(capital_identifier) @variable
(field_name) @property
(type_name) @type

(comment) @comment
(string) @string
(escape) @string.escape
(integer) @number
(float) @number.float
(boolean) @boolean
(none) @constant.builtin
(wildcard) @variable.parameter

(named_type) @type
(named_type (identifier) @type)
(named_type (capital_identifier) @type)
(option_type "Option" @type.builtin)
(list_type "List" @type.builtin)
(result_type "Result" @type.builtin)
(map_type "Map" @type.builtin)
(function_type "Fn" @type.builtin)
(named_type (capital_identifier) @type.builtin
  (#any-of? @type.builtin "Int" "Float" "String" "Bool" "Unit"))

(module name: (identifier) @module)
(library_name) @module
(library_name (identifier) @module)

(function name: (identifier) @function)
(parameter name: (identifier) @variable.parameter)
(capability) @attribute
(capability (identifier) @attribute)
(variant name: (identifier) @constant)

(call function: (identifier) @function.call)
(call function: (identifier) @function.builtin
  (#match? @function.builtin "^__builtin_"))
(call function: (field_access field: (field_name) @function.method.call))

(constructor name: _ @constructor)
(constructor_pattern name: _ @constructor)
(enum_value enum: (identifier) @type)
(enum_value enum: (capital_identifier) @type)
(enum_value variant: (identifier) @constant)
(variant_pattern variant: (capital_identifier) @constant)
(record_value type: (capital_identifier) @type)

["fn"] @keyword.function
["let" "type" "enum"] @keyword
["mut" "export"] @keyword.modifier
["module" "import"] @keyword.import
["if" "else" "match"] @keyword.conditional
["while" "for" "in"] @keyword.repeat
(return "return" @keyword.return)
["intent" "requires" "ensures"] @keyword
["spawn" "send" "emit"] @keyword.coroutine
(receive) @keyword.coroutine

["+" "-" "*" "/" "%" "++" "==" "!=" "<" "<=" ">" ">=" "&&" "||" "!" "=" "->" "=>" ".."] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" "::" "."] @punctuation.delimiter
