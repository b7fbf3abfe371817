//! Types that a program declares of its columns, held against its facts and rules.

use super::body::Body;
use super::clause::{CheckedProgram, Elements, Literal, cons};
use super::given::{Column, GivenColumns};
use super::kinds::{ColumnKinds, Kinds};
use super::report::{arguments, in_reading_order};
use ludolog_syntax::ast::{
    Atom, ColumnType, ColumnTypes, Comparator, Comparison, Item, Name, Predicate, Program, Statement, Term,
    TypeDefinition, TypeDefinitions, TypeValues, nearest,
};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use ludolog_syntax::{Syntax, print_term};
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl Kinds {
    /// The kinds of a type.
    fn of_type(column: &ColumnType, definitions: &TypeDefinitions) -> Kinds {
        match column {
            ColumnType::Any => Kinds::UNKNOWN,
            ColumnType::Integer => Kinds::INTEGER,
            ColumnType::Float => Kinds::FLOAT,
            ColumnType::Symbol => Kinds::SYMBOL,
            // The empty list is a symbol.
            ColumnType::Compound => Kinds::COMPOUND | Kinds::SYMBOL,
            ColumnType::Defined(name) => match definitions.get(name) {
                Some(TypeValues::Symbols(_)) => Kinds::SYMBOL,
                Some(TypeValues::Record(_)) => Kinds::COMPOUND,
                None => Kinds::UNKNOWN,
            },
        }
    }
}

/// The types that a program declares and defines, as statements.
#[derive(Clone, Debug, Default)]
pub struct TypeStatements(Arc<[Item]>);

impl TypeStatements {
    /// Those of a program.
    pub(super) fn of(program: &Program) -> TypeStatements {
        let is_type = |item: &&Item| matches!(item.statement, Statement::Type(_) | Statement::Define(_));
        TypeStatements(program.items.iter().filter(is_type).cloned().collect())
    }

    /// The predicates whose types are declared.
    pub(super) fn predicates(&self) -> impl Iterator<Item = Predicate> {
        declarations(&self.0).map(|(types, _)| types.signature())
    }

    /// The kinds in the columns of the predicates whose types are declared.
    pub(super) fn kinds(&self) -> FxHashMap<Predicate, Vec<Kinds>> {
        let definitions = TypeDefinitions::of(&self.0);
        let kinds =
            |types: &ColumnTypes| types.columns.iter().map(|column| Kinds::of_type(column, &definitions)).collect();
        declarations(&self.0).map(|(types, _)| (types.signature(), kinds(types))).collect()
    }

    /// The columns whose declared types are enumerations, with these.
    pub(super) fn symbols_of_columns<'s>(&'s self) -> FxHashMap<Column, DeclaredSymbols<'s>> {
        let definitions = TypeDefinitions::of(&self.0);
        let symbols = |column: &'s ColumnType| match column {
            ColumnType::Defined(name) => match definitions.get(name) {
                Some(TypeValues::Symbols(symbols)) => Some(DeclaredSymbols { name, symbols }),
                _ => None,
            },
            _ => None,
        };
        let columns = declarations(&self.0).flat_map(|(types, _)| {
            let columns = types.columns.iter().enumerate();
            columns.filter_map(|(column, of)| Some(((types.signature(), column), symbols(of)?)))
        });
        columns.collect()
    }
}

/// A type that is an enumeration.
pub(super) struct DeclaredSymbols<'p> {
    pub name: &'p str,
    pub symbols: &'p [Name],
}

/// The declarations among statements, each with its place.
fn declarations(items: &[Item]) -> impl Iterator<Item = (&ColumnTypes, Span)> {
    items.iter().filter_map(|item| match &item.statement {
        Statement::Type(types) => Some((types, item.span)),
        _ => None,
    })
}

/// What a program declares, while it is held against facts and rules. Of two declarations of a predicate, the first.
struct Declared<'p> {
    columns: FxHashMap<Predicate, (&'p ColumnTypes, Span)>,
    definitions: TypeDefinitions<'p>,
}

impl<'p> Declared<'p> {
    fn of(items: &'p [Item]) -> Self {
        let mut columns = FxHashMap::default();
        for (types, place) in declarations(items) {
            columns.entry(types.signature()).or_insert((types, place));
        }
        Declared { columns, definitions: TypeDefinitions::of(items) }
    }
}

/// Reports constants of a goal that no value of a declared type equals.
pub(super) fn check_goal(program: &CheckedProgram, bodies: &[Body], found: &mut Vec<Diagnostic>) {
    let declared = Declared::of(&program.types.0);
    bodies.iter().for_each(|body| declared.check_conditions(body, found));
}

/// Holds facts to the types that a program declares.
///
/// # Errors
///
/// What is wrong with the first that has a value of another type.
pub fn check_facts<'f>(program: &CheckedProgram, facts: impl IntoIterator<Item = &'f Atom>) -> Result<(), Diagnostics> {
    let mut found = Vec::new();
    let declared = Declared::of(&program.types.0);
    for fact in facts {
        declared.check_terms(fact, &|_, _| true, &mut found);
        if !found.is_empty() {
            return Err(in_reading_order(found));
        }
    }
    Ok(())
}

/// Reports what contradicts the declared types: types that nothing defines, other numbers of arguments, two declarations of a predicate, values in
/// facts and heads that are of another type for certain, constants in conditions that no value of a defined type equals.
pub(super) fn check(
    program: &Program,
    checked: &CheckedProgram,
    budget: &Budget,
    found: &mut Vec<Diagnostic>,
) -> Result<(), Stopped> {
    let declared = Declared::of(&program.items);
    check_definitions(program, &declared.definitions, found);
    for (types, place) in declarations(&program.items) {
        let first = declared.columns[&types.signature()];
        if first.0.columns != types.columns {
            let message = format!("`{}` is declared with other types elsewhere", types.predicate.text());
            let first = first.1;
            found.push(wrong(message).at(place, "here").at(first, "and here").help("declare it once"));
        }
    }
    if declared.columns.is_empty() {
        return Ok(());
    }
    check_arities(checked, &declared.columns, found);
    for fact in &checked.facts {
        declared.check_terms(fact, &|_, _| true, found);
    }
    for body in checked.bodies() {
        declared.check_conditions(body, found);
    }
    let given = GivenColumns::default();
    let kinds = ColumnKinds::new(checked, &given, budget)?;
    for rule in checked.rules.iter().filter(|rule| declared.columns.contains_key(&rule.head.signature())) {
        let Some(variables) = kinds.variables(&rule.body) else { continue };
        let may_be = |name: &Name, wanted: &ColumnType| {
            let of_variable = variables.get(name).copied().unwrap_or(Kinds::UNKNOWN);
            of_variable.meets(Kinds::of_type(wanted, &declared.definitions))
        };
        declared.check_terms(&rule.head, &may_be, found);
    }
    Ok(())
}

/// Reports types that nothing defines, and those that are defined twice in two ways.
fn check_definitions(program: &Program, definitions: &TypeDefinitions, found: &mut Vec<Diagnostic>) {
    let known = || ColumnType::ALL.into_iter().map(|(_, name)| name).chain(definitions.names());
    for item in &program.items {
        let columns: &[ColumnType] = match &item.statement {
            Statement::Type(types) => &types.columns,
            Statement::Define(TypeDefinition { name, values }) => {
                if !matches!(ColumnType::of(name), ColumnType::Defined(_)) || definitions.get(name) != Some(values) {
                    let message = format!("there is another type `{name}`");
                    found.push(wrong(message).at(item.span, "defined again").help("give it another name"));
                }
                match values {
                    TypeValues::Record(fields) => fields,
                    TypeValues::Symbols(_) => &[],
                }
            }
            _ => continue,
        };
        for column in columns {
            let ColumnType::Defined(name) = column else { continue };
            if definitions.get(name).is_none() {
                let unknown = wrong(format!("there is no type `{name}`")).at(item.span, "named here");
                let meant = match ColumnType::named_elsewhere(name) {
                    [] => nearest(name, known()).into_iter().collect(),
                    types => types.to_vec(),
                };
                let help = match &meant[..] {
                    [] => {
                        format!("define it: `:- enumeration({name}, first, second).` or `:- record({name}, integer).`")
                    }
                    meant => format!("did you mean `{}`?", meant.join("` or `")),
                };
                let respelled = |wrong: Diagnostic, meant: &str| wrong.respelled(item.span, &**name, meant);
                found.push(meant.into_iter().fold(unknown.help(help), respelled));
            }
        }
    }
}

/// Reports predicates that have another number of arguments wherever they stand.
fn check_arities(
    checked: &CheckedProgram,
    declared: &FxHashMap<Predicate, (&ColumnTypes, Span)>,
    found: &mut Vec<Diagnostic>,
) {
    let mut used: FxHashMap<&str, Vec<(usize, Span)>> = FxHashMap::default();
    checked.for_each_atom(&mut |atom| {
        if let Some(name) = atom.predicate.written() {
            used.entry(name).or_default().push((atom.args.len(), atom.span));
        }
    });
    for (types, place) in declared.values() {
        let uses = types.predicate.written().and_then(|name| used.get(name)).into_iter().flatten();
        let mut uses = uses.peekable();
        let Some(&&(first, span)) = uses.peek() else { continue };
        if uses.all(|(arity, _)| *arity != types.columns.len()) {
            let message = format!(
                "`{}` has {} here, but is declared with {}",
                types.predicate.text(),
                arguments(first),
                arguments(types.columns.len())
            );
            found.push(
                wrong(message)
                    .at(span, "used here")
                    .at(*place, "declared here")
                    .help("declare a type for each argument"),
            );
        }
    }
}

impl Declared<'_> {
    /// Reports the first argument of a fact or head that is of another type.
    fn check_terms(&self, head: &Atom, may_be: &dyn Fn(&Name, &ColumnType) -> bool, found: &mut Vec<Diagnostic>) {
        let Some((types, place)) = self.columns.get(&head.signature()) else { return };
        let columns = head.args.iter().zip(&types.columns).enumerate();
        let mut faults = columns
            .filter_map(|(column, (term, wanted))| Some((column, term, self.definitions.fault(wanted, term, may_be)?)));
        let Some((column, whole, (part, wanted))) = faults.next() else { return };
        let text = print_term(part, Syntax::Datalog);
        let name = types.columns[column].name();
        let found_here = if part == whole {
            format!("`{text}` is of another type")
        } else {
            format!("`{text}` in `{}` is no `{}`", print_term(whole, Syntax::Datalog), wanted.name())
        };
        let message =
            format!("column {} of `{}` is declared `{name}`, and {found_here}", column + 1, types.predicate.text());
        let help = self.definitions.way_out(wanted, part).unwrap_or_else(|| match (part, wanted) {
            (Term::Integer(n), ColumnType::Float) => format!("write `{n}.0`"),
            (Term::Variable(_), ColumnType::Float) => format!("make a float of it: `X is to_float({text})`"),
            (Term::Float(_) | Term::Variable(_), ColumnType::Integer) => format!("round it: `N is round({text})`"),
            (Term::Integer(_) | Term::Float(_), ColumnType::Symbol) => format!("quote it: `'{text}'`"),
            _ => "correct it, or declare the column `any`".to_owned(),
        });
        let new = match (part, wanted) {
            (Term::Integer(n), ColumnType::Float) => Some(format!("{n}.0")),
            (Term::Integer(_) | Term::Float(_), ColumnType::Symbol) => Some(format!("'{text}'")),
            _ => self.definitions.meant(wanted, part).map(str::to_owned),
        };
        let fault = wrong(message).at(head.span, "here").at(*place, "declared here").help(help);
        found.push(match new {
            Some(new) => fault.respelled(head.span, text, new),
            None => fault,
        });
    }

    /// Reports constants that stand where values of a declared type do, and are none: in columns, and compared with variables of such columns.
    /// What compares integers with floats, lints tell.
    fn check_conditions(&self, body: &[Literal], found: &mut Vec<Diagnostic>) {
        let mut variables: FxHashMap<&Name, (&ColumnType, Span)> = FxHashMap::default();
        for literal in body {
            let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else { continue };
            let Some((types, place)) = self.columns.get(&atom.signature()) else { continue };
            for (arg, wanted) in atom.args.iter().zip(&types.columns) {
                match (arg, literal) {
                    (Term::Variable(name), Literal::Positive(_)) => _ = variables.insert(name, (wanted, *place)),
                    _ => self.check_constant(arg, wanted, (atom.span, *place), found),
                }
            }
        }
        for literal in body {
            match literal {
                Literal::Compare(test) | Literal::NotCompare(test) => self.check_comparison(test, &variables, found),
                Literal::Member { element: Term::Variable(name), elements: Elements::List(list), span, .. } => {
                    let Some((wanted, place)) = variables.get(name) else { continue };
                    for element in elements(list).filter(|element| !are_numbers(element, wanted)) {
                        self.check_constant(element, wanted, (*span, *place), found);
                    }
                }
                _ => {}
            }
        }
    }

    fn check_comparison(
        &self,
        test: &Comparison,
        variables: &FxHashMap<&Name, (&ColumnType, Span)>,
        found: &mut Vec<Diagnostic>,
    ) {
        let tests_equality = matches!(test.comparator, Comparator::Equal | Comparator::NotEqual);
        for (side, other) in [(&test.left, &test.right), (&test.right, &test.left)] {
            let Term::Variable(name) = side else { continue };
            let Some((wanted, place)) = variables.get(name) else { continue };
            if tests_equality && !are_numbers(other, wanted) {
                self.check_constant(other, wanted, (test.span, *place), found);
            } else if test.comparator.orders() && matches!(other, Term::Symbol(_)) {
                found.extend(self.order_of(name, wanted, (test.span, *place)));
            }
        }
    }

    /// What is told of a variable that is held against a symbol, where its type lists symbols in another order than that of their characters.
    fn order_of(&self, name: &Name, wanted: &ColumnType, places: (Span, Span)) -> Option<Diagnostic> {
        let ColumnType::Defined(of) = wanted else { return None };
        let Some(TypeValues::Symbols(symbols)) = self.definitions.get(of) else { return None };
        let mut pairs = symbols.iter().zip(symbols.iter().skip(1));
        let (before, after) = pairs.find(|(before, after)| before > after)?;
        let name = print_term(&Term::Variable(name.clone()), Syntax::Datalog);
        let message = format!("`{name}` is ordered by its characters, and not as `{of}` lists its symbols");
        Some(
            Diagnostic::warning(Code::CharacterOrder, message)
                .at(places.0, format!("`{after}` comes before `{before}`"))
                .at(places.1, "declared here")
                .help("write a predicate of numbers, `rank(low, 1). rank(mid, 2).`, and compare these"),
        )
    }

    /// Reports a term that no value of a type equals. The places are those of the condition and of the declaration.
    fn check_constant(&self, term: &Term, wanted: &ColumnType, places: (Span, Span), found: &mut Vec<Diagnostic>) {
        let Some((part, of)) = self.definitions.fault(wanted, term, &|_, _| true) else { return };
        let message = format!("`{}` is no value of the type `{}`", print_term(part, Syntax::Datalog), of.name());
        let help = self.definitions.way_out(of, part).unwrap_or_else(|| "correct it".to_owned());
        let fault = wrong(message).at(places.0, "here").at(places.1, "declared here").help(help);
        found.push(match (self.definitions.meant(of, part), part) {
            (Some(meant), Term::Symbol(text)) => fault.respelled(places.0, &**text, meant),
            _ => fault,
        });
    }
}

/// The elements of a list, as far as it is known.
fn elements(list: &Term) -> impl Iterator<Item = &Term> {
    let mut rest = list;
    std::iter::from_fn(move || {
        let (first, others) = cons(rest)?;
        rest = others;
        Some(first)
    })
}

/// Whether a term is a number, and so are all of a type.
fn are_numbers(term: &Term, of: &ColumnType) -> bool {
    matches!(term, Term::Integer(_) | Term::Float(_)) && matches!(of, ColumnType::Integer | ColumnType::Float)
}

fn wrong(message: String) -> Diagnostic {
    Diagnostic::error(Code::ColumnType, message)
}
