//! Positions of Hex: connections, evaluations, solver, certificates.

use crate::error::{rejected, told};
use crate::interrupt::{interruptible, watched};
use crate::load::files;
use ludolog::certificate::Certificate;
use ludolog::diagnostic::Sources;
use ludolog::hex::certificate::{WinCertificate, page};
use ludolog::hex::connection::{ConnectionEnd, ConnectionKind, ConnectionLimits, Connections};
use ludolog::hex::evaluation::{self, Evaluation};
use ludolog::hex::notation::{self, GameNotation, hexworld};
use ludolog::hex::player::{Effort, choose};
use ludolog::hex::random::Random;
use ludolog::hex::solver::{Solver, proof};
use ludolog::hex::{Board, Cell, CellSet, Player, Position, by_width, cells, draw};
use ludolog::syntax::budget::{Budget, Stopped, SystemClock};
use ludolog::syntax::{self, Syntax};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A connection: its two ends, its kind, and the cells of its carrier.
type Connection = (String, String, String, Vec<String>);

/// A position of Hex. It never changes: a move makes another one.
#[pyclass(name = "Position", module = "ludolog.hex", frozen)]
pub struct PyPosition(Position);

fn player(name: &str) -> PyResult<Player> {
    name.parse().map_err(told)
}

fn cell(board: Board, name: &str) -> PyResult<Cell> {
    board.cell_of_name(name).ok_or_else(|| told(format!("there is no cell `{name}` on a board of {board}")))
}

fn names(board: Board, cells: impl IntoIterator<Item = Cell>) -> Vec<String> {
    cells.into_iter().map(|cell| board.name(cell)).collect()
}

/// The position of a text.
fn read(py: Python<'_>, name: &str, text: &str, notation: Option<GameNotation>) -> PyResult<Position> {
    let mut sources = Sources::new();
    let source = sources.add(name, text);
    let read = notation::read(text, source, notation).map_err(|wrong| rejected(py, &sources, &wrong))?;
    Ok(read.record.position())
}

/// The position of a file or a `std:` name.
fn open(py: Python<'_>, path: &Path) -> PyResult<Position> {
    let mut sources = Sources::new();
    // Not read as rules; a syntax is named since the extension says none.
    let opened = syntax::open(&files(), path, Some(Syntax::Datalog), &mut sources);
    let source = opened.map_err(|wrong| rejected(py, &sources, &wrong.into()))?.source;
    let is_sgf = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sgf"));
    let text = sources.get(source).map_or(String::new(), |source| source.text.to_string());
    read(py, &path.display().to_string(), &text, is_sgf.then_some(GameNotation::Sgf))
}

#[pymethods]
impl PyPosition {
    /// An empty board as `5x5`, a link of HexWorld, or a file (a position or SGF); or a position as text.
    #[new]
    #[pyo3(signature = (place = None, *, text = None))]
    fn new(py: Python<'_>, place: Option<&str>, text: Option<&str>) -> PyResult<Self> {
        match (place, text) {
            (None, Some(text)) => read(py, "text", text, None).map(PyPosition),
            (Some(place), None) => match place.parse::<Board>() {
                Ok(board) => Ok(PyPosition(Position::new(board))),
                Err(_) if hexworld::is_link(place) => read(py, "link", place, None).map(PyPosition),
                Err(_) => open(py, Path::new(place)).map(PyPosition),
            },
            _ => Err(told("either a board, a link or a file, or a text is needed")),
        }
    }

    /// The size of the board: `11x11`.
    #[getter]
    fn board(&self) -> String {
        self.0.board().to_string()
    }

    /// `red` or `blue`: as the position says, else who has fewer stones.
    #[getter]
    fn to_move(&self) -> &'static str {
        self.0.turn().name()
    }

    /// Who has joined their edges; `None` if nobody has.
    #[getter]
    fn winner(&self) -> Option<&'static str> {
        self.0.winner().map(Player::name)
    }

    /// The player of the stone on each cell that has one.
    #[getter]
    fn stones(&self) -> BTreeMap<String, &'static str> {
        self.0.stones().map(|(player, cell)| (self.0.board().name(cell), player.name())).collect()
    }

    /// The cells without a stone, row by row.
    #[getter]
    fn empty(&self) -> Vec<String> {
        names(self.0.board(), self.0.empty_cells())
    }

    /// The position in its text format.
    #[getter]
    fn text(&self) -> String {
        self.0.to_string()
    }

    /// The position after a stone on a cell, of the player to move or another one.
    #[pyo3(signature = (cell, player = None))]
    fn play(&self, cell: &str, player: Option<&str>) -> PyResult<PyPosition> {
        let player = self.mover(player)?;
        let mut next = self.0.clone();
        if !next.place(player, self::cell(self.0.board(), cell)?) {
            return Err(told(format!("there is a stone on {cell}")));
        }
        next.to_move = Some(player.opponent());
        Ok(PyPosition(next))
    }

    /// What a player can join: ends, kind and carrier of each connection that the AND and OR rules find, `full` where the
    /// opponent may move first; those between two ends only, where they are given.
    #[pyo3(signature = (player, between = None))]
    fn connections(
        &self,
        py: Python<'_>,
        player: &str,
        between: Option<(String, String)>,
    ) -> PyResult<Vec<Connection>> {
        let board = self.0.board();
        let player = self::player(player)?;
        let end = |name: &str| {
            let found = ConnectionEnd::from_name(name, board, player);
            found.ok_or_else(|| told(format!("{player} has no edge `{name}`, nor is there such a cell")))
        };
        let ends = between.map(|(from, to)| PyResult::Ok([end(&from)?, end(&to)?])).transpose()?;
        let found = interruptible(py, None, |_| by_width!(board.len(), W => connections::<W>(&self.0, player, ends)))?;
        found.ok_or_else(|| told(format!("a board of {board} has more than {} cells", cells::MAX_CELLS)))
    }

    /// Who stands better, and which cells matter, by a measure: `distance`, `two-distance`, `flow`, `resistance` or `y-reduction`.
    fn evaluate(&self, py: Python<'_>, measure: &str) -> PyResult<PyEvaluation> {
        let measure = evaluation::named(measure).ok_or_else(|| {
            let names: Vec<&str> = evaluation::ALL.iter().map(|measure| measure.name).collect();
            told(format!("there is no measure `{measure}`; there are {}", names.join(", ")))
        })?;
        if !evaluation::is_fit(self.0.board()) {
            return Err(told("the board is too large for this measure"));
        }
        let evaluation = interruptible(py, None, |_| measure.evaluate(&self.0))?;
        Ok(PyEvaluation { position: self.0.clone(), evaluation })
    }

    /// A move after so many seconds, and its reason in words.
    #[pyo3(signature = (seconds = 1.0, *, player = None, seed = 1))]
    fn choose(&self, py: Python<'_>, seconds: f64, player: Option<&str>, seed: u64) -> PyResult<(String, String)> {
        let player = self.mover(player)?;
        let time = Duration::try_from_secs_f64(seconds).map_err(|_| told(format!("{seconds} are no seconds")))?;
        if self.0.winner().is_some() {
            return Err(told("the game is over"));
        }
        let chosen = interruptible(py, None, |budget| {
            let effort = Effort { time: Some(time), ..Effort::default() };
            let budget = budget.clone().with_clock(Arc::new(SystemClock::default()));
            choose(&self.0, player, &effort, &budget, &mut Random::new(seed))
        })?;
        let chosen = chosen.ok_or_else(|| told("no cell is empty"))?;
        Ok((self.0.board().name(chosen.cell), chosen.reason.to_string()))
    }

    /// The board as a picture in SVG, with some cells marked.
    #[pyo3(signature = (marked = Vec::new()))]
    fn svg(&self, marked: Vec<String>) -> PyResult<String> {
        let cells = marked.iter().map(|name| cell(self.0.board(), name)).collect::<PyResult<Vec<_>>>()?;
        Ok(draw::to_svg(&self.0, &cells))
    }

    fn _repr_svg_(&self) -> String {
        draw::to_svg(&self.0, &[])
    }

    fn __str__(&self) -> String {
        draw::to_text(&self.0, &[], false)
    }

    fn __repr__(&self) -> String {
        let stones = self.0.stones().map(|(player, cell)| format!(" {player} {}", self.0.board().name(cell)));
        format!("<Position {}{}>", self.0.board(), stones.collect::<String>())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyPosition>().is_ok_and(|other| other.get().key() == self.key())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let (board, stones, turn) = self.key();
        (board.width(), board.height(), turn.name()).hash(&mut hasher);
        stones.iter().for_each(|stone| stone.map(Player::name).hash(&mut hasher));
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.import("ludolog.hex")?.getattr("restore")?, (self.text(),)))
    }
}

impl PyPosition {
    fn mover(&self, player: Option<&str>) -> PyResult<Player> {
        player.map_or(Ok(self.0.turn()), self::player)
    }

    /// All that makes positions equal.
    fn key(&self) -> (Board, Vec<Option<Player>>, Player) {
        let board = self.0.board();
        (board, board.cells().map(|cell| self.0.stone(cell)).collect(), self.0.turn())
    }
}

/// The connections of a player, of all ends or of two.
fn connections<const W: usize>(
    position: &Position,
    player: Player,
    between: Option<[ConnectionEnd; 2]>,
) -> Vec<Connection> {
    let board = position.board();
    let all = Connections::<W>::of_position(position, player, ConnectionLimits::USUAL.on(board));
    let told = |(x, y, kind, carrier): (ConnectionEnd, ConnectionEnd, ConnectionKind, CellSet<W>)| {
        (x.name(board, player), y.name(board, player), kind.to_string(), names(board, carrier))
    };
    let Some([x, y]) = between else { return all.iter().map(told).collect() };
    if all.is_joined(x, y) {
        return vec![told((x, y, ConnectionKind::Full, CellSet::EMPTY))];
    }
    let of_kind = |kind| all.carriers(x, y, kind).map(move |carrier| (x, y, kind, carrier));
    ConnectionKind::BOTH.into_iter().flat_map(of_kind).map(told).collect()
}

/// The evaluation of a position.
#[pyclass(name = "Evaluation", module = "ludolog.hex", frozen)]
pub struct PyEvaluation {
    position: Position,
    evaluation: Evaluation,
}

#[pymethods]
impl PyEvaluation {
    /// The figure for Red; may be infinite.
    #[getter]
    fn red(&self) -> f64 {
        self.evaluation.red.value
    }

    /// The figure for Blue; may be infinite.
    #[getter]
    fn blue(&self) -> f64 {
        self.evaluation.blue.value
    }

    /// The unit of the figures.
    #[getter]
    fn unit(&self) -> &'static str {
        self.evaluation.measure.unit
    }

    /// Who stands better; `None` when both stand equally well.
    #[getter]
    fn ahead(&self) -> Option<&'static str> {
        self.evaluation.ahead().map(Player::name)
    }

    /// The importance of each empty cell, from 0 to 1.
    #[getter]
    fn heat(&self) -> BTreeMap<String, f64> {
        let board = self.position.board();
        let heat = board.cells().zip(self.evaluation.heat(None));
        heat.filter_map(|(cell, heat)| Some((board.name(cell), heat?))).collect()
    }

    fn _repr_svg_(&self) -> String {
        draw::heat_to_svg(&self.position, &self.evaluation.heat(None), self.evaluation.measure.title)
    }

    fn __repr__(&self) -> String {
        let Evaluation { measure, red, blue } = &self.evaluation;
        format!("<Evaluation {}: red {:.3}, blue {:.3}>", measure.name, red.value, blue.value)
    }
}

/// Finds who wins, and remembers what it has found.
#[pyclass(name = "Solver", module = "ludolog.hex", frozen)]
pub struct PySolver(Solver);

#[pymethods]
impl PySolver {
    /// A solver for boards of a size, as `7x7`; it goes on from a file that `save` has written.
    #[new]
    #[pyo3(signature = (board, *, resume = None))]
    fn new(board: &str, resume: Option<PathBuf>) -> PyResult<Self> {
        let board: Board = board.parse().map_err(told)?;
        let most = Solver::MAX_SIDE;
        let too_large = || told(format!("a board of {board} is too large to be solved; the limit is {most}x{most}"));
        let mut solver = Solver::new(board).ok_or_else(too_large)?;
        if let Some(path) = resume {
            solver.resume(&std::fs::read(path)?).map_err(told)?;
        }
        Ok(PySolver(solver))
    }

    /// Who wins when the player to move, or another one, moves next and both play best. Raises `Error` if the time does not
    /// suffice; asked again, it goes on.
    #[pyo3(signature = (position, to_move = None, *, seconds = None, threads = 1, progress = None))]
    fn winner(
        &self,
        position: &Bound<'_, PyPosition>,
        to_move: Option<&str>,
        seconds: Option<f64>,
        threads: usize,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<&'static str> {
        let winner = self.ask(position, to_move, seconds, progress, |position, to_move, budget| {
            self.0.winner(position, to_move, threads.max(1), budget)
        })?;
        Ok(winner.name())
    }

    /// A winning move; `None` if there is none.
    #[pyo3(signature = (position, to_move = None, *, seconds = None, threads = 1, progress = None))]
    fn winning_move(
        &self,
        position: &Bound<'_, PyPosition>,
        to_move: Option<&str>,
        seconds: Option<f64>,
        threads: usize,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Option<String>> {
        let found = self.ask(position, to_move, seconds, progress, |position, to_move, budget| {
            self.0.winning_move(position, to_move, threads.max(1), budget)
        })?;
        Ok(found.map(|cell| self.0.board().name(cell)))
    }

    /// A proof of who wins, which `ludolog verify` checks, too.
    #[pyo3(signature = (position, to_move = None, *, seconds = None, threads = 1, progress = None))]
    fn prove(
        &self,
        position: &Bound<'_, PyPosition>,
        to_move: Option<&str>,
        seconds: Option<f64>,
        threads: usize,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<PyCertificate> {
        let proved = self.ask(position, to_move, seconds, progress, |position, to_move, budget| {
            let winner = self.0.winner(position, to_move, threads.max(1), budget)?;
            Ok(proof::certificate(&self.0, position, to_move, winner, budget, &|_| ()))
        })?;
        Ok(PyCertificate(proved.map_err(|why| told(format!("no proof could be written: {why}")))?))
    }

    /// Positions searched so far, for all questions.
    #[getter]
    fn nodes(&self) -> u64 {
        self.0.nodes()
    }

    /// Writes what was found into a file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        Ok(std::fs::write(path, self.0.save())?)
    }
}

impl PySolver {
    /// Asks about a position; progress is told as nodes.
    fn ask<T: Send>(
        &self,
        position: &Bound<'_, PyPosition>,
        to_move: Option<&str>,
        seconds: Option<f64>,
        progress: Option<Bound<'_, PyAny>>,
        ask: impl FnOnce(&Position, Player, &Budget) -> Result<T, Stopped> + Send,
    ) -> PyResult<T> {
        let to_move = position.get().mover(to_move)?;
        let py = position.py();
        let place = &position.get().0;
        if place.board() != self.0.board() {
            return Err(told(format!("the solver is for {}, the position is {}", self.0.board(), place.board())));
        }
        let nodes = || self.0.nodes();
        let asked = watched(py, seconds, progress.as_ref(), nodes, |budget| ask(place, to_move, budget))?;
        asked.map_err(told)
    }
}

/// A proof that a player wins, which holds: it is checked when it is read.
#[pyclass(name = "Certificate", module = "ludolog.hex", frozen)]
pub struct PyCertificate(WinCertificate);

#[pymethods]
impl PyCertificate {
    /// Reads and checks a proof. Raises `Error` with the first line that does not follow.
    #[new]
    #[pyo3(signature = (text, *, seconds = None))]
    fn new(py: Python<'_>, text: &str, seconds: Option<f64>) -> PyResult<Self> {
        let checked = interruptible(py, seconds, |budget| WinCertificate::check(text.as_bytes(), budget))?;
        Ok(PyCertificate(checked.map_err(told)?.map_err(told)?))
    }

    /// Who wins.
    #[getter]
    fn winner(&self) -> &'static str {
        self.0.winner().name()
    }

    /// What is proved, as a clause.
    #[getter]
    fn claim(&self) -> String {
        self.0.claim()
    }

    /// The position of the claim.
    #[getter]
    fn position(&self) -> PyPosition {
        PyPosition(self.0.position().clone())
    }

    /// The file of the proof.
    #[getter]
    fn text(&self) -> String {
        self.0.to_text()
    }

    /// The proof as a page to walk through with a browser.
    fn html(&self) -> String {
        page::to_html(&self.0)
    }

    /// The number of its lines.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<Certificate: {}>", self.0.claim())
    }
}
