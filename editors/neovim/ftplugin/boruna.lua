vim.bo.commentstring = "// %s"
vim.bo.comments = "://"
vim.bo.expandtab = true
vim.bo.tabstop = 4
vim.bo.shiftwidth = 4
vim.bo.softtabstop = 4
vim.bo.autoindent = true
-- A line that follows an opening bracket is indented, one that begins with a closing bracket is not.
vim.bo.indentexpr = "v:lua.BorunaIndent()"
vim.bo.indentkeys = "0},0],0),o,O"
vim.opt_local.formatoptions:append("ro")

function BorunaIndent()
  local before = vim.fn.prevnonblank(vim.v.lnum - 1)
  if before == 0 then
    return 0
  end
  local function code(line)
    return (vim.fn.getline(line):gsub('"[^"]*"', '""'):gsub("//.*$", ""))
  end
  local indent = vim.fn.indent(before)
  if code(before):match("[%{%[%(]%s*$") then
    indent = indent + vim.fn.shiftwidth()
  end
  if code(vim.v.lnum):match("^%s*[%}%]%)]") then
    indent = indent - vim.fn.shiftwidth()
  end
  return math.max(indent, 0)
end

-- Colours before the server answers, if the parser of editors/tree-sitter-boruna is installed.
pcall(vim.treesitter.start, 0, "boruna")
