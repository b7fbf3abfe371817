//! Lattice columns: of all facts that agree in the other columns, the one with the best value holds.
//!
//! ```text
//! dist(Y, min D) :- dist(X, C) & edge(X, Y, W) & D is C + W.
//! ```
//!
//! A recursion through such a column has a least fixpoint where its rules are monotone: a better value of a subgoal never
//! makes the value of a head worse, and never makes a condition fail. (Ross, Sagiv: *Monotonic aggregation in deductive
//! databases*, PODS 1992.) Within the recursion the value may therefore be computed with and compared by order in one
//! direction, and nothing else: a better value takes the place of one that is no longer the best, so what depends on
//! exactly that one would be left without reason. Outside of the recursion the column is as any other.
//!
//! Each variable has the direction in which its value goes as better values are found. Computed values have that of
//! their operands, or the opposite one. Linear in the size of the rules.

use super::clause::{CheckedProgram, Clause, Literal, StratifiedProgram, mentions};
use super::graph::{DependencyGraph, rules_by_head};
use super::well_founded::undefinable;
use ludolog_syntax::ast::{
    AggregateFunction, Atom, Comparator, Comparison, Effect, Join, Lattice, Name, Operation, Predicate, Program,
    Statement, Term,
};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::mem::discriminant;

/// The lattice columns that the rules of a program give its predicates. Reports rules that disagree.
pub(super) fn declared(program: &Program, found: &mut Vec<Diagnostic>) -> FxHashMap<Predicate, Lattice> {
    let rules = || {
        program.items.iter().filter_map(|item| match &item.statement {
            Statement::Rule(rule) => Some(rule),
            _ => None,
        })
    };
    let mut lattices: FxHashMap<Predicate, (Lattice, Span)> = FxHashMap::default();
    for rule in rules() {
        if let Some(lattice) = &rule.lattice {
            lattices.entry(rule.head.signature()).or_insert_with(|| (lattice.clone(), rule.head.span));
        }
    }
    if lattices.is_empty() {
        return FxHashMap::default();
    }
    let written = |lattice: Option<&Lattice>| match lattice {
        Some(lattice) => format!("`{}` in column {}", lattice.join, lattice.column + 1),
        None => "no lattice column".to_owned(),
    };
    for rule in rules() {
        let Some((lattice, place)) = lattices.get(&rule.head.signature()) else { continue };
        // Facts may come from elsewhere, so they need not say it.
        let is_plain_fact = rule.body.is_empty() && rule.lattice.is_none();
        if rule.lattice.as_ref() != Some(lattice) && !is_plain_fact {
            let predicate = rule.head.signature();
            found.push(
                misuse(format!("the rules of `{predicate}` disagree about its lattice column"))
                    .at(rule.head.span, written(rule.lattice.as_ref()))
                    .at(*place, written(Some(lattice)))
                    .help("write the same function or order in the same column of every head"),
            );
        }
    }
    lattices.into_iter().map(|(predicate, (lattice, _))| (predicate, lattice)).collect()
}

/// Reports lattice columns that have no meaning where they stand.
pub(super) fn check(program: &CheckedProgram, is_game: bool, found: &mut Vec<Diagnostic>) {
    if program.lattices.is_empty() {
        return;
    }
    check_statements(program, is_game, found);
    let graph = DependencyGraph::new(program);
    let rules_of = rules_by_head(&program.rules);
    for component in graph.components().iter().filter(|component| component.recursive) {
        let predicates: FxHashSet<&Predicate> = component.predicates(&graph).collect();
        if predicates.iter().any(|predicate| program.lattices.contains_key(*predicate)) {
            for rule in component.rules(&graph, &rules_of) {
                let recursion = Recursion { lattices: &program.lattices, predicates: &predicates };
                found.extend(recursion.check(&program.rules[rule]).err());
            }
        }
    }
}

/// Reports lattice columns of predicates that may have undefined facts.
pub(super) fn check_decided(stratified: &StratifiedProgram, found: &mut Vec<Diagnostic>) {
    let program = &stratified.program;
    if program.lattices.is_empty() || stratified.negative.is_empty() {
        return;
    }
    let undefinable = undefinable(stratified);
    for (of, order) in program.orders().into_iter().filter(|(_, order)| undefinable.contains(&order.signature())) {
        let order_name = order.signature();
        found.push(
            misuse(format!("`{of}` keeps the best value by `{order_name}`, whose facts may be undefined"))
                .at(order.span, "an order is decided")
                .help(format!("derive `{order_name}` from predicates that do not depend on their own negation")),
        );
    }
    let is_undecided = |rule: &&Clause| {
        let head = rule.head.signature();
        program.lattices.contains_key(&head) && undefinable.contains(&head)
    };
    found.extend(program.rules.iter().find(is_undecided).map(|rule| {
        let predicate = rule.head.signature();
        misuse(format!("`{predicate}` keeps the best value of facts that may be undefined"))
            .at(rule.head.span, "undefined values have no better one")
            .help("derive it from predicates that do not depend on their own negation")
    }));
}

/// Checks what does not depend on recursion: games, transitions, the types of constants.
fn check_statements(program: &CheckedProgram, is_game: bool, found: &mut Vec<Diagnostic>) {
    let heads = || program.facts.iter().chain(program.rules.iter().map(|rule| &rule.head));
    let lattice_of = |atom: &Atom| program.lattices.get(&atom.signature());
    if let Some(head) = heads().find(|head| is_game && lattice_of(head).is_some()) {
        found.push(
            misuse("a game has no lattice columns".to_owned())
                .at(head.span, "the best value is kept here")
                .help("GDL has none; take the best of a finite relation by an aggregate: `D = min { C : cost(X, C) }`"),
        );
    }
    for effect in program.transitions.iter().flat_map(|transition| &transition.effects) {
        let (Effect::Add(atom) | Effect::Delete(atom)) = effect;
        if lattice_of(atom).is_some() {
            found.push(
                misuse(format!("a transition changes `{}`, which has a lattice column", atom.signature()))
                    .at(atom.span, "changed here")
                    .help("change a predicate without one, and derive this one from it"),
            );
        }
    }
    let mut first: FxHashMap<Predicate, &Atom> = FxHashMap::default();
    for head in heads() {
        // An order has terms of any kind.
        let Some(lattice) = lattice_of(head).filter(|lattice| lattice.join.order().is_none()) else { continue };
        let value = &head.args[lattice.column];
        let problem = match (value, first.get(&head.signature())) {
            (Term::Variable(_), _) => continue,
            (Term::Compound(..), _) => Some((None, "the values of a lattice column are numbers or symbols")),
            (_, Some(other)) if discriminant(value) != discriminant(&other.args[lattice.column]) => {
                Some((Some(other.span), "a lattice column has values of two types, of which none is better"))
            }
            _ => None,
        };
        if let Some((other, message)) = problem {
            let diagnostic = misuse(message.to_owned()).at(head.span, "this value is of another type");
            let diagnostic = match other {
                Some(span) => diagnostic.at(span, "than this one"),
                None => diagnostic,
            };
            found.push(diagnostic.help("give all values of the column one type"));
        } else {
            first.entry(head.signature()).or_insert(head);
        }
    }
}

fn misuse(message: String) -> Diagnostic {
    Diagnostic::error(Code::LatticeColumn, message)
}

/// The direction in which a value goes as better ones are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction<'a> {
    Falling,
    Rising,
    /// A set of bits gets more of them.
    Growing,
    /// A term is replaced by one that is better by this order.
    Along(&'a Atom),
}

impl<'a> Direction<'a> {
    fn of(join: &'a Join) -> Self {
        match join {
            Join::Function(AggregateFunction::Maximum) => Direction::Rising,
            Join::Function(AggregateFunction::Union) => Direction::Growing,
            Join::Function(_) => Direction::Falling,
            Join::Order(order) => Direction::Along(order),
        }
    }

    fn is_along(&self) -> bool {
        matches!(self, Direction::Along(_))
    }

    /// That of a value that falls as this one rises. Sets and orders have none, and computations that turn a direction are refused of them.
    fn opposite(self) -> Self {
        match self {
            Direction::Falling => Direction::Rising,
            Direction::Rising => Direction::Falling,
            Direction::Growing | Direction::Along(_) => self,
        }
    }
}

/// A term depends on a value of the recursion in a way that has no direction.
struct Undirected;

type Directed<'a> = Result<Option<Direction<'a>>, Undirected>;

/// A recursion through lattice columns.
struct Recursion<'a> {
    lattices: &'a FxHashMap<Predicate, Lattice>,
    predicates: &'a FxHashSet<&'a Predicate>,
}

/// The variables of a rule whose values change as better ones are found.
type Directions<'c> = FxHashMap<&'c Name, Direction<'c>>;

impl<'a> Recursion<'a> {
    /// Checks that a rule is monotone.
    fn check(&self, rule: &'a Clause) -> Result<(), Diagnostic> {
        let mut directions = Directions::default();
        let mut bound: FxHashSet<&Name> = FxHashSet::default();
        for literal in &rule.body {
            self.check_literal(literal, &mut directions, &bound)?;
            literal.for_each_variable(&mut |name| _ = bound.insert(name));
        }
        self.check_head(&rule.head, &directions)
    }

    fn check_literal(
        &self,
        literal: &'a Literal,
        directions: &mut Directions<'a>,
        bound: &FxHashSet<&'a Name>,
    ) -> Result<(), Diagnostic> {
        match literal {
            Literal::Positive(atom) => {
                let lattice = self.lattices.get(&atom.signature());
                let lattice = lattice.filter(|_| self.predicates.contains(&atom.signature()));
                for (column, arg) in atom.args.iter().enumerate() {
                    match (lattice.filter(|lattice| lattice.column == column), arg) {
                        (Some(lattice), Term::Variable(name)) if !bound.contains(name) => {
                            let is_alone = atom.args.iter().filter(|other| mentions(other, name)).count() == 1;
                            directions.insert(name, Direction::of(&lattice.join));
                            if !is_alone {
                                return Err(compared(atom.span, arg, Direction::of(&lattice.join)));
                            }
                        }
                        (Some(lattice), _) => return Err(compared(atom.span, arg, Direction::of(&lattice.join))),
                        (None, _) => unmentioned(arg, directions)
                            .map_err(|(name, direction)| compared(atom.span, &name, direction))?,
                    }
                }
                Ok(())
            }
            Literal::Compare(comparison) => check_comparison(comparison, false, directions, bound),
            Literal::NotCompare(comparison) => check_comparison(comparison, true, directions, bound),
            Literal::Negative(_) | Literal::Aggregate(_) | Literal::Member { .. } => {
                let mut read = None;
                literal.for_each_variable(&mut |name| read = read.or(directions.get_key_value(name)));
                match read {
                    Some((name, &direction)) => {
                        Err(compared(literal.span(), &Term::Variable((*name).clone()), direction))
                    }
                    None => Ok(()),
                }
            }
        }
    }

    fn check_head(&self, head: &Atom, directions: &Directions) -> Result<(), Diagnostic> {
        let lattice = self.lattices.get(&head.signature());
        for (column, arg) in head.args.iter().enumerate() {
            let Err((value, direction)) = unmentioned(arg, directions) else { continue };
            let wanted = lattice.filter(|lattice| lattice.column == column).map(|found| Direction::of(&found.join));
            let is_same = matches!(arg, Term::Variable(name) if directions.get(name).copied() == wanted);
            match wanted {
                Some(_) if is_same => {}
                Some(to) if [direction, to].iter().any(Direction::is_along) => {
                    let message = format!(
                        "`{}` may get worse in the order of this column as better values are found in its own recursion",
                        shown(&value)
                    );
                    return Err(misuse(message)
                        .at(head.span, "it is not handed on as it is, from a column of the same order")
                        .help("hand such a value on as it is, in a column of the same order"));
                }
                Some(_) => {
                    let message =
                        format!("`{}` gets worse as better values are found in its own recursion", shown(&value));
                    return Err(misuse(message).at(head.span, "this value").help(
                        "a recursion keeps one direction: `min` of sums, `max` of sums; what is subtracted or negated turns it",
                    ));
                }
                None => {
                    let message = format!("`{}` may be replaced by a better value in its own recursion", shown(&value));
                    return Err(misuse(message).at(head.span, "what is derived from it here would stay").help(
                        "make this column a lattice column too, or read the best values by a predicate outside of the recursion",
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Checks that a comparison stays true as better values are found, or gives a variable a value with a direction.
fn check_comparison<'c>(
    comparison: &'c Comparison,
    negated: bool,
    directions: &mut Directions<'c>,
    bound: &FxHashSet<&'c Name>,
) -> Result<(), Diagnostic> {
    let Comparison { comparator, left, right, span } = comparison;
    let undirected = |Undirected| {
        misuse("a value of a recursion is computed in a way that may make it better or worse".to_owned())
            .at(*span, "no direction")
            .help(
                "add to it, subtract from it, or multiply it by a constant; `min` and `max` of two values keep it too, and `bor` and `band` of sets; a value that a predicate orders is handed on as it is",
            )
    };
    let computes = |term: &Term| match term {
        Term::Compound(functor, args) => comparator.computes(functor, args.len()),
        _ => true,
    };
    let sides = [left, right].map(|side| direction(side, directions, &computes));
    let [of_left, of_right] = sides;
    let of_left = of_left.map_err(undirected)?;
    let of_right = of_right.map_err(undirected)?;
    let (value, direction) = match (of_left, of_right) {
        (Some(direction), _) => (left, direction),
        (None, Some(direction)) => (right, direction),
        (None, None) => return Ok(()),
    };
    let is_new = |term: &'c Term| match term {
        Term::Variable(name) => Some(name).filter(|name| !bound.contains(name)),
        _ => None,
    };
    let grows = [of_left, of_right].contains(&Some(Direction::Growing));
    let is_ordered = [of_left, of_right].iter().flatten().any(Direction::is_along);
    let has_sides = !grows && !is_ordered;
    // The smaller side may fall, and the greater one rise.
    let smaller_left = match comparator {
        Comparator::Less | Comparator::LessOrEqual if has_sides => !negated,
        Comparator::Greater | Comparator::GreaterOrEqual if has_sides => negated,
        Comparator::Is | Comparator::Equal if !negated => {
            return match (is_new(left), is_new(right), of_left, of_right) {
                (Some(name), _, None, Some(direction)) | (_, Some(name), Some(direction), None) => {
                    directions.insert(name, direction);
                    Ok(())
                }
                _ => Err(compared(*span, value, direction)),
            };
        }
        // A bit that is in a set stays in it.
        Comparator::OtherValue if !negated && of_left == Some(Direction::Growing) && is_zero(right) => return Ok(()),
        _ if grows => return Err(of_set(*span)),
        _ => return Err(compared(*span, value, direction)),
    };
    let (smaller, greater) = if smaller_left { (of_left, of_right) } else { (of_right, of_left) };
    if smaller == Some(Direction::Rising) || greater == Some(Direction::Falling) {
        return Err(misuse("a comparison may fail as better values are found in its own recursion".to_owned())
            .at(*span, "true of a worse value, and not of the best")
            .help("compare the best values by a predicate outside of the recursion"));
    }
    Ok(())
}

/// The direction of a computed value; `None` if it does not depend on values of the recursion.
fn direction<'d>(term: &Term, directions: &Directions<'d>, computes: &impl Fn(&Term) -> bool) -> Directed<'d> {
    let (functor, args) = match term {
        Term::Variable(name) => return Ok(directions.get(name).copied()),
        Term::Integer(_) | Term::Float(_) | Term::Symbol(_) => return Ok(None),
        Term::Compound(functor, args) => (functor, args),
    };
    if unmentioned(term, directions).is_ok() {
        return Ok(None);
    }
    let operation = Operation::of(functor, args.len()).filter(|_| computes(term)).ok_or(Undirected)?;
    let mut parts = Vec::with_capacity(args.len());
    for arg in args {
        parts.push(direction(arg, directions, computes)?);
    }
    let second = args.get(1);
    if parts.iter().flatten().any(Direction::is_along) {
        return Err(Undirected);
    }
    if parts.contains(&Some(Direction::Growing)) {
        return match (operation, &parts[..]) {
            (Operation::BitOr | Operation::BitAnd, &[a, b]) => both(a, b),
            (Operation::ShiftLeft | Operation::ShiftRight, &[a, None]) => Ok(a),
            _ => Err(Undirected),
        };
    }
    match (operation, &parts[..]) {
        (Operation::Add | Operation::Minimum | Operation::Maximum, &[a, b]) => both(a, b),
        (Operation::Subtract, &[a, b]) => both(a, b.map(Direction::opposite)),
        (Operation::Negate, &[a]) => Ok(a.map(Direction::opposite)),
        (Operation::Float | Operation::Floor | Operation::Ceiling | Operation::Round, &[a]) => Ok(a),
        (Operation::Multiply, &[a, None]) => by_constant(a, second),
        (Operation::Multiply, &[None, b]) => by_constant(b, args.first()),
        (Operation::Divide, &[a, None]) if !second.is_some_and(is_zero) => by_constant(a, second),
        _ => Err(Undirected),
    }
}

/// The direction of a value that depends on two others.
fn both<'d>(a: Option<Direction<'d>>, b: Option<Direction<'d>>) -> Directed<'d> {
    match (a, b) {
        (Some(a), Some(b)) if a != b => Err(Undirected),
        (a, b) => Ok(a.or(b)),
    }
}

/// The direction of a value times a factor, or divided by it.
fn by_constant<'d>(of: Option<Direction<'d>>, factor: Option<&Term>) -> Directed<'d> {
    match factor {
        Some(Term::Integer(factor)) if *factor < 0 => Ok(of.map(Direction::opposite)),
        Some(Term::Float(factor)) if factor.get() < 0.0 => Ok(of.map(Direction::opposite)),
        Some(Term::Integer(_) | Term::Float(_)) => Ok(of),
        Some(Term::Compound(minus, args))
            if &**minus == "-" && matches!(args[..], [Term::Integer(_) | Term::Float(_)]) =>
        {
            Ok(of.map(Direction::opposite))
        }
        _ => Err(Undirected),
    }
}

fn is_zero(term: &Term) -> bool {
    match term {
        Term::Integer(n) => *n == 0,
        Term::Float(float) => float.get() == 0.0,
        _ => false,
    }
}

/// Checks that a term has no value of the recursion; the first variable that is one, with its direction.
fn unmentioned<'d>(term: &Term, directions: &Directions<'d>) -> Result<(), (Term, Direction<'d>)> {
    let mut found = None;
    term.for_each_variable(&mut |name| found = found.take().or_else(|| directions.get_key_value(name)));
    match found {
        Some((name, &direction)) => Err((Term::Variable((*name).clone()), direction)),
        None => Ok(()),
    }
}

fn compared(span: Span, value: &Term, direction: Direction) -> Diagnostic {
    if direction.is_along() {
        return misuse(format!("`{}` is compared in the recursion of the lattice column that orders it", shown(value)))
            .at(span, "true of one value, and perhaps not of a better one")
            .help("hand such a value on as it is, and compare the best ones by a predicate outside of the recursion");
    }
    misuse(format!("`{}` is compared for equality in the recursion of its lattice column", shown(value)))
        .at(span, "true of one value, which a better one may replace")
        .help("give the column a variable of its own and compare by `<` or `>`, or compare outside of the recursion")
}

fn of_set(span: Span) -> Diagnostic {
    misuse("a comparison of a set may fail as it grows in its own recursion".to_owned())
        .at(span, "true of a smaller set, and perhaps not of a larger one")
        .help("ask whether it has an element, `band(B, 4) =\\= 0`, or compare outside of the recursion")
}

fn shown(term: &Term) -> String {
    ludolog_syntax::print_term(term, ludolog_syntax::Syntax::Datalog)
}
