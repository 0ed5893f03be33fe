vim.filetype.add({
  extension = { ax = "boruna" },
  filename = { ["workflow.json"] = "json.ax", ["policy.json"] = "json.ax", ["package.ax.json"] = "json.ax", ["boruna.toml"] = "toml.ax" },
  pattern = { [".*[.-]policy%.json"] = "json.ax", [".*/templates/[^/]+/template%.json"] = "json.ax" },
})
vim.lsp.config("boruna", {
  cmd = { "boruna-lsp" },
  filetypes = { "boruna", "json.ax", "toml.ax" },
  root_markers = { "boruna.toml", ".git" },
})
vim.lsp.enable("boruna")
