-- Runs inside a real Neovim (see test_hostile_clone.py): opens a program of a hostile clone and works in it until it is told to stop.
local function errors()
  return vim.tbl_map(function(one) return one.code end, vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }))
end

local function is_there(name)
  return vim.uv.fs_stat(vim.env.BORUNA_SIGNS .. "/" .. name) ~= nil
end

drive(function()
  vim.cmd.edit(vim.env.BORUNA_WORKSPACE .. "/main.ax")
  await("a client", function() return #vim.lsp.get_clients({ bufnr = 0 }) == 1 end)
  await("errors", function() return #errors() > 0 end)
  seen.rounds = 0
  repeat
    if is_there("pause") then
      vim.wait(20)
    else
      seen.rounds = seen.rounds + 1
      vim.api.nvim_buf_set_lines(0, 0, 0, false, { "// round " .. seen.rounds })
      request("workspace/symbol", { query = "" })
      request("textDocument/documentSymbol", { textDocument = { uri = vim.uri_from_bufnr(0) } })
      vim.wait(60)
    end
    if seen.rounds == 10 then
      vim.fn.writefile({}, vim.env.BORUNA_SIGNS .. "/works")
    end
  until is_there("stop")
  seen.errors = errors()
  stop_clients()
end)
