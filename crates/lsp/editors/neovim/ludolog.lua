-- Rule files in Neovim: a file of its folder plugin/.

local languages = { dl = "datalog", kif = "gdl", gdl = "gdl" }
local comments = { datalog = "% %s", gdl = "; %s" }
local client

local function attach(buffer, language)
  vim.bo[buffer].filetype = language
  vim.bo[buffer].commentstring = comments[language]
  local config = { name = "ludolog", cmd = { "ludolog", "lsp" }, root_dir = vim.fn.getcwd() }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer })
  else
    -- Before Neovim 0.8.
    client = client or vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(buffer, client)
  end
end

for extension, language in pairs(languages) do
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    pattern = "*." .. extension,
    callback = function(event)
      attach(event.buf, language)
    end,
  })
end

-- The commands of lenses, each in a terminal below.
local function run(name)
  return function(command)
    local file = vim.uri_to_fname(command.arguments[1])
    local goal = command.arguments[2]
    vim.cmd("botright 15new")
    vim.fn.termopen(vim.list_extend({ "ludolog", name, file }, goal and { goal } or {}))
  end
end
vim.lsp.commands["ludolog.run"] = run("facts")
vim.lsp.commands["ludolog.play"] = run("play")
vim.lsp.commands["ludolog.ask"] = run("query")
vim.lsp.commands["ludolog.why"] = run("why")
