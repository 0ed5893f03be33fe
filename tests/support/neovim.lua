-- What the scripts that run inside a real Neovim share (see neovim.py): `seen` is what the editor showed, for the test to judge.
seen = {}

function await(what, condition)
  if not vim.wait(60000, condition, 20) then
    error("waited in vain: " .. what)
  end
end

-- The answer of the buffer's only server; asked again where the document was changed meanwhile (ContentModified).
function request(method, params)
  local client = vim.lsp.get_clients({ bufnr = 0 })[1]
  local answer
  for _ = 1, 20 do
    answer = client:request_sync(method, params, 60000, 0)
    if not (answer and answer.err and answer.err.code == -32801) then break end
  end
  assert(answer and not answer.err, method .. ": " .. vim.inspect(answer))
  return answer.result
end

function stop_clients()
  vim.lsp.stop_client(vim.lsp.get_clients())
  await("the end", function() return #vim.lsp.get_clients() == 0 end)
end

-- Runs a script's `main`, writes down what was seen, and ends the editor.
function drive(main)
  vim.schedule(function()
    local ok, problem = xpcall(main, debug.traceback)
    seen.problem = ok and vim.NIL or problem
    seen.messages = vim.api.nvim_exec2("messages", { output = true }).output
    vim.fn.writefile({ vim.json.encode(seen) }, vim.env.BORUNA_RESULT)
    vim.cmd("qall!")
  end)
end
