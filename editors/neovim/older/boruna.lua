-- For Neovim 0.8 to 0.10, in init.lua; newer ones have vim.lsp.config.
vim.filetype.add({
  extension = { ax = "boruna" },
  filename = { ["workflow.json"] = "json.ax", ["policy.json"] = "json.ax", ["package.ax.json"] = "json.ax", ["boruna.toml"] = "toml.ax" },
  pattern = { [".*[.-]policy%.json"] = "json.ax", [".*/templates/[^/]+/template%.json"] = "json.ax" },
})
vim.api.nvim_create_autocmd("FileType", {
  pattern = { "boruna", "json.ax", "toml.ax" },
  callback = function(event)
    local path = vim.api.nvim_buf_get_name(event.buf)
    local marker = vim.fs.find({ "boruna.toml", ".git" }, { upward = true, path = vim.fs.dirname(path) })[1]
    vim.lsp.start({
      name = "boruna",
      cmd = { "boruna-lsp" },
      root_dir = marker and vim.fs.dirname(marker) or nil,
    })
  end,
})
