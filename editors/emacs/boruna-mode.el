;;; boruna-mode.el --- Major mode for .ax programs -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages

;;; Commentary:

;; Colours, comments, indentation and an index of functions and types; eglot or lsp-mode do the rest, by the command `boruna-lsp'.

;;; Code:

(require 'cl-lib)

(defgroup boruna nil "Programs of the .ax language." :group 'languages)

(defcustom boruna-indent-offset 4 "Columns of one level." :type 'integer :safe #'integerp)

(defcustom boruna-server '("boruna-lsp") "Command line of the language server." :type '(repeat string) :risky t)

(defvar boruna-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    (modify-syntax-entry ?_ "_" table)
    (dolist (operator '(?+ ?- ?* ?% ?< ?> ?= ?! ?& ?|)) (modify-syntax-entry operator "." table))
    table)
  "Strings, `//' comments, brackets.")

(defconst boruna-font-lock-keywords
  `(("\\_<fn\\s-+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1 font-lock-function-name-face)
    ("\\_<\\(?:type\\|enum\\)\\s-+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1 font-lock-type-face)
    ("\\_<let\\(?:\\s-+mut\\)?\\s-+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1 font-lock-variable-name-face)
    (,(regexp-opt '("fn" "let" "mut" "if" "else" "match" "return" "type" "enum" "module" "import" "export" "requires" "ensures" "intent"
                    "spawn" "send" "receive" "emit" "while" "for" "in") 'symbols) . font-lock-keyword-face)
    (,(regexp-opt '("true" "false" "None" "Some" "Ok" "Err") 'symbols) . font-lock-constant-face)
    ("\\_<__builtin_[a-z0-9_]+" . font-lock-builtin-face)
    ("\\_<[A-Z][A-Za-z0-9_]*\\_>" . font-lock-type-face))
  "Colours without a server.")

(defun boruna-indentation ()
  "Column of the line: a level for each line that opens brackets which are open here, without those that the line closes first."
  (save-excursion
    (back-to-indentation)
    (let ((opened (reverse (nth 9 (syntax-ppss)))) lines)
      (while (and opened (eq (char-syntax (or (char-after) ?\s)) ?\)))
        (pop opened)
        (forward-char))
      (dolist (position opened)
        (cl-pushnew (line-number-at-pos position) lines))
      (* boruna-indent-offset (length lines)))))

(defun boruna-indent-line ()
  "Indent the line, unless it begins within a string."
  (interactive)
  (unless (nth 3 (save-excursion (syntax-ppss (line-beginning-position))))
    (let ((column (boruna-indentation)))
      (if (<= (current-column) (current-indentation))
          (indent-line-to column)
        (save-excursion (indent-line-to column))))))

;;;###autoload
(define-derived-mode boruna-mode prog-mode "Boruna"
  "Major mode for .ax programs."
  (setq-local comment-start "// ")
  (setq-local comment-start-skip "//+\\s-*")
  (setq-local comment-end "")
  (setq-local indent-line-function #'boruna-indent-line)
  (setq-local indent-tabs-mode nil)
  (setq-local tab-width 4)
  (setq-local electric-indent-chars (append "}])\n" electric-indent-chars))
  (setq-local font-lock-defaults '(boruna-font-lock-keywords))
  (setq-local imenu-generic-expression
              '((nil "^\\(?:export\\s-+\\)?fn\\s-+\\([A-Za-z0-9_]+\\)" 1)
                ("Types" "^\\(?:export\\s-+\\)?\\(?:type\\|enum\\)\\s-+\\([A-Za-z0-9_]+\\)" 1))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ax\\'" . boruna-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs (cons 'boruna-mode boruna-server)))

(with-eval-after-load 'lsp-mode
  (add-to-list 'lsp-language-id-configuration '(boruna-mode . "boruna"))
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection (lambda () boruna-server))
                    :activation-fn (lsp-activate-on "boruna")
                    :server-id 'boruna)))

(provide 'boruna-mode)
;;; boruna-mode.el ends here
