//! Commands that explain the position, for HexGui's analyze menu.

use super::words::{color, color_name, end, end_name};
use super::{HtpAnswer, HtpCommand, HtpSession};
use crate::board::{Board, Cell};
use crate::cells::{CellSet, MAX_WIDTH};
use crate::connection::{ConnectionBoard, ConnectionEnd, ConnectionKind, ConnectionRule, DerivationStep};
use crate::evaluation::{self, Measure};
use crate::player::Effort;
use crate::player::advice::{self, connections};
use crate::solver::Solver;
use ludolog_syntax::budget::Stopped;

/// The commands, by name.
pub const COMMANDS: &[HtpCommand] = &[
    HtpCommand { name: "hexgui-analyze_commands", usage: "", run: analyze_commands },
    HtpCommand {
        name: "vc-between-cells-full",
        usage: "COLOR END END",
        run: |s, args| between(s, args, ConnectionKind::Full),
    },
    HtpCommand {
        name: "vc-between-cells-semi",
        usage: "COLOR END END",
        run: |s, args| between(s, args, ConnectionKind::Semi),
    },
    HtpCommand {
        name: "vc-connected-to-full",
        usage: "COLOR END",
        run: |s, args| connected_to(s, args, ConnectionKind::Full),
    },
    HtpCommand {
        name: "vc-connected-to-semi",
        usage: "COLOR END",
        run: |s, args| connected_to(s, args, ConnectionKind::Semi),
    },
    HtpCommand { name: "vc-get-mustplay", usage: "COLOR", run: must_play },
    HtpCommand { name: "solver-find-winning", usage: "COLOR", run: find_winning },
    HtpCommand { name: "evaluate", usage: "", run: evaluate },
    HtpCommand { name: "eval-cells", usage: "EVALUATION COLOR", run: evaluate_cells },
];

/// One a line: how HexGui shows the answer, what the menu says, and the command; `%c` is a color, `%m` the color to
/// move, `%P` a list of points.
const MENU: &[&str] = &[
    "string/Final Score/final_score",
    "string/Show Board/showboard",
    "vc/Full Connections Between/vc-between-cells-full %c %P",
    "vc/Semi-Connections Between/vc-between-cells-semi %c %P",
    "plist/Fully Connected To/vc-connected-to-full %c %P",
    "plist/Semi-Connected To/vc-connected-to-semi %c %P",
    "plist/Must-Play Region/vc-get-mustplay %m",
    "plist/Winning Moves/solver-find-winning %m",
    "string/Evaluations/evaluate",
];

fn analyze_commands(_: &mut HtpSession, args: &[&str]) -> Option<HtpAnswer> {
    let cells = |measure: &Measure| format!("pspairs/Cells By {}/eval-cells {} %c", measure.title, measure.name);
    let menu = MENU.iter().map(|line| (*line).to_owned()).chain(evaluation::ALL.iter().map(cells));
    args.is_empty().then(|| Ok(menu.collect::<Vec<_>>().join("\n")))
}

/// `black c3 south full or [ d3 b4 ] [ ]`, one a line: the ends, the kind, the rule, the carrier, and the stones that
/// it goes over, which we do not record. Behind a semi-connection stands the cell to play first.
fn between(session: &mut HtpSession, args: &[&str], kind: ConnectionKind) -> Option<HtpAnswer> {
    let &[player, x, y] = args else { return None };
    let player = color(player)?;
    let position = session.record.position();
    let board = position.board();
    let ends = end(x, board, player).and_then(|x| Ok((x, end(y, board, player)?)));
    Some(ends.map(|(x, y)| {
        let connections = connections::<MAX_WIDTH>(&position, player);
        let names = format!("{} {} {}", color_name(player), end_name(x, board, player), end_name(y, board, player));
        let line = |carrier: CellSet<MAX_WIDTH>| {
            let steps = connections.derive(x, y, kind, carrier).unwrap_or_default();
            let rule = match steps.last().map(|step| step.rule) {
                Some(ConnectionRule::And(_)) => "and",
                Some(ConnectionRule::Three(_)) => "three",
                Some(ConnectionRule::Or) => "or",
                Some(ConnectionRule::Template(_)) => "template",
                Some(ConnectionRule::Adjacent) | None => "adjacent",
            };
            let cells = points(board, carrier.iter());
            let key = points(board, key(&steps).into_iter());
            format!("{names} {kind} {rule} [{cells} ] [ ]{key}")
        };
        connections.carriers(x, y, kind).map(line).collect::<Vec<_>>().join("\n")
    }))
}

/// The cell to play first, for a derivation of a semi-connection: the empty middle of the one that it goes back to.
fn key(steps: &[DerivationStep<MAX_WIDTH>]) -> Option<Cell> {
    let mut step = steps.last().filter(|step| step.kind == ConnectionKind::Semi)?;
    loop {
        match step.rule {
            ConnectionRule::And(ConnectionEnd::Cell(middle)) if step.carrier.contains(middle) => return Some(middle),
            _ => step = step.from.iter().map(|&from| &steps[from]).find(|step| step.kind == ConnectionKind::Semi)?,
        }
    }
}

/// The cells, each after a space.
fn points(board: Board, cells: impl Iterator<Item = Cell>) -> String {
    cells.map(|cell| format!(" {}", board.name(cell))).collect()
}

fn connected_to(session: &mut HtpSession, args: &[&str], kind: ConnectionKind) -> Option<HtpAnswer> {
    let &[player, x] = args else { return None };
    let player = color(player)?;
    let position = session.record.position();
    let board = position.board();
    Some(end(x, board, player).map(|x| {
        let connections = connections::<MAX_WIDTH>(&position, player);
        let others = board.edges().chain(board.cells().map(ConnectionEnd::Cell));
        let reached = others.filter(|&y| y != x && connections.carriers(x, y, kind).next().is_some());
        reached.map(|y| end_name(y, board, player)).collect::<Vec<_>>().join(" ")
    }))
}

/// The cells that a move has to be among, as nothing else meets the opponent's threats: all empty cells when there are
/// no threats. No cell where connections decide the game, over or not: when the opponent cannot be stopped, since no
/// move helps, and when the player cannot, since none is needed.
fn must_play(session: &mut HtpSession, args: &[&str]) -> Option<HtpAnswer> {
    let &[player] = args else { return None };
    let player = color(player)?;
    let position = session.record.position();
    let region = |threatening| advice::must_play::<MAX_WIDTH>(&connections(&position, threatening));
    let cells = if region(player).is_empty() { CellSet::EMPTY } else { region(player.opponent()) };
    Some(Ok(points(position.board(), cells.iter()).trim_start().to_owned()))
}

/// All winning moves, if they can be found in the time for a move.
fn find_winning(session: &mut HtpSession, args: &[&str]) -> Option<HtpAnswer> {
    let &[player] = args else { return None };
    let player = color(player)?;
    let position = session.record.position();
    let time = session.effort.time.or(Effort::default().time)?;
    let budget = session.budget.clone().with_time(time);
    let solver = Solver::new(position.board())?;
    let mut winning = Vec::new();
    for cell in position.empty_cells().filter(|_| position.winner().is_none()) {
        match solver.wins_after(&position, player, cell, 1, &budget) {
            Ok(true) => winning.push(cell),
            Ok(false) => {}
            Err(Stopped::Timeout(time)) => return Some(Err(format!("not solved in {} s", time.as_secs_f64()))),
            Err(stopped) => return Some(Err(stopped.to_string())),
        }
    }
    Some(Ok(points(position.board(), winning.into_iter()).trim_start().to_owned()))
}

/// One evaluation a line: both players' figures and who is ahead.
fn evaluate(session: &mut HtpSession, args: &[&str]) -> Option<HtpAnswer> {
    let position = session.record.position();
    let line = |measure: &'static Measure| {
        let evaluation = measure.evaluate(&position);
        let ahead = evaluation.ahead().map_or("nobody", color_name);
        let [black, white] = [&evaluation.red, &evaluation.blue].map(|side| figure(side.value));
        format!("{}: black {black}, white {white}, {ahead} is ahead", measure.name)
    };
    args.is_empty().then(|| Ok(evaluation::ALL.iter().map(line).collect::<Vec<_>>().join("\n")))
}

/// Pairs of a cell and its figure, without those that are infinite.
fn evaluate_cells(session: &mut HtpSession, args: &[&str]) -> Option<HtpAnswer> {
    let &[name, player] = args else { return None };
    let player = color(player)?;
    let Some(measure) = evaluation::named(name) else {
        let names: Vec<&str> = evaluation::ALL.iter().map(|measure| measure.name).collect();
        return Some(Err(format!("the evaluations are {}", names.join(", "))));
    };
    let position = session.record.position();
    let board = position.board();
    let evaluation = measure.evaluate(&position);
    let of = |cell| evaluation.of(player).figure(cell).filter(|figure| figure.is_finite());
    let pairs = board.cells().filter_map(|cell| Some(format!("{} {}", board.name(cell), figure(of(cell)?))));
    Some(Ok(pairs.collect::<Vec<_>>().join(" ")))
}

/// Two decimals, where there are any.
fn figure(value: f64) -> String {
    let text = format!("{value:.2}");
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => text,
    }
}
