-- Runs inside a real Neovim (see test_neovim_folder.py): opens a file and writes down what the folder of editors/ has set up.

local function main()
  vim.cmd.edit(vim.env.BORUNA_WORKSPACE .. "/src/a.ax")
  await("diagnostics", function() return #vim.diagnostic.get(0) > 0 end)
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

drive(main)
