//! Factors of games: heaps that have an effect on each other, and heaps that have none.

use crate::propnet::net;
use ludolog::propnet::{Factors, Net};

/// Two heaps of three things, from which two roles take in turns, the other way round; `rules` may join the heaps.
fn heaps(rules: &str) -> Net {
    net(&format!(
        "(role left) (role right) (heap a) (heap b) (less 3 2) (less 2 1) (less 1 0) (less 3 1) (less 2 0)
         (init (turn left a)) (init (turn right b)) (init (size a 3)) (init (size b 3)) (many 0) (many 1) (many 2) (many 3)
         (<= (base (turn ?r ?h)) (role ?r) (heap ?h)) (<= (base (size ?h ?n)) (heap ?h) (many ?n))
         (<= (input ?r (leave ?h ?n)) (role ?r) (heap ?h) (many ?n)) (<= (input ?r stay) (role ?r))
         (<= (legal ?r (leave ?h ?n)) (true (turn ?r ?h)) (true (size ?h ?m)) (less ?m ?n))
         (<= (next (turn left ?h)) (true (turn right ?h))) (<= (next (turn right ?h)) (true (turn left ?h)))
         (<= (next (size ?h ?n)) (does ?r (leave ?h ?n)))
         (<= (next (size ?h ?n)) (true (size ?h ?n)) (not (left ?h))) (<= (left ?h) (does ?r (leave ?h ?n)))
         (<= terminal (true (size ?h 0))) (<= (goal ?r 50) (role ?r)) {rules}"
    ))
}

#[test]
fn two_heaps_are_two_factors_unless_one_has_an_effect_on_the_other() {
    let net = heaps("");
    let factors = Factors::of(&net).expect("each heap is a factor");
    assert_eq!(factors.count, 2);
    let heap_of = |term: &str| usize::from(term.contains("(b"));
    let mut known = [None; 2];
    let moves = net.roles.iter().flat_map(|role| &role.moves).map(|made| made.term.to_string());
    let facts = net.facts.iter().map(|fact| fact.term.to_string());
    for (term, factor) in facts.zip(&factors.of_fact).chain(moves.zip(&factors.of_move)) {
        if term.contains("turn") || term.contains("stay") {
            assert_eq!(*factor, None, "no move has an effect on {term}");
        } else {
            let known = known[heap_of(&term)].get_or_insert(*factor);
            assert_eq!(known, factor, "{term}");
        }
    }
    assert!(known[0] != known[1] && known[0].is_some());
    assert_eq!(
        Factors::of(&heaps("(<= (legal ?r stay) (role ?r) (true (size a 1)))")).map(|found| found.count),
        Some(2)
    );
    let joined = heaps("(<= (next (size b 0)) (true (size a 1)) (does ?r (leave b 1)))");
    assert_eq!(Factors::of(&joined), None, "one heap has an effect on the other");
}
