// The Game Description Language, as `grammar/kif.pest` reads it: one parenthesized form.

module.exports = grammar({
  name: "gdl",
  extras: ($) => [/\s/, $.comment],
  rules: {
    source_file: ($) => repeat($._form),
    _form: ($) => choice($.list, $.variable, $.quoted, $.word),
    list: ($) => seq("(", repeat($._form), ")"),
    variable: () => token(prec(1, choice(/\?[^\s()|";]+/, /\?\|([^|\\]|\\.)*\|/))),
    quoted: () => token(choice(/\|([^|\\]|\\.)*\|/, /"([^"\\]|\\.)*"/)),
    word: () => /[^\s()|";?][^\s()|";]*/,
    comment: () => token(prec(2, choice(/;[^\n]*/, /#\|[^|]*\|+([^#|][^|]*\|+)*#/))),
  },
});
