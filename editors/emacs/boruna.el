(add-to-list 'load-path (locate-user-emacs-file "boruna"))
(setq boruna-server '("boruna-lsp"))
(require 'boruna-mode)
(add-hook 'boruna-mode-hook #'eglot-ensure)
