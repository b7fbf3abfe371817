(comment) @comment
(variable) @variable
(quoted) @string
((word) @number (#match? @number "^-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$"))
(list . (word) @function)
((word) @keyword.operator (#any-of? @keyword.operator "<=" "==>" "?-" "=" "=:=" "=\\=" "<" ">" ">="))
((word) @keyword (#any-of? @keyword "not" "and" "or" "distinct" "is" "in" "count" "sum" "min" "max" "avg" "union" "role" "init" "true" "next" "legal" "does" "goal" "terminal" "base" "input" "sees"))
