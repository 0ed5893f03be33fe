; What Zed's Vim mode selects in a Boruna program.

(function body: (block) @function.inside) @function.around
(record) @class.around
(enum) @class.around
(comment)+ @comment.around
