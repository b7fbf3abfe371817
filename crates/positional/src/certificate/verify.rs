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
