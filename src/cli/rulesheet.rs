//! The rulesheets of commands: files, games that come with Ludolog, and games that are made of a file.

use super::case::{explain, read_from};
use super::choice::choice;
use super::{FILES, Failure, games, limits, positional, rules, show};
use clap::Args;
use ludolog::analysis::Analyzed;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::diagnostic::{Sources, Span};
use ludolog::engine::Budget;
use ludolog::family::games::{FamilyGame, GAMES, GameSources, find, shannon};
use ludolog::family::graph::UndirectedGraph;
use ludolog::family::size::{NoSuchGame, Size};
use ludolog::game::GameError;
use ludolog::syntax::ast::{Atom, Item, Predicate, Program, Rule, Statement, Term};
use ludolog::syntax::{
    self, Database, Files, LoadedProgram, Syntax, Unreadable, load_facts, print_statement, print_term,
};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The rulesheet of a command.
#[derive(Args)]
pub struct RulesheetArgs {
    /// The rulesheet, or the name of a game that comes with Ludolog, as hex-5x5
    #[arg(value_name = "GAME", value_parser = games::argument())]
    pub game: PathBuf,
    #[command(flatten)]
    variant: GameVariant,
    /// The syntax of a file whose extension names none
    #[arg(long, value_parser = choice::<Syntax>(), value_name = "SYNTAX")]
    pub syntax: Option<Syntax>,
}

impl RulesheetArgs {
    /// The rulesheet, made if it has to be.
    pub fn open(&self) -> Result<OpenedSheet, Failure> {
        self.variant.of(&self.game, self.syntax)
    }

    /// The program of the rulesheet; prints warnings.
    pub fn read(&self, sources: &mut Sources, budget: &Budget) -> Result<StratifiedProgram, Failure> {
        Ok(self.open()?.analyze(sources, budget)?.stratified)
    }
}

/// Which of the games of a name is meant.
#[derive(Args)]
pub struct GameVariant {
    /// The size of a game that has sizes: `y --size 5` is y-5
    #[arg(long)]
    size: Option<String>,
    /// Make the game on this graph: shannon-edges, shannon-vertices, hex-graph, coloring
    #[arg(long, value_name = "FILE", conflicts_with = "sets")]
    graph: Option<PathBuf>,
    /// Make the game of these winning sets: in-a-row, set-coloring
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    sets: Option<PathBuf>,
    /// Let this role move first, in a game whose rules say so by a fact, as (begins red)
    #[arg(long, value_name = "ROLE")]
    begins: Option<String>,
}

impl GameVariant {
    /// The rulesheet of this variant of a game, in this syntax if the extension names none.
    pub fn of(&self, game: &Path, syntax: Option<Syntax>) -> Result<OpenedSheet, Failure> {
        let sheet = OpenedSheet { syntax, ..self.sheet(game)? };
        match &self.begins {
            Some(role) => sheet.begun_by(role),
            None => Ok(sheet),
        }
    }

    /// The rulesheet, whoever begins.
    fn sheet(&self, game: &Path) -> Result<OpenedSheet, Failure> {
        if self.size.is_none() && self.graph.is_none() && self.sets.is_none() {
            return Ok(OpenedSheet::file(&games::with_size(game), None));
        }
        let Some(name) = games::short_name(game) else {
            let message = "--size, --graph and --sets are for games that come with Ludolog, by their names";
            return Err(Failure::Message(format!("{message}; `{}` is none", game.display())));
        };
        let name = self.size.as_ref().map_or(name.to_owned(), |size| format!("{name}-{size}"));
        match (&self.graph, &self.sets) {
            (Some(path), _) => made(&name, path, on_graph(&name, path)?),
            (_, Some(path)) => made(&name, path, of_sets(&name, path)?),
            (None, None) => Ok(OpenedSheet::file(&games::with_size(Path::new(&games::full_name(&name))), None)),
        }
    }
}

/// The rulesheet that is made of a file, among the games, whose includes it has.
fn made(name: &str, file: &Path, text: Result<String, NoSuchGame>) -> Result<OpenedSheet, Failure> {
    let text = text.map_err(|refused| Failure::Message(format!("{}: {refused}", file.display())))?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let path = games::full_name(&format!("{name}-{stem}"));
    Ok(OpenedSheet { path: path.into(), syntax: None, made: Some(text) })
}

/// The rules of a game on a graph from a file.
fn on_graph(name: &str, path: &Path) -> Result<Result<String, NoSuchGame>, Failure> {
    let (game, size) = found(name)?;
    let GameSources::Graph(rules) = game.given else {
        let games = family(|given| matches!(given, GameSources::Graph(_)));
        return Err(Failure::Message(format!("`{name}` takes no graph; these games do: {games}")));
    };
    let is_of_edges = game.name == shannon::EDGES.name;
    Ok(rules(&size, &graph(path, is_of_edges)?))
}

/// Reads a graph; prints the warnings about edges if players claim edges.
pub fn graph(path: &Path, is_of_edges: bool) -> Result<UndirectedGraph, Failure> {
    let mut sources = Sources::new();
    let facts = load_facts(&FILES, &[path.into()], None, None, &mut sources, &Budget::unlimited());
    let facts = facts.map_err(|stopped| explain(&stopped))?;
    let graph = facts.and_then(|facts| UndirectedGraph::of_facts(&facts.into_atoms()));
    let graph = graph.map_err(|wrong| Failure::Diagnostics(Box::new(sources.clone()), wrong))?;
    if is_of_edges {
        show(&sources, &graph.repeated);
    }
    Ok(graph)
}

/// The rules of a game of winning sets from a file.
fn of_sets(name: &str, path: &Path) -> Result<Result<String, NoSuchGame>, Failure> {
    let GameSources::Sets(rules) = found(name)?.0.given else {
        let games = family(|given| matches!(given, GameSources::Sets(_)));
        return Err(Failure::Message(format!("`{name}` takes no winning sets; these games do: {games}")));
    };
    Ok(rules(&positional::read(path)?))
}

/// The game of the family of a name, and the size.
fn found(name: &str) -> Result<(&'static FamilyGame, Size), Failure> {
    match find(name) {
        Some(found) => found.map_err(|refused| Failure::Message(refused.to_string())),
        None => Err(Failure::Message(format!("`{name}` is not made from files; `ludolog games list` lists the games"))),
    }
}

/// The names of the games that can be made so.
fn family(is_made: impl Fn(GameSources) -> bool) -> String {
    let games = GAMES.iter().filter(|game| is_made(game.given));
    games.map(|game| game.name).collect::<Vec<_>>().join(", ")
}

/// The rules of a program in KIF, on one line, as most managers send them.
pub fn one_line(program: &Program) -> String {
    let rules = program.items.iter().filter(|item| matches!(item.statement, Statement::Rule(_)));
    let texts: Vec<String> = rules.map(|item| print_statement(&item.statement, Syntax::Kif)).collect();
    texts.join(" ").replace('\n', " ")
}

/// The arguments of the facts of a predicate of one argument, with their places.
fn facts<'p>(items: &'p [Item], predicate: &'static str) -> impl Iterator<Item = (&'p Term, Span)> {
    items.iter().filter_map(move |item| match &item.statement {
        Statement::Rule(Rule { head, body, .. }) if body.is_empty() && head.predicate == *predicate => {
            if let [argument] = &head.args[..] { Some((argument, item.span)) } else { None }
        }
        _ => None,
    })
}

/// A rulesheet: a file, or a text that has been made, with what both include.
pub struct OpenedSheet {
    /// The file, or the name under which a made text would come with Ludolog.
    pub path: PathBuf,
    syntax: Option<Syntax>,
    made: Option<String>,
}

impl OpenedSheet {
    /// The rulesheet of a file.
    pub fn file(path: &Path, syntax: Option<Syntax>) -> OpenedSheet {
        OpenedSheet { path: path.to_owned(), syntax, made: None }
    }

    /// The name: that of the file, without extension.
    pub fn name(&self) -> String {
        self.path.file_stem().map_or_else(|| "game".into(), |stem| stem.to_string_lossy()).into_owned()
    }

    /// The syntax that the extension names, or else the one given, or KIF.
    pub fn syntax(&self) -> Syntax {
        Syntax::of(&self.path).or(self.syntax).unwrap_or(Syntax::Kif)
    }

    /// The rulesheet with another role in its fact `begins`.
    fn begun_by(self, name: &str) -> Result<OpenedSheet, Failure> {
        let mut sources = Sources::new();
        let items = self.load(&mut sources, &limits::budget())?.program.items;
        let written = |role: &Term| print_term(role, self.syntax());
        let roles: Vec<&Term> = facts(&items, "role").map(|(role, _)| role).collect();
        let Some(role) = roles.iter().find(|role| written(role).eq_ignore_ascii_case(name)) else {
            let roles: Vec<String> = roles.into_iter().map(written).collect();
            return Err(Failure::Message(format!("there is no role `{name}`; there are {}", roles.join(", "))));
        };
        let is_standard_input = self.path == Path::new("-");
        let own = if is_standard_input { "standard input".to_owned() } else { self.path.display().to_string() };
        let source = |span: Span| sources.get(span.source).filter(|source| source.name == own);
        let begins = facts(&items, "begins").filter(|(first, _)| roles.contains(first));
        let begins: Vec<_> = begins.filter_map(|(_, span)| Some((source(span)?, span))).collect();
        let [(source, span)] = begins[..] else {
            let message = "states by no fact, as (begins red) would be, who moves first: its first state has the turn";
            return Err(Failure::Message(format!("{own} {message}, which --begins cannot change")));
        };
        let fact = Rule::new(Atom::new("begins", vec![(*role).clone()]), Vec::new());
        let mut text = source.text.clone();
        let fact = print_statement(&Statement::Rule(fact), self.syntax());
        text.replace_range(span.start as usize..span.end as usize, &fact);
        Ok(OpenedSheet { made: Some(text), ..self })
    }

    /// Reads the rulesheet and what it includes.
    fn load(&self, sources: &mut Sources, budget: &Budget) -> Result<LoadedProgram, Failure> {
        let loaded = syntax::load_within(self, &[&self.path], self.syntax, sources, budget);
        let loaded = loaded.map_err(|stopped| explain(&stopped))?;
        loaded.map_err(|wrong| Failure::Diagnostics(Box::new(sources.clone()), wrong))
    }

    /// Reads and analyzes the rulesheet, and prints warnings.
    pub fn analyze(&self, sources: &mut Sources, budget: &Budget) -> Result<Analyzed, Failure> {
        let analyzed = read_from(self, &[&self.path], self.syntax, sources, budget)
            .map_err(|stopped| explain(&stopped))?
            .map_err(|found| Failure::Diagnostics(Box::new(sources.clone()), found))?;
        show(sources, &analyzed.warnings_given(&[]));
        let program = &analyzed.stratified.program;
        if !program.defined().contains(&Predicate::new("role", 1)) {
            let reason = GameError::NoRoles.text(Syntax::Kif);
            return Err(Failure::Message(format!("{}: {reason}", self.path.display())));
        }
        Ok(analyzed)
    }

    /// The text of a rulesheet that comes with Ludolog or has been made.
    pub fn text(&self) -> Result<String, Failure> {
        self.made.as_ref().map_or_else(|| rules::text(&self.path.to_string_lossy()), |text| Ok(text.clone()))
    }

    /// The rulesheet with all that it includes as one text in KIF.
    pub fn rules_text(&self, budget: &Budget) -> Result<String, Failure> {
        let loaded = self.load(&mut Sources::new(), budget)?;
        Ok(one_line(&loaded.with_facts_stated().program))
    }

    /// The made text, if this is the path of it.
    fn made(&self, path: &Path) -> Option<&str> {
        self.made.as_deref().filter(|_| path == self.path)
    }
}

impl Files for OpenedSheet {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Unreadable> {
        self.made(path).map_or_else(|| FILES.read(path), |text| Ok(text.as_bytes().to_vec()))
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Read + '_>, Unreadable> {
        self.made(path).map_or_else(|| FILES.open(path), |text| Ok(Box::new(text.as_bytes())))
    }

    fn database(&self, path: &Path, budget: &Budget) -> Result<Box<dyn Database + '_>, Unreadable> {
        FILES.database(path, budget)
    }

    fn identity(&self, path: &Path) -> Option<PathBuf> {
        self.made(path).map_or_else(|| FILES.identity(path), |_| Some(path.to_owned()))
    }

    fn included(&self, directory: &Path, path: &str) -> Result<PathBuf, Unreadable> {
        FILES.included(directory, path)
    }
}
