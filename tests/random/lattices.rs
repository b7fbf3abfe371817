//! Random programs with lattice columns, as text.
//!
//! Predicates have levels, as in [`random`](super): a rule hands on values of its own level, mostly in the direction in which they get better, and
//! reads those of the lower one as any others. Programs end, since what is computed in a recursion only gets worse, or stays within a
//! bound. Some are to be refused: they compare such values for equality, or turn their direction.

use super::{COMPARATORS, Case, Choices, atom};
use proptest::prelude::*;
use std::ops::Range;

/// The values of a lattice column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Values {
    Integers,
    Floats,
    Symbols,
    Sets,
    Levels,
}

impl Values {
    const ALL: [Values; 5] = [Values::Integers, Values::Floats, Values::Symbols, Values::Sets, Values::Levels];

    /// The predicate that gives keys some of them.
    fn source(self) -> &'static str {
        ["whole", "real", "name", "bits", "rank"][self as usize]
    }

    fn constants(self) -> &'static [&'static str] {
        match self {
            Values::Integers => &["0", "3", "1", "7", "-4", "12", "30", "2"],
            Values::Floats => &["0.0", "1.5", "-2.0", "7.25", "3.0"],
            Values::Symbols => &["x", "false", "true", "y", "'New York'"],
            Values::Sets => &["0", "1", "6", "8", "65", "1099511627776", "-1", "x"],
            Values::Levels => &LEVELS,
        }
    }
}

/// The values of an order, from the best to the worst but for a rotation.
const LEVELS: [&str; 5] = ["low", "1", "f(0)", "high", "x"];
const NODES: [&str; 8] = ["0", "1", "x", "2", "y", "3", "f(x)", "z"];
const KEYS: [&str; 3] = ["X", "Y", "Z"];

/// A predicate with a lattice column.
#[derive(Clone, Copy, Debug)]
struct Lattice {
    name: &'static str,
    keys: usize,
    column: usize,
    values: Values,
    keeps_greatest: bool,
}

impl Lattice {
    fn new(name: &'static str, choices: &mut Choices) -> Self {
        let keys = [1, 1, 2, 1, 2, 0, 2, 1][choices.pick(8)];
        let column = if choices.one_in(3) { choices.pick(keys + 1) } else { keys };
        let values = Values::ALL[[0, 0, 0, 1, 2, 3, 3, 4, 4][choices.pick(9)]];
        Lattice { name, keys, column, values, keeps_greatest: choices.one_in(2) }
    }

    fn join(&self) -> &'static str {
        match self.values {
            Values::Sets => "union",
            Values::Levels => "best(c)",
            _ if self.keeps_greatest => "max",
            _ => "min",
        }
    }

    fn atom(&self, mut keys: Vec<String>, value: &str) -> String {
        keys.insert(self.column, value.to_owned());
        atom(self.name, &keys)
    }

    fn head(&self, keys: Vec<String>, value: &str) -> String {
        self.atom(keys, &format!("{} {value}", self.join()))
    }
}

/// The predicates of a level: two with lattice columns, and one without, of so many columns.
struct Level {
    lattices: [Lattice; 2],
    plain: (&'static str, usize),
}

/// The predicates of a program.
struct Shape([Level; 2]);

impl Shape {
    fn new(choices: &mut Choices) -> Self {
        let mut level = |names: [&'static str; 2], plain| {
            let lattices = names.map(|name| Lattice::new(name, choices));
            Level { lattices, plain }
        };
        Shape([level(["p", "q"], ("d", 1)), level(["r", "s"], ("u", 2))])
    }

    fn lattices(&self) -> impl Iterator<Item = &Lattice> {
        self.0.iter().flat_map(|level| &level.lattices)
    }
}

/// A program of a few nodes.
pub fn case() -> impl Strategy<Value = Case> {
    case_of(12, 5, 3..9)
}

/// A program with many facts.
pub fn rich_case() -> impl Strategy<Value = Case> {
    case_of(40, 8, 4..12)
}

fn case_of(given: usize, nodes: usize, rules: Range<usize>) -> impl Strategy<Value = Case> {
    use proptest::collection::vec;
    let bytes = |length| vec(any::<u8>(), length);
    (bytes(28), bytes(5 * given), vec(bytes(48), rules), vec(vec(bytes(6), 1..4), 0..3), bytes(2)).prop_map(
        move |(shape, facts, rules, insertions, events)| {
            let choices = &mut Choices(shape.iter());
            let shape = Shape::new(choices);
            let mut lines = order(choices);
            let choices = &mut Choices(facts.iter());
            lines.extend((0..given).map(|_| format!("{}.", fact(&shape, nodes, choices))));
            lines.extend(rules_of(&shape, &rules));
            if events.first().is_some_and(|byte| byte % 4 == 0) {
                let Lattice { keys, .. } = shape.0[0].lattices[0];
                let read = shape.0[0].lattices[0].atom(vec!["X".to_owned(); keys], "V");
                lines.push(format!("go(X) & {read} & b(X, Y) ==> ~b(X, Y) & b(Y, X)."));
            }
            lines.push(queries(&shape));
            let mut insertion = |bytes: &Vec<u8>| change(&shape, nodes, &mut Choices(bytes.iter()));
            let insertions = insertions.iter().map(|group| group.iter().map(&mut insertion).collect()).collect();
            let events = events.iter().map(|&byte| format!("go({})", NODES[byte as usize % nodes]));
            Case { text: lines.join("\n"), insertions, events: events.collect() }
        },
    )
}

/// A program over tables of so many rows, without queries.
pub fn large_program(rows: usize, shape: &[u8], rules: &[Vec<u8>]) -> String {
    let choices = &mut Choices(shape.iter());
    let shape = Shape::new(choices);
    let nodes = (rows / 3).clamp(8, 400);
    let mut lines = order(choices);
    lines.extend((0..nodes).map(|node| format!("a({node}).")));
    for row in 0..rows {
        let node = row % nodes;
        let other = (node * [1, 7, 13][row / nodes % 3] + [1, 0, 5][row % 3]) % nodes;
        lines.push(format!("b({node}, {other})."));
        lines.push(format!("w({other}, {}, {}).", (node + row) % nodes, row * 7 % 10));
        let values = Values::ALL[row % 5];
        let constants = values.constants();
        lines.push(format!("{}({node}, {}).", values.source(), constants[(row / 5) % constants.len()]));
    }
    lines.extend(rules_of(&shape, rules));
    lines.join("\n")
}

/// A chain, given or derived, with facts that follow from it.
fn order(choices: &mut Choices) -> Vec<String> {
    let first = choices.pick(5);
    let level = |n: usize| LEVELS[(first + n) % 5];
    if choices.one_in(3) {
        let next = (0..4).map(|n| format!("next({}, {}).", level(n), level(n + 1)));
        let rules = ["c(X, Y) :- next(X, Y).", "c(X, Z) :- c(X, Y) & next(Y, Z)."].map(str::to_owned);
        return next.chain(rules).collect();
    }
    let mut facts: Vec<String> = (0..4).map(|n| format!("c({}, {}).", level(n), level(n + 1))).collect();
    if choices.one_in(2) {
        facts.push(format!("c({}, {}).", level(1), level(3)));
    }
    facts
}

fn node(nodes: usize, choices: &mut Choices) -> String {
    choices.of(&NODES[..nodes]).to_owned()
}

fn fact(shape: &Shape, nodes: usize, choices: &mut Choices) -> String {
    match choices.pick(12) {
        0..3 => format!("a({})", node(nodes, choices)),
        3..6 => format!("b({}, {})", node(nodes, choices), node(nodes, choices)),
        6..8 => format!("w({}, {}, {})", node(nodes, choices), node(nodes, choices), choices.pick(10)),
        8..11 => {
            let values = shape.0[choices.pick(2)].lattices[choices.pick(2)].values;
            format!("{}({}, {})", values.source(), node(nodes, choices), choices.of(values.constants()))
        }
        _ => given(&shape.0[choices.pick(2)].lattices[choices.pick(2)], nodes, choices),
    }
}

/// A given fact of a predicate with a lattice column.
fn given(lattice: &Lattice, nodes: usize, choices: &mut Choices) -> String {
    let keys = (0..lattice.keys).map(|_| node(nodes, choices)).collect();
    // What is no set is left out, which a text is refused for.
    let constants = lattice.values.constants();
    let constants = if lattice.values == Values::Sets { &constants[..constants.len() - 1] } else { constants };
    lattice.atom(keys, choices.of(constants))
}

/// A fact that comes later.
fn change(shape: &Shape, nodes: usize, choices: &mut Choices) -> String {
    match choices.pick(3) {
        0 => given(&shape.0[choices.pick(2)].lattices[choices.pick(2)], nodes, choices),
        _ => fact(shape, nodes, choices),
    }
}

/// Rules by choices, after one for each predicate with a lattice column.
fn rules_of(shape: &Shape, rules: &[Vec<u8>]) -> Vec<String> {
    let first = |lattice: &Lattice| {
        let keys: Vec<String> = KEYS[..lattice.keys].iter().map(|&key| key.to_owned()).collect();
        let others: String = keys.iter().skip(1).map(|key| format!(" & a({key})")).collect();
        let source = format!("{}({}, V)", lattice.values.source(), keys.first().map_or("_", |key| key));
        format!("{} :- {source}{others}.", lattice.head(keys, "V"))
    };
    let plain = shape
        .0
        .iter()
        .map(|Level { plain: (name, arity), .. }| format!("{} :- b(X, X).", atom(name, &vec!["X".to_owned(); *arity])));
    let random = rules.iter().map(|bytes| rule(shape, &mut Choices(bytes.iter())));
    shape.lattices().map(first).chain(plain).chain(random).collect()
}

/// The conditions of a rule, with the variables that they bind.
#[derive(Default)]
struct Body {
    conditions: Vec<String>,
    keys: Vec<&'static str>,
    /// Values of the level of the rule.
    own: Vec<(String, Lattice)>,
    /// Other values.
    lower: Vec<(String, Values)>,
    /// Integers that are not negative.
    weights: Vec<String>,
}

impl Body {
    fn key(&mut self, choices: &mut Choices) -> String {
        match choices.pick(9) {
            0 => choices.of(&NODES).to_owned(),
            1 => "_".to_owned(),
            _ => {
                let key = choices.of(&KEYS);
                self.keys.push(key);
                key.to_owned()
            }
        }
    }

    fn keys(&mut self, count: usize, choices: &mut Choices) -> Vec<String> {
        (0..count).map(|_| self.key(choices)).collect()
    }

    /// A key that is bound, or a constant.
    fn known(&self, choices: &mut Choices) -> String {
        if self.keys.is_empty() || choices.one_in(6) {
            choices.of(&NODES).to_owned()
        } else {
            choices.of(&self.keys).to_owned()
        }
    }

    fn subgoal(&mut self, shape: &Shape, level: usize, number: usize, choices: &mut Choices) {
        let own = shape.0[level].lattices[choices.pick(2)];
        let values = own.values;
        let condition = match choices.pick(9) {
            0 => format!("a({})", self.key(choices)),
            1 | 2 => atom("b", &self.keys(2, choices)),
            3 => {
                self.weights.push(format!("W{number}"));
                let keys = self.keys(2, choices);
                format!("w({}, {}, W{number})", keys[0], keys[1])
            }
            4 => {
                self.lower.push((format!("V{number}"), values));
                format!("{}({}, V{number})", values.source(), self.key(choices))
            }
            5 | 6 => {
                let keys = self.keys(own.keys, choices);
                let value = match choices.pick(30) {
                    0..5 => "_".to_owned(),
                    5 => choices.of(values.constants()).to_owned(),
                    _ => {
                        self.own.push((format!("C{number}"), own));
                        format!("C{number}")
                    }
                };
                own.atom(keys, &value)
            }
            7 => {
                let (name, arity) = shape.0[choices.pick(level + 1)].plain;
                atom(name, &self.keys(arity, choices))
            }
            _ if level == 0 => atom("b", &self.keys(2, choices)),
            _ => {
                let lower = shape.0[0].lattices[choices.pick(2)];
                let keys = self.keys(lower.keys, choices);
                let value = match choices.pick(8) {
                    0 => "_".to_owned(),
                    1 => choices.of(lower.values.constants()).to_owned(),
                    2 => self.key(choices),
                    _ => {
                        self.lower.push((format!("V{number}"), lower.values));
                        format!("V{number}")
                    }
                };
                lower.atom(keys, &value)
            }
        };
        self.conditions.push(condition);
    }

    fn test(&mut self, shape: &Shape, level: usize, number: usize, choices: &mut Choices) {
        let one = self.known(choices);
        let other = self.known(choices);
        let condition = match choices.pick(10) {
            0..3 if !self.own.is_empty() => {
                let (name, lattice) = self.own[choices.pick(self.own.len())].clone();
                let constant = choices.of(lattice.values.constants());
                let forms = match (lattice.values, lattice.keeps_greatest) {
                    (Values::Levels, _) => return,
                    (Values::Sets, _) => ["band(C, 5) =\\= 0", "band(C, 8) =\\= 0", "0 =\\= band(C, 64)"],
                    (_, false) => ["C < K", "C <= K", "~(C > K)"],
                    (_, true) => ["C > K", "K <= C", "~(C < K)"],
                };
                // The last is to be refused.
                let form = if choices.one_in(20) { "C != K" } else { choices.of(&forms) };
                form.replace('C', &name).replace('K', constant)
            }
            3 | 4 if !self.lower.is_empty() => {
                let (name, values) = self.lower[choices.pick(self.lower.len())].clone();
                let to = match choices.pick(3) {
                    0 => choices.of(values.constants()).to_owned(),
                    1 => self.lower[choices.pick(self.lower.len())].0.clone(),
                    _ => one,
                };
                format!("{name} {} {to}", choices.of(&COMPARATORS))
            }
            5 => format!("~b({one}, {other})"),
            6 | 7 if level > 0 => {
                let lower = shape.0[0].lattices[choices.pick(2)];
                let keys = [one, other].into_iter().take(lower.keys).collect();
                format!("~{}", lower.atom(keys, ["_", choices.of(lower.values.constants())][choices.pick(2)]))
            }
            8 if level > 0 => self.aggregate(&shape.0[0].lattices[choices.pick(2)], number, choices),
            _ => format!("{one} {} {other}", choices.of(&COMPARATORS)),
        };
        // Any position will do: subgoals that stand too early are moved.
        self.conditions.insert(choices.pick(self.conditions.len() + 1), condition);
    }

    /// An aggregate over values of the lower level.
    fn aggregate(&mut self, lower: &Lattice, number: usize, choices: &mut Choices) -> String {
        let function = choices.of(&["count", "min", "max", "sum", "union"]);
        let value = format!("E{number}");
        let keys = (0..lower.keys).map(|n| if n == 0 { format!("F{number}") } else { self.known(choices) });
        let of = lower.atom(keys.collect(), &value);
        let test = match choices.pick(3) {
            0 => format!(" & {value} {} {}", choices.of(&COMPARATORS), choices.of(lower.values.constants())),
            _ => String::new(),
        };
        let more = if lower.keys > 0 { format!(", F{number}") } else { String::new() };
        let values = if matches!(function, "min" | "max") { lower.values } else { Values::Integers };
        self.lower.push((format!("N{number}"), values));
        format!("N{number} = {function} {{ {value}{more} : {of}{test} }}")
    }

    /// A value for a lattice column: a variable, a constant, or an expression that is yet to be computed.
    fn value(&self, lattice: &Lattice, choices: &mut Choices) -> String {
        let constant = choices.of(lattice.values.constants()).to_owned();
        let own: Vec<&(String, Lattice)> = self.own.iter().filter(|(_, of)| of.values == lattice.values).collect();
        // Values of another type are a value as any other, and no set.
        let is_mixed = choices.one_in(25);
        let lower: Vec<&String> =
            self.lower.iter().filter(|(_, of)| *of == lattice.values || is_mixed).map(|(name, _)| name).collect();
        let other = if lower.is_empty() { constant.clone() } else { lower[choices.pick(lower.len())].clone() };
        if own.is_empty() {
            return other;
        }
        let (name, of) = own[choices.pick(own.len())];
        let (second, _) = own[choices.pick(own.len())];
        let weight = self.weights.first().map_or("1", |weight| weight);
        let forms = match (lattice.values, lattice.keeps_greatest) {
            (Values::Symbols | Values::Levels, _) => {
                return [name.clone(), other][usize::from(choices.one_in(4))].clone();
            }
            (Values::Sets, _) => SETS,
            (Values::Integers, false) => FALLING,
            (Values::Integers, true) => RISING,
            (Values::Floats, false) => FALLING_FLOATS,
            (Values::Floats, true) => RISING_FLOATS,
        };
        let zero = if lattice.values == Values::Floats { "0.0" } else { "0" };
        let is_turned = of.keeps_greatest != lattice.keeps_greatest && lattice.values != Values::Sets;
        let name = if is_turned { format!("({zero} - {name})") } else { name.clone() };
        let form = choices.of(&forms.split("; ").collect::<Vec<_>>());
        form.replace('C', &name).replace('S', second).replace('W', weight).replace('V', &other)
    }
}

/// Expressions of a value `C` and another one `S` of the recursion, a weight `W`, and any other value `V`.
const FALLING: &str =
    "C; C + W; C + 1; max(C + V, -20); max(C - V, -20); max(C * 2, -20); min(C, V); max(C, S); max(C + S, -20); C / 2";
const RISING: &str = "C; C - W; C - 1; min(C + V, 40); min(C - V, 40); min(C * 2, 40); max(C, V); min(C, S); min(C + S, 40); min(C + W, 40)";
const FALLING_FLOATS: &str = "C; C + 0.5; max(C - 1.5, -8.0); max(C * 2.0, -8.0); min(C, V); max(C + S, -8.0)";
const RISING_FLOATS: &str = "C; C - 0.5; min(C + 1.5, 20.0); min(C * 2.0, 20.0); max(C, V); min(C + S, 20.0)";
const SETS: &str = "C; bor(C, V); band(C, S); bor(C, S); bshr(C, 1); bshl(band(C, 127), 1); band(C, V)";

fn rule(shape: &Shape, choices: &mut Choices) -> String {
    let level = choices.pick(2);
    let kind = choices.pick(5);
    let mut body = Body::default();
    for number in 0..=choices.pick(3) {
        body.subgoal(shape, level, number, choices);
    }
    for number in 0..choices.pick(3) {
        body.test(shape, level, number, choices);
    }
    let head = match shape.0[level].lattices.get(kind / 2) {
        None => {
            let (name, arity) = shape.0[level].plain;
            let args: Vec<String> = (0..arity)
                .map(|_| {
                    let is_key = body.lower.is_empty() || choices.one_in(2);
                    if is_key { body.known(choices) } else { body.lower[choices.pick(body.lower.len())].0.clone() }
                })
                .collect();
            atom(name, &args)
        }
        Some(lattice) => {
            let value = body.value(lattice, choices);
            let keys = (0..lattice.keys).map(|_| body.known(choices)).collect();
            if value.contains(['(', ' ']) && !value.starts_with("f(") && !value.starts_with('\'') {
                body.conditions.push(format!("D is {value}"));
                lattice.head(keys, "D")
            } else {
                lattice.head(keys, &value)
            }
        }
    };
    format!("{head} :- {}.", body.conditions.join(" & "))
}

/// Goals without and with bound arguments, conditions, negations and aggregates.
fn queries(shape: &Shape) -> String {
    let mut queries = vec!["?- d(X).".to_owned(), "?- u(X, Y).".to_owned(), "?- c(X, Y).".to_owned()];
    for lattice in shape.lattices() {
        let keys = |first: &str| -> Vec<String> {
            KEYS[..lattice.keys]
                .iter()
                .enumerate()
                .map(|(n, key)| [key, first][usize::from(n == 0)].to_owned())
                .collect()
        };
        let constant = lattice.values.constants()[1];
        queries.push(format!("?- {}.", lattice.atom(keys("X"), "V")));
        queries.push(format!("?- {}.", lattice.atom(keys("1"), "V")));
        queries.push(format!("?- {}.", lattice.atom(keys("X"), constant)));
        queries.push(format!("?- {} & V >= {constant}.", lattice.atom(keys("X"), "V")));
        let any = vec!["_".to_owned(); lattice.keys];
        queries.push(format!("?- a(V) & ~{}.", lattice.atom(any.clone(), "V")));
        queries.push(format!(
            "?- a(A) & ~{}.",
            lattice.atom([vec!["A".to_owned()], any].concat()[..lattice.keys].to_vec(), "_")
        ));
        let more: String = keys("X").iter().map(|key| format!(", {key}")).collect();
        queries.push(format!("?- N = count {{ V{more} : {} }}.", lattice.atom(keys("X"), "V")));
    }
    queries.join(" ")
}
