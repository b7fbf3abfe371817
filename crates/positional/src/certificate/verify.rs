//! The check of certificates. It shares nothing with what finds them but the check of matchings and the criterion.

use super::{DrawCertificate, NoWinClaim, ProofStep};
use crate::criterion;
use crate::matching;
use crate::points::{MAX_POINTS, Point};
use crate::position::{Player, Position};
use ludolog_certificate::Refusal;
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};

/// Checks that the steps prove the claims.
///
/// # Errors
///
/// The budget ends. The inner error is the first step that does not hold.
pub fn verify(certificate: &DrawCertificate, budget: &Budget) -> Result<Result<(), Refusal>, Stopped> {
    if certificate.claims.is_empty() {
        return Ok(Err(Refusal::new("nothing is claimed")));
    }
    for (index, claim) in certificate.claims.iter().enumerate() {
        if certificate.claims[..index].iter().any(|before| before.player == claim.player) {
            return Ok(Err(Refusal::new(format!("there are two claims about {}", claim.player))));
        }
        let mut check = Check { claim, position: certificate.position.clone(), of_step: FxHashMap::default(), budget };
        if let Err(wrong) = check.claim() {
            return match wrong {
                Wrong::Refused(refusal) => Ok(Err(refusal)),
                Wrong::Stopped(stopped) => Err(stopped),
            };
        }
    }
    Ok(Ok(()))
}

enum Wrong {
    Refused(Refusal),
    Stopped(Stopped),
}

struct Check<'a> {
    claim: &'a NoWinClaim,
    /// The position that a step is about.
    position: Position,
    /// The points of X and of O, by step. Each step is about one position, so that the work is bounded by their number.
    of_step: FxHashMap<usize, [Vec<Point>; 2]>,
    budget: &'a Budget,
}

impl Check<'_> {
    fn refuse(&self, step: usize, reason: String) -> Result<(), Wrong> {
        Err(Wrong::Refused(Refusal::of_step(self.claim.player, step + 1, reason)))
    }

    fn name(&self, point: Point) -> String {
        self.position.game().names().get(point as usize).cloned().unwrap_or_else(|| point.to_string())
    }

    fn claim(&mut self) -> Result<(), Wrong> {
        let player = self.claim.player;
        let Some(last) = self.claim.steps.len().checked_sub(1) else {
            return Err(Wrong::Refused(Refusal::new(format!("the claim about {player} has no steps"))));
        };
        if self.position.open_sets(player).iter().any(Vec::is_empty) {
            return Err(Wrong::Refused(Refusal::new(format!("{player} has completed a winning set"))));
        }
        self.step(last)
    }

    /// Checks a step about the position.
    fn step(&mut self, index: usize) -> Result<(), Wrong> {
        self.budget.check().map_err(Wrong::Stopped)?;
        let (player, blocker) = (self.claim.player, self.claim.player.opponent());
        let player_moves = self.position.to_move == player;
        match &self.claim.steps[index] {
            ProofStep::Matching { parts } => {
                let is_free =
                    |point: Point| (point as usize) < self.position.game().len() && self.position.mark(point).is_none();
                match matching::check(parts, &self.position.open_sets(player), is_free) {
                    Ok(()) => Ok(()),
                    Err(flaw) => self.refuse(index, flaw.describe(|point| self.name(point))),
                }
            }
            ProofStep::Weights => {
                let sizes = self.position.open_sets(player).into_iter().map(|set| set.len());
                if criterion::breaker_wins(sizes, player_moves) {
                    Ok(())
                } else {
                    self.refuse(index, "the winning sets weigh too much".to_owned())
                }
            }
            ProofStep::Stealing if player_moves => {
                self.refuse(index, format!("{player} is to move, and steals nothing"))
            }
            ProofStep::Stealing => self.stealing(index),
            // From here on steps are nested as deep as there are points.
            _ if self.position.game().len() > MAX_POINTS => {
                self.refuse(index, format!("games of more than {MAX_POINTS} points are not checked move by move"))
            }
            ProofStep::Move { .. } if player_moves => self.refuse(index, format!("{player} is to move, not {blocker}")),
            &ProofStep::Move { to, then } => {
                match then {
                    // The missing point of a set is free.
                    _ if self.completes(blocker, to) => Ok(()),
                    Some(then) => self.after(index, to, then),
                    None => self.refuse(index, format!("{} completes nothing, and no step follows", self.name(to))),
                }
            }
            ProofStep::Replies { .. } if !player_moves => {
                self.refuse(index, format!("{blocker} is to move, not {player}"))
            }
            ProofStep::Replies { moves } => {
                let live: FxHashSet<Point> =
                    Player::BOTH.into_iter().flat_map(|player| self.position.open_sets(player)).flatten().collect();
                let answered: FxHashSet<Point> = moves.iter().map(|&(point, _)| point).collect();
                if let Some(&missing) = live.iter().filter(|point| !answered.contains(point)).min() {
                    return self.refuse(index, format!("there is no reply to {}", self.name(missing)));
                }
                for &(point, then) in moves {
                    if self.completes(player, point) {
                        return self.refuse(index, format!("{} wins for {player}", self.name(point)));
                    }
                    self.after(index, point, then)?;
                }
                Ok(())
            }
        }
    }

    fn is_free(&self, point: Point) -> bool {
        (point as usize) < self.position.game().len() && self.position.mark(point).is_none()
    }

    /// Whether a set of the player lacks this point alone.
    fn completes(&self, player: Player, point: Point) -> bool {
        self.position.open_sets(player).iter().any(|set| set[..] == [point])
    }

    /// Checks the step about the position after a move.
    fn after(&mut self, index: usize, to: Point, then: usize) -> Result<(), Wrong> {
        if then >= index {
            return self.refuse(index, format!("step {} does not come before it", then + 1));
        }
        let mover = self.position.to_move;
        if !self.is_free(to) || !self.position.claim(mover, to) {
            return self.refuse(index, format!("{} is not free", self.name(to)));
        }
        self.position.to_move = mover.opponent();
        let marks = Player::BOTH.map(|player| self.position.claimed(player).collect());
        match self.of_step.get(&then) {
            Some(known) if *known != marks => self.refuse(then, "it is used for two positions".to_owned())?,
            Some(_) => {}
            None => {
                self.of_step.insert(then, marks);
                self.step(then)?;
            }
        }
        self.position.release(to);
        self.position.to_move = mover;
        Ok(())
    }

    fn stealing(&self, index: usize) -> Result<(), Wrong> {
        let (player, blocker) = (self.claim.player, self.claim.player.opponent());
        let own: FxHashSet<Vec<Point>> = self.position.open_sets(blocker).into_iter().collect();
        for set in self.position.open_sets(player) {
            if own.contains(&set) {
                continue;
            }
            self.budget.check().map_err(Wrong::Stopped)?;
            if !own.iter().any(|smaller| smaller.iter().all(|point| set.contains(point))) {
                let set = crate::text::names(self.position.game(), set);
                return self.refuse(index, format!("{player} may complete {set}, and {blocker} nothing within it"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Proved, prove};
    use super::*;
    use crate::hypergraph::{Hypergraph, PointBoard};
    use crate::matching::{CoverTarget, MatchingPart};
    use crate::strong::{StrongOutcome, solve};
    use ludolog_certificate::Certificate as _;
    use proptest::prelude::*;

    fn empty(board: &str) -> Position {
        let board = PointBoard::parse_mnk(board).or_else(|| PointBoard::parse_cube(board)).expect("a board");
        Position::new(board.hypergraph().expect("a hypergraph"))
    }

    fn claim(position: &Position, player: Player, effort: CoverTarget) -> Option<NoWinClaim> {
        match prove(position, player, effort, &Budget::unlimited()).expect("a small game") {
            Proved::Held { claim, .. } => Some(claim),
            Proved::Wins { .. } => None,
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
            let used: FxHashSet<Point> = position.game().sets().iter().flatten().copied().collect();
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
}
