-- Runs inside a real Neovim (see test_neovim.py): drives the built-in client as a person would, and writes down what it shows.
local workspace = vim.env.BORUNA_WORKSPACE

local function diagnostics()
  return vim.tbl_map(function(one)
    return { one.code, one.lnum, one.col, one.end_col, one.message }
  end, vim.diagnostic.get(0))
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") .. "\n"
end

local function first_error()
  return vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR })[1]
end

local function main()
  vim.cmd.edit(workspace .. "/src/app.ax")
  await("a client", function() return #vim.lsp.get_clients({ bufnr = 0 }) == 1 end)
  local client = vim.lsp.get_clients({ bufnr = 0 })[1]
  await("initialization", function() return client.initialized end)
  seen.root = client.root_dir
  seen.encoding = client.offset_encoding
  seen.filetype = vim.bo.filetype
  await("no diagnostics of the saved text", function() return first_error() == nil end)

  -- Typed, not saved: a name misspelt behind letters outside the first plane.
  vim.api.nvim_buf_set_lines(0, 1, 2, false, { '    "größe 😀 " ++ lable(7)' })
  await("an error", function() return first_error() ~= nil end)
  seen.broken = diagnostics()
  seen.modified = vim.bo.modified

  -- The preferred quick fix, as `vim.lsp.buf.code_action({ apply = true, filter = … })` of a key mapping does it.
  local place = first_error()
  vim.api.nvim_win_set_cursor(0, { place.lnum + 1, place.col })
  seen.titles = {}
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      table.insert(seen.titles, { title = action.title, kind = action.kind, preferred = action.isPreferred or false })
      return action.isPreferred and action.kind == "quickfix"
    end,
  })
  await("the fix", function() return text():find("label%(7%)") ~= nil end)
  await("no error after the fix", function() return first_error() == nil end)
  seen.fixed = text()

  -- Hover over the call, rename it from there; the definition is in another item of the file.
  local line = vim.api.nvim_buf_get_lines(0, 1, 2, false)[1]
  vim.api.nvim_win_set_cursor(0, { 2, assert(line:find("label")) - 1 })
  local hover = request("textDocument/hover", vim.lsp.util.make_position_params(0, client.offset_encoding))
  seen.hover = hover.contents.value
  vim.lsp.buf.rename("title_of")
  await("the new name", function() return text():find("fn title_of") ~= nil end)
  seen.renamed = text()

  vim.lsp.buf.definition()
  await("the definition", function() return vim.api.nvim_win_get_cursor(0)[1] == 5 end)
  seen.definition = vim.api.nvim_win_get_cursor(0)

  vim.api.nvim_buf_set_lines(0, -1, -1, false, { "fn   tail( )->Int{ 1 }" })
  vim.lsp.buf.format({ timeout_ms = 60000 })
  seen.formatted = text()

  vim.api.nvim_buf_set_lines(0, 1, 2, false, { "    titel_of(7)" })
  await("an error again", function() return first_error() ~= nil end)
  vim.lsp.buf.code_action({ apply = true, context = { only = { "source.fixAll" }, diagnostics = {} } })
  await("all fixed", function() return text():find("titel") == nil end)
  seen.all_fixed = text()

  -- A second file uses a library; semantic tokens arrive for it.
  vim.cmd.edit(workspace .. "/src/other.ax")
  await("the same client", function() return #vim.lsp.get_clients({ bufnr = 0 }) == 1 end)
  seen.clients = #vim.lsp.get_clients()
  await("tokens", function() return #(vim.lsp.semantic_tokens.get_at_pos(0, 2, 3) or {}) > 0 end)
  seen.token = vim.lsp.semantic_tokens.get_at_pos(0, 2, 3)[1].type
  seen.symbols = vim.tbl_map(function(one) return one.name end,
    request("textDocument/documentSymbol", { textDocument = vim.lsp.util.make_text_document_params(0) }))
  stop_clients()
end

drive(main)
