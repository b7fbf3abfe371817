//! Draws of positional games: certificates found, accepted, altered and forged.

use ludolog::certificate::{Certificate as _, Refusal};
use ludolog::engine::Budget;
use ludolog::positional::certificate::{DrawCertificate, NoWinClaim, ProofStep, Proved, prove, verify};
use ludolog::positional::matching::{CoverTarget, MatchingPart};
use ludolog::positional::strong::{StrongOutcome, solve};
use ludolog::positional::{Hypergraph, Player, Point, PointBoard, Position};
use proptest::prelude::*;
use std::collections::HashSet;

fn empty(board: &str) -> Position {
    let board = PointBoard::parse_mnk(board).or_else(|| PointBoard::parse_cube(board)).expect("a board");
    Position::new(board.hypergraph().expect("a hypergraph"))
}

fn claim(position: &Position, player: Player, effort: CoverTarget) -> Option<NoWinClaim> {
    match prove(position, player, effort, &Budget::unlimited()).expect("a small game") {
        Proved::Held { claim, .. } => Some(claim),
        Proved::Wins { .. } | Proved::Over { .. } => None,
    }
}

fn draw(position: &Position, effort: CoverTarget) -> DrawCertificate {
    let claims = Player::BOTH.map(|player| claim(position, player, effort).expect("no win"));
    DrawCertificate { position: position.clone(), claims: claims.into() }
}

fn check(certificate: &DrawCertificate) -> Result<(), Refusal> {
    verify(certificate, &Budget::unlimited()).expect("no limit")
}

proptest! {
    /// Who cannot win has a proof that is accepted, also after writing and reading it, and nobody else has one.
    #[test]
    fn proofs_are_found_exactly_where_there_is_something_to_prove(
        sets in prop::collection::vec(prop::collection::btree_set(0u32..7, 1..5), 1..8),
        marks in prop::collection::vec((0u32..7, any::<bool>()), 0..4),
        x_moves: bool,
    ) {
        let names = (0..7).map(|point| format!("p{point}")).collect();
        let game = Hypergraph::new(names, sets.into_iter().map(|set| set.into_iter().collect()).collect()).unwrap();
        let mut position = Position::new(game);
        for (point, is_x) in marks {
            position.claim(if is_x { Player::X } else { Player::O }, point);
        }
        position.to_move = if x_moves { Player::X } else { Player::O };
        prop_assume!(position.winner().is_none());
        // Points in no set are not in the file.
        let used: HashSet<Point> = position.game().sets().iter().flatten().copied().collect();
        (0..7).filter(|point| !used.contains(point)).for_each(|point| position.release(point));
        let outcome = solve(&position, None, &Budget::unlimited()).unwrap().outcome;
        for player in Player::BOTH {
            for effort in [CoverTarget::Pairing, CoverTarget::Configurations, CoverTarget::Search] {
                let found = claim(&position, player, effort);
                prop_assert_eq!(found.is_some(), outcome != StrongOutcome::Win(player));
                let Some(found) = found else { continue };
                let certificate = DrawCertificate { position: position.clone(), claims: vec![found] };
                prop_assert_eq!(check(&certificate), Ok(()));
                // Its points may have other numbers: the file leaves out those that are in no set.
                let again = DrawCertificate::accept(certificate.to_text().as_bytes());
                prop_assert_eq!(again.map(|again| again.len()), Ok(certificate.len()));
            }
        }
    }
}

#[test]
fn boards_are_proved_draws() {
    for board in ["3x3x3", "4x4x4", "5x5x5", "2x2x3", "4x3x4", "20x20x20"] {
        let certificate = draw(&empty(board), CoverTarget::Configurations);
        assert!(certificate.is_draw());
        assert_eq!(check(&certificate), Ok(()), "{board}");
    }
    assert_eq!(draw(&empty("4x4x4"), CoverTarget::Configurations).len(), 2);
}

/// All sixteen points of 4x4 are markers, so that no marker can be exchanged for another.
#[test]
fn a_certificate_altered_in_one_marker_is_refused() {
    let sound = draw(&empty("4x4x4"), CoverTarget::Configurations);
    let ProofStep::Matching { parts } = &sound.claims[0].steps[0] else { panic!("a matching") };
    let mut altered = 0;
    for (index, part) in parts.iter().enumerate() {
        for marker in part.markers() {
            for other in (0..17).filter(|&other| other != marker) {
                let mut parts = parts.clone();
                match &mut parts[index] {
                    MatchingPart::Pair(pair) => {
                        pair.iter_mut().filter(|point| **point == marker).for_each(|point| *point = other)
                    }
                    MatchingPart::Set(set) => {
                        let covering = set.coverings.iter_mut().find(|covering| covering.marker == marker).unwrap();
                        covering.marker = other;
                    }
                }
                let mut forged = sound.clone();
                forged.claims[0].steps[0] = ProofStep::Matching { parts };
                assert!(check(&forged).is_err(), "{marker} by {other}");
                altered += 1;
            }
        }
    }
    assert_eq!(altered, 16 * 16);
}

/// X wins three in a row on 3x4; whatever a certificate says, O cannot prevent that.
#[test]
fn forged_proofs_of_what_is_false_are_refused() {
    let position = empty("3x4x3");
    let refused = |steps: Vec<ProofStep>| {
        let claims = vec![NoWinClaim { player: Player::X, steps }];
        check(&DrawCertificate { position: position.clone(), claims }).unwrap_err().to_string()
    };
    assert_eq!(refused(vec![]), "the claim about X has no steps");
    let step = |reason| format!("step 1 of the claim about X: {reason}");
    assert_eq!(refused(vec![ProofStep::Weights]), step("the winning sets weigh too much"));
    assert_eq!(refused(vec![ProofStep::Stealing]), step("X is to move, and steals nothing"));
    assert_eq!(refused(vec![ProofStep::Move { to: 0, then: None }]), step("X is to move, not O"));
    assert_eq!(refused(vec![ProofStep::Replies { moves: vec![] }]), step("there is no reply to a1"));
    assert_eq!(refused(vec![ProofStep::Matching { parts: vec![] }]), step("winning set 1 is not covered"));
    let moves: Vec<(Point, usize)> = (0..12).map(|point| (point, 0)).collect();
    let own = vec![ProofStep::Replies { moves: moves.clone() }];
    assert_eq!(refused(own), step("step 1 does not come before it"));
    let twice = vec![ProofStep::Move { to: 5, then: None }, ProofStep::Replies { moves }];
    assert_eq!(refused(twice), step("c2 completes nothing, and no step follows"));
}

#[test]
fn a_step_serves_one_position_only() {
    // Both moves of X in different sets lead to the same step.
    let game = Hypergraph::of_words(&["abc", "cde"]);
    let claims = vec![NoWinClaim {
        player: Player::X,
        steps: vec![
            ProofStep::Matching { parts: vec![] },
            ProofStep::Replies { moves: (0..5).map(|point| (point, 0)).collect() },
        ],
    }];
    let refusal = check(&DrawCertificate { position: Position::new(game), claims }).unwrap_err();
    assert!(refusal.reason.contains("not covered"), "{refusal}");
}

#[test]
fn texts_that_are_no_certificates_are_refused() {
    for text in ["", "{}", "[]", "{\"certificate\": \"ludolog positional\"}"] {
        assert!(
            DrawCertificate::accept(text.as_bytes()).unwrap_err().reason.starts_with("it is no certificate"),
            "{text}"
        );
    }
    let sound = draw(&empty("4x4x4"), CoverTarget::Configurations).to_text();
    let reason =
        |from: &str, to: &str| DrawCertificate::accept(sound.replacen(from, to, 1).as_bytes()).unwrap_err().reason;
    assert_eq!(reason("\"version\":1", "\"version\":7"), "it has version 7; this program reads version 1");
    assert_eq!(reason("ludolog positional", "hex"), "it is a certificate of another kind, `hex`");
    assert_eq!(reason("\"marker\":\"a1\"", "\"marker\":\"z9\""), "there is no point `z9`");
    assert_eq!(reason("\"player\":\"x\"", "\"player\":\"z\""), "there is no player `z`");
    assert!(reason("mnk: 4x4x4", "mnk: 4").starts_with("its position is none"));
}
