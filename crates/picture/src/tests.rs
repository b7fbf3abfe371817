//! Pictures with places worked by hand, and of boards made at random.

use super::*;
use crate::svg::{sheet, to_svg};
use crate::text::to_text;
use proptest::prelude::*;

fn rhombus(width: usize, height: usize) -> Geometry {
    let places = (0..height).flat_map(|row| (0..width).map(move |column| (2 * column + row, row)));
    let cells = places.map(|place| PictureCell::hexagon(place, format!("{place:?}"))).collect();
    Geometry { cells, owners: owners(["red", "blue"]), ..Geometry::default() }
}

fn piece(content: &str, owner: Option<usize>) -> Figure {
    Figure { content: content.to_owned(), owner, ..Figure::default() }
}

/// A hexagon is a unit wide, its side is 1/√3 of that: 57.7 hundredths; rows are 86.6 apart.
#[test]
fn hexagons_have_their_places() {
    let geometry = rhombus(2, 2);
    let centers: Vec<(i32, i32)> = geometry.cells.iter().map(|cell| (cell.center.x, cell.center.y)).collect();
    assert_eq!(centers, [(0, 0), (100, 0), (50, 87), (150, 87)]);
    let Outline::Polygon(corners) = &geometry.cells[2].outline else { panic!("a hexagon") };
    let corners: Vec<(i32, i32)> = corners.iter().map(|corner| (corner.x, corner.y)).collect();
    assert_eq!(corners, [(50, 29), (100, 58), (100, 115), (50, 144), (0, 115), (0, 58)]);
    // From the corners −50 and −58 to 200 and 144, and 30 around them.
    let svg = to_svg(&Picture::new(&geometry, "<two> & two"));
    assert!(svg.contains(r#"viewBox="-80 -88 310 262" width="124" height="105" role="img""#), "{svg}");
    assert!(svg.contains("<title>&lt;two&gt; &amp; two</title>"), "{svg}");
}

#[test]
fn boards_in_rows_are_texts() {
    let geometry = rhombus(3, 2);
    let mut picture = Picture::new(&geometry, "");
    picture.figures[1] = piece("red", Some(0));
    picture.figures[3] = Figure { ground: Ground::Lit, ..piece("blue", Some(1)) };
    assert_eq!(to_text(std::slice::from_ref(&picture), 80, false), ". R .\n B*. .\n");
    let styled = to_text(&[picture], 80, true);
    assert!(styled.contains("\u{1b}[1m\u{1b}[31mR") && styled.contains("\u{1b}[7m\u{1b}[34mB*"), "{styled:?}");
    // Rows of one, two, three points: a triangle.
    let point = |row: i32, place: i32| PictureCell {
        name: format!("{row}{place}"),
        center: PicturePoint::new(100 * place - 50 * row, 87 * row),
        outline: Outline::Point,
    };
    let cells = (0..3).flat_map(|row| (0..=row).map(move |place| point(row, place))).collect();
    let triangle = Geometry { cells, ..Geometry::default() };
    assert_eq!(to_text(&[Picture::new(&triangle, "")], 80, false), "  .\n . .\n. . .\n");
}

#[test]
fn contents_are_shortened_and_boards_stand_beside_each_other() {
    let geometry = Geometry::squares(2, 1, owners(["white", "black"]));
    let mut one = Picture::new(&geometry, "one");
    one.figures[0] = Figure { symbol: Some("wk".to_owned()), ..piece("white king", Some(0)) };
    let two = Picture::new(&geometry, "two");
    assert_eq!(to_text(&[one.clone(), two.clone()], 80, false), "one     two\nwk  .   . .\nwk = white king\n");
    let narrow = to_text(&[one.clone(), two.clone()], 5, false);
    assert_eq!(narrow, "one\nwk  .\ntwo\n. .\nwk = white king\n");
    let sheet = sheet(&[one, two], "both");
    assert!(sheet.contains(">wk</text>") && sheet.contains("<title>1,1: white king</title>"), "{sheet}");
    assert_eq!(sheet.matches("<svg").count(), 1);
}

#[test]
fn what_is_no_board_in_rows_is_a_list() {
    let at = |name: &str, x, y| PictureCell {
        name: name.to_owned(),
        center: PicturePoint::new(x, y),
        outline: Outline::Point,
    };
    let list = |cells: Vec<PictureCell>| {
        let geometry = Geometry { cells, owners: owners(["red", "blue"]), ..Geometry::default() };
        let mut picture = Picture::new(&geometry, "");
        picture.figures[0] = piece("red", Some(0));
        picture.figures[1] = piece("mine", None);
        to_text(&[picture], 80, false)
    };
    let expected = "red (1)\n  a\nmine (1)\n  b\nempty (1)\n  c\n";
    // A third of a cell to the right; a link; rows at odd distances.
    assert_eq!(list(vec![at("a", 0, 0), at("b", 100, 0), at("c", 33, 100)]), expected);
    let link = Outline::Segment(PicturePoint::new(0, 0), PicturePoint::new(100, 0));
    assert_eq!(list(vec![at("a", 0, 0), at("b", 100, 0), PictureCell { outline: link, ..at("c", 50, 0) }]), expected);
    assert_eq!(list(vec![at("a", 0, 0), at("b", 0, 100), at("c", 0, 250)]), expected);
}

#[test]
fn owners_have_their_own_colors_and_take_turns_else() {
    let made = owners(["blue", "player1", "player2"]);
    assert_eq!(made.iter().map(|owner| owner.color).collect::<Vec<_>>(), [Color::Blue, Color::Red, Color::Green]);
    assert_eq!(made.iter().map(|owner| &*owner.symbol).collect::<Vec<_>>(), ["B", "P1", "P2"]);
    // More owners than colors.
    assert_eq!(owners((0..20).map(|number| format!("p{number}"))).len(), 20);
    assert_eq!(owners(["blue", "red", "green", "purple", "orange", "sky", "x"])[6].color, Color::Olive);
}

#[test]
fn nothing_is_drawn_as_nothing() {
    let empty = Geometry::default();
    assert_eq!(to_text(&[Picture::new(&empty, "")], 80, false), "");
    assert!(to_svg(&Picture::new(&empty, "")).contains(r#"viewBox="-30 -30 60 60""#));
    assert!(sheet(&[], "").contains("<svg"));
}

fn cell() -> impl Strategy<Value = PictureCell> {
    let far = 1_000_000;
    let point = (-far..far, -far..far).prop_map(|(x, y)| PicturePoint::new(x, y));
    let outline = prop_oneof![
        Just(Outline::Point),
        (point.clone(), point.clone()).prop_map(|(from, to)| Outline::Segment(from, to)),
        prop::collection::vec(point.clone(), 3..9).prop_map(Outline::Polygon),
    ];
    (point, outline).prop_map(|(center, outline)| PictureCell { name: "&<".to_owned(), center, outline })
}

/// The numbers of an attribute.
fn numbers(svg: &str, attribute: &str) -> Vec<Vec<i64>> {
    let key = format!(" {attribute}=\"");
    let values = svg.split(&*key).skip(1).filter_map(|rest| rest.split('"').next());
    values.map(|value| value.split([' ', ',']).filter_map(|number| number.parse().ok()).collect()).collect::<Vec<_>>()
}

proptest! {
    #[test]
    fn every_cell_is_drawn_once_inside_the_view_box(cells in prop::collection::vec(cell(), 1..40)) {
        let geometry = Geometry { cells, owners: owners(["one", "two"]), ..Geometry::default() };
        let mut picture = Picture::new(&geometry, "");
        let svg = to_svg(&picture);
        prop_assert_eq!(svg.matches("<title>&amp;&lt;</title>").count(), geometry.cells.len());
        let view = &numbers(&svg, "viewBox")[0];
        let right = view[0] + view[2];
        let below = view[1] + view[3];
        let width = &numbers(&svg, "width")[0];
        let height = &numbers(&svg, "height")[0];
        prop_assert!(width[0] <= 1_600 && height[0] <= 1_600);
        for points in numbers(&svg, "points") {
            for point in points.chunks(2) {
                prop_assert!((view[0]..=right).contains(&point[0]) && (view[1]..=below).contains(&point[1]));
            }
        }
        for (attribute, least, most) in
            [("cx", view[0], right), ("x1", view[0], right), ("x2", view[0], right), ("cy", view[1], below), ("y1", view[1], below)]
        {
            for at in numbers(&svg, attribute) {
                prop_assert!((least..=most).contains(&at[0]), "{}: {:?}", attribute, at);
            }
        }
        // Text holds each piece, as a letter or in a list.
        picture.figures.fill(piece("one", Some(0)));
        let text = to_text(&[picture], 80, false);
        let pieces = text.replace("O = one", "").matches('O').count();
        let listed = format!("one ({})", geometry.cells.len());
        prop_assert!(pieces == geometry.cells.len() || text.contains(&listed), "{}", text);
    }
}
