//! Types of columns, and the types that a program defines.

use super::{Item, Name, Predicate, PredicateName, Statement, Term};
use std::collections::HashMap;

/// Most values of an enumeration that are named where another one stands.
const MOST_NAMED: usize = 10;

/// `:- type(price, symbol, float)`: what the columns of a predicate hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnTypes {
    /// The predicate, which has as many arguments.
    pub predicate: PredicateName,
    /// The types, in the order of the columns.
    pub columns: Vec<ColumnType>,
}

impl ColumnTypes {
    /// The predicate with its arity.
    pub fn signature(&self) -> Predicate {
        Predicate { name: self.predicate.clone(), arity: self.columns.len() }
    }
}

/// The type of a column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ColumnType {
    /// Any term.
    Any,
    /// Integers.
    Integer,
    /// Floats.
    Float,
    /// Symbols.
    Symbol,
    /// Compound terms, and the empty list.
    Compound,
    /// What the program defines under this name.
    Defined(Name),
}

impl ColumnType {
    /// The types of the language with their names.
    pub const ALL: [(ColumnType, &str); 5] = [
        (ColumnType::Any, "any"),
        (ColumnType::Integer, "integer"),
        (ColumnType::Float, "float"),
        (ColumnType::Symbol, "symbol"),
        (ColumnType::Compound, "compound"),
    ];

    /// The type of this name; if the language has none, one that the program defines.
    pub fn of(name: &str) -> ColumnType {
        let known = Self::ALL.into_iter().find(|(_, other)| *other == name);
        known.map_or_else(|| ColumnType::Defined(name.into()), |(column, _)| column)
    }

    /// The names of the types that other languages call by this name.
    pub fn named_elsewhere(name: &str) -> &'static [&'static str] {
        match &*name.to_ascii_lowercase() {
            "int" | "int8" | "int16" | "int32" | "int64" | "long" | "unsigned" | "uint" | "i32" | "i64" | "u32"
            | "u64" => &["integer"],
            "float32" | "float64" | "f32" | "f64" | "double" | "real" | "decimal" => &["float"],
            "number" | "numeric" => &["integer", "float"],
            "str" | "string" | "text" | "char" | "varchar" | "atom" | "sym" => &["symbol"],
            "list" | "tuple" | "struct" => &["compound"],
            _ => &[],
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        match self {
            ColumnType::Defined(name) => name,
            column => Self::ALL.into_iter().find(|(other, _)| other == column).map_or("", |(_, name)| name),
        }
    }
}

/// `:- enumeration(color, red, green)` or `:- record(point, integer, integer)`: a type of the program's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDefinition {
    /// The name of the type.
    pub name: Name,
    /// Its values.
    pub values: TypeValues,
}

/// The values of a type that a program defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeValues {
    /// These symbols.
    Symbols(Vec<Name>),
    /// The compounds of the type's name whose arguments are of these types.
    Record(Vec<ColumnType>),
}

/// The types that a program defines, by name; of two of one name the first.
#[derive(Clone, Debug, Default)]
pub struct TypeDefinitions<'p>(HashMap<&'p str, &'p TypeValues>);

impl<'p> TypeDefinitions<'p> {
    /// The types that statements define.
    pub fn of(items: &'p [Item]) -> Self {
        let mut definitions = TypeDefinitions::default();
        for item in items {
            if let Statement::Define(TypeDefinition { name, values }) = &item.statement {
                definitions.0.entry(name).or_insert(values);
            }
        }
        definitions
    }

    /// The values of the type of this name.
    pub fn get(&self, name: &str) -> Option<&'p TypeValues> {
        self.0.get(name).copied()
    }

    /// The names of the types.
    pub fn names(&self) -> impl Iterator<Item = &'p str> {
        self.0.keys().copied()
    }

    /// The first part of a term that is not of its type, with that type; `None` if the term is of this type. `may_be` says whether a variable may
    /// be of a type. All terms are of one that nothing defines.
    pub fn fault<'t>(
        &'t self,
        column: &'t ColumnType,
        term: &'t Term,
        may_be: &dyn Fn(&Name, &ColumnType) -> bool,
    ) -> Option<(&'t Term, &'t ColumnType)> {
        let fits = match (column, term) {
            (_, Term::Variable(name)) => may_be(name, column),
            (ColumnType::Any, _)
            | (ColumnType::Integer, Term::Integer(_))
            | (ColumnType::Float, Term::Float(_))
            | (ColumnType::Symbol, Term::Symbol(_))
            | (ColumnType::Compound, Term::Compound(..)) => true,
            (ColumnType::Compound, Term::Symbol(name)) => &**name == "nil",
            (ColumnType::Defined(name), term) => match (self.get(name), term) {
                (None, _) => true,
                (Some(TypeValues::Symbols(values)), Term::Symbol(symbol)) => values.contains(symbol),
                (Some(TypeValues::Record(fields)), Term::Compound(functor, args))
                    if functor == name && args.len() == fields.len() =>
                {
                    return args.iter().zip(fields).find_map(|(arg, field)| self.fault(field, arg, may_be));
                }
                _ => false,
            },
            _ => false,
        };
        (!fits).then_some((term, column))
    }

    /// Whether a ground term is of a type.
    pub fn admits(&self, column: &ColumnType, term: &Term) -> bool {
        self.fault(column, term, &|_, _| true).is_none()
    }

    /// The value of an enumeration that was probably meant by a term that is none of its values.
    pub fn meant(&self, column: &ColumnType, term: &Term) -> Option<&str> {
        let (ColumnType::Defined(name), Term::Symbol(text)) = (column, term) else { return None };
        match self.get(name)? {
            TypeValues::Symbols(values) => nearest(text, values.iter().map(|value| &**value)),
            TypeValues::Record(_) => None,
        }
    }

    /// The values of a type that a program defines, and the one that was probably meant by a term that is none; `None` of other types.
    pub fn way_out(&self, column: &ColumnType, term: &Term) -> Option<String> {
        let ColumnType::Defined(name) = column else { return None };
        Some(match self.get(name)? {
            TypeValues::Symbols(values) => match self.meant(column, term) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => {
                    let named: Vec<String> = values.iter().take(MOST_NAMED).map(|value| format!("`{value}`")).collect();
                    let more = if values.len() > MOST_NAMED { ", …" } else { "" };
                    format!("the values of `{name}` are {}{more}", named.join(", "))
                }
            },
            TypeValues::Record(fields) => {
                let fields: Vec<&str> = fields.iter().map(ColumnType::name).collect();
                format!("a `{name}` is `{name}({})`", fields.join(", "))
            }
        })
    }
}

/// The nearest of other names to a text, if it is spelled nearly as this.
pub fn nearest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let allowed = text.chars().count().div_ceil(4).min(2);
    let near = names.map(|name| (strsim::osa_distance(text, name), name));
    near.filter(|(distance, _)| *distance <= allowed).min().map(|(_, name)| name)
}
