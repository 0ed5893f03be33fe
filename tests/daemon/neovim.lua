-- Runs inside a real Neovim (see test_reconnect_neovim.py): an unsaved mistake, and a daemon that is killed twice.
local workspace, folder = vim.env.BORUNA_WORKSPACE, vim.env.BORUNA_LS_DIR

local function errors()
  return vim.tbl_map(function(one)
    return { one.code, one.lnum, one.col, one.message }
  end, vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }))
end

local function daemon()
  local ok, lines = pcall(vim.fn.readfile, folder .. "/daemon-1.json")
  return ok and #lines > 0 and vim.json.decode(lines[1]).pid or nil
end

local function kill()
  local dead = daemon()
  seen.fewest = #errors()
  vim.uv.kill(dead, "sigkill")
  -- Diagnostics stay while nobody serves, and when somebody does again.
  await("another daemon", function()
    seen.fewest = math.min(seen.fewest, #errors())
    return daemon() ~= nil and daemon() ~= dead
  end)
end

local function hover()
  local client = vim.lsp.get_clients({ bufnr = 0 })[1]
  vim.api.nvim_win_set_cursor(0, { 5, 3 })
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  return request("textDocument/hover", params).contents.value
end

local function main()
  vim.cmd.edit(workspace .. "/app.ax")
  await("a client", function() return #vim.lsp.get_clients({ bufnr = 0 }) == 1 end)
  seen.id = vim.lsp.get_clients({ bufnr = 0 })[1].id
  vim.api.nvim_buf_set_lines(0, 1, 2, false, { '    "größe 😀 " ++ lable(7)' })
  await("an error", function() return #errors() == 1 end)
  kill()
  seen.hover = hover()
  await("the error", function() return #errors() == 1 end)
  seen.kept = errors()
  kill()
  -- Typed at once, whoever serves by now.
  vim.api.nvim_buf_set_text(0, 1, 0, 1, 0, { "", "" })
  vim.api.nvim_buf_set_lines(0, 2, 3, false, { "    labbel(7)" })
  await("the error of the new text", function()
    local found = errors()[1]
    return found ~= nil and found[4]:find("labbel") ~= nil
  end)
  seen.moved = errors()
  vim.api.nvim_buf_set_lines(0, 2, 3, false, { "    label(7)" })
  await("no error", function() return #errors() == 0 end)
  seen.clients = #vim.lsp.get_clients()
  seen.same = vim.lsp.get_clients({ bufnr = 0 })[1].id == seen.id
  stop_clients()
end

drive(main)
