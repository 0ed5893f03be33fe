-- Read by Neovim 0.11 or newer when this folder is on the runtime path; `vim.lsp.enable("boruna")` switches it on.
return {
  cmd = { "boruna-lsp" },
  filetypes = { "boruna", "json.ax", "toml.ax" },
  root_markers = { "boruna.toml", ".git" },
}
