// Infix rules, as `grammar/datalog.pest` reads them: conditions and terms share one expression grammar.

module.exports = grammar({
  name: "datalog",
  extras: ($) => [/\s/, $.comment],
  word: ($) => $.plain,
  rules: {
    source_file: ($) => repeat($._statement),
    _statement: ($) => choice($.directive, $.query, $.clause),
    directive: ($) => seq(":-", $._conditions, $._end),
    query: ($) => seq("?-", $._conditions, $._end),
    clause: ($) =>
      seq(
        field("head", $._conditions),
        optional(choice(seq(":-", field("body", $._conditions)), seq("==>", field("effects", $._conditions)))),
        $._end,
      ),
    // A period ends a statement, and two of them are a range.
    _end: () => token(prec(-1, ".")),
    _conditions: ($) => seq(repeat($._prefix), $._operand, repeat(seq($._operator, repeat($._prefix), $._operand))),
    _expression: ($) => seq(repeat($._prefix), $._operand, repeat(seq($._term_operator, repeat($._prefix), $._operand))),
    _prefix: ($) => alias(choice("~", "!", "\\+", "not", "-"), $.operator),
    _operator: ($) => choice($._term_operator, alias(choice("|", ";", "&", ","), $.operator)),
    _term_operator: ($) =>
      alias(
        choice("=:=", "=\\=", "==", "=<", "=", "!=", "\\=", "<=", "<", ">=", ">", "is", "in", "..", "+", "-", "*", "/", "mod"),
        $.operator,
      ),
    _operand: ($) => choice($.number, $.variable, $.aggregate, $.best, $.applied, $.list, $.group),
    aggregate: ($) =>
      seq(
        field("function", alias(choice("count", "sum", "min", "max", "avg", "union"), $.keyword)),
        "{",
        $._expression,
        repeat(seq(",", $._expression)),
        ":",
        $._conditions,
        "}",
      ),
    best: ($) =>
      seq(
        field("function", alias(choice("count", "sum", "min", "max", "avg", "union"), $.keyword)),
        choice($.number, $.variable, $.plain, $.quoted),
      ),
    applied: ($) =>
      prec.right(
        seq(
          field("name", choice($.plain, $.quoted, alias(choice("count", "sum", "min", "max", "avg", "union", "in"), $.plain))),
          // A semicolon stands in a choice: `choice(X; Y)`.
          optional(
            seq(
              token.immediate("("),
              optional(";"),
              optional(seq($._expression, repeat(seq(choice(",", ";"), $._expression)))),
              ")",
            ),
          ),
        ),
      ),
    list: ($) =>
      seq("[", optional(seq($._expression, repeat(seq(",", $._expression)), optional(seq("|", $._expression)))), "]"),
    group: ($) => seq("(", $._conditions, ")"),
    plain: () => /[a-z][A-Za-z0-9_]*/,
    quoted: () => token(choice(/'([^'\\\n]|\\.|'')*'/, /"([^"\\\n]|\\.|"")*"/)),
    variable: () => token(choice(/[A-Z_][A-Za-z0-9_]*/, /\?'([^'\\\n]|\\.|'')*'/, /\?"([^"\\\n]|\\.|"")*"/)),
    number: () => token(prec(1, /-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/)),
    comment: () => token(choice(/%[^\n]*/, /\/\/[^\n]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//)),
  },
});
