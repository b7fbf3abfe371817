//! Matches as text.

use super::Arena;
use crate::cli::counted;
use ludolog::analysis::is_random;
use ludolog::game::PlayoutEnd;
use ludolog::player::MatchRecord;
use ludolog::player::analysis::{MatchAnalysis, Mistake};
use ludolog::player::matches::{SeatFault, Thought};
use ludolog::syntax::ast::Term;
use ludolog::syntax::{Syntax, print_term};
use std::fmt::Write;

/// Most mistakes that are listed at the end.
const MOST_LISTED: usize = 10;

/// The opening of a game, in a line; nothing if it begins with its first state.
pub fn opening_text(arena: &Arena) -> String {
    let moves: Vec<String> = arena.opening.iter().map(|joint| spelled(joint, arena.syntax)).collect();
    if moves.is_empty() { String::new() } else { format!("opening: {}\n", moves.join(", ")) }
}

/// A joint move.
pub fn spelled(joint: &[Term], syntax: Syntax) -> String {
    joint.iter().map(|term| print_term(term, syntax)).collect::<Vec<_>>().join(" ")
}

/// A match, with what a longer search makes of it.
pub fn to_text(record: &MatchRecord, analysis: Option<&MatchAnalysis>, syntax: Syntax) -> String {
    let mut text = String::new();
    let name = |role| name(record, role, syntax);
    for (role, thought) in record.preparations.iter().enumerate() {
        if let Some(thought) = thought.as_ref().filter(|thought| thought.report != Default::default()) {
            _ = writeln!(text, "{}: {}", name(role), told(thought, syntax));
        }
        if let Some(fault) = &record.unready[role] {
            _ = writeln!(text, "{}: {}", name(role), fault_text(fault, syntax));
        }
    }
    for (number, ply) in (1..).zip(&record.plies) {
        _ = writeln!(text, "{number}. {}", spelled(&ply.joint, syntax));
        for role in 0..record.roles.len() {
            if let Some(seen) = ply.percepts.as_ref().map(|seen| &seen[role]).filter(|seen| !seen.is_empty()) {
                _ = writeln!(text, "   {} sees {}", print_term(&record.roles[role], syntax), spelled(seen, syntax));
            }
            if let Some(fault) = &ply.faults[role] {
                _ = writeln!(text, "   {}: {}, so the move is random", name(role), fault_text(fault, syntax));
            }
            if let Some(thought) = ply.thoughts[role].as_ref().filter(|thought| thought.report != Default::default()) {
                _ = writeln!(text, "   {}: {}", name(role), told(thought, syntax));
            }
        }
        if let Some(analysis) = analysis {
            text += &judged(record, analysis, number - 1, syntax);
        }
    }
    text + &result_text(record, syntax) + &analysis.map_or(String::new(), |analysis| mistakes(record, analysis, syntax))
}

/// What a longer search makes of a joint move, in a line; nothing where it did not search.
fn judged(record: &MatchRecord, analysis: &MatchAnalysis, ply: usize, syntax: Syntax) -> String {
    let expected = |role: usize| {
        let goal = analysis.goal(ply, role)?;
        let role = print_term(&record.roles[role], syntax);
        Some(if goal.proven { format!("{role} {:.0} proven", goal.value) } else { format!("{role} {:.1}", goal.value) })
    };
    let mut parts: Vec<String> = (0..record.roles.len()).filter_map(expected).collect();
    if parts.is_empty() {
        return String::new();
    }
    let state = analysis.states[ply].as_ref();
    parts.extend(state.filter(|state| state.depth > 0).map(|state| format!("depth {}", state.depth)));
    let losses = analysis.losses[ply].iter().enumerate();
    for (role, loss) in losses.filter_map(|(role, loss)| Some((role, loss.filter(|loss| *loss > 0.0)?))) {
        let mistake = Mistake { ply, role, loss };
        let mark = if analysis.mistakes().contains(&mistake) { "MISTAKE, " } else { "" };
        parts.push(format!("{mark}{}", lost(record, analysis, mistake, syntax)));
    }
    format!("   search: {}\n", parts.join("; "))
}

/// What a move lost, and which one is better.
fn lost(record: &MatchRecord, analysis: &MatchAnalysis, mistake: Mistake, syntax: Syntax) -> String {
    let made = print_term(&record.plies[mistake.ply].joint[mistake.role], syntax);
    let better = analysis.better(mistake).map(|better| format!("; {} is better", print_term(better, syntax)));
    format!("{made} loses {:.1}{}", mistake.loss, better.unwrap_or_default())
}

/// The mistakes, the greatest first.
fn mistakes(record: &MatchRecord, analysis: &MatchAnalysis, syntax: Syntax) -> String {
    let mistakes = analysis.mistakes();
    let seconds = analysis.time.as_secs_f64();
    let searched = analysis.states.iter().flatten().count();
    let states = counted(analysis.states.len(), "state");
    let mut text = format!("{searched} of {states} searched by {}, {seconds} s each\n", analysis.player);
    analysis.notes.iter().for_each(|note| _ = writeln!(text, "  {note}"));
    if mistakes.is_empty() {
        return text + "no move lost much\n";
    }
    text += "what lost most:\n";
    for mistake in mistakes.iter().take(MOST_LISTED) {
        let lost = lost(record, analysis, *mistake, syntax);
        _ = writeln!(text, "  {}. {}: {lost}", mistake.ply + 1, name(record, mistake.role, syntax));
    }
    if mistakes.len() > MOST_LISTED {
        _ = writeln!(text, "  and {} more", mistakes.len() - MOST_LISTED);
    }
    text
}

/// How a match ended, and the goal of each role but chance.
pub fn result_text(record: &MatchRecord, syntax: Syntax) -> String {
    let mut text = String::new();
    let moves = counted(record.plies.len(), "joint move");
    _ = match record.end {
        Some(PlayoutEnd::Terminal) => writeln!(text, "over after {moves}"),
        Some(PlayoutEnd::MaxSteps) => writeln!(text, "stopped after {moves}"),
        Some(PlayoutEnd::Stuck(role)) => {
            let role = print_term(&record.roles[role.0 as usize], syntax);
            writeln!(text, "stuck after {moves}: {role} has no legal move")
        }
        None => writeln!(text, "interrupted after {moves}"),
    };
    for role in (0..record.roles.len()).filter(|&role| !is_random(&record.roles[role])) {
        let goal = record.goals[role].map_or("no single goal".to_owned(), |goal| goal.to_string());
        let faults = match record.faults(role).count() {
            0 => String::new(),
            count => format!(", {}", counted(count, "fault")),
        };
        _ = writeln!(text, "{}: {goal}{faults}", name(record, role, syntax));
    }
    text
}

/// A role and its player.
fn name(record: &MatchRecord, role: usize, syntax: Syntax) -> String {
    format!("{} ({})", print_term(&record.roles[role], syntax), record.players[role])
}

/// A fault, in words.
pub fn fault_text(fault: &SeatFault, syntax: Syntax) -> String {
    match fault {
        SeatFault::Late(took) => format!("late, after {:.3} s", took.as_secs_f64()),
        SeatFault::Illegal(term) => format!("`{}` is not legal", print_term(term, syntax)),
        SeatFault::Failed(reason) => reason.clone(),
    }
}

/// What a player did and expects, in a line.
fn told(thought: &Thought, syntax: Syntax) -> String {
    let report = &thought.report;
    let mut parts = Vec::new();
    if let Some(value) = report.value {
        parts.push(if report.proven { format!("{value:.0} proven") } else { format!("{value:.1} expected") });
    }
    let counts = [(report.playouts, "playout"), (report.nodes, "node")];
    parts.extend(counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(count as usize, what)));
    if report.depth > 0 {
        parts.push(format!("depth {}", report.depth));
    }
    parts.push(format!("{:.2} s", report.time.as_secs_f64()));
    parts.extend(report.note.clone());
    let line: Vec<String> = thought.line.iter().take(4).map(|joint| spelled(joint, syntax)).collect();
    if !line.is_empty() {
        parts.push(line.join(", "));
    }
    parts.join("; ")
}
