-- Runs inside a real Neovim (see test_neovim_refactoring.py): refactorings as a person chooses them, and a rename across files.
local workspace = vim.env.BORUNA_WORKSPACE

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") .. "\n"
end

local function go_to(pattern)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local at = line:find(pattern)
    if at then
      vim.api.nvim_win_set_cursor(0, { number, at - 1 })
      return
    end
  end
  error("not there: " .. pattern)
end

-- The menu of actions at the cursor or of a selection; takes the entry of a title, or none.
local function choose(title, options)
  local titles, is_over = {}, false
  vim.ui.select = function(items, settings, on_choice)
    local wanted, number
    for index, item in ipairs(items) do
      table.insert(titles, settings.format_item(item))
      if item.action.title == title then wanted, number = item, index end
    end
    is_over = true
    on_choice(wanted, number)
  end
  vim.lsp.buf.code_action(options)
  await("the menu for " .. tostring(title), function() return is_over end)
  return titles
end

local function main()
  vim.cmd.edit(workspace .. "/app.ax")
  await("a client", function() return #vim.lsp.get_clients({ bufnr = 0 }) == 1 end)
  local client = vim.lsp.get_clients({ bufnr = 0 })[1]
  await("initialization", function() return client.initialized end)

  -- The list of a selection; nothing is chosen.
  go_to("total %* 2")
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local range = { start = { line, 4 }, ["end"] = { line, 13 } }
  seen.refactorings = choose(nil, { range = range, context = { only = { "refactor" }, diagnostics = {} } })
  seen.extracts = choose(nil, { range = range, context = { only = { "refactor.extract" }, diagnostics = {} } })
  seen.at_operator = (function()
    vim.api.nvim_win_set_cursor(0, { line, 10 })
    return choose(nil, { context = { only = { "refactor" }, diagnostics = {} } })
  end)()
  seen.untouched = text()

  choose("Extract into a variable", { range = range, context = { only = { "refactor" }, diagnostics = {} } })
  await("the variable", function() return text():find("let value = total %* 2") ~= nil end)
  seen.extracted = text()
  vim.cmd.undo()
  seen.undone = text()

  go_to("total = half")
  choose("Inline the variable", { context = { only = { "refactor.inline" }, diagnostics = {} } })
  await("the variable inlined", function() return text():find("half%(8%) %* 2") ~= nil end)
  seen.inlined = text()

  -- A rename from a use: the library and another importer, neither of them open, change with it.
  go_to("half")
  vim.lsp.buf.rename("halved")
  await("the new name", function() return text():find("halved") ~= nil end)
  vim.cmd.wall()
  seen.renamed = text()

  stop_clients()
end

drive(main)
