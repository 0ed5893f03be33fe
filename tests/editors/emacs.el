;; Run by test_emacs.py in batch mode: opens a program as a person does, waits for what eglot shows, renames, and waits
;; until the file BORUNA_GO exists, so that an agent can look at what was not saved. Writes what it saw to BORUNA_RESULT.

(require 'package)
(package-initialize)
(require 'json)
(load (getenv "BORUNA_EL") nil t)
(setq eglot-sync-connect 60 eglot-connect-timeout 60 eglot-events-buffer-size 0 create-lockfiles nil make-backup-files nil
      eglot-confirm-server-initiated-edits nil)

(defun boruna-test-until (what condition)
  "Let the server speak until CONDITION is not nil; give up on WHAT after a minute."
  (let ((deadline (+ (float-time) 60)) found)
    (while (not (setq found (funcall condition)))
      (when (> (float-time) deadline) (error "%s does not happen" what))
      (accept-process-output nil 0.05))
    found))

(defun boruna-test-diagnostics ()
  "What flymake shows: code or text, first line, last line."
  (mapcar (lambda (one)
            (vector (flymake-diagnostic-text one)
                    (line-number-at-pos (flymake-diagnostic-beg one)) (line-number-at-pos (flymake-diagnostic-end one))))
          (flymake-diagnostics)))

(let (seen)
  (condition-case problem
      (progn
        (find-file (getenv "BORUNA_FILE"))
        (push (cons 'mode (symbol-name major-mode)) seen)
        ;; In batch mode there are no commands after which eglot would connect.
        (run-hooks 'post-command-hook)
        (boruna-test-until "connecting" #'eglot-current-server)
        (flymake-start)
        (push (cons 'found (vconcat (boruna-test-until "a diagnostic" #'boruna-test-diagnostics))) seen)
        (search-forward "totl")
        (replace-match "total")
        (eglot--signal-textDocument/didChange)
        (flymake-start)
        (boruna-test-until "the repair" (lambda () (null (boruna-test-diagnostics))))
        (goto-char (point-min))
        (search-forward "total")
        (backward-char 2)
        (eglot-rename "amount")
        (push (cons 'text (buffer-substring-no-properties (point-min) (point-max))) seen)
        (push (cons 'modified (if (buffer-modified-p) t :json-false)) seen)
        (eglot--signal-textDocument/didChange)
        ;; A request behind the change: its answer says that the change has been taken.
        (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover (eglot--TextDocumentPositionParams))
        (with-temp-file (concat (getenv "BORUNA_GO") ".ready"))
        (boruna-test-until "the agent's look" (lambda () (file-exists-p (getenv "BORUNA_GO"))))
        (push (cons 'problem nil) seen)
        (eglot-shutdown (eglot-current-server)))
    (error (push (cons 'problem (error-message-string problem)) seen)))
  (with-temp-file (getenv "BORUNA_RESULT") (insert (json-encode seen)))
  (set-buffer-modified-p nil)
  (kill-emacs 0))
