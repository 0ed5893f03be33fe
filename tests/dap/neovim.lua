-- Executes the snippet of docs/debugging.md against a table in place of nvim-dap, and writes down what it has set.
-- nvim-dap's functions are those below: a name that it does not have is nil, and cannot be mapped.
local dap = { adapters = {}, configurations = {} }
for _, name in ipairs({
  "continue", "toggle_breakpoint", "step_over", "step_into", "step_out", "step_back", "reverse_continue", "run_to_cursor",
}) do
  dap[name] = function() end
end
package.preload.dap = function() return dap end
vim.fn.input = function(_, default) return default end
local ok, problem = pcall(dofile, vim.env.BORUNA_SNIPPET)
local launches = {}
for _, configuration in ipairs(dap.configurations.boruna or {}) do
  local launch = {}
  for name, value in pairs(configuration) do
    -- As nvim-dap does it with each value of a configuration.
    if type(value) == "function" then value = value() end
    launch[name] = type(value) == "string" and value:gsub("%${file}", vim.env.BORUNA_PROGRAM) or value
  end
  table.insert(launches, launch)
end
local mapped = {}
for _, key in ipairs(vim.api.nvim_get_keymap("n")) do
  if (key.desc or ""):find("^Debug: ") then mapped[key.desc:sub(8)] = key.lhs end
end
local seen = {
  problem = not ok and problem or nil,
  adapter = dap.adapters.boruna,
  launches = launches,
  mapped = mapped,
  filetype = vim.filetype.match({ filename = "app.ax" }),
}
vim.fn.writefile({ vim.json.encode(seen) }, vim.env.BORUNA_RESULT)
vim.cmd("qall!")
