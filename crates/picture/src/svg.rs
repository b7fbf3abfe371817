//! Pictures as SVG, for themselves or for inside a page.
//!
//! The user's units are hundredths of a unit, so that all places are integers. Every picture brings its own light
//! board, and so can be read on dark pages. From below: borders, cells, lines, labels, which all pictures of a board
//! share; then grounds and pieces. What stands in a cell is told by more than its color, and each cell by a tooltip.

use crate::color::{self, Color};
use crate::{
    BoardLine, Figure, Geometry, Ground, LabelSide, Outline, Owner, Picture, PictureCell, PicturePoint, UNIT, Weight,
};
use maud::{Markup, PreEscaped, html};
use std::collections::BTreeSet;

/// Pixels of a unit.
const PIXELS: f64 = 40.0;

/// Most pixels of a side.
const MOST_PIXELS: f64 = 1_600.0;

/// Hundredths of a unit around the board.
const MARGIN: i64 = 30;

/// Hundredths of a unit between boards.
const GAP: i64 = 60;

/// The size of labels, and the width of one of their characters at most.
const LABEL_SIZE: i64 = 32;
const LABEL_WIDTH: i64 = 22;

/// Hundredths of a unit between a cell and its label, more than half a border.
const LABEL_GAP: i64 = 22;

/// The radius of a piece as a share of the circle in its cell.
const PIECE: f64 = 0.74;

/// The radius of a point as a share of the distance to the nearest one, and its most.
const POINT: f64 = 0.32;
const MOST_POINT: f64 = 30.0;

/// The radius of the ends of lines.
const END: i64 = 9;

const BOARD: &str = "#fdfbf6";
const CELL: &str = "#f4efe4";
const LIT: &str = "#ffd54a";
const EDGE: &str = "#8d8674";
const INK: &str = "#222222";
const QUIET: &str = "#6d675b";

/// The first units of a rectangle, and its last ones.
#[derive(Clone, Copy)]
struct Rectangle {
    left: i64,
    top: i64,
    right: i64,
    bottom: i64,
}

impl Rectangle {
    /// The rectangle that a picture of this board takes.
    fn of(geometry: &Geometry) -> Rectangle {
        let mut extent = Rectangle { left: i64::MAX, top: i64::MAX, right: i64::MIN, bottom: i64::MIN };
        let sizes = PieceSizes::of(geometry);
        for cell in &geometry.cells {
            match &cell.outline {
                Outline::Polygon(corners) => corners.iter().for_each(|corner| extent.add(*corner, 0)),
                Outline::Segment(from, to) => [from, to].into_iter().for_each(|end| extent.add(*end, 0)),
                Outline::Point => extent.add(cell.center, sizes.point.ceil() as i64),
            }
            extent.add(cell.center, 0);
        }
        geometry.lines.iter().flat_map(|line| &line.points).for_each(|point| extent.add(*point, 0));
        if extent.left > extent.right {
            extent.add(PicturePoint::default(), 0);
        }
        for label in &geometry.labels {
            let Some(cell) = geometry.cells.get(label.cell) else { continue };
            let (x, y) = beside(cell, label.side, sizes.point);
            let width = LABEL_WIDTH * label.text.chars().count() as i64;
            let (left, right) = if label.side == LabelSide::Left { (width, 0) } else { (width / 2, width / 2) };
            extent.left = extent.left.min(x - left);
            extent.right = extent.right.max(x + right);
            extent.top = extent.top.min(y - LABEL_SIZE);
            extent.bottom = extent.bottom.max(y + LABEL_SIZE / 3);
        }
        let keys: Vec<&str> = keys(geometry).map(|owner| &*owner.name).collect();
        if !keys.is_empty() {
            extent.bottom += LABEL_SIZE * 2;
            let wide = keys.iter().map(|name| key_width(name)).sum::<i64>();
            extent.right = extent.right.max(extent.left + wide);
        }
        Rectangle {
            left: extent.left - MARGIN,
            top: extent.top - MARGIN,
            right: extent.right + MARGIN,
            bottom: extent.bottom + MARGIN,
        }
    }

    fn add(&mut self, point: PicturePoint, around: i64) {
        let x = i64::from(point.x);
        let y = i64::from(point.y);
        (self.left, self.right) = (self.left.min(x - around), self.right.max(x + around));
        (self.top, self.bottom) = (self.top.min(y - around), self.bottom.max(y + around));
    }

    fn width(self) -> i64 {
        self.right - self.left
    }

    fn height(self) -> i64 {
        self.bottom - self.top
    }

    fn view_box(self) -> String {
        format!("{} {} {} {}", self.left, self.top, self.width(), self.height())
    }

    /// Width and height in pixels.
    fn pixels(self) -> [String; 2] {
        let [width, height] = [self.width(), self.height()].map(|side| side as f64 * PIXELS / f64::from(UNIT));
        let scale = (MOST_PIXELS / width.max(height)).min(1.0);
        [width, height].map(|side| format!("{:.0}", (side * scale).max(1.0)))
    }
}

/// The owners that a key names: all but those whose name is their color, and those without names.
fn keys(geometry: &Geometry) -> impl Iterator<Item = &Owner> {
    geometry.owners.iter().filter(|owner| !owner.is_told())
}

fn key_width(name: &str) -> i64 {
    LABEL_WIDTH * (name.chars().count() as i64 + 3)
}

/// The sizes of pieces.
struct PieceSizes {
    /// The radius of points.
    point: f64,
}

impl PieceSizes {
    fn of(geometry: &Geometry) -> PieceSizes {
        let mut points: Vec<PicturePoint> =
            geometry.cells.iter().filter(|cell| cell.outline == Outline::Point).map(|cell| cell.center).collect();
        points.sort_unstable();
        points.dedup();
        let extent = |of: fn(&PicturePoint) -> i32| {
            let (least, most) = points.iter().map(of).fold((i32::MAX, i32::MIN), |(a, b), x| (a.min(x), b.max(x)));
            i64::from(most) - i64::from(least)
        };
        // Sweep along the longer side, where fewer points are within the least distance so far.
        let along: fn(&PicturePoint) -> i32 =
            if points.is_empty() || extent(|p| p.x) >= extent(|p| p.y) { |p| p.x } else { |p| p.y };
        points.sort_by_key(along);
        let mut least = MOST_POINT / POINT;
        for (place, point) in points.iter().enumerate() {
            for other in &points[place + 1..] {
                if f64::from(along(other)) - f64::from(along(point)) >= least {
                    break;
                }
                least = least.min(point.distance(*other));
            }
        }
        PieceSizes { point: least * POINT }
    }

    /// The radius of a piece in a cell.
    fn piece(&self, cell: &PictureCell) -> f64 {
        match &cell.outline {
            Outline::Polygon(corners) => PIECE * inscribed(cell.center, corners).max(1.0),
            Outline::Point => self.point,
            Outline::Segment(from, to) => (from.distance(*to) / 4.0).min(MOST_POINT),
        }
    }
}

/// The distance of a point from the nearest side of a polygon.
fn inscribed(center: PicturePoint, corners: &[PicturePoint]) -> f64 {
    let at = |point: PicturePoint| (f64::from(point.x) - f64::from(center.x), f64::from(point.y) - f64::from(center.y));
    let sides = corners.iter().zip(corners.iter().cycle().skip(1));
    let distances = sides.map(|(from, to)| {
        let from = at(*from);
        let to = at(*to);
        let along = (to.0 - from.0, to.1 - from.1);
        let square = along.0 * along.0 + along.1 * along.1;
        let part = if square > 0.0 { (-(from.0 * along.0 + from.1 * along.1) / square).clamp(0.0, 1.0) } else { 0.0 };
        (from.0 + part * along.0).hypot(from.1 + part * along.1)
    });
    distances.fold(f64::INFINITY, f64::min)
}

/// The anchor of a label beside a cell: the middle of its base line, or its end on the left.
fn beside(cell: &PictureCell, side: LabelSide, point: f64) -> (i64, i64) {
    let corners = match &cell.outline {
        Outline::Polygon(corners) => corners.as_slice(),
        _ => &[],
    };
    let x = i64::from(cell.center.x);
    let y = i64::from(cell.center.y);
    let reach = |of: fn(PicturePoint, PicturePoint) -> i64| {
        corners.iter().map(|corner| of(*corner, cell.center)).max().unwrap_or(point.ceil() as i64) + LABEL_GAP
    };
    match side {
        LabelSide::Above => (x, y - reach(|corner, center| i64::from(center.y) - i64::from(corner.y))),
        LabelSide::Below => {
            (x, y + reach(|corner, center| i64::from(corner.y) - i64::from(center.y)) + LABEL_SIZE * 2 / 3)
        }
        LabelSide::Left => (x - reach(|corner, center| i64::from(center.x) - i64::from(corner.x)), y + LABEL_SIZE / 3),
    }
}

/// Points as SVG lists them.
pub fn list(points: &[PicturePoint]) -> String {
    points.iter().map(|point| format!("{},{}", point.x, point.y)).collect::<Vec<_>>().join(" ")
}

const NEWLINE: PreEscaped<&str> = PreEscaped("\n");

/// The use of a picture.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// A file, or a part of a page that is as good as one: it says that it is SVG.
    File,
    /// A part of a page, which knows what SVG is.
    Part,
    /// A part of a page whose own parts are named and can be chosen.
    Group,
}

/// Wraps `content` as a picture of this rectangle.
fn frame(extent: Rectangle, title: &str, content: &Markup, used: Use) -> String {
    let [width, height] = extent.pixels();
    let namespace = (used != Use::Part).then_some("http://www.w3.org/2000/svg");
    let role = if used == Use::Group { "group" } else { "img" };
    let label = (used != Use::File).then_some(title);
    let svg = html! {
        svg xmlns=[namespace] viewBox=(extent.view_box()) width=(width) height=(height) role=(role) aria-label=[label]
            font-family="system-ui, sans-serif" text-anchor="middle" {
            (NEWLINE) title { (title) } (NEWLINE) (content)
        }
    };
    svg.into_string() + if used == Use::File { "\n" } else { "" }
}

/// A picture.
pub fn to_svg(picture: &Picture) -> String {
    let content = html! { (board(picture.geometry)) (pieces(picture)) };
    frame(Rectangle::of(picture.geometry), &picture.title, &content, Use::File)
}

/// A picture on a page, with more above it that can be chosen.
pub fn with_choices(picture: &Picture, above: &Markup) -> String {
    let content = html! { (board(picture.geometry)) (pieces(picture)) (above) };
    frame(Rectangle::of(picture.geometry), &picture.title, &content, Use::Group)
}

/// Several pictures beside each other, each below its title; one alone has the title of the sheet.
pub fn sheet(pictures: &[Picture], title: &str) -> String {
    if let [picture] = pictures {
        return to_svg(&Picture { title: title.to_owned(), ..picture.clone() });
    }
    let mut right = 0;
    let mut bottom = 0;
    let content = html! {
        @for picture in pictures {
            @let extent = Rectangle::of(picture.geometry);
            @let left = right;
            g transform=(format!("translate({} {})", left - extent.left, LABEL_SIZE * 3 / 2 - extent.top)) {
                text x=((extent.left + extent.right) / 2) y=(extent.top - LABEL_SIZE / 2) font-size=(LABEL_SIZE) fill="currentColor" { (picture.title) }
                (NEWLINE)
                (board(picture.geometry)) (pieces(picture))
            }
            ({ right = left + extent.width() + GAP; bottom = bottom.max(extent.height()); "\n" })
        }
    };
    let extent = Rectangle { left: 0, top: 0, right: (right - GAP).max(1), bottom: bottom + LABEL_SIZE * 3 / 2 };
    frame(extent, title, &content, Use::File)
}

/// The part that all pictures of a board share, under an id of the page, drawn nowhere; for [`with_shared`].
pub fn shared(geometry: &Geometry, id: &str) -> String {
    let svg = html! {
        svg width="0" height="0" style="position:absolute" aria-hidden="true" {
            defs { g id=(id) font-family="system-ui, sans-serif" text-anchor="middle" { (board(geometry)) } }
        }
    };
    svg.into_string()
}

/// A picture on a page that has [`shared`] of its board under this id.
pub fn with_shared(picture: &Picture, id: &str) -> String {
    let content = html! { use href=(format!("#{id}")) {} (NEWLINE) (pieces(picture)) };
    frame(Rectangle::of(picture.geometry), &picture.title, &content, Use::Part)
}

/// The board without anything on it.
fn board(geometry: &Geometry) -> Markup {
    let extent = Rectangle::of(geometry);
    let sizes = PieceSizes::of(geometry);
    let below = |line: &&BoardLine| line.weight == Weight::Border;
    html! {
        rect.board x=(extent.left) y=(extent.top) width=(extent.width()) height=(extent.height()) rx="12" fill=(BOARD) {}
        (NEWLINE)
        (lines(geometry, geometry.lines.iter().filter(below)))
        @if !geometry.cells.is_empty() {
            g.cells fill=(CELL) stroke=(EDGE) stroke-width="3" {
                (NEWLINE)
                @for cell in &geometry.cells { (outline(cell, &sizes)) (NEWLINE) }
            }
            (NEWLINE)
        }
        @for end in ends(geometry) {
            circle cx=(end.x) cy=(end.y) r=(END) fill=(EDGE) {}
            (NEWLINE)
        }
        (lines(geometry, geometry.lines.iter().filter(|line| !below(line))))
        @if !geometry.labels.is_empty() {
            g.labels fill=(QUIET) font-size=(LABEL_SIZE) {
                (NEWLINE)
                @for label in &geometry.labels {
                    @if let Some(cell) = geometry.cells.get(label.cell) {
                        @let (x, y) = beside(cell, label.side, sizes.point);
                        @if label.side == LabelSide::Left {
                            text x=(x) y=(y) text-anchor="end" { (label.text) }
                        } @else {
                            text x=(x) y=(y) { (label.text) }
                        }
                        (NEWLINE)
                    }
                }
            }
            (NEWLINE)
        }
        (key(geometry, extent))
    }
}

/// The ends of the cells that are lines.
fn ends(geometry: &Geometry) -> BTreeSet<PicturePoint> {
    let ends = geometry.cells.iter().filter_map(|cell| match cell.outline {
        Outline::Segment(from, to) => Some([from, to]),
        _ => None,
    });
    ends.flatten().collect()
}

/// The colors of the owners, below the board.
fn key(geometry: &Geometry, extent: Rectangle) -> Markup {
    let mut right = extent.left + MARGIN;
    let y = extent.bottom - MARGIN - LABEL_SIZE / 2;
    html! {
        @for owner in keys(geometry) {
            @let left = right;
            circle cx=(left + LABEL_SIZE / 2) cy=(y) r=(LABEL_SIZE * 2 / 5) fill=(owner.color.hex()) stroke=(INK) stroke-width="2" {}
            text x=(left + LABEL_SIZE * 5 / 4) y=(y + LABEL_SIZE / 3) font-size=(LABEL_SIZE) fill=(QUIET) text-anchor="start" { (owner.name) }
            ({ right = left + key_width(&owner.name); "\n" })
        }
    }
}

fn lines<'g>(geometry: &Geometry, lines: impl Iterator<Item = &'g BoardLine>) -> Markup {
    let color = |line: &BoardLine| line.owner.and_then(|owner| geometry.owners.get(owner)).map(|owner| owner.color);
    let width = |line: &BoardLine| match (line.weight, line.owner) {
        (Weight::Border, Some(_)) => 26,
        (Weight::Border, None) => 8,
        (Weight::Thick, _) => 8,
        (Weight::Thin, _) => 4,
    };
    html! {
        @for line in lines {
            // White lines need an edge.
            @if color(line) == Some(Color::White) {
                polyline points=(list(&line.points)) fill="none" stroke=(INK) stroke-width=(width(line) + 4) stroke-linecap="round" stroke-linejoin="round" {}
            }
            polyline points=(list(&line.points)) fill="none" stroke=(color(line).map_or(QUIET, Color::hex)) stroke-width=(width(line)) stroke-linecap="round" stroke-linejoin="round" {}
            (NEWLINE)
        }
    }
}

/// A cell with its name as a tooltip.
fn outline(cell: &PictureCell, sizes: &PieceSizes) -> Markup {
    let name = html! { title { (cell.name) } };
    match &cell.outline {
        Outline::Polygon(corners) => html! { polygon points=(list(corners)) { (name) } },
        Outline::Point => {
            html! { circle cx=(cell.center.x) cy=(cell.center.y) r=(round(sizes.point * 0.6)) { (name) } }
        }
        Outline::Segment(from, to) => {
            html! { line x1=(from.x) y1=(from.y) x2=(to.x) y2=(to.y) stroke-width="6" stroke-dasharray="2 10" stroke-linecap="round" { (name) } }
        }
    }
}

/// The contents of the board.
fn pieces(picture: &Picture) -> Markup {
    let sizes = PieceSizes::of(picture.geometry);
    html! {
        @for (cell, figure) in picture.cells() {
            @if let Some(fill) = fill(figure.ground) { (ground(cell, figure, &fill, &sizes)) (NEWLINE) }
        }
        @for (cell, figure) in picture.cells() {
            @if !figure.content.is_empty() || picture.written(figure).is_some() { (piece(picture, cell, figure, &sizes)) (NEWLINE) }
        }
    }
}

/// The color of a ground that differs from that of the board.
fn fill(ground: Ground) -> Option<String> {
    match ground {
        Ground::Plain => None,
        Ground::Absent => Some(BOARD.to_owned()),
        Ground::Lit => Some(LIT.to_owned()),
        Ground::Tint(number) => Some(color::tint(number).to_owned()),
        Ground::Heat(level) => {
            let [red, green, blue] = color::heat(level);
            Some(format!("#{red:02x}{green:02x}{blue:02x}"))
        }
    }
}

fn ground(cell: &PictureCell, figure: &Figure, fill: &str, sizes: &PieceSizes) -> Markup {
    let stroke = if figure.ground == Ground::Absent { "none" } else { EDGE };
    match &cell.outline {
        Outline::Polygon(corners) => {
            html! { polygon points=(list(corners)) fill=(fill) stroke=(stroke) stroke-width="3" {} }
        }
        Outline::Point => {
            html! { circle cx=(cell.center.x) cy=(cell.center.y) r=(round(sizes.point * 1.3)) fill=(fill) stroke=(stroke) stroke-width="3" {} }
        }
        Outline::Segment(from, to) => {
            html! { line x1=(from.x) y1=(from.y) x2=(to.x) y2=(to.y) stroke=(fill) stroke-width="26" stroke-linecap="round" {} }
        }
    }
}

/// A piece: its owner's color, and what is written on it.
fn piece(picture: &Picture, cell: &PictureCell, figure: &Figure, sizes: &PieceSizes) -> Markup {
    let owner = picture.owner(figure);
    let color = owner.map(|owner| owner.color);
    let PicturePoint { x, y } = cell.center;
    let radius = sizes.piece(cell);
    let text = picture.written(figure);
    // Letters are about 0.6 of their size wide.
    let size = text.map_or(0.0, |text| {
        let width = 0.6 * text.chars().count() as f64;
        radius * if color.is_some() { (1.6 / width).min(1.1) } else { (2.2 / width).min(1.4) }
    });
    let ink = color.map_or(INK, Color::ink);
    // What is new has a broad edge.
    let edge = if figure.is_new { 7 } else { 3 };
    html! {
        g {
            title { (cell.name) @if !figure.content.is_empty() { ": " (figure.content) } }
            @if let Some(color) = color {
                @match &cell.outline {
                    Outline::Segment(from, to) => {
                        line x1=(from.x) y1=(from.y) x2=(to.x) y2=(to.y) stroke=(INK) stroke-width=(16 + 2 * edge) stroke-linecap="round" {}
                        line x1=(from.x) y1=(from.y) x2=(to.x) y2=(to.y) stroke=(color.hex()) stroke-width="18" stroke-linecap="round" {}
                    }
                    _ => circle cx=(x) cy=(y) r=(round(radius)) fill=(color.hex()) stroke=(INK) stroke-width=(edge) {},
                }
            }
            @if let Some(text) = text {
                text x=(x) y=(round(f64::from(y) + size * 0.35)) font-size=(round(size)) fill=(ink) font-weight=(if figure.is_new { "bold" } else { "normal" }) { (text) }
            }
        }
    }
}

fn round(size: f64) -> i64 {
    size.round() as i64
}
