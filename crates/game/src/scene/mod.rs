//! Scenes: how the states of a game are drawn.
//!
//! The board is what the rulesheet [states](stated), or else the [grids](crate::grid) that are recognized among the
//! facts of states. Facts that stand on no board are listed.

pub mod stated;

use crate::canonical;
use crate::grid::{BLANK, FactPlaces, GridLayer};
use ludolog_logic::analysis::clause::CheckedProgram;
use ludolog_picture::symbols::symbols;
use ludolog_picture::{Figure, Geometry, Ground, LabelSide, Owner, Picture, PictureCell, PictureLabel, owners};
use ludolog_syntax::ast::Term;
use stated::{NoPicture, StatedBoard};
use std::collections::{BTreeMap, BTreeSet};

/// The way in which the states of a game are drawn.
#[derive(Clone, Debug)]
pub struct Scene {
    source: BoardSource,
    roles: Vec<Term>,
    /// The short forms of the contents that have one.
    symbols: BTreeMap<String, String>,
    /// The contents without owner, which have pale colors in order.
    kinds: BTreeSet<String>,
}

#[derive(Clone, Debug)]
enum BoardSource {
    Stated(StatedBoard),
    /// With the board of each grid, or of each of its layers.
    Grid(FactPlaces, Vec<Geometry>),
}

/// A state drawn.
#[derive(Clone, Debug)]
pub struct SceneView<'s> {
    /// The boards, of which there may be none.
    pub pictures: Vec<Picture<'s>>,
    /// The facts that stand on no board, in order.
    pub others: Vec<&'s Term>,
}

impl Scene {
    /// The scene of the board that a rulesheet states, `None` if it states none.
    ///
    /// # Errors
    ///
    /// Faults of the facts that state it.
    pub fn stated(program: &CheckedProgram, roles: &[Term]) -> Result<Option<Scene>, NoPicture> {
        let scene = |stated| Scene::new(BoardSource::Stated(stated), roles);
        Ok(StatedBoard::of(program, roles)?.map(scene))
    }

    /// The scene of the grids among the facts of states.
    pub fn of_grids(layout: FactPlaces, roles: &[Term]) -> Scene {
        let owners = owners(roles.iter().map(canonical::text));
        let geometries = layout.view(&[]).boards.iter().map(|board| squares(board, &owners)).collect();
        Scene::new(BoardSource::Grid(layout, geometries), roles)
    }

    fn new(source: BoardSource, roles: &[Term]) -> Scene {
        Scene { source, roles: roles.to_vec(), symbols: BTreeMap::new(), kinds: BTreeSet::new() }
    }

    /// The same scene with short forms and colors for what stands on its boards in these states.
    pub fn of_states(mut self, states: &[Vec<Term>]) -> Scene {
        let mut contents = BTreeSet::new();
        let mut kinds = BTreeSet::new();
        for facts in states {
            let view = self.view(facts);
            for figure in view.pictures.into_iter().flat_map(|picture| picture.figures) {
                let of_owner = figure.owner.map(|owner| canonical::text(&self.roles[owner]));
                if figure.owner.is_none() && !figure.content.is_empty() {
                    kinds.insert(figure.content.clone());
                }
                if of_owner.as_ref() != Some(&figure.content) {
                    contents.insert(figure.content);
                }
            }
        }
        (self.symbols, self.kinds) = (symbols(&contents), kinds);
        self
    }

    /// Draws a state; with the state before, what differs from it is new.
    pub fn view<'s>(&'s self, facts: &'s [Term]) -> SceneView<'s> {
        match &self.source {
            BoardSource::Stated(stated) => {
                let mut picture = Picture::new(&stated.geometry, "board");
                let mut others = Vec::new();
                for fact in facts {
                    match on_board(stated, fact) {
                        Some((_, content)) if is_blank(&content) => {}
                        Some((cell, content)) if picture.figures[cell] == Figure::default() => {
                            picture.figures[cell] = self.figure(&content, fact);
                        }
                        _ => others.push(fact),
                    }
                }
                SceneView { pictures: vec![picture], others }
            }
            BoardSource::Grid(layout, geometries) => {
                let view = layout.view(facts);
                let draw = |(board, geometry): (&GridLayer, &'s Geometry)| {
                    let mut picture = Picture::new(geometry, board.title());
                    let width = board.columns.len();
                    for (place, figure) in picture.figures.iter_mut().enumerate() {
                        let column = place % width;
                        let row = place / width;
                        match board.cell(column, row) {
                            Some(content) if board.is_blank(content) => {}
                            Some([]) => *figure = self.figure(&[], &Term::symbol(board.name)),
                            Some(content) => *figure = self.figure(content, &Term::symbol(board.name)),
                            None if board.is_on(column, row) => {}
                            None => figure.ground = Ground::Absent,
                        }
                    }
                    picture
                };
                SceneView { pictures: view.boards.iter().zip(geometries).map(draw).collect(), others: view.others }
            }
        }
    }

    /// Draws a state, with what differs from the state before marked as new.
    pub fn view_after<'s>(&'s self, facts: &'s [Term], before: Option<&'s [Term]>) -> SceneView<'s> {
        let mut view = self.view(facts);
        if let Some(before) = before {
            let before = self.view(before);
            view.pictures.iter_mut().zip(&before.pictures).for_each(|(picture, before)| picture.mark_new(before));
        }
        view
    }

    /// The content of a cell by these arguments of a fact, or by the fact's name if there are none.
    fn figure(&self, content: &[&Term], fact: &Term) -> Figure {
        let name = match fact {
            Term::Compound(name, _) | Term::Symbol(name) => name.to_string(),
            _ => canonical::text(fact),
        };
        let text = match content {
            [] => name,
            _ => content.iter().map(|term| canonical::text(term)).collect::<Vec<_>>().join(" "),
        };
        let owner = content.iter().find_map(|term| self.roles.iter().position(|role| role == *term));
        let kind = || self.kinds.iter().position(|kind| *kind == text);
        let ground = if owner.is_none() { kind().map_or(Ground::Plain, Ground::Tint) } else { Ground::Plain };
        Figure { symbol: self.symbols.get(&text).cloned(), owner, ground, is_new: false, content: text }
    }
}

/// The cell that a fact is about, with its other arguments; `None` if it names no cell or several.
fn on_board<'f>(stated: &StatedBoard, fact: &'f Term) -> Option<(usize, Vec<&'f Term>)> {
    let Term::Compound(_, args) = fact else { return None };
    let named = args.windows(stated.arity).enumerate();
    let mut cells = named.filter_map(|(place, named)| Some((place, *stated.cells.get(named)?)));
    let (place, cell) = cells.next()?;
    let content = args[..place].iter().chain(&args[place + stated.arity..]);
    cells.next().is_none().then(|| (cell, content.collect()))
}

fn is_blank(content: &[&Term]) -> bool {
    matches!(content, [Term::Symbol(word)] if BLANK.contains(&&**word))
}

/// The squares of a grid, row by row from below, as its cells are.
fn squares(board: &GridLayer, owners: &[Owner]) -> Geometry {
    let columns = board.columns.len();
    let rows = board.rows.len();
    let name = |column: usize, row: usize| {
        format!("{} {}", canonical::text(&board.columns[column]), canonical::text(&board.rows[row]))
    };
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
    let cells = places.map(|(column, row)| PictureCell::square((column, rows - 1 - row), name(column, row)));
    let left = (0..rows).map(|row| PictureLabel {
        cell: row * columns,
        side: LabelSide::Left,
        text: canonical::text(&board.rows[row]),
    });
    let below = (0..columns).map(|column| PictureLabel {
        cell: column,
        side: LabelSide::Below,
        text: canonical::text(&board.columns[column]),
    });
    Geometry { cells: cells.collect(), lines: Vec::new(), labels: left.chain(below).collect(), owners: owners.to_vec() }
}
