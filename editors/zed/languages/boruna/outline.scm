; The outline of a Boruna program in Zed.

(comment) @annotation

(function
  "fn" @context
  name: (identifier) @name) @item

(record
  "type" @context
  name: (type_name) @name) @item

(record (field name: (field_name) @name) @item)

(enum
  "enum" @context
  name: (type_name) @name) @item

(enum (variant name: (identifier) @name) @item)
