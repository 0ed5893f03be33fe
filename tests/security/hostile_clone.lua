-- Runs inside a real Neovim (see test_hostile_clone.py): opens a program of a hostile clone and works in it.
local function errors()
  return vim.tbl_map(function(one) return one.code end, vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }))
end

drive(function()
  vim.cmd.edit(vim.env.BORUNA_WORKSPACE .. "/main.ax")
  await("a client", function() return #vim.lsp.get_clients({ bufnr = 0 }) == 1 end)
  await("errors", function() return #errors() > 0 end)
  for round = 1, 10 do
    vim.api.nvim_buf_set_lines(0, 0, 0, false, { "// round " .. round })
    request("workspace/symbol", { query = "" })
    request("textDocument/documentSymbol", { textDocument = { uri = vim.uri_from_bufnr(0) } })
  end
  seen.errors = errors()
  stop_clients()
end)
