(comment) @comment
(variable) @variable
(number) @number
(quoted) @string
(keyword) @keyword
(operator) @operator
[":-" "?-" "==>"] @keyword.operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
(applied name: (plain) @function)
