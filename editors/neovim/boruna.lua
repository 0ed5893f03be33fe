vim.filetype.add({ extension = { ax = "boruna" } })
vim.lsp.config("boruna", {
  cmd = { "boruna-lsp" },
  filetypes = { "boruna" },
  root_markers = { "boruna.toml", ".git" },
})
vim.lsp.enable("boruna")
