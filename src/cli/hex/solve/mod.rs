//! `ludolog hex solve`.

mod answer;
mod watch;

use super::{BOARD_HELP, POSITION_HELP, board_or_position_argument};
use crate::cli::case::duration;
use crate::cli::file;
use crate::cli::output::{Format, print_json};
use crate::cli::{Failure, Outcome, limits, print};
use answer::{SolveTask, SolvedAnswer, WrittenProof};
use clap::Args;
use ludolog::certificate::Certificate;
use ludolog::engine::{Budget, Stopped};
use ludolog::hex::board::{Cell, Player};
use ludolog::hex::certificate::{self, WinCertificate};
use ludolog::hex::position::Position;
use ludolog::hex::solver::proof::{self, Unproved};
use ludolog::hex::solver::{Solver, at_sight};
use ludolog::syntax::ColdSort;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use watch::SolverWatch;

#[derive(Args)]
pub struct HexSolveArgs {
    #[arg(help = format!("{POSITION_HELP}, {BOARD_HELP}"))]
    position: String,
    /// Who moves [default: as the position says, else who has fewer stones, else red]
    #[arg(long, visible_alias = "begins", value_name = "PLAYER")]
    to_move: Option<Player>,
    /// Solve the empty board after each first move
    #[arg(long, conflicts_with = "all_moves")]
    all_openings: bool,
    /// Find all winning moves instead of one
    #[arg(long)]
    all_moves: bool,
    /// Stop after this time with what there is (seconds, or as in 500ms, 5s, 15m)
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    /// Number of threads that search
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    threads: u32,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write a certificate that the winner wins, which `ludolog verify` checks; of several winning moves it proves one
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
    /// Go on from what this file holds, if it is there, and keep in it what is found
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

pub fn run(args: &HexSolveArgs) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let position = board_or_position_argument(&args.position)?;
    let to_move = args.to_move.unwrap_or(position.turn());
    if args.all_openings && position.stones().next().is_some() {
        return Err(Failure::Message("--all-openings is for empty boards; --all-moves is for others".to_owned()));
    }
    check_files(args)?;

    let asked = match (args.all_openings, args.all_moves) {
        (true, _) => SolveTask::Openings,
        (_, true) => SolveTask::AllMoves,
        _ => SolveTask::OneMove,
    };
    let budget = limits::budget().with_timeout(args.timeout);
    let mut answer = SolvedAnswer::new(position, to_move, asked);
    match solver(&answer.position, asked, args.resume.as_deref())? {
        None => {
            answer.winner = at_sight(&answer.position);
            answer.winning_moves = one_of_any(&answer);
            if let (Some(winner), Some(path)) = (answer.winner, &args.proof) {
                let board = answer.position.board();
                let certificate = certificate::pairing(board).filter(|_| answer.position.winner().is_none());
                let certificate = certificate
                    .ok_or_else(|| Failure::Message(format!("a win on {board} is proved only on its empty board")))?;
                answer.proof = Some(write_proof(path, &certificate, &answer, winner)?);
            }
        }
        Some(solver) => {
            let watch = SolverWatch::new(&solver, args.resume.as_deref());
            let proved = watch.during(|| {
                solve(&mut answer, &solver, &watch, args.threads as usize, &budget);
                prove(&mut answer, &solver, &watch, args.proof.as_deref(), &budget)
            });
            answer.nodes = solver.nodes();
            watch.save()?;
            proved?;
        }
    }
    answer.seconds = start.elapsed().as_secs_f64();
    answer.unproved = args.proof.is_some() && answer.proof.is_none();
    match args.format {
        Format::Text => print(&answer.to_text())?,
        Format::Json => print_json(&answer.to_json())?,
    }
    Ok(if answer.is_complete() {
        Outcome::Success
    } else if answer.stopped == Some(Stopped::Interrupted) {
        Outcome::Interrupted
    } else {
        Outcome::Negative
    })
}

/// Checks the files that are written: before the run, not after it.
fn check_files(args: &HexSolveArgs) -> Result<(), Failure> {
    args.proof.iter().try_for_each(|path| file::check(path))?;
    args.resume.iter().try_for_each(|path| file::check_own(path))?;
    if let (Some(proof), Some(state)) = (&args.proof, &args.resume)
        && file::is_same(proof, state)
    {
        let message = "--proof and --resume name the same file, and each would replace the other's; name two";
        return Err(Failure::Message(message.to_owned()));
    }
    Ok(())
}

/// The solver, with what it knew; `None` for boards too large for it that need none.
fn solver(position: &Position, asked: SolveTask, resume: Option<&Path>) -> Result<Option<Solver>, Failure> {
    let Some(mut solver) = Solver::new(position.board()) else {
        if asked == SolveTask::OneMove && at_sight(position).is_some() {
            return Ok(None);
        }
        let board = position.board();
        let most = Solver::MAX_SIDE;
        return Err(Failure::Message(format!(
            "a board of {board} is too large to be solved; the limit is {most}x{most}"
        )));
    };
    if let Some(path) = resume {
        let refuse = |why: String| Failure::Message(format!("cannot go on from {}: {why}", path.display()));
        match std::fs::read(path) {
            Ok(file) => {
                let taken = solver.resume(&file);
                taken.map_err(|why| refuse(format!("{why}; it is left as it is")))?;
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(refuse(error.to_string())),
        }
    }
    Ok(Some(solver))
}

/// Any move, where the player to move wins by pairing.
fn one_of_any(answer: &SolvedAnswer) -> Vec<Cell> {
    let is_open = answer.position.winner().is_none() && answer.winner == Some(answer.to_move);
    answer.position.empty_cells().take(usize::from(is_open)).collect()
}

/// Finds what is asked, as far as time allows.
fn solve(answer: &mut SolvedAnswer, solver: &Solver, watch: &SolverWatch, threads: usize, budget: &Budget) {
    let position = answer.position.clone();
    let to_move = answer.to_move;
    watch.begin("who wins?", &position, to_move);
    let winning_move = match solver.winning_move(&position, to_move, threads, budget) {
        Ok(winning_move) => winning_move,
        Err(stopped) => {
            answer.stopped = Some(stopped);
            return;
        }
    };
    answer.winner = Some(if winning_move.is_some() { to_move } else { to_move.opponent() });
    answer.winner = position.winner().or(answer.winner);
    answer.winning_moves.extend(winning_move);
    if answer.asked == SolveTask::OneMove || position.winner().is_some() {
        return;
    }
    // A player who wins by pairing does so with every first move.
    if winning_move.is_none() || at_sight(&position).is_some() {
        answer.wins.fill(Some(winning_move.is_some()));
        answer.winning_moves = if winning_move.is_some() { position.empty_cells().collect() } else { Vec::new() };
        return;
    }
    let mut symmetries = position.board().symmetries();
    symmetries.retain(|images| {
        position.board().cells().all(|cell| position.stone(cell) == position.stone(images[cell.index()]))
    });
    answer.is_symmetric = !symmetries.is_empty();
    let images = |cell: Cell| symmetries.iter().map(move |images| images[cell.index()]);
    let questions: Vec<Cell> = position.empty_cells().filter(|&cell| images(cell).all(|image| cell <= image)).collect();
    let mut wins = answer.wins.clone();
    let alike = |cell: Cell| images(cell).chain([cell]);
    winning_move.into_iter().flat_map(alike).for_each(|cell| wins[cell.index()] = Some(true));
    for (done, &cell) in questions.iter().enumerate() {
        if wins[cell.index()].is_some() {
            continue;
        }
        let mut next = position.clone();
        next.place(to_move, cell);
        watch.begin(
            &format!("{} ({}/{})", position.board().name(cell), done + 1, questions.len()),
            &next,
            to_move.opponent(),
        );
        let is_won = match solver.wins_after(&position, to_move, cell, threads, budget) {
            Ok(is_won) => is_won,
            Err(stopped) => {
                answer.stopped = Some(stopped);
                break;
            }
        };
        alike(cell).for_each(|image| wins[image.index()] = Some(is_won));
    }
    answer.wins = wins;
    answer.winning_moves.extend(position.empty_cells().filter(|cell| answer.wins[cell.index()] == Some(true)));
    answer.winning_moves.cold_sort();
    answer.winning_moves.dedup();
}

/// Writes the proof that is asked for, if the winner is known and time allows.
fn prove(
    answer: &mut SolvedAnswer,
    solver: &Solver,
    watch: &SolverWatch,
    path: Option<&Path>,
    budget: &Budget,
) -> Result<(), Failure> {
    let (Some(winner), Some(path)) = (answer.winner, path) else { return Ok(()) };
    watch.begin("proof", &answer.position, answer.to_move);
    let progress = |lines| watch.written(lines);
    match proof::certificate(solver, &answer.position, answer.to_move, winner, budget, &progress) {
        Ok(certificate) => answer.proof = Some(write_proof(path, &certificate, answer, winner)?),
        Err(Unproved::Stopped(stopped)) => answer.stopped = Some(stopped),
        Err(why) => return Err(Failure::Message(format!("no proof could be written: {why}"))),
    }
    Ok(())
}

/// Checks the proof as anybody would, and writes it.
fn write_proof(
    path: &Path,
    certificate: &WinCertificate,
    answer: &SolvedAnswer,
    winner: Player,
) -> Result<WrittenProof, Failure> {
    let text = certificate.to_text();
    let mut claim = answer.position.clone();
    claim.to_move = Some(answer.to_move);
    let checked =
        WinCertificate::accept(text.as_bytes()).and_then(|checked| checked.is_for(&claim).map(|()| checked.winner()));
    match checked {
        Ok(proved) if proved == winner => {}
        Ok(other) => return Err(Failure::Message(format!("the proof is not written: it says that {other} wins"))),
        Err(refusal) => return Err(Failure::Message(format!("the proof is not written, being wrong: {refusal}"))),
    }
    file::write(path, text.as_bytes())?;
    Ok(WrittenProof { file: path.to_owned(), lines: certificate.len(), bytes: text.len() })
}
