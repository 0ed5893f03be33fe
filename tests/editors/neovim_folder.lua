-- Runs inside a real Neovim (see test_neovim_folder.py): opens a file and writes down what the folder of editors/ has set up.
local seen = {}

local function main()
  vim.cmd.edit(vim.env.BORUNA_FILE)
  if not vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 20) then
    error("no diagnostics")
  end
  seen.codes = vim.tbl_map(function(one) return one.code end, vim.diagnostic.get(0))
  seen.filetype = vim.bo.filetype
  seen.commentstring = vim.bo.commentstring
  seen.shiftwidth = vim.bo.shiftwidth
  local client = vim.lsp.get_clients({ bufnr = 0 })[1]
  seen.root = client.root_dir or client.config.root_dir
  local tree, query = pcall(vim.treesitter.query.get, "boruna", "highlights")
  if tree and query then
    -- Nothing is drawn here, so nothing has asked for the tree yet.
    vim.treesitter.get_parser(0):parse()
    seen.captures = vim.tbl_map(function(one) return one.capture end, vim.treesitter.get_captures_at_pos(0, 0, 3))
    seen.folds = vim.treesitter.query.get("boruna", "folds") ~= nil
  end
end

local ok, problem = pcall(main)
seen.problem = not ok and tostring(problem) or vim.NIL
vim.fn.writefile({ vim.json.encode(seen) }, vim.env.BORUNA_RESULT)
vim.cmd("qall!")
