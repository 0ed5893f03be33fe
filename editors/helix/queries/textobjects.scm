; What `mif`, `]f` and the like select in a Boruna program in Helix.

(function body: (block) @function.inside) @function.around
(record) @class.around
(enum) @class.around
(field) @entry.around
(variant) @entry.around
(arm body: (_) @entry.inside) @entry.around
(list (_) @entry.around)

(parameters (parameter) @parameter.inside @parameter.around)
(arguments (_) @parameter.inside @parameter.around)

(comment) @comment.inside
(comment)+ @comment.around
