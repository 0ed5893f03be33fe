vim.bo.commentstring = "// %s"
vim.bo.comments = "://"
vim.bo.expandtab = true
vim.bo.shiftwidth = 4
vim.bo.softtabstop = 4
-- Colours before the server answers, if the parser of editors/tree-sitter-boruna is installed.
pcall(vim.treesitter.start, 0, "boruna")
