//! Grounding: the rules of a game for each state that may come up, without variables.
//!
//! Our own engine grounds: the rulesheet is relaxed (`relax`) to a program without state, whose facts are all that may
//! hold in some state, and each rule gets a relation of its own, with a column for each of its variables. The rows of
//! that relation are the ground rules. Variables that occur in few literals are eliminated before (`eliminate`),
//! because the ground rules of one rule are as many as the combinations of its variables.

mod constant;
mod eliminate;
mod relax;
mod unread;

use indexmap::IndexMap;
use ludolog_engine::semi_naive::SemiNaive;
use ludolog_engine::term::Template;
use ludolog_engine::value::{Interner, Value};
use ludolog_engine::{Budget, Case, Count, Engine, Rows, Setting, Stopped, prepare};
use ludolog_game::program::relevant;
use ludolog_logic::analysis::clause::{CheckedProgram, Literal, StratifiedProgram};
use ludolog_logic::analysis::hides;
use ludolog_logic::optimize::Optimization;
use ludolog_syntax::ast::{Atom, Name, Predicate, Program, Term};
use ludolog_syntax::{ColdSort, Syntax, print_statement};
use relax::{Instances, Relaxed};
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::sync::Arc;

/// Most facts of the relaxed program before rules are written otherwise.
const MANY_FACTS: u64 = 1_000_000;

/// Most facts of the relaxed program: about a gigabyte.
const MAX_FACTS: u64 = 16_000_000;

/// Terms of many facts that nest deeper than this are taken to grow.
const MAX_DEPTH: usize = 4;

/// Integers of many facts that are so many times the greatest one of the rulesheet are taken to be counted without end.
const MAX_COUNT: u64 = 1000;

/// The number of a ground atom.
pub type AtomId = u32;

/// A ground literal: twice the number of its atom, plus one if it is negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroundLiteral(u32);

impl GroundLiteral {
    fn new(atom: AtomId, negated: bool) -> Self {
        Self(atom << 1 | u32::from(negated))
    }

    /// The atom.
    pub fn atom(self) -> AtomId {
        self.0 >> 1
    }

    /// Whether the literal holds when the atom does not.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The keywords of GDL whose atoms have a meaning for the net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keyword {
    /// `true(F)`
    True,
    /// `does(R, M)`
    Does,
    /// `next(F)`
    Next,
    /// `legal(R, M)`
    Legal,
    /// `goal(R, V)`
    Goal,
    /// `terminal`
    Terminal,
    /// `sees(R, P)`
    Sees,
}

impl Keyword {
    const ALL: [(Keyword, &'static str, usize); 7] = [
        (Keyword::True, "true", 1),
        (Keyword::Does, "does", 2),
        (Keyword::Next, "next", 1),
        (Keyword::Legal, "legal", 2),
        (Keyword::Goal, "goal", 2),
        (Keyword::Terminal, "terminal", 0),
        (Keyword::Sees, "sees", 2),
    ];

    /// The keyword that a predicate is.
    pub fn of(predicate: &Predicate) -> Option<Keyword> {
        let is = |(_, name, arity): &&(Keyword, &str, usize)| predicate.name == *name && predicate.arity == *arity;
        Self::ALL.iter().find(is).map(|(keyword, ..)| *keyword)
    }
}

/// The predicate and arguments of a ground atom.
type AtomKey = (u32, Box<[Value]>);

/// A game without variables.
pub struct GroundGame {
    predicates: Vec<Predicate>,
    /// The atoms, each with the bodies of its rules. An empty body always holds.
    atoms: IndexMap<AtomKey, Vec<Box<[GroundLiteral]>>, FxBuildHasher>,
    interner: Interner,
    /// The rules that were grounded, as KIF in a canonical order: equal for rulesheets that differ in layout, comments
    /// and order.
    pub rulesheet: Arc<str>,
    /// Whether the rulesheet hides its states (GDL-II).
    pub hides: bool,
    /// The roles, in the order of the rulesheet.
    pub roles: Vec<Value>,
    /// The facts of the first state, without those that never change.
    pub initial: Vec<Value>,
    /// The facts of every state.
    pub constants: Vec<Value>,
    rules: [usize; 3],
}

/// The sizes of a rulesheet on its way to ground rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroundSizes {
    /// The rules that a game machine asks for, as written.
    pub rules: usize,
    /// With rules for negations that have variables of their own.
    pub projected_rules: usize,
    /// With rules for variables that are eliminated.
    pub eliminated_rules: usize,
    /// The ground rules.
    pub ground_rules: usize,
    /// The ground atoms in them.
    pub atoms: usize,
    /// The literals in them: as many gates as the rules have before equal ones are shared.
    pub literals: usize,
}

/// Why there is no ground game.
#[derive(Debug)]
pub enum Ungrounded {
    /// The program does not say who plays.
    NoRoles,
    /// The program has aggregates, which have no gates.
    Aggregates,
    /// The budget ended.
    Stopped(Stopped),
    /// There are more ground rules than a net is worth.
    TooManyRules {
        /// The rule that has the most, as text, or the relation that has even more facts.
        rule: String,
        /// Their number when grounding ended.
        instances: u64,
        /// The number of the rule that it was split from, if it was.
        split: Option<usize>,
        /// Whether its terms grow from fact to fact, perhaps without end.
        grows: bool,
    },
    /// Something else stopped it: the budget, or terms that are too large.
    Grown {
        /// The rule that had the most instances then, or the deepest terms, as text; a relation, if it had more.
        rule: String,
        /// Its instances.
        instances: u64,
        /// The reason for the stop.
        stopped: Stopped,
    },
}

impl From<Stopped> for Ungrounded {
    fn from(stopped: Stopped) -> Self {
        Ungrounded::Stopped(stopped)
    }
}

impl GroundGame {
    /// Grounds the rules that a game machine asks for.
    ///
    /// # Errors
    ///
    /// [`Ungrounded`].
    pub fn new(program: &StratifiedProgram, budget: &Budget) -> Result<GroundGame, Ungrounded> {
        let mut literals = program.program.rules.iter().flat_map(|rule| &rule.body);
        if literals.any(|literal| matches!(literal, Literal::Aggregate(_))) {
            return Err(Ungrounded::Aggregates);
        }
        let first = Self::of_wordings(program, MANY_FACTS, false, budget);
        let grounded = match first {
            Err(Ungrounded::TooManyRules { .. } | Ungrounded::Grown { .. }) if !relax::bounds(program).is_empty() => {
                Self::of_wordings(program, MANY_FACTS, true, budget).or(first)
            }
            _ => first,
        };
        let grounded = match grounded {
            Err(Ungrounded::TooManyRules { grows: false, .. }) => Self::of_wordings(program, MAX_FACTS, false, budget),
            _ => grounded,
        };
        let hides = hides(&program.program);
        grounded.map(|game| GroundGame { rulesheet: rulesheet(program), hides, ..game })
    }

    /// Grounds the rules split, and those whole that explode split.
    fn of_wordings(
        program: &StratifiedProgram,
        most: u64,
        bounded: bool,
        budget: &Budget,
    ) -> Result<GroundGame, Ungrounded> {
        let mut whole = FxHashSet::default();
        loop {
            match Self::of_relaxed(relax::relax(program, &whole, bounded), most, budget) {
                // Elimination makes more ground rules than it saves where the rest of the rule leaves few combinations.
                Err(Ungrounded::TooManyRules { split: Some(rule), .. }) => whole.insert(rule),
                grounded => return grounded,
            };
        }
    }

    fn of_relaxed(relaxed: Relaxed, most: u64, budget: &Budget) -> Result<GroundGame, Ungrounded> {
        let setting = Setting { optimization: Optimization::Reordering, ..Setting::default() };
        let prepared = prepare(&relaxed.program, &Case::default(), None, &setting, budget)?;
        let mut engine = SemiNaive::load(&prepared.optimized.program, false, budget)?;
        match engine.update(&budget.clone().with_max_facts(most)) {
            Err(Stopped::TooManyFacts(_)) => return Err(too_many(&relaxed, &mut engine)),
            Err(stopped) if stopped != Stopped::Interrupted => return Err(grown(&relaxed, &mut engine, stopped)),
            updated => updated?,
        }
        let mut game = GroundGame {
            predicates: Vec::new(),
            atoms: IndexMap::default(),
            interner: engine.interner().clone(),
            rulesheet: Arc::default(),
            hides: false,
            roles: Vec::new(),
            initial: Vec::new(),
            rules: relaxed.rules,
            constants: Vec::new(),
        };
        let mut unary = |name: &str| {
            let mut values = Vec::new();
            engine.for_each_row(&Predicate::new(name, 1), budget, &mut |row| values.extend(row))?;
            Ok::<Vec<Value>, Stopped>(values)
        };
        let (constants, initial) =
            unary("init")?.into_iter().partition(|&fact| constant::is_of(&game.interner.term(fact), &relaxed.constant));
        (game.constants, game.initial) = (constants, initial);
        game.roles = relaxed.roles.iter().map(|role| game.interner.ground(role)).collect();
        // Roles that rules derive come after those that are given, in the order of their terms.
        let mut derived: Vec<Value> = unary("role")?.into_iter().filter(|role| !game.roles.contains(role)).collect();
        derived.sort_by_cached_key(|&role| game.interner.term(role));
        game.roles.extend(derived);
        if game.roles.is_empty() {
            return Err(Ungrounded::NoRoles);
        }
        for instances in &relaxed.instances {
            let rule = game.compile(instances);
            engine.for_each_row(&instances.predicate, budget, &mut |row| game.add(&rule, row))?;
        }
        Ok(game)
    }

    fn compile(&mut self, instances: &Instances) -> GroundRule {
        let mut atom = |atom: &Atom| {
            let predicate = self.predicate(&atom.signature());
            let mut slot = |name: &Name| {
                let place = instances.variables.iter().position(|variable| variable == name);
                place.expect("the variables of a rule are columns of its instances") as u32
            };
            let args = atom.args.iter().map(|arg| Template::compile(arg, None, &mut self.interner, &mut slot));
            GroundTemplate { predicate, args: args.collect() }
        };
        let head = atom(&instances.head);
        let body = instances.body.iter().filter_map(|literal| match literal {
            Literal::Positive(positive) => Some((atom(positive), false)),
            Literal::Negative(negative) => Some((atom(negative), true)),
            _ => None,
        });
        let body = body.collect();
        GroundRule { head, body }
    }

    fn predicate(&mut self, predicate: &Predicate) -> u32 {
        let known = self.predicates.iter().position(|known| known == predicate);
        known.unwrap_or_else(|| {
            self.predicates.push(predicate.clone());
            self.predicates.len() - 1
        }) as u32
    }

    fn atom(&mut self, template: &GroundTemplate, row: &[Value]) -> AtomId {
        let args = template.args.iter().map(|arg| arg.value(row, &mut self.interner)).collect();
        let entry = self.atoms.entry((template.predicate, args));
        let atom = entry.index() as AtomId;
        entry.or_default();
        atom
    }

    fn add(&mut self, rule: &GroundRule, row: &[Value]) {
        let head = self.atom(&rule.head, row);
        let body = rule.body.iter().map(|(atom, negated)| GroundLiteral::new(self.atom(atom, row), *negated)).collect();
        self.atoms[head as usize].push(body);
    }

    /// The number of atoms.
    pub fn len(&self) -> usize {
        self.atoms.len()
    }

    /// Whether nothing can hold.
    pub fn is_empty(&self) -> bool {
        self.atoms.is_empty()
    }

    /// The number of ground rules.
    pub fn rules(&self) -> usize {
        self.atoms.values().map(Vec::len).sum()
    }

    /// The sizes of the rules, step by step.
    pub fn sizes(&self) -> GroundSizes {
        let [rules, projected_rules, eliminated_rules] = self.rules;
        let literals = self.atoms.values().flatten().map(|body| body.len()).sum();
        GroundSizes {
            rules,
            projected_rules,
            eliminated_rules,
            ground_rules: self.rules(),
            atoms: self.len(),
            literals,
        }
    }

    /// The keyword of an atom and its arguments.
    ///
    /// # Panics
    ///
    /// When the atom is of another game.
    pub fn keyword(&self, atom: AtomId) -> (Option<Keyword>, &[Value]) {
        let ((predicate, args), _) = self.atoms.get_index(atom as usize).expect("an atom of this game");
        (Keyword::of(&self.predicates[*predicate as usize]), args)
    }

    /// The bodies of the rules of an atom.
    pub fn bodies(&self, atom: AtomId) -> &[Box<[GroundLiteral]>] {
        &self.atoms[atom as usize]
    }

    /// The term of a value.
    pub fn term(&self, value: Value) -> Term {
        self.interner.term(value)
    }
}

/// An atom of a rule, to be made of a row of its instances.
struct GroundTemplate {
    predicate: u32,
    args: Vec<Template>,
}

/// A rule, to be made of a row of its instances.
struct GroundRule {
    head: GroundTemplate,
    body: Vec<(GroundTemplate, bool)>,
}

/// The predicate with the most facts.
/// The rules of a program as KIF, one a line, in the order of the lines.
fn rulesheet(program: &StratifiedProgram) -> Arc<str> {
    let program = Program::from(&relevant(program, &[]).program);
    let mut lines: Vec<String> =
        program.items.iter().map(|item| print_statement(&item.statement, Syntax::Kif)).collect();
    lines.cold_sort();
    lines.dedup();
    lines.join("\n").into()
}

fn too_many(relaxed: &Relaxed, engine: &mut SemiNaive) -> Ungrounded {
    let count = |predicate: &Predicate| engine.count(predicate);
    let rules = relaxed.instances.iter().map(|rule| (&rule.predicate, rule.text(), rule.split));
    let heads: Vec<Predicate> = relaxed.program.program.rules.iter().map(|rule| rule.head.signature()).collect();
    let relations = heads.iter().filter(|predicate| !predicate.is_auxiliary());
    let relations = relations.map(|predicate| (predicate, predicate.to_string(), None));
    let most = rules.chain(relations).max_by_key(|(predicate, _, split)| (count(predicate), split.is_some()));
    let (predicate, rule, split) = most.expect("some rule has made facts");
    let instances = count(predicate);
    let mut last: Vec<Value> = Vec::new();
    let read = engine.for_each_row(predicate, &Budget::unlimited(), &mut |row| {
        last.clear();
        last.extend(row);
    });
    let most = greatest_of(&relaxed.program.program).saturating_add(1).saturating_mul(MAX_COUNT);
    let is_grown = |term: &Term| term.depth() > MAX_DEPTH || greatest(term) > most;
    let grows = read.is_ok() && last.iter().any(|&value| is_grown(&engine.interner().term(value)));
    Ungrounded::TooManyRules { rule, instances, split, grows }
}

/// The greatest amount of an integer in a program.
fn greatest_of(program: &CheckedProgram) -> u64 {
    let of_atom = |atom: &Atom| atom.args.iter().map(greatest).max().unwrap_or_default();
    let of_terms = |terms: [Option<&Term>; 2]| terms.into_iter().flatten().map(greatest).max().unwrap_or_default();
    let of_literal = |literal: &Literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => of_atom(atom),
        Literal::Compare(comparison) | Literal::NotCompare(comparison) => {
            of_terms([Some(&comparison.left), Some(&comparison.right)])
        }
        Literal::Member { element, elements, .. } => greatest(element).max(of_terms(elements.terms())),
        Literal::Aggregate(_) => 0,
    };
    let heads = program.facts.iter().chain(program.rules.iter().map(|rule| &rule.head)).map(of_atom);
    heads.chain(program.rules.iter().flat_map(|rule| &rule.body).map(of_literal)).max().unwrap_or_default()
}

/// The greatest amount of an integer in a term; 0 if it has none.
fn greatest(term: &Term) -> u64 {
    match term {
        Term::Integer(integer) => integer.unsigned_abs(),
        Term::Compound(_, args) => args.iter().map(greatest).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Names the rule or predicate that grew most.
fn grown(relaxed: &Relaxed, engine: &mut SemiNaive, stopped: Stopped) -> Ungrounded {
    let depth = |head: &Atom| head.args.iter().map(Term::depth).max().unwrap_or_default() as u64;
    let rules = relaxed.instances.iter().map(|of| (of.text(), of.predicate.clone(), depth(&of.head)));
    let predicates = engine.predicates().into_iter().map(|predicate| (predicate.to_string(), predicate, 0));
    // Of a rule and its head, the rule says more.
    let grown = predicates.chain(rules).map(|(text, predicate, head)| {
        let instances = engine.count(&predicate);
        let size = match stopped {
            Stopped::TermTooLarge(_) => deepest(engine, &predicate) + head,
            _ => instances,
        };
        (size, text, instances)
    });
    match grown.max_by_key(|(size, ..)| *size) {
        Some((_, rule, instances)) => Ungrounded::Grown { rule, instances, stopped },
        None => Ungrounded::Stopped(stopped),
    }
}

/// The depth of the deepest term in the facts of a predicate.
fn deepest(engine: &mut SemiNaive, predicate: &Predicate) -> u64 {
    let facts = engine.facts(predicate, &Budget::unlimited()).unwrap_or_default();
    facts.iter().flat_map(|fact| &fact.args).map(Term::depth).max().unwrap_or_default() as u64
}
