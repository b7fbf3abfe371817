//! A report as one self-contained page, with style, plots and pictures.

use super::plot::{self, PlotAxis, Series};
use super::{CaptionedPicture, Report, format};
use crate::environment::Environment;
use ludolog_picture::page::Page;
use maud::{Markup, PreEscaped, html};

impl Report {
    /// The report as a page.
    pub fn to_html(&self) -> String {
        let frame = PageFrame {
            heading: self.benchmark.heading,
            lead: &(self.benchmark.lead)(self),
            method: &(self.benchmark.method)(self),
            environment: &self.environment,
            interrupted: self.interrupted,
        };
        frame.around(&(self.benchmark.sections)(self))
    }
}

impl CaptionedPicture {
    /// The picture above its caption.
    pub fn to_html(&self) -> Markup {
        html! { figure { (PreEscaped(&self.svg)) figcaption { strong { (self.name) } " " (self.caption) } } }
    }
}

/// A section: what it shows, how to read it, and its content.
pub fn section(title: &str, how: &Markup, content: &Markup) -> Markup {
    html! { section { h2 { (title) } p.how { (how) } (content) } }
}

/// A list of remarks; nothing without any.
pub fn remarks(remarks: &[Markup]) -> Markup {
    html! { @if !remarks.is_empty() { ul.how { @for remark in remarks { li { (remark) } } } } }
}

/// The key of a plot: marks with their names.
pub fn key(entries: impl Iterator<Item = (usize, String)>) -> Markup {
    html! {
        p.key {
            @for (color, name) in entries {
                span { (plot::sample(color)) (name) }
            }
        }
    }
}

/// The space at the left of a plot whose vertical axis has figures, in pixels.
const FIGURES: u32 = 80;

/// Curves below their key, in so many pixels of height.
pub fn curves(x: &PlotAxis, y: &PlotAxis, series: &[Series], height: u32) -> Markup {
    html! {
        (key(series.iter().map(|series| (series.color, series.name.clone()))))
        (drawn(x, y, series, height, FIGURES))
    }
}

/// A plot that scrolls where the page is narrow; `left` is the space for the labels of its vertical axis.
pub fn drawn(x: &PlotAxis, y: &PlotAxis, series: &[Series], height: u32, left: u32) -> Markup {
    html! { div.scroll { (PreEscaped(plot::draw(x, y, series, (1080, height), left))) } }
}

/// The height of a line of named marks, in pixels: five marks, one above the other, hide each other hardly.
pub const LINE_HEIGHT: u32 = 44;

/// The part of a line's height over which its marks are spread.
const SPREAD: f64 = 0.8;

/// A line for each name, with marks of all series whose `y` is the number of their line. Marks of equal values of up to
/// `most` series stand one above the other.
pub fn lines(x: &PlotAxis, names: &[String], mut series: Vec<Series>, most: usize, left: u32) -> Markup {
    let y = PlotAxis::names(names);
    for series in &mut series {
        let from_middle = SPREAD * (series.color as f64 - (most as f64 - 1.0) / 2.0) / most.max(2) as f64;
        series.points.iter_mut().for_each(|point| point.y = y.place(point.y as usize) - from_middle);
    }
    drawn(x, &y, &series, 70 + LINE_HEIGHT * names.len() as u32, left)
}

/// Rates of playouts on a logarithmic scale, in [`lines`] below their key.
pub fn playout_rates(names: &[String], series: Vec<Series>, most: usize) -> Markup {
    let values = series.iter().flat_map(|series| series.points.iter().map(|point| point.x));
    let x = PlotAxis::logarithmic("playouts a CPU-second", values, format::count);
    html! {
        (key(series.iter().map(|series| (series.color, series.name.clone()))))
        (lines(&x, names, series, most, 200))
    }
}

/// What all pages have.
pub struct PageFrame<'a> {
    /// The question.
    pub heading: &'a str,
    /// The first paragraph.
    pub lead: &'a str,
    /// The way of measuring, in words.
    pub method: &'a str,
    /// The environment of the run.
    pub environment: &'a Environment,
    /// Whether the run was interrupted before its end.
    pub interrupted: bool,
}

impl PageFrame<'_> {
    /// The page with this content.
    pub fn around(&self, content: &Markup) -> String {
        let environment = self.environment;
        let content = html! {
            header {
                p.over { "Ludolog " (environment.ludolog) " · benchmark" }
                h1 { (self.heading) }
                p.lead { (self.lead) }
                pre { code { (environment.command) } }
            }
            main {
                @if self.interrupted {
                    p.alarm { "This run was interrupted. It shows what was measured until then." }
                }
                @if environment.profile != "release" {
                    p.alarm { "Measured with a " (environment.profile) " build: the times mean little." }
                }
                (content)
            }
            (self.footer())
        };
        let title = format!("{} · {}", self.heading, environment.command);
        let style = format!("{}{}", include_str!("style.css"), dark_plots());
        Page { title: &title, style: &style, ..Page::default() }.around(&content)
    }

    fn footer(&self) -> Markup {
        let environment = self.environment;
        let facts = [
            ("Command", Some(environment.command.clone())),
            ("Ludolog", Some(format!("{} ({})", environment.ludolog, environment.profile))),
            ("Compiler", environment.rustc.clone()),
            ("System", Some(environment.os.clone())),
            ("Processor", environment.cpu.clone()),
            ("Cores", Some(environment.cores.to_string())),
            ("Date", Some(environment.date.clone())),
        ];
        html! {
            footer {
                h2 { "How this was measured" }
                p.how { (self.method) }
                dl { @for (name, value) in facts { @if let Some(value) = value { dt { (name) } dd { (value) } } } }
            }
        }
    }
}

fn dark_plots() -> String {
    format!("@media (prefers-color-scheme: dark) {{{}}}", plot::dark_style())
}
