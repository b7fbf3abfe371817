//! The program so far and its session, which carry out inputs.
//!
//! The statements are kept as written; a change that is wrong is taken back. The session is made anew from them
//! whenever rules change. Facts of known predicates come and go without that.

use super::input::{COMMANDS, ReplCommand, ReplInput, classify};
use crate::cli::case::{LimitArgs, LoadedCase, explain, explain_in, read_game};
use crate::cli::facts::{FactNotation, Selection, collect, predicate, print_listing};
use crate::cli::output::print_with;
use crate::cli::plan::styled;
use crate::cli::query::{Answered, is_told};
use crate::cli::{FILES, Failure, counted, interrupt, print, print_styled, show};
use ludolog::analysis::clause::{Goal, StratifiedProgram};
use ludolog::analysis::{self, GivenColumns};
use ludolog::diagnostic::{Diagnostics, SourceId, Sources};
use ludolog::engine::explanation::plan::ProgramPlan;
use ludolog::engine::explanation::{self, goal_text};
use ludolog::engine::{Budget, EngineDescription, Session, Setting};
use ludolog::formulation;
use ludolog::optimize::Optimization;
use ludolog::syntax::ast::{Atom, Item, Predicate, Program, Query, Statement};
use ludolog::syntax::{self, Syntax, ends_statement, parse_goal, print_statement};
use serde_json::Value as Json;
use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// How many levels of a derivation and of a refutation are shown.
const WHY_DEPTH: usize = 30;
const WHY_NOT_DEPTH: usize = 3;

/// As many facts a session takes one by one in any case until it is made anew, which takes time proportional to the
/// program. A larger program takes as many as it has statements, so that many facts take time proportional to their
/// number.
const RECENT: usize = 1000;

/// A statement by which it is known whether it has been made.
#[derive(PartialEq, Eq, Hash)]
enum Stated {
    Fact(Atom),
    /// The rule as text: the same for equal rules, and no others.
    Rule(String),
}

impl From<&Item> for Stated {
    fn from(item: &Item) -> Stated {
        match fact(item) {
            Some(fact) => Stated::Fact(fact.clone()),
            None => Stated::Rule(print_statement(&item.statement, Syntax::Datalog)),
        }
    }
}

/// A program that grows statement by statement.
pub struct Workspace {
    /// The statements, without queries.
    program: Program,
    /// The facts and the rules among them.
    stated: HashSet<Stated>,
    sources: Sources,
    /// The program as last analyzed, with the facts that came since as its case.
    loaded: LoadedCase,
    /// The predicates that the program mentions.
    known: BTreeSet<Predicate>,
    setting: Setting,
    limits: LimitArgs,
    /// Whether answers come with their time.
    timed: bool,
    /// The number of inputs so far.
    inputs: usize,
}

impl Workspace {
    /// An empty program. The limits hold for each input.
    pub fn new(
        syntax: Syntax,
        engine: &EngineDescription,
        optimization: Optimization,
        limits: LimitArgs,
    ) -> Result<Self, Failure> {
        let setting = Setting { engine: engine.clone(), optimization, ..Setting::default() };
        let sources = Sources::new();
        let empty = analysis::analyze(&Program::default());
        let empty = empty.map_err(|wrong| Failure::Diagnostics(Box::new(sources.clone()), wrong))?;
        let session = Session::new(empty, sources.clone()).with_setting(setting.clone());
        let loaded = LoadedCase::plain(session, syntax);
        let program = Program::default();
        let stated = HashSet::new();
        let known = BTreeSet::new();
        Ok(Workspace { program, stated, sources, loaded, known, setting, limits, timed: false, inputs: 0 })
    }

    /// The syntax of inputs and answers.
    pub fn syntax(&self) -> Syntax {
        self.loaded.syntax
    }

    /// The predicates that the program mentions or has facts of.
    pub fn predicates(&self) -> impl Iterator<Item = &Predicate> {
        self.known.iter().filter(|predicate| !predicate.is_auxiliary())
    }

    /// Carries out one whole input, and prints what it answers. After an error, the program is as it was.
    pub fn carry_out(&mut self, input: &str) -> Result<ControlFlow<()>, Failure> {
        self.begin();
        self.inputs += 1;
        match classify(input, self.syntax()) {
            ReplInput::Statements(text) => self.state(text)?,
            ReplInput::Goal(text) => {
                let goal = self.goal(text)?;
                self.ask(&goal)?;
                self.ask_constraints()?;
            }
            ReplInput::Command(ReplCommand::Quit, _) => return Ok(ControlFlow::Break(())),
            ReplInput::Command(command, argument) => self.command(command, argument)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Adds the statements of the files that the command is given.
    pub fn open(&mut self, paths: &[PathBuf]) -> Result<(), Failure> {
        self.begin();
        paths.iter().try_for_each(|path| self.load(path))
    }

    /// Begins an input with a budget of its own.
    fn begin(&mut self) {
        // An interrupt that came while nothing ran is over.
        interrupt::flag().store(false, Ordering::Relaxed);
        self.loaded.session.set_budget(self.limits.start());
    }

    /// The budget of the input at hand.
    fn budget(&self) -> Budget {
        self.loaded.session.budget().clone()
    }

    /// Adds the statements of a rule file but its queries, or the facts of a table or of a board position.
    fn load(&mut self, path: &Path) -> Result<(), Failure> {
        if path == Path::new("-") {
            return Err(Failure::Message("standard input has the inputs; it cannot be loaded besides".to_owned()));
        }
        let syntax = Some(self.syntax());
        let budget = self.budget();
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let mut added = match extension.to_ascii_lowercase().as_str() {
            "tsv" | "csv" => {
                let program = Some(&self.program);
                let facts = syntax::load_facts(&FILES, &[path.into()], syntax, program, &mut self.sources, &budget);
                let facts = facts.map_err(|stopped| explain(&stopped))?.map_err(|wrong| self.rejected(wrong))?;
                of_facts(facts.into_atoms())
            }
            "txt" | "sgf" => {
                let game = read_game(path, &mut self.sources).map_err(|wrong| self.rejected(wrong))?;
                show(&self.sources, &game.warnings);
                let case = formulation::case(&game.record.position(), &StratifiedProgram::default());
                of_facts(case.geometry.into_iter().chain(case.facts).collect())
            }
            _ => {
                let read = syntax::load_within(&FILES, &[path], syntax, &mut self.sources, &budget);
                let read = read.map_err(|stopped| explain(&stopped))?.map_err(|wrong| self.rejected(wrong))?;
                show(&self.sources, &read.diagnostics);
                read.with_facts_stated().program
            }
        };
        added.items.retain(|item| {
            let Item { statement, .. } = item;
            matches!(
                statement,
                Statement::Rule(_)
                    | Statement::Transition(_)
                    | Statement::Constraint(_)
                    | Statement::Type(_)
                    | Statement::Define(_)
            )
        });
        self.add(added)
    }

    /// Adds statements, and asks the queries among them.
    fn state(&mut self, text: &str) -> Result<(), Failure> {
        let mut added = self.parse(text)?;
        let mut queries = Vec::new();
        let mut statements = Vec::new();
        for item in std::mem::take(&mut added.items) {
            match item.statement {
                Statement::Query(query) => queries.push(query),
                Statement::Include(_) | Statement::Use(_) | Statement::Input(_) => {
                    return Err(Failure::Message("files are read by `load FILE`".to_owned()));
                }
                Statement::Output(_) => return Err(Failure::Message("facts are shown by `facts P/N`".to_owned())),
                _ => statements.push(item),
            }
        }
        added.items = statements;
        self.add(added)?;
        for query in &queries {
            let goal = self.checked(query)?;
            self.ask(&goal)?;
        }
        if queries.is_empty() { Ok(()) } else { self.ask_constraints() }
    }

    fn parse(&mut self, text: &str) -> Result<Program, Failure> {
        let source = self.sources.add(format!("input {}", self.inputs), text);
        let parsed = syntax::parse(source, &self.sources, self.syntax());
        parsed.into_result().map_err(|wrong| self.rejected(wrong))
    }

    fn goal(&mut self, text: &str) -> Result<Goal, Failure> {
        let syntax = self.syntax();
        let query = parse_goal(text, &mut self.sources, Some(syntax)).map_err(|wrong| self.rejected(wrong))?;
        self.checked(&query)
    }

    /// Checks a goal, and tells what is odd about it.
    fn checked(&mut self, query: &Query) -> Result<Goal, Failure> {
        let session = &self.loaded.session;
        let goal = analysis::goal(query, session.program(), &session.case().predicates());
        let goal = goal.map_err(|wrong| self.rejected(wrong))?;
        let syntax = self.syntax();
        show(&self.sources, &self.loaded.session.goal_warnings(&goal, syntax));
        Ok(goal)
    }

    fn rejected(&self, wrong: Diagnostics) -> Failure {
        Failure::Diagnostics(Box::new(self.sources.clone()), wrong)
    }

    /// Adds statements that are not there yet.
    fn add(&mut self, added: Program) -> Result<(), Failure> {
        let before = (self.program.items.len(), self.program.written.len(), self.program.allowed.len());
        let is_new = |item: &Item| self.stated.insert(Stated::from(item));
        self.program.items.extend(added.items.into_iter().filter(is_new));
        let facts: Option<Vec<Atom>> = self.program.items[before.0..].iter().map(|item| fact(item).cloned()).collect();
        let recent = self.loaded.session.case().facts.len();
        let most = RECENT.max(before.0.saturating_sub(recent));
        match facts {
            Some(facts)
                if recent + facts.len() <= most
                    && facts.iter().all(|fact| self.known.contains(&fact.signature()))
                    && self.loaded.session.check_facts(&facts).is_ok() =>
            {
                facts.into_iter().for_each(|fact| _ = self.loaded.session.insert_fact(fact));
                return Ok(());
            }
            _ => {}
        }
        let texts: Vec<SourceId> = added.written.iter().map(|(source, _)| *source).collect();
        self.program.written.extend(added.written);
        self.program.allowed.extend(added.allowed);
        let renewed = self.renew(&texts);
        if renewed.is_err() {
            for item in self.program.items.drain(before.0..) {
                self.stated.remove(&Stated::from(&item));
            }
            self.program.written.truncate(before.1);
            self.program.allowed.truncate(before.2);
        }
        renewed
    }

    /// Removes a rule by its number, or statements by their text.
    fn retract(&mut self, text: &str) -> Result<(), Failure> {
        let gone: Vec<Item> = match text.parse::<usize>() {
            Ok(number) => {
                let rule = number.checked_sub(1).and_then(|at| self.rules().nth(at));
                let missing = || Failure::Message(format!("there is no rule {number}; `rules` prints them"));
                vec![rule.ok_or_else(missing)?.clone()]
            }
            Err(_) => {
                let end = if ends_statement(text, self.syntax()) { "" } else { "." };
                self.parse(&format!("{text}{end}"))?.items
            }
        };
        if gone.is_empty() {
            return Err(Failure::Message(
                "say which fact or rule, as in `retract edge(a, b)` or `retract 1`".to_owned(),
            ));
        }
        if let Some(item) = gone.iter().find(|item| !self.stated.contains(&Stated::from(*item))) {
            let text = print_statement(&item.statement, self.syntax());
            return Err(Failure::Message(format!("the program does not state `{text}`")));
        }
        let is_kept = |item: &Item| !gone.iter().any(|other| other.statement == item.statement);
        let recent = &self.loaded.session.case().facts;
        let facts: Option<Vec<&Atom>> =
            gone.iter().map(|item| fact(item).filter(|fact| recent.contains(*fact))).collect();
        match facts.map(|facts| facts.into_iter().cloned().collect::<Vec<Atom>>()) {
            // Facts that came since the analysis can go without one.
            Some(facts) => {
                facts.iter().for_each(|fact| _ = self.loaded.session.retract_fact(fact));
                self.program.items.retain(is_kept);
            }
            None => {
                let before = self.program.items.clone();
                self.program.items.retain(is_kept);
                if let Err(failure) = self.renew(&[]) {
                    self.program.items = before;
                    return Err(failure);
                }
            }
        }
        for item in &gone {
            self.stated.remove(&Stated::from(item));
        }
        Ok(())
    }

    /// Analyzes the program and begins a session of it. Warns of what is odd about these texts.
    fn renew(&mut self, texts: &[SourceId]) -> Result<(), Failure> {
        let budget = self.budget();
        let analyzed = analysis::analyze_within(&self.program, &budget).map_err(|stopped| explain(&stopped))?;
        let analyzed = analyzed.map_err(|wrong| self.rejected(wrong))?;
        let known = analyzed.stratified.program.mentioned();
        let mut warnings = analyzed.warnings_so_far(&[]);
        // Facts alone are not odd.
        if self.rules().any(|item| texts.contains(&item.span.source)) {
            let given = GivenColumns::default().with_others(known.iter().cloned());
            warnings.extend(analysis::lint_answers(&self.program, &given, &budget));
        }
        warnings.retain(|warning| warning.labels.first().is_none_or(|label| texts.contains(&label.span.source)));
        show(&self.sources, &warnings);
        let session = Session::new(analyzed, self.sources.clone());
        self.loaded.session = session.with_setting(self.setting.clone()).with_budget(budget);
        self.known = known;
        Ok(())
    }

    /// The statements that are no facts, in the order of their numbers.
    fn rules(&self) -> impl Iterator<Item = &Item> {
        self.program.items.iter().filter(|item| fact(item).is_none())
    }

    fn ask(&mut self, goal: &Goal) -> Result<(), Failure> {
        let start = Instant::now();
        let answers = self.loaded.session.solve(goal);
        let answers = answers.map_err(|stopped| explain_in(&self.loaded.session, &stopped))?;
        let time = start.elapsed();
        if is_told(&answers) {
            let answered = Answered { goal, answers: &answers, syntax: self.syntax(), warnings: &Json::Null };
            print_with(|out| answered.write_table(false, out))?;
        }
        if self.timed {
            print(&format!(
                "{time:.1?}, {}\n",
                counted(usize::try_from(answers.probes).unwrap_or(usize::MAX), "probe")
            ))?;
        }
        answers.stopped.map_or(Ok(()), |stopped| Err(explain(&stopped)))
    }

    /// Tells which constraints are broken, after answers or facts.
    fn ask_constraints(&mut self) -> Result<(), Failure> {
        let broken = self.loaded.session.broken_constraints().cloned();
        let broken = broken.map_err(|stopped| explain_in(&self.loaded.session, &stopped))?;
        if broken.has_errors() {
            return Err(self.rejected(broken));
        }
        show(&self.sources, &broken);
        Ok(())
    }

    fn command(&mut self, command: ReplCommand, argument: &str) -> Result<(), Failure> {
        match (command, argument) {
            (ReplCommand::Engine, "") => print(&format!("{}\n", self.setting.engine)),
            (ReplCommand::Engine, name) => {
                let Some(engine) = ludolog::engines().find(|engine| engine.name == name) else {
                    let names = ludolog::engines().map(|engine| engine.name).collect::<Vec<_>>().join(", ");
                    return Err(Failure::Message(format!("there is no engine `{name}`; there are {names}")));
                };
                self.setting.engine = engine.clone();
                self.loaded.session.set_setting(self.setting.clone());
                Ok(())
            }
            (ReplCommand::Optimize, "") => print(&format!("{}\n", self.setting.optimization)),
            (ReplCommand::Optimize, selection) => {
                self.setting.optimization = selection.parse().map_err(Failure::Message)?;
                self.loaded.session.set_setting(self.setting.clone());
                Ok(())
            }
            (ReplCommand::Time, "") => print(if self.timed { "on\n" } else { "off\n" }),
            (ReplCommand::Time, switch) => {
                self.timed = match switch {
                    "on" => true,
                    "off" => false,
                    _ => return Err(Failure::Message("time is `on` or `off`".to_owned())),
                };
                Ok(())
            }
            (ReplCommand::Facts, _) => self.facts(argument),
            (ReplCommand::Load, "") => Err(Failure::Message("say which file, as in `load rules.dl`".to_owned())),
            (ReplCommand::Load, path) => self.load(Path::new(path)),
            (ReplCommand::Plan, _) => {
                let goal = if argument.is_empty() { None } else { Some(self.goal(argument)?) };
                let plan = ProgramPlan::new(&self.loaded.session, goal.as_ref(), self.loaded.syntax);
                print_styled(&styled(&plan.map_err(|stopped| explain(&stopped))?))
            }
            (ReplCommand::Retract, _) => self.retract(argument),
            (ReplCommand::Rules, _) => {
                let lines = self.rules().enumerate().map(|(at, rule)| {
                    let text = print_statement(&rule.statement, self.syntax());
                    format!("{:3}  {}\n", at + 1, text.replace('\n', "\n     "))
                });
                print(&lines.collect::<String>())
            }
            (ReplCommand::Why, _) => self.why(argument),
            (ReplCommand::WhyNot, _) => self.why_not(argument),
            (ReplCommand::Help | ReplCommand::Quit, _) => print(&help()),
        }
    }

    fn facts(&mut self, argument: &str) -> Result<(), Failure> {
        let selection = match argument {
            "" => Selection::All,
            wanted => Selection::These(vec![predicate(wanted).map_err(Failure::Message)?]),
        };
        let syntax = self.syntax();
        let listing = match collect(&mut self.loaded, &selection) {
            Ok(listing) => listing,
            Err(stopped) => return Err(explain_in(&self.loaded.session, &stopped)),
        };
        print_listing(&listing, FactNotation::Rules(syntax))?;
        listing.stopped.as_ref().map_or_else(|| self.ask_constraints(), |stopped| Err(explain(stopped)))
    }

    fn why(&mut self, fact: &str) -> Result<(), Failure> {
        let goal = self.goal(fact)?;
        match self.loaded.session.why(&goal).map_err(|stopped| explain_in(&self.loaded.session, &stopped))? {
            Some(derivation) => print(&explanation::why::to_text(
                &derivation.inferences,
                &self.loaded.session,
                self.syntax(),
                WHY_DEPTH,
            )),
            None if self.loaded.is_undefined(&goal)? => self.tell_why_not(&goal),
            None => print(&format!("{} does not hold; `why not` shows the reasons\n", goal_text(&goal, self.syntax()))),
        }
    }

    fn why_not(&mut self, fact: &str) -> Result<(), Failure> {
        let goal = self.goal(fact)?;
        self.tell_why_not(&goal)
    }

    fn tell_why_not(&mut self, goal: &Goal) -> Result<(), Failure> {
        let told = self.loaded.session.why_not(goal, WHY_NOT_DEPTH);
        let told = told.map_err(|stopped| explain_in(&self.loaded.session, &stopped))?;
        print(&explanation::why_not::to_text(goal, &told, &self.loaded.session, self.syntax()))
    }
}

/// A program of facts.
fn of_facts(facts: Vec<Atom>) -> Program {
    Program { items: facts.into_iter().map(Item::fact).collect(), ..Program::default() }
}

/// The fact that a statement is.
fn fact(item: &Item) -> Option<&Atom> {
    match &item.statement {
        Statement::Rule(rule) if rule.body.is_empty() && rule.head.is_ground() => Some(&rule.head),
        _ => None,
    }
}

fn help() -> String {
    let width = COMMANDS.iter().map(|(name, _, argument, _)| name.len() + argument.len()).max().unwrap_or(0);
    let lines = COMMANDS.iter().map(|(name, _, argument, does)| {
        let usage = format!("{name} {argument}");
        format!("  {usage:0$}  {does}\n", width + 1)
    });
    HELP.to_owned() + &lines.collect::<String>()
}

/// The first lines of the help.
const HELP: &str = "\
edge(a, b).   path(X, Y) :- edge(X, Y).   a statement with its period is added; in kif, in parentheses
path(a, X)    ?- path(a, X).              a goal is asked; in kif, behind ?-

";

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog::engine::SEMI_NAIVE;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    /// Ctrl-C, here from another thread, ends the question and nothing else.
    #[test]
    fn an_interrupt_ends_the_question_at_hand() {
        let limits = LimitArgs { timeout: Duration::from_secs(600), max_facts: Some(u64::MAX) };
        let mut workspace = Workspace::new(Syntax::Datalog, &SEMI_NAIVE, Optimization::Auto, limits).ok().unwrap();
        let numbers: String = (0..60).map(|n| format!("n({n}). ")).collect();
        assert!(workspace.carry_out(&numbers).is_ok());
        // 60^6 combinations.
        let slow = "n(A) & n(B) & n(C) & n(D) & n(E) & n(F) & A + B + C + D + E + F = 1000";
        for _ in 0..2 {
            let is_over = Arc::new(AtomicBool::new(false));
            let seen = is_over.clone();
            let interrupter = std::thread::spawn(move || {
                while !seen.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(50));
                    interrupt::flag().store(true, Ordering::Relaxed);
                }
            });
            assert!(matches!(workspace.carry_out(slow), Err(Failure::Interrupted)));
            is_over.store(true, Ordering::Relaxed);
            interrupter.join().unwrap();
            assert!(workspace.carry_out("n(59)").is_ok());
        }
    }
}
