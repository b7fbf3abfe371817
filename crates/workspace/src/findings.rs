//! What takes longer than a keystroke: facts counted, questions of comments answered, games tried.

use crate::{Analysis, try_out};
use ludolog_engine::value::Value;
use ludolog_engine::{Case, Session, SessionError};
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Diagnostics, SourceId, Span, counted};
use ludolog_syntax::{Token, looks_of, print_term};
use std::collections::BTreeMap;

/// Facts kept of a predicate.
const EXAMPLES: usize = 5;

/// Answers shown of a question.
const ANSWERS: usize = 3;

/// A question that a comment asks, as `% ? win(P)`, and what is answered; or a task that it sets, as `% task: path(a, d)`, which is done when
/// its goal holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The place of the comment.
    pub span: Span,
    /// The goal.
    pub goal: String,
    /// Whether it is a task.
    pub is_task: bool,
    /// The answer in one line; `None` where it was not found in time.
    pub answer: Option<String>,
}

/// What was found out.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The number of facts of each predicate, and the first of them.
    pub facts: BTreeMap<Predicate, (u64, Vec<Atom>)>,
    /// The questions of the text.
    pub questions: Vec<Question>,
    /// What random playouts tell of a game, and the constraints that the facts break.
    pub told: Diagnostics,
}

impl Findings {
    /// Finds out what there is to know of a program that may run, about the text `source` of it. What the budget does not suffice for is left out.
    ///
    /// # Errors
    ///
    /// [`Stopped::Interrupted`], when nobody wants to know any more.
    pub fn of(analysis: &Analysis, source: SourceId, budget: &Budget) -> Result<Findings, Stopped> {
        let mut findings = Findings::default();
        let asked = questions(analysis, source);
        let Some(analyzed) = &analysis.analyzed else { return Ok(Findings { questions: asked, ..findings }) };
        let third = || budget.part_of_rest(|left| left / 3);
        findings.told = lasting(try_out(&analysis.loaded.program, analyzed, &analysis.diagnostics, &third()))?;
        let mut session = Session::new(analyzed.clone(), analysis.sources.clone());
        let mut case = Case::default();
        case.extend(analysis.loaded.facts.clone());
        session.set_case(case);
        session.set_budget(third());
        for mut question in asked {
            let answer = if question.is_task {
                task(&mut session, &question.goal)
            } else {
                answer(&mut session, &question.goal, analysis, source)
            };
            question.answer = lasting(answer.map(Some))?;
            findings.questions.push(question);
        }
        session.set_budget(budget.rest());
        findings.facts = lasting(facts(&mut session))?;
        findings.told.extend(lasting(session.broken_constraints().cloned())?);
        Ok(findings)
    }
}

/// A result, or nothing where a limit was met.
fn lasting<T: Default>(result: Result<T, Stopped>) -> Result<T, Stopped> {
    match result {
        Err(Stopped::Interrupted) => Err(Stopped::Interrupted),
        other => Ok(other.unwrap_or_default()),
    }
}

fn facts(session: &mut Session) -> Result<BTreeMap<Predicate, (u64, Vec<Atom>)>, Stopped> {
    let listing = session.listing(|_| true)?;
    // A count that is not complete is none.
    if let Some(stopped) = listing.stopped {
        return Err(stopped);
    }
    let mut facts = BTreeMap::new();
    for listed in listing.relations() {
        let terms = |row: &[Value]| row.iter().map(|value| listing.term(*value)).collect();
        let predicate = listed.predicate();
        let atom = |row: &[Value]| Atom { predicate: predicate.name.clone(), args: terms(row), span: Span::NONE };
        let mut examples = Vec::new();
        for part in listing.parts(listed) {
            examples.extend(part.rows().take(EXAMPLES - examples.len()).map(atom));
            if examples.len() == EXAMPLES {
                break;
            }
        }
        facts.insert(predicate.clone(), (listed.count() as u64, examples));
    }
    Ok(facts)
}

/// The questions of the comments of a text, without answers.
pub(crate) fn questions(analysis: &Analysis, source: SourceId) -> Vec<Question> {
    let text = analysis.sources.get(source).map_or("", |source| &source.text);
    let question = |comment: &Token| {
        let words = text.get(comment.span.start as usize..comment.span.end as usize)?;
        let words = words.trim_start_matches(['%', ';', '/', ' ']).trim();
        let task = words.strip_prefix("task: ");
        let goal = task.or_else(|| words.strip_prefix("? "))?.trim().to_owned();
        Some(Question { span: comment.span, goal, is_task: task.is_some(), answer: None })
    };
    analysis.comments(source).filter_map(question).collect()
}

/// Whether a task is done. What it speaks of may not be defined yet.
fn task(session: &mut Session, goal: &str) -> Result<String, Stopped> {
    match session.query(goal) {
        Ok(solution) if solution.holds() => Ok("✓ done".to_owned()),
        Err(SessionError::Stopped(stopped)) => Err(stopped),
        _ => Ok("○ not yet".to_owned()),
    }
}

/// An answer in one line.
fn answer(session: &mut Session, goal: &str, analysis: &Analysis, source: SourceId) -> Result<String, Stopped> {
    let asked = session.goal(goal);
    let answered = asked.and_then(|asked| Ok((session.solve(&asked)?, session.goal_warnings(&asked, looks_of(goal)))));
    let (solution, warnings) = match answered {
        Ok(answered) => answered,
        Err(SessionError::Stopped(stopped)) => return Err(stopped),
        Err(SessionError::Rejected(_, wrong)) => {
            return Ok(wrong.iter().next().map_or_else(String::new, |one| one.message.clone()));
        }
        Err(refused) => return Ok(refused.to_string()),
    };
    if let Some(stopped) = solution.stopped {
        return Err(stopped);
    }
    let syntax = analysis.loaded.program.syntax_at(Span { source, start: 0, end: 0 });
    let warned = warnings.iter().next().map_or_else(String::new, |warning| format!(" ({})", warning.message));
    if solution.variables.is_empty() {
        let unknown = if solution.is_undefined() { "undefined" } else { "no" };
        return Ok(format!("{}{warned}", if solution.holds() { "yes" } else { unknown }));
    }
    let rows: Vec<String> = solution
        .answers()
        .take(ANSWERS)
        .map(|row| row.iter().map(|term| print_term(term, syntax)).collect::<Vec<_>>().join(", "))
        .collect();
    let more = if solution.count() > ANSWERS { "; …" } else { "" };
    let mut told = Vec::new();
    if solution.holds() {
        told.push(format!("{}: {}{more}", counted(solution.count(), "answer"), rows.join("; ")));
    }
    if let Some(undefined) = solution.undefined.filter(|undefined| undefined.holds()) {
        told.push(counted(undefined.count(), "undefined answer"));
    }
    Ok(format!("{}{warned}", if told.is_empty() { "no".to_owned() } else { told.join("; ") }))
}
