vim.filetype.add({ extension = { ax = "boruna" } })
