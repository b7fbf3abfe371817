//! Plots as SVG to embed in a page.
//!
//! plotters draws axes and marks. An invisible target with a title covers each mark, so that the browser shows the
//! title under the pointer. All colors are from one palette with a dark tone for each light one ([`dark_style`]), so
//! that a plot follows the color scheme of the page.

use super::format;
use maud::{Markup, html};
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::prelude::*;
use std::ops::Range;

/// The color of text, on light and on dark pages.
const INK: (u32, u32) = (0x4A5160, 0xAEB6C4);
/// The color of the grid, on light and on dark pages.
const GRID: (u32, u32) = (0xE3E6EC, 0x2C323D);
/// The colors of series, on light and on dark pages. They stay apart for viewers who see no red, no green or no blue.
const SERIES: [(u32, u32); 8] = [
    (0x14171D, 0xB9B9B9),
    (0xA49113, 0xFFC91D),
    (0x5D2A07, 0xFB2304),
    (0xCF48BB, 0xB664AD),
    (0x024FF4, 0x3E76EE),
    (0x113B59, 0x94CDEB),
    (0x09814B, 0x10FEB5),
    (0x8F959E, 0xEFF2F5),
];

/// The outlines of marks: circle, then polygons by their corners, in units of the radius. Series of neighboring numbers
/// differ by shape as well as by color.
const SHAPES: [&[(f64, f64)]; 8] = [
    &[],
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
    &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
    &[
        (0.0, -1.5),
        (0.4, -0.5),
        (1.4, -0.5),
        (0.6, 0.2),
        (0.9, 1.2),
        (0.0, 0.6),
        (-0.9, 1.2),
        (-0.6, 0.2),
        (-1.4, -0.5),
        (-0.4, -0.5),
    ],
    &[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)],
    &[(-1.2, 0.0), (0.8, -1.1), (0.8, 1.1)],
    &[(1.2, 0.0), (-0.8, -1.1), (-0.8, 1.1)],
];

/// The radius of a mark, in pixels.
const RADIUS: f64 = 5.0;

/// The radius of the marks between those that show the shape of a series.
const DOT: f64 = 1.6;

fn rgb(hex: u32) -> RGBColor {
    RGBColor((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// The color of a series on a light page, in CSS.
fn color(series: usize) -> String {
    format!("#{:06X}", SERIES[series % SERIES.len()].0)
}

/// The mark of a series at a place, in SVG: filled, or as an outline if it is open.
fn mark(series: usize, (x, y): (f64, f64), radius: f64, open: bool) -> Markup {
    let color = color(series);
    let (fill, stroke) = if open { ("none", color.as_str()) } else { (color.as_str(), "none") };
    let shape = SHAPES[series % SHAPES.len()];
    // Small dots have no shape that could be seen.
    if shape.is_empty() || radius < RADIUS {
        return html! { circle cx=(x) cy=(y) r=(radius) fill=(fill) stroke=(stroke) stroke-width="2" {} };
    }
    let corners: Vec<String> =
        shape.iter().map(|(dx, dy)| format!("{:.1},{:.1}", x + dx * radius, y + dy * radius)).collect();
    html! { polygon points=(corners.join(" ")) fill=(fill) stroke=(stroke) stroke-width="2" {} }
}

/// The mark of a series as a picture of its own, for a key.
pub fn sample(series: usize) -> Markup {
    html! { svg width="16" height="16" aria-hidden="true" { (mark(series, (8.0, 8.0), RADIUS, false)) } }
}

/// CSS rules that replace each color of the palette by its dark tone.
pub fn dark_style() -> String {
    let tone = |(light, dark): &(u32, u32)| {
        format!(
            ".plot [fill=\"#{light:06X}\"],.key [fill=\"#{light:06X}\"]{{fill:#{dark:06X}}}\
             .plot [stroke=\"#{light:06X}\"],.key [stroke=\"#{light:06X}\"]{{stroke:#{dark:06X}}}"
        )
    };
    [INK, GRID].iter().chain(&SERIES).map(tone).collect()
}

/// An axis: its scale, and its ticks with labels.
#[derive(Clone)]
pub struct PlotAxis {
    title: String,
    range: Range<f64>,
    ticks: Vec<(f64, String)>,
    logarithmic: bool,
}

impl PlotAxis {
    /// A logarithmic axis over the positive finite ones of these values, with a tick at each power of ten. Marks of others
    /// stand at its ends.
    pub fn logarithmic(title: &str, values: impl Iterator<Item = f64>, label: impl Fn(f64) -> String) -> PlotAxis {
        let (low, high) = bounds(values.filter(|value| value.is_normal() && *value > 0.0)).unwrap_or((1.0, 10.0));
        let from = low.log10().floor() as i32;
        let to = (high.log10().ceil() as i32).max(from + 1);
        let ticks: Vec<_> = (from..=to).map(|exponent| 10f64.powi(exponent)).map(|at| (at, bare(label(at)))).collect();
        PlotAxis { title: title.to_string(), range: 10f64.powi(from)..10f64.powi(to), ticks, logarithmic: true }
    }

    /// A linear axis from zero, with at most eight ticks at round values.
    pub fn linear(title: &str, values: impl Iterator<Item = f64>) -> PlotAxis {
        let high = bounds(values).map_or(1.0, |(_, high)| high.max(1.0));
        let magnitude = 10f64.powf((high / 8.0).log10().floor());
        let steps = [1.0, 2.0, 5.0].map(|step| step * magnitude);
        let step = steps.into_iter().find(|step| high / step <= 8.0).unwrap_or(10.0 * magnitude);
        let count = (high / step).ceil();
        let ticks = (0..=count as u32).map(|i| f64::from(i) * step).map(|at| (at, format::count(at))).collect();
        PlotAxis { title: title.to_string(), range: 0.0..count * step, ticks, logarithmic: false }
    }

    /// An axis of names, the first at the far end (a vertical axis reads from the top).
    pub fn names(names: &[String]) -> PlotAxis {
        let last = names.len() as f64 - 1.0;
        let ticks = names.iter().enumerate().map(|(i, name)| (last - i as f64, name.clone())).collect();
        PlotAxis { title: String::new(), range: -0.6..last + 0.6, ticks, logarithmic: false }
    }

    /// The value of the `i`-th name of a [`names`](PlotAxis::names) axis.
    ///
    /// # Panics
    ///
    /// If there is no such name.
    pub fn place(&self, i: usize) -> f64 {
        self.ticks[i].0
    }
}

impl Ranged for PlotAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (start, end): (i32, i32)) -> i32 {
        let scale = |x: f64| if self.logarithmic { x.log10() } else { x };
        let from = scale(self.range.start);
        let to = scale(self.range.end);
        let part = ((scale(*value) - from) / (to - from)).clamp(0.0, 1.0);
        start + (f64::from(end - start) * part).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.iter().map(|(at, _)| *at).collect() }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for PlotAxis {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|(at, _)| at == value);
        tick.map_or(String::new(), |(_, label)| label.clone())
    }
}

/// The label of a power of ten without its empty decimals.
fn bare(label: String) -> String {
    label.replace(".00", "").replace(".0", "")
}

/// The least and the greatest value; `None` without values.
fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.map(|value| (value, value)).reduce(|(low, high), (value, _)| (low.min(value), high.max(value)))
}

/// A mark.
pub struct PlotMark {
    /// The value on the horizontal axis.
    pub x: f64,
    /// The value on the vertical axis.
    pub y: f64,
    /// The text that is shown under the pointer.
    pub title: String,
    /// Whether the value is a bound instead of a measurement: drawn as an outline.
    pub open: bool,
}

/// Marks of one color and shape.
pub struct Series {
    /// The name.
    pub name: String,
    /// The index of the color in the palette, and of the shape.
    pub color: usize,
    /// Whether a line joins the marks.
    pub joined: bool,
    /// The marks.
    pub points: Vec<PlotMark>,
}

/// Draws `series` as an SVG of `width` × `height` pixels; `left` is the width of the labels of the vertical axis.
///
/// # Panics
///
/// Never: drawing into a string does not fail.
pub fn draw(x: &PlotAxis, y: &PlotAxis, series: &[Series], (width, height): (u32, u32), left: u32) -> String {
    let mut svg = String::new();
    let marks = try_draw(&mut svg, x, y, series, (width, height), left).expect("a string takes every picture");
    let end = svg.rfind("</svg>").expect("a picture ends");
    svg.truncate(end);
    svg.push_str(&marks);
    svg.push_str("</svg>");
    svg.replacen("<svg ", &format!("<svg class=\"plot\" role=\"img\" aria-label=\"{}\" ", label(x, y)), 1)
}

/// The alternative text of a plot: the titles of its axes, escaped.
fn label(x: &PlotAxis, y: &PlotAxis) -> String {
    let titles = [&y.title, &x.title].into_iter().filter(|title| !title.is_empty());
    let text = titles.map(String::as_str).collect::<Vec<_>>().join(" over ");
    html! { "plot: " (text) }.into_string()
}

/// Most joined marks of a series that show its shape: more would hide the line.
const SPARSE: usize = 24;

type PlotResult<T> = Result<T, Box<dyn std::error::Error>>;

fn try_draw(
    svg: &mut String,
    x: &PlotAxis,
    y: &PlotAxis,
    series: &[Series],
    size: (u32, u32),
    left: u32,
) -> PlotResult<String> {
    let area = SVGBackend::with_string(svg, size).into_drawing_area();
    let ink = rgb(INK.0);
    let text = |points: u32| TextStyle::from(("sans-serif", points).into_font()).color(&ink);
    let mut chart = ChartBuilder::on(&area)
        .margin(6)
        .margin_right(24)
        .x_label_area_size(44)
        .y_label_area_size(left)
        .build_cartesian_2d(x.clone(), y.clone())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(rgb(GRID.0))
        .axis_style(rgb(GRID.0))
        .label_style(text(18))
        .axis_desc_style(text(18))
        .x_desc(&x.title)
        .y_desc(&y.title)
        .draw()?;
    let mut marks = String::new();
    let mut targets = String::new();
    for (number, series) in series.iter().enumerate() {
        let color = rgb(SERIES[series.color % SERIES.len()].0);
        let place = |point: &PlotMark| (point.x, point.y);
        if series.joined {
            let measured = series.points.iter().filter(|point| !point.open);
            chart.draw_series(LineSeries::new(measured.map(place), color.stroke_width(2)))?;
        }
        let step = if series.joined { series.points.len().div_ceil(SPARSE).max(1) } else { 1 };
        for (i, point) in series.points.iter().enumerate() {
            let (x, y) = chart.backend_coord(&place(point));
            // Each series begins at another mark, so that the shapes of close lines do not hide each other.
            let radius = if i % step == number % step { RADIUS } else { DOT };
            marks.push_str(&mark(series.color, (x.into(), y.into()), radius, point.open).into_string());
            let target = html! { circle cx=(x) cy=(y) r="9" class="target" { title { (point.title) } } };
            targets.push_str(&target.into_string());
        }
    }
    drop(chart);
    area.present()?;
    Ok(marks + &targets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_axes() {
        let labels = |axis: &PlotAxis| axis.ticks.iter().map(|(_, label)| label.clone()).collect::<Vec<_>>();
        let log = PlotAxis::logarithmic("time", [2e3, 4e5].into_iter(), format::time);
        assert_eq!(labels(&log), ["1 µs", "10 µs", "100 µs", "1 ms"]);
        assert_eq!([1e3, 1e4, 1e6, 1.0].map(|ns| log.map(&ns, (100, 400))), [100, 200, 400, 100]);
        assert_eq!(
            labels(&PlotAxis::linear("move", [121.0].into_iter())),
            ["0", "20", "40", "60", "80", "100", "120", "140"]
        );
        let names = PlotAxis::names(&["first".to_string(), "second".to_string()]);
        assert_eq!((names.place(0), names.place(1)), (1.0, 0.0));
        assert_eq!(labels(&PlotAxis::logarithmic("empty", std::iter::empty(), format::count)), ["1", "10"]);
        let rates = PlotAxis::logarithmic("rates", [0.0, 20.0, f64::INFINITY, f64::NAN].into_iter(), format::count);
        assert_eq!(labels(&rates), ["10", "100"]);
        assert_eq!([0.0, f64::INFINITY].map(|rate| rates.map(&rate, (0, 50))), [0, 50]);
    }

    /// A color in CIE L\*a\*b\*, under D65, as a viewer sees it whose sight turns linear RGB by a matrix.
    fn seen(hex: u32, sight: &[[f64; 3]; 3]) -> [f64; 3] {
        let linear = [16, 8, 0].map(|shift| {
            let part = f64::from(hex >> shift & 255) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        let times = |row: &[f64; 3], v: [f64; 3]| row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>();
        let rgb = [0, 1, 2].map(|i| times(&sight[i], linear).clamp(0.0, 1.0));
        let curve = |t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let x = curve(times(&[0.4124, 0.3576, 0.1805], rgb) / 0.9505);
        let y = curve(times(&[0.2126, 0.7152, 0.0722], rgb));
        let z = curve(times(&[0.0193, 0.1192, 0.9505], rgb) / 1.089);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// Matrices of full severity from Machado, Oliveira and Fernandes, *A physiologically-based model for simulation of
    /// color vision deficiency*, 2009.
    #[test]
    fn colors_stay_apart_without_red_green_or_blue() {
        let protanopia =
            [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]];
        let deuteranopia =
            [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]];
        let tritanopia =
            [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]];
        let distance = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        for sight in [protanopia, deuteranopia, tritanopia] {
            for tone in [|pair: (u32, u32)| pair.0, |pair: (u32, u32)| pair.1] {
                for (i, &one) in SERIES.iter().enumerate() {
                    for &other in &SERIES[..i] {
                        let apart = distance(seen(tone(one), &sight), seen(tone(other), &sight));
                        // A difference of 2.3 can just be noticed.
                        assert!(apart > 15.0, "{one:X?} {other:X?}: {apart}");
                    }
                }
            }
        }
    }

    #[test]
    fn series_differ_by_shape_and_color() {
        let samples: std::collections::BTreeSet<String> =
            (0..SHAPES.len()).map(|i| sample(i).into_string().replace(&color(i), "")).collect();
        let colors: std::collections::BTreeSet<String> = (0..SERIES.len()).map(color).collect();
        assert_eq!((samples.len(), colors.len()), (8, 8));
    }

    #[test]
    fn marks_have_titles_and_are_escaped() {
        let point = PlotMark { x: 1.0, y: 2.0, title: "a < b".to_string(), open: false };
        let series = Series { name: "s".to_string(), color: 0, joined: false, points: vec![point] };
        let axis = |values: [f64; 2]| PlotAxis::linear("x", values.into_iter());
        let svg = draw(&axis([0.0, 4.0]), &axis([0.0, 4.0]), &[series], (400, 300), 40);
        assert!(svg.starts_with("<svg class=\"plot\"") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("<title>a &lt; b</title>"));
        assert!(svg.contains(&color(0)));
    }
}
