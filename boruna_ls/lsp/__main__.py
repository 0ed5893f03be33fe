"""`python -m boruna_ls.lsp`: the language server over stdio."""

import sys

from boruna_ls.lsp.stdio import main

sys.exit(main())
