vim.filetype.add({
  extension = { ax = "boruna" },
  filename = { ["workflow.json"] = "json.ax", ["policy.json"] = "json.ax", ["package.ax.json"] = "json.ax", ["boruna.toml"] = "toml.ax" },
  pattern = { [".*[.-]policy%.json"] = "json.ax", [".*/templates/[^/]+/template%.json"] = "json.ax" },
})
