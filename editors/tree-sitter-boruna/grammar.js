/**
 * The .ax language for editors that colour and fold by tree-sitter. What it accepts is what the parser of `analysis/` accepts;
 * `tests/editors/test_tree_sitter.py` compares the two on the whole corpus and says where they must differ.
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

const PRECEDENCE = {
  or: 1,
  and: 2,
  equality: 3,
  comparison: 4,
  concatenation: 5,
  addition: 6,
  multiplication: 7,
  unary: 8,
  postfix: 9,
  primary: 10,
};

const KEYWORDS = (
  "fn let mut if else match return type enum module import export true false None Some Ok Err " +
  "requires ensures intent spawn send receive emit while for in"
).split(" ");
const TYPE_WORDS = ["Option", "List", "Result", "Map", "Fn"];

const list = (rule) => optional(seq(rule, repeat(seq(",", rule))));
/** A regular expression for every capitalised identifier but `words`, which have no look-ahead to be excluded with. */
function capitalExcept(words) {
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"];
  const after = (prefix) => {
    const going = [...new Set(words.filter((word) => word.startsWith(prefix) && word !== prefix).map((word) => word[prefix.length]))];
    const first = prefix === "" ? letters.slice(0, 26) : letters;
    const other = first.filter((letter) => !going.includes(letter)).join("");
    const ways = [`[${other}][A-Za-z0-9_]*`, ...going.map((letter) => `${letter}${after(prefix + letter)}`)];
    const both = `(${ways.join("|")})`;
    return prefix === "" || words.includes(prefix) ? both : `${both}?`;
  };
  return new RegExp(after(""));
}

const listWithTrailingComma = (rule) => optional(seq(rule, repeat(seq(",", rule)), optional(",")));

module.exports = grammar({
  name: "boruna",

  extras: ($) => [/[ \t\r\n]/, $.comment],

  word: ($) => $.identifier,

  // Reserved everywhere, also where the word could not be the keyword.
  reserved: { global: () => KEYWORDS },

  // Only after the parenthesis that closes it is `(a)` a target or a value.
  conflicts: ($) => [[$._target, $._primary]],

  rules: {
    program: ($) => seq(optional($.module), repeat($._item)),

    module: ($) => seq("module", field("name", $._name)),

    _item: ($) => choice($.function, $.record, $.enum, $.import),

    import: ($) => seq(optional("export"), "import", field("module", choice($.string, $.library_name))),

    // `name`, `name-with-dash` without blanks, `mcp.server`.
    library_name: ($) =>
      choice(
        seq($._name, repeat(seq(token.immediate("-"), token.immediate(/[A-Za-z][A-Za-z0-9_]*|_[A-Za-z0-9_]+/)))),
        seq("mcp", optional(seq(".", $._name))),
      ),

    record: ($) =>
      seq(optional("export"), "type", field("name", $._type_name), "{", listWithTrailingComma($.field), "}"),

    field: ($) => seq(field("name", $._field_name), ":", field("type", $._type)),

    enum: ($) =>
      seq(optional("export"), "enum", field("name", $._type_name), "{", listWithTrailingComma($.variant), "}"),

    variant: ($) => seq(field("name", $._name), optional(seq("(", field("payload", $._type), ")"))),

    function: ($) =>
      seq(
        optional("export"),
        "fn",
        field("name", $._name),
        field("parameters", $.parameters),
        optional(seq("->", field("return_type", $._type))),
        optional(field("capabilities", $.capabilities)),
        repeat(choice($.requires, $.ensures)),
        optional(seq($.intent, repeat(choice($.requires, $.ensures)))),
        field("body", $.block),
      ),

    parameters: ($) => seq("(", list($.parameter), ")"),

    parameter: ($) => seq(field("name", $._name), ":", field("type", $._type)),

    capabilities: ($) => seq("!", "{", list($.capability), "}"),

    capability: ($) => seq($._name, optional(seq(".", $._name))),

    intent: ($) => seq("intent", $.string),

    requires: ($) => seq("requires", $._expression),

    ensures: ($) => seq("ensures", $._expression),

    // Types: five words have arguments and must have them, any other name has none.

    _type: ($) => choice($.option_type, $.list_type, $.result_type, $.map_type, $.function_type, $.named_type),

    option_type: ($) => seq("Option", "<", $._type, ">"),

    list_type: ($) => seq("List", "<", $._type, ">"),

    result_type: ($) => seq("Result", "<", $._type, ",", $._type, ">"),

    map_type: ($) => seq("Map", "<", $._type, ",", $._type, ">"),

    function_type: ($) => seq("Fn", "(", list($._type), ")", "->", $._type),

    named_type: ($) => choice($.capital_identifier, $.identifier),

    // Statements. Nothing separates them: a statement ends where its grammar ends.

    block: ($) => seq("{", repeat($._statement), optional(alias($.empty_return, $.return)), "}"),

    _statement: ($) => choice($.let, $.return, $.while, $.for, $.assignment, $.expression_statement),

    let: ($) =>
      seq("let", optional("mut"), field("name", $._name), optional(seq(":", field("type", $._type))), "=", field("value", $._expression)),

    return: ($) => seq("return", $._expression),

    empty_return: () => "return",

    while: ($) => seq("while", field("condition", $._expression), field("body", $.block)),

    for: ($) => seq("for", field("name", $._name), "in", field("iterated", $._expression), field("body", $.block)),

    assignment: ($) => seq(field("target", $._target), "=", field("value", $._expression)),

    // Parentheses around a target leave no trace, so they are allowed.
    _target: ($) => choice($._variable, alias($.parenthesized_target, $.parenthesized)),

    parenthesized_target: ($) => seq("(", $._target, ")"),

    expression_statement: ($) => $._expression,

    // Expressions.

    _expression: ($) => choice($.binary, $.unary, $.call, $.field_access, $._primary),

    binary: ($) => {
      const levels = [
        [PRECEDENCE.or, "||"],
        [PRECEDENCE.and, "&&"],
        [PRECEDENCE.equality, choice("==", "!=")],
        [PRECEDENCE.comparison, choice("<", "<=", ">", ">=")],
        [PRECEDENCE.concatenation, "++"],
        [PRECEDENCE.addition, choice("+", "-")],
        [PRECEDENCE.multiplication, choice("*", "/", "%")],
      ];
      return choice(
        ...levels.map(([level, operator]) =>
          prec.left(level, seq(field("left", $._expression), field("operator", operator), field("right", $._expression))),
        ),
      );
    },

    unary: ($) => prec(PRECEDENCE.unary, seq(field("operator", choice("-", "!")), field("operand", $._expression))),

    call: ($) => prec(PRECEDENCE.postfix, seq(field("function", $._expression), field("arguments", $.arguments))),

    arguments: ($) => seq("(", list($._expression), ")"),

    field_access: ($) => prec(PRECEDENCE.postfix, seq(field("object", $._expression), ".", field("field", $._field_name))),

    _primary: ($) =>
      choice(
        $.integer,
        $.float,
        $.string,
        $.boolean,
        $.none,
        $.constructor,
        $.parenthesized,
        $.list,
        $.block,
        $.if,
        $.match,
        $.spawn,
        $.emit,
        $.send,
        $.receive,
        $.enum_value,
        $.record_value,
        $._variable,
      ),

    boolean: () => choice("true", "false"),

    none: () => "None",

    constructor: ($) => seq(field("name", choice("Some", "Ok", "Err")), "(", field("payload", $._expression), ")"),

    parenthesized: ($) => seq("(", $._expression, ")"),

    list: ($) => seq("[", listWithTrailingComma($._expression), "]"),

    if: ($) =>
      prec.right(
        PRECEDENCE.primary,
        seq("if", field("condition", $._expression), field("then", $.block), optional(seq("else", field("else", $.block)))),
      ),

    match: ($) => seq("match", field("value", $._expression), "{", repeat($.arm), "}"),

    arm: ($) => prec.right(seq(field("pattern", $._pattern), "=>", field("body", $._expression), optional(","))),

    spawn: ($) => prec(PRECEDENCE.primary, seq("spawn", $._primary)),

    emit: ($) => prec(PRECEDENCE.primary, seq("emit", $._primary)),

    send: ($) => prec(PRECEDENCE.primary, seq("send", field("target", $._primary), field("message", $._primary))),

    receive: () => "receive",

    enum_value: ($) =>
      prec.right(PRECEDENCE.primary, seq(field("enum", $._variable), "::", field("variant", $._name), optional(seq("(", field("payload", $._expression), ")")))),

    record_value: ($) =>
      prec(
        PRECEDENCE.primary,
        seq(
          field("type", $._capital),
          "{",
          optional(seq("..", field("spread", $._expression), optional(","))),
          listWithTrailingComma($.initializer),
          "}",
        ),
      ),

    initializer: ($) => seq(field("field", $._field_name), ":", field("value", $._expression)),

    // Patterns.

    _pattern: ($) =>
      choice($.wildcard, $.boolean, $.none, $.integer, $.string, $.constructor_pattern, $.variant_pattern, $.identifier),

    wildcard: () => "_",

    constructor_pattern: ($) => seq(field("name", choice("Some", "Ok", "Err")), "(", $._pattern, ")"),

    variant_pattern: ($) =>
      prec.right(
        seq(field("variant", $._capital), optional(seq("(", $._pattern, ")"))),
      ),

    // Names. Where it matters whether the first letter is A-Z, a capital identifier is told apart as keywords are; elsewhere it
    // is an identifier as any other, and so are the five words of types.

    _name: ($) => $.identifier,

    _field_name: ($) => alias($.identifier, $.field_name),

    _type_name: ($) => alias($.identifier, $.type_name),

    _capital: ($) => choice($.capital_identifier, alias($._type_word, $.capital_identifier)),

    _variable: ($) => choice($.identifier, $._capital),

    _type_word: () => choice(...TYPE_WORDS),

    identifier: () => /[A-Za-z][A-Za-z0-9_]*|_[A-Za-z0-9_]+/,

    capital_identifier: () => token(prec(1, capitalExcept(["None", "Some", "Ok", "Err", ...TYPE_WORDS]))),

    integer: () => /[0-9]+/,

    float: () => /[0-9]+\.[0-9]+/,

    string: ($) => seq('"', repeat(choice($.string_text, $.escape)), token.immediate('"')),

    string_text: () => token.immediate(prec(1, /[^"\\]+/)),

    escape: () => token.immediate(/\\[ntr"\\]/),

    comment: () => token(/\/\/[^\n]*/),
  },
});
