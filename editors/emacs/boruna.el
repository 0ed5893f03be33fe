(define-derived-mode boruna-mode prog-mode "Boruna"
  (setq-local comment-start "// "))
(add-to-list 'auto-mode-alist '("\\.ax\\'" . boruna-mode))
(add-hook 'boruna-mode-hook #'eglot-ensure)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(boruna-mode . ("boruna-lsp"))))
