//! What a name means, in words (Markdown).

use crate::Analysis;
use crate::findings::Findings;
use crate::symbol::{Occurrence, Symbol};
use ludolog_logic::analysis::{ColumnKinds, GivenColumns, has_roles};
use ludolog_syntax::ast::{Atom, Name, Predicate, Statement, Term};
use ludolog_syntax::budget::Budget;
use ludolog_syntax::diagnostic::{Span, counted};
use ludolog_syntax::{Syntax, print_atom, print_statement};

/// What GDL says of its keywords (Love, Hinrichs, Haley, Schkufza and Genesereth 2008; `sees` and `random`: Thielscher 2010).
const KEYWORDS: [(&str, usize, &str); 11] = [
    ("role", 1, "a player of the game"),
    ("init", 1, "a fact of the first state"),
    ("true", 1, "a fact of the state"),
    ("next", 1, "a fact of the state after the moves"),
    ("legal", 2, "a move that a role may make"),
    ("does", 2, "the move that a role makes"),
    ("goal", 2, "what a state is worth to a role, from 0 to 100"),
    ("terminal", 0, "the game is over"),
    ("base", 1, "what any state may hold"),
    ("input", 2, "what a role may ever do"),
    ("sees", 2, "what a role perceives after the moves"),
];

/// The functions that comparisons compute and the conditions that mean something by their names, with the numbers of their arguments.
const BUILT_IN: [(&str, usize, &str); 25] = [
    ("min", 2, "the smaller integer"),
    ("max", 2, "the greater integer"),
    ("abs", 1, "the integer without its sign"),
    ("power", 2, "the first integer, as often multiplied as the second says"),
    ("band", 2, "the bits that both integers have"),
    ("bor", 2, "the bits that one of the integers has"),
    ("bxor", 2, "the bits that just one of the integers has"),
    ("bnot", 1, "the integer with all bits changed"),
    ("bshl", 2, "the integer times a power of two"),
    ("bshr", 2, "the integer divided by a power of two, rounded down"),
    ("to_number", 1, "the integer that a symbol spells"),
    ("to_string", 1, "the symbol that spells an integer"),
    ("length", 1, "the number of characters of a symbol"),
    ("to_float", 1, "the float nearest to an integer, or to the number that a symbol spells"),
    ("floor", 1, "the greatest integer below a float"),
    ("ceiling", 1, "the least integer above a float"),
    ("round", 1, "the integer nearest to a float"),
    ("sqrt", 1, "the square root of a float"),
    ("exp", 1, "the power of Euler's number by a float"),
    ("log", 1, "the natural logarithm of a float"),
    ("cat", 2, "symbols and numbers joined to one symbol"),
    ("substring", 3, "characters of a symbol, from one on that is counted from 0"),
    ("member", 2, "the first is an element of the list"),
    ("matches", 2, "the whole symbol is one of the regular expression"),
    ("choice", 2, "for each binding of the variables before `;` one of those behind it"),
];

/// Facts shown of a predicate.
const EXAMPLES: usize = 5;

impl Analysis {
    /// What stands here, in words.
    pub fn describe(&self, occurrence: &Occurrence, findings: Option<&Findings>) -> String {
        let symbol = &occurrence.symbol;
        let syntax = self.loaded.program.syntax_at(occurrence.span);
        match symbol {
            Symbol::Predicate(name, arity) => self.predicate(name, *arity, syntax, findings),
            Symbol::Term(name, 0) => format!("`{name}`: a constant, in {}", self.places(symbol)),
            Symbol::Term(name, arity) => {
                let built_in = BUILT_IN.iter().find(|one| (one.0, one.1) == (&**name, *arity));
                let computed = built_in.map_or(String::new(), |(.., text)| format!("; where it is computed, {text}"));
                format!("`{symbol}`: a functor, in {}{computed}", self.places(symbol))
            }
            Symbol::Variable(..) => format!("`{}`: a variable, in {}", symbol.spelled(syntax), self.places(symbol)),
            Symbol::Word(name, _) => format!("`{name}`: a word of the language, in {}", self.places(symbol)),
            Symbol::Path(path) => format!("`{path}`: the path of a file"),
        }
    }

    /// Whether this is a game that may be played.
    pub fn is_game(&self) -> bool {
        self.analyzed.as_ref().is_some_and(|analyzed| has_roles(&analyzed.stratified.program))
    }

    /// The goal that asks for all facts of a predicate.
    pub fn goal_of(&self, name: &Name, arity: usize, syntax: Syntax) -> String {
        let args = (1..=arity).map(|number| Term::Variable(format!("x{number}").into()));
        print_atom(&Atom { predicate: name.clone().into(), args: args.collect(), span: Span::NONE }, syntax)
    }

    fn places(&self, symbol: &Symbol) -> String {
        counted(self.occurrences_of(symbol).count(), "place")
    }

    fn predicate(&self, name: &Name, arity: usize, syntax: Syntax, findings: Option<&Findings>) -> String {
        let predicate = Predicate::new(name, arity);
        let mut told = vec![format!("**{name}/{arity}**")];
        let is_defined = self.loaded.program.items.iter().any(|item| match &item.statement {
            Statement::Rule(rule) => rule.head.signature() == predicate,
            _ => false,
        });
        if let Some((.., text)) = BUILT_IN.iter().find(|one| !is_defined && (one.0, one.1) == (&**name, arity)) {
            told.push(format!("built in: {text}"));
        }
        if let Some((.., text)) = KEYWORDS.iter().find(|one| self.is_game() && (one.0, one.1) == (&**name, arity)) {
            told.push(format!("GDL: {text}"));
        }
        let heads = self.loaded.program.items.iter().filter_map(|item| match &item.statement {
            Statement::Rule(rule) if rule.head.signature() == predicate => Some((item, rule.body.is_empty())),
            _ => None,
        });
        let heads: Vec<_> = heads.collect();
        let facts = heads.iter().filter(|(_, is_fact)| *is_fact).count();
        let rules = heads.len() - facts;
        let mut counts = Vec::new();
        if rules > 0 {
            counts.push(counted(rules, "rule"));
        }
        if facts > 0 {
            counts.push(format!("{} as written", counted(facts, "fact")));
        }
        if let Some(stratified) = self.analyzed.as_ref().map(|analyzed| &analyzed.stratified) {
            let stratum = stratified.strata.iter().position(|stratum| stratum.contains(&predicate));
            counts.extend(stratum.map(|number| format!("stratum {} of {}", number + 1, stratified.strata.len())));
        }
        if !counts.is_empty() {
            told.push(counts.join(" · "));
        }
        told.extend(self.columns(&predicate));
        if let Some(comments) = heads.iter().map(|(item, _)| &item.comments).find(|comments| !comments.is_empty()) {
            told.push(comments.join("\n"));
        }
        let code = |text: &str| format!("```{}\n{}\n```", language(syntax), text.trim_end());
        if let Some((item, _)) = heads.iter().find(|(_, is_fact)| !is_fact) {
            told.push(code(&print_statement(&item.statement, syntax)));
        }
        if let Some((count, examples)) = findings.and_then(|findings| findings.facts.get(&predicate)) {
            told.push(format!("{}:", counted(*count as usize, "fact")));
            let shown: Vec<String> = examples.iter().take(EXAMPLES).map(|fact| print_atom(fact, syntax)).collect();
            if !shown.is_empty() {
                told.push(code(&shown.join("\n")));
            }
        }
        told.join("\n\n")
    }
}

impl Analysis {
    /// The types of the columns of a predicate: those that are declared, or else those that facts and rules bring into them. `None` if
    /// nothing is known of any.
    fn columns(&self, predicate: &Predicate) -> Option<String> {
        let program = &self.loaded.program;
        let declared = program.items.iter().find_map(|item| match &item.statement {
            Statement::Type(types) if types.signature() == *predicate => Some(&types.columns),
            _ => None,
        });
        if let Some(columns) = declared {
            let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
            return Some(format!("columns, as declared: {}", names.join(", ")));
        }
        let checked = &self.analyzed.as_ref()?.stratified.program;
        let facts = &self.loaded.facts;
        let given = GivenColumns::new(checked, facts.atoms.iter(), facts.tables.iter());
        let kinds = ColumnKinds::new(checked, &given, &Budget::unlimited()).ok()?;
        let columns = kinds.of(predicate).filter(|columns| !columns.iter().all(|kinds| kinds.is_unknown()))?;
        let names: Vec<String> = columns.iter().map(|kinds| kinds.text()).collect();
        (!names.is_empty()).then(|| format!("columns: {}", names.join(", ")))
    }
}

/// The name that editors have for a syntax.
pub fn language(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::Kif => "gdl",
        Syntax::Datalog => "datalog",
    }
}

/// The keywords of GDL, with their arities and meaning.
pub fn gdl_keywords() -> impl Iterator<Item = (&'static str, usize, &'static str)> {
    KEYWORDS.into_iter()
}

/// The functions and conditions that are built in, with the numbers of their arguments and their meaning.
pub(crate) fn built_in() -> impl Iterator<Item = (&'static str, usize, &'static str)> {
    BUILT_IN.into_iter()
}

/// Whether GDL keeps a predicate for itself.
pub fn is_gdl_keyword(name: &str, arity: usize) -> bool {
    KEYWORDS.iter().any(|one| (one.0, one.1) == (name, arity))
}

/// Whether GDL keeps predicates of a name for itself.
pub fn is_gdl_word(name: &str) -> bool {
    KEYWORDS.iter().any(|one| one.0 == name)
}
