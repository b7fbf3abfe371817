//! Operations: what comparisons compute.

use crate::functions::{self, RegisteredFunction};

/// An operation that comparisons compute, by its functor and arity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`, of integers rounded towards negative infinity.
    Divide,
    /// `a mod b`, with the sign of the divisor.
    Modulo,
    /// `-a`
    Negate,
    /// `min(a, b)`
    Minimum,
    /// `max(a, b)`
    Maximum,
    /// `abs(a)`
    Absolute,
    /// `power(a, b)`, of integers with an exponent that is not negative.
    Power,
    /// `band(a, b)`: the bits that both have, in two's complement.
    BitAnd,
    /// `bor(a, b)`: the bits that one of them has.
    BitOr,
    /// `bxor(a, b)`: the bits that just one of them has.
    BitXor,
    /// `bnot(a)`: all bits changed.
    BitNot,
    /// `bshl(a, n)`: `a` times two to the power of `n`, which is not negative.
    ShiftLeft,
    /// `bshr(a, n)`: `a` divided by two to the power of `n`, which is not negative, rounded towards negative infinity.
    ShiftRight,
    /// `to_number(s)`: the integer that a symbol spells, or that there is already.
    Number,
    /// `to_float(x)`: the float nearest to an integer or to the number that a symbol spells, or that there is already.
    Float,
    /// `floor(x)`: the greatest integer that is no greater than a float.
    Floor,
    /// `ceiling(x)`: the least integer that is no less than a float.
    Ceiling,
    /// `round(x)`: the integer nearest to a float; of two the one farther from zero.
    Round,
    /// `sqrt(x)`: the square root of a float.
    SquareRoot,
    /// `exp(x)`: the power of Euler's number by a float.
    Exponential,
    /// `log(x)`: the natural logarithm of a float.
    Logarithm,
    /// `to_string(x)`: the symbol that spells a number, or that there is already.
    Spelling,
    /// `length(s)`: the number of characters of a symbol.
    Length,
    /// `cat(s, t, …)`: symbols and numbers joined to one symbol.
    Join,
    /// `substring(s, start, length)`: characters of a symbol, counted from 0.
    Part,
    /// A function in Rust.
    Called(RegisteredFunction),
}

impl Operation {
    /// The functions of the language, without those that are written with a sign or a word between operands.
    pub const FUNCTIONS: [&str; 22] = [
        "min",
        "max",
        "abs",
        "power",
        "band",
        "bor",
        "bxor",
        "bnot",
        "bshl",
        "bshr",
        "to_number",
        "to_float",
        "floor",
        "ceiling",
        "round",
        "sqrt",
        "exp",
        "log",
        "to_string",
        "length",
        "cat",
        "substring",
    ];

    /// The operation of this name and arity, of the language or [registered](crate::functions::register); `None` if there is none.
    pub fn of(functor: &str, arity: usize) -> Option<Operation> {
        Operation::of_language(functor, arity).or_else(|| functions::find(functor, arity).map(Operation::Called))
    }

    /// The operation of the language of this name and arity; `None` if there is none.
    pub fn of_language(functor: &str, arity: usize) -> Option<Operation> {
        Some(match (functor, arity) {
            ("+", 2) => Operation::Add,
            ("-", 2) => Operation::Subtract,
            ("*", 2) => Operation::Multiply,
            ("/", 2) => Operation::Divide,
            ("mod", 2) => Operation::Modulo,
            ("-", 1) => Operation::Negate,
            ("min", 2) => Operation::Minimum,
            ("max", 2) => Operation::Maximum,
            ("abs", 1) => Operation::Absolute,
            ("power", 2) => Operation::Power,
            ("band", 2) => Operation::BitAnd,
            ("bor", 2) => Operation::BitOr,
            ("bxor", 2) => Operation::BitXor,
            ("bnot", 1) => Operation::BitNot,
            ("bshl", 2) => Operation::ShiftLeft,
            ("bshr", 2) => Operation::ShiftRight,
            ("to_number", 1) => Operation::Number,
            ("to_float", 1) => Operation::Float,
            ("floor", 1) => Operation::Floor,
            ("ceiling", 1) => Operation::Ceiling,
            ("round", 1) => Operation::Round,
            ("sqrt", 1) => Operation::SquareRoot,
            ("exp", 1) => Operation::Exponential,
            ("log", 1) => Operation::Logarithm,
            ("to_string", 1) => Operation::Spelling,
            ("length", 1) => Operation::Length,
            ("cat", 2..) => Operation::Join,
            ("substring", 3) => Operation::Part,
            _ => return None,
        })
    }

    /// The function of the language for which other languages have this name, if it takes as many arguments; `None` for the name of an
    /// [operation](Operation::of).
    pub fn named_elsewhere(functor: &str, arity: usize) -> Option<&'static str> {
        let name = match functor {
            "concat" | "strcat" | "str_concat" | "string_concat" | "atom_concat" => "cat",
            "len" | "strlen" | "string_length" | "atom_length" => "length",
            "substr" | "sub_string" | "sub_atom" => "substring",
            "to_int" | "to_integer" | "parse_int" | "int" | "number" => "to_number",
            "str" | "string" | "to_str" => "to_string",
            "pow" => "power",
            "float" => "to_float",
            "ceil" => "ceiling",
            "ln" => "log",
            _ => return None,
        };
        let is_meant = Operation::of_language(name, arity).is_some() && Operation::of(functor, arity).is_none();
        is_meant.then_some(name)
    }

    /// Whether it is written with a sign or a word between its operands. `=` and `!=` compute operators alone, since
    /// the names of functions may be those of terms.
    pub fn is_operator(self) -> bool {
        use Operation::*;
        matches!(self, Add | Subtract | Multiply | Divide | Modulo | Negate)
    }

    /// Whether its value is a symbol, or may be one since it may be any term.
    pub fn makes_symbols(self) -> bool {
        matches!(self, Operation::Join | Operation::Part | Operation::Spelling | Operation::Called(_))
    }

    /// Whether its value is a float, whatever its operands.
    pub fn makes_floats(self) -> bool {
        use Operation::*;
        matches!(self, Float | SquareRoot | Exponential | Logarithm)
    }

    /// Whether it makes integers of floats.
    pub fn rounds(self) -> bool {
        matches!(self, Operation::Floor | Operation::Ceiling | Operation::Round)
    }

    /// Whether it has a value of floats. All but those that make floats or round have one of integers as well, which are of the same kind.
    pub fn is_of_floats(self) -> bool {
        use Operation::*;
        let arithmetic =
            matches!(self, Add | Subtract | Multiply | Divide | Negate | Minimum | Maximum | Absolute | Power);
        arithmetic || self.rounds() || self.makes_floats()
    }

    /// Whether it is of symbols, or of any terms.
    pub fn is_of_symbols(self) -> bool {
        self.makes_symbols() || matches!(self, Operation::Length | Operation::Number)
    }

    /// Whether it may have no value of two integers, one that does not fit 64 bits aside.
    pub fn may_be_undefined(self) -> bool {
        use Operation::*;
        matches!(self, Divide | Modulo | Power | ShiftLeft | ShiftRight)
    }
}
