;;; ludolog.el --- Rule files of Ludolog  -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "29.1"))
;; Keywords: languages

;;; Commentary:

;; Major modes for `.dl' (infix Datalog) and `.kif' or `.gdl' (the Game Description Language), with the language server
;; `ludolog lsp' for eglot.

;;; Code:

(defvar ludolog-datalog-keywords '("not" "is" "in" "mod" "count" "sum" "min" "max" "avg" "union")
  "The words that the infix syntax keeps for itself.")

(defvar ludolog-gdl-keywords
  '("not" "and" "or" "distinct" "is" "in" "count" "sum" "min" "max" "avg" "union"
    "role" "init" "true" "next" "legal" "does" "goal" "terminal" "base" "input" "sees")
  "The words that GDL keeps for itself.")

(defvar ludolog-datalog-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?% "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?/ ". 14b" table)
    (modify-syntax-entry ?* ". 23b" table)
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?' "\"" table)
    table)
  "Syntax of infix rules.")

(defvar ludolog-gdl-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?\; "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?# "_ 14bn" table)
    (modify-syntax-entry ?| "\" 23bn" table)
    (modify-syntax-entry ?? "w" table)
    (modify-syntax-entry ?_ "w" table)
    table)
  "Syntax of GDL.")

;;;###autoload
(define-derived-mode ludolog-datalog-mode prog-mode "Datalog"
  "Major mode for infix rules."
  (setq-local comment-start "% ")
  (setq-local font-lock-defaults
              `(((,(regexp-opt ludolog-datalog-keywords 'words) . font-lock-keyword-face)
                 ("\\_<[A-Z][A-Za-z0-9_]*" . font-lock-variable-name-face)
                 ("\\([a-z][A-Za-z0-9_]*\\)(" 1 font-lock-function-name-face)))))

;;;###autoload
(define-derived-mode ludolog-gdl-mode prog-mode "GDL"
  "Major mode for the Game Description Language."
  (setq-local comment-start "; ")
  (setq-local font-lock-defaults
              `(((,(regexp-opt ludolog-gdl-keywords 'words) . font-lock-keyword-face)
                 ("\\?[^][ \t\n()|\";]+" . font-lock-variable-name-face)
                 ("(\\([^?() \t\n]+\\)" 1 font-lock-function-name-face)))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.dl\\'" . ludolog-datalog-mode))
;;;###autoload
(add-to-list 'auto-mode-alist '("\\.\\(?:kif\\|gdl\\)\\'" . ludolog-gdl-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '(((ludolog-datalog-mode :language-id "datalog") (ludolog-gdl-mode :language-id "gdl")) "ludolog" "lsp")))

(provide 'ludolog)
;;; ludolog.el ends here
