//! Certificates against brute force: accepted claims are true, true claims can be proved, altered certificates are
//! refused.

use crate::binary::{ludolog, run};
use crate::brute::{holds, with};
use ludolog::certificate::Certificate;
use ludolog::diagnostic::Sources;
use ludolog::hex::board::{Board, Cell, Player};
use ludolog::hex::cells::CellSet;
use ludolog::hex::certificate::{self, DerivedConnection, Proof, ProofBuilder, ProofLine, WinCertificate};
use ludolog::hex::connection::ConnectionEnd;
use ludolog::hex::position::Position;
use ludolog::hex::random::{Random, scatter};
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Red's stone in the middle, a bridge to each edge.
const MIDDLE: &str = "ludolog certificate 1
board 3x3
red b2
blue a1
to-move blue
winner red
bridge top b2 b1 c1
bridge b2 bottom a3 b3
and 7 8
win 9
";

/// Red moves to the obtuse corner.
const FOUR_LINES: &str = "ludolog certificate 1
board 2x2
red
blue
to-move red
winner red
touch top b1
bridge b1 bottom a2 b2
and 7 8
move b1 9
win 10
";

/// Blue to move has two ways, of which one would do.
const SEMI: &str = "ludolog certificate 1
board 2x2
red a1
blue b1
to-move any
winner blue
touch right b1
touch b1 a2
touch a2 left
and 7 8 9
touch b1 b2
touch a2 b2
and 9 12 11 7
move a2 10
win 14
";

pub fn sealed(text: &str) -> String {
    let digest: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{text}sha256 {digest}\n")
}

fn refusal(text: &str) -> String {
    WinCertificate::accept(text.as_bytes()).expect_err("refused").to_string()
}

fn position(text: &str) -> Position {
    Position::parse(text, Sources::new().add("test", text)).expect("a position")
}

#[test]
fn proofs_by_hand() {
    for (text, winner, lines) in [(MIDDLE, Player::Red, 3), (FOUR_LINES, Player::Red, 4)] {
        let certificate = WinCertificate::accept(sealed(text).as_bytes()).expect("accepted");
        assert_eq!((certificate.winner(), certificate.len()), (winner, lines));
        assert_eq!(certificate.to_text(), sealed(text));
        assert_eq!(WinCertificate::parse(&sealed(text)), Ok(certificate));
    }
    // Blue cannot be sure to move first where anybody may.
    assert_eq!(refusal(&sealed(SEMI)), "line 15: 14 is a semi-connection, and blue need not be to move");
    assert!(WinCertificate::accept(sealed(&SEMI.replace("to-move any", "to-move blue")).as_bytes()).is_ok());
}

/// Each case: a proof, the text to replace in it, the replacement, and the message.
#[test]
fn a_wrong_line_is_named() {
    for (text, from, to, expected) in [
        (
            MIDDLE,
            "certificate 1",
            "certificate 2",
            "line 1: `ludolog certificate 1` should stand here, not `ludolog certificate 2`",
        ),
        (MIDDLE, "board 3x3", "board 3x0", "line 2: `3x0` is no board size"),
        (MIDDLE, "board 3x3", "board 03x3", "line 2: `03x3` is no board size"),
        (MIDDLE, "board 3x3", "board 3x20", "line 2: 3x20 is too large: connections are checked on boards up to 19x19"),
        (MIDDLE, "blue a1", "blue d1", "line 4: `d1` is no cell of 3x3"),
        (MIDDLE, "blue a1", "blue b2", "line 4: b2 has a stone of red already"),
        (MIDDLE, "blue a1", "blue c1 a1", "line 4: a1 is out of order: stones are listed row by row"),
        (MIDDLE, "blue a1", "blue a1 ", "line 4: `` is no cell of 3x3"),
        (MIDDLE, "blue a1", "blue b1", "line 10: b1 is in the carrier of 9 and not empty"),
        (MIDDLE, "red b2", "red b3", "line 10: 9 needs a stone of red on b2"),
        (MIDDLE, "to-move blue", "to-move green", "line 5: `green` is no player"),
        (MIDDLE, "winner red", "winner nobody", "line 6: `nobody` is no player"),
        (MIDDLE, "winner red\n", "", "line 6: `winner …` should stand here, not `bridge top b2 b1 c1`"),
        (MIDDLE, "winner red", "winner blue", "line 7: `top` is no cell of 3x3 and no edge of blue"),
        (MIDDLE, "b2 b1 c1", "b2 b1 c9", "line 7: `c9` is no cell of 3x3"),
        (MIDDLE, "b2 b1 c1", "b2 b1 C1", "line 7: `C1` is no cell of 3x3"),
        (MIDDLE, "b2 b1 c1", "b2 b1 b1", "line 7: a bridge has two different ends and two different cells"),
        (MIDDLE, "b2 b1 c1", "b2 b1 c2", "line 7: c2 and top do not touch"),
        (MIDDLE, "bottom a3 b3", "bottom c3 b3", "line 8: c3 and b2 do not touch"),
        (MIDDLE, "bridge b2 bottom a3 b3", "bridge top b2 c1 b1", "line 9: the chain comes to top twice"),
        (MIDDLE, "and 7 8", "and 8", "line 9: `and` takes two lines or more"),
        (MIDDLE, "and 7 8", "and 7 9", "line 9: 9 is no earlier line of the proof"),
        (MIDDLE, "and 7 8", "and 7 4294967295", "line 9: 4294967295 is no earlier line of the proof"),
        (MIDDLE, "and 7 8", "and 7 99999999999999999999", "line 9: `99999999999999999999` is no line of a proof"),
        (MIDDLE, "and 7 8", "and 7 6", "line 9: `6` is no line of a proof"),
        (MIDDLE, "and 7 8", "and 7 08", "line 9: `08` is no line of a proof"),
        (MIDDLE, "and 7 8", "and  7 8", "line 9: `` is no line of a proof"),
        (MIDDLE, "and 7 8", "or 7 8", "line 9: 7 is full, not semi"),
        (MIDDLE, "and 7 8", "xor 7 8", "line 9: `xor 7 8` is no line of a proof"),
        (MIDDLE, "and 7 8", "pair a1 a2", "line 9: `pair a1 a2` does not fit here"),
        (MIDDLE, "win 9", "win 8", "line 10: 8 does not join top and bottom"),
        (MIDDLE, "win 9", "win pairs", "line 10: `pairs` is no line of a proof"),
        (FOUR_LINES, "move b1 9", "move b2 9", "line 10: b2 is in the carrier of 9"),
        (FOUR_LINES, "move b1 9", "move a1 9", "line 11: 10 needs a stone of red on b1"),
        (FOUR_LINES, "move b1 9", "move b1 8", "line 10: b1 is an end of 8"),
        (FOUR_LINES, "and 7 8", "and 7 7", "line 9: the chain comes to top twice"),
        (FOUR_LINES, "move b1 9", "or 9 9", "line 10: 9 is full, not semi"),
        (FOUR_LINES, "win 10", "or 10 10\nwin 11", "line 11: there is no reply to b1: it is in all carriers"),
        (FOUR_LINES, "to-move red", "to-move blue", "line 11: 10 is a semi-connection, and red need not be to move"),
        (SEMI, "touch b1 a2", "touch a1 b2", "line 8: a1 and b2 do not touch"),
        (SEMI, "and 7 8 9", "and 7 9 8", "line 10: 7 and 9 have no end in common"),
        (MIDDLE, "b2 bottom a3 b3", "b2 a1 a2 b1", "line 9: carriers of 7 and 8 share b1"),
        (MIDDLE, "bridge b2 bottom a3 b3", "touch b1 b2", "line 9: b1 is in the carrier of 7 and a stone of 8"),
        (SEMI, "win 14", "move a1 8\nor 14 15\nwin 16", "line 16: 14 and 15 have different ends"),
    ] {
        let altered = text.replacen(from, to, 1);
        assert_ne!(altered, text, "{from}");
        assert_eq!(refusal(&sealed(&altered)), expected, "{to}");
    }
}

#[test]
fn every_truncation_and_every_other_byte_is_refused() {
    for text in [MIDDLE, FOUR_LINES].map(sealed) {
        for end in 0..text.len() {
            let line = 1 + text[..end].matches('\n').count();
            assert_eq!(refusal(&text[..end]), format!("line {line}: the file breaks off here"));
        }
        for at in 0..text.len() {
            for byte in [0, b'\n', b' ', b'1', b'a', b'b', 0xff].into_iter().filter(|&byte| byte != text.as_bytes()[at])
            {
                let mut altered = text.clone().into_bytes();
                altered[at] = byte;
                assert!(WinCertificate::accept(&altered).is_err(), "byte {at} is {byte}");
            }
        }
        let digest = format!("line {}: the file is not as it was written: its digest differs", text.lines().count());
        let (proof, _) = text.split_at(text.find("sha256").unwrap());
        assert_eq!(refusal(&format!("{proof}sha256 {}\n", "0".repeat(64))), digest);
        assert!(refusal(&format!("{text}\n")).ends_with("nothing may follow the digest"));
    }
    assert_eq!(
        WinCertificate::accept(b"ludolog certificate 1\nboard \xff").unwrap_err().to_string(),
        "line 2: this is no text"
    );
}

#[test]
fn a_proof_of_another_position_is_told() {
    let certificate = WinCertificate::parse(&sealed(MIDDLE)).expect("read");
    let told = |text: &str| certificate.is_for(&position(text)).map_err(|refusal| refusal.to_string());
    assert_eq!(told("B . .\n . R .\n  . . ."), Ok(()));
    assert_eq!(told("to-move: blue\nB . .\n . R .\n  . . ."), Ok(()));
    let err = |text: &str| Err(text.to_owned());
    assert_eq!(told("to-move: red\nB . .\n . R ."), err("line 2: the proof is for 3x3, the position is 3x2"));
    assert_eq!(told("to-move: red\nB . .\n . R .\n  . . ."), err("line 5: blue is to move here, red in the position"));
    assert_eq!(told(". . .\n . R .\n  . . ."), err("line 4: a1 is blue here, empty in the position"));
    assert_eq!(told("B . .\n . R .\n  . . R"), err("line 3: c3 is empty here, red in the position"));
}

/// The winner, by exhaustive search.
#[derive(Default)]
pub struct Oracle(HashMap<(Vec<Option<Player>>, Player), bool>);

impl Oracle {
    /// Whether `player` wins, `mover` being to move.
    fn wins(&mut self, position: &Position, mover: Player, player: Player) -> bool {
        self.mover_wins(position, mover) == (mover == player)
    }

    fn mover_wins(&mut self, position: &Position, mover: Player) -> bool {
        if let Some(winner) = position.winner() {
            return winner == mover;
        }
        let key = (position.board().cells().map(|cell| position.stone(cell)).collect(), mover);
        if let Some(&known) = self.0.get(&key) {
            return known;
        }
        let moves: Vec<Cell> = position.empty_cells().collect();
        let wins = moves.into_iter().any(|cell| !self.mover_wins(&with(position, mover, cell), mover.opponent()));
        self.0.insert(key, wins);
        wins
    }

    /// Whether the claim of a certificate is true.
    pub fn claim(&mut self, certificate: &WinCertificate) -> bool {
        let position = certificate.position();
        let winner = certificate.winner();
        let movers = position.to_move.map_or(Player::BOTH.to_vec(), |mover| vec![mover]);
        movers.into_iter().all(|mover| self.wins(position, mover, winner))
    }
}

/// The whole game tree as a proof: full, of a position that the winner wins with the opponent to move.
fn full(builder: &mut ProofBuilder, oracle: &mut Oracle, position: &Position, winner: Player) -> ProofLine {
    if let Some(chain) = position.chain(winner) {
        let cells = chain.into_iter().map(ConnectionEnd::Cell);
        let ends: Vec<ConnectionEnd> =
            [ConnectionEnd::FIRST].into_iter().chain(cells).chain([ConnectionEnd::LAST]).collect();
        return builder.path(&ends).expect("a chain");
    }
    let replies: Vec<ProofLine> = position
        .empty_cells()
        .map(|cell| semi(builder, oracle, &with(position, winner.opponent(), cell), winner))
        .collect();
    builder.or(&replies).expect("a reply to each move")
}

/// The same with the winner to move.
fn semi(builder: &mut ProofBuilder, oracle: &mut Oracle, position: &Position, winner: Player) -> ProofLine {
    let reply = position
        .empty_cells()
        .find(|&cell| oracle.wins(&with(position, winner, cell), winner.opponent(), winner))
        .expect("a winning move");
    let then = full(builder, oracle, &with(position, winner, reply), winner);
    builder.movement(reply, then).expect("a move")
}

/// A proof of who wins this position, or that the opponent does with the same player to move.
fn proof(position: &Position, mover: Player, oracle: &mut Oracle) -> WinCertificate {
    let winner = Player::BOTH.into_iter().find(|&player| oracle.wins(position, mover, player)).expect("somebody wins");
    let mut position = position.clone();
    position.to_move = Some(mover);
    let mut builder = ProofBuilder::new(position.board(), winner);
    let win = if mover == winner && position.winner().is_none() {
        semi(&mut builder, oracle, &position, winner)
    } else {
        full(&mut builder, oracle, &position, winner)
    };
    WinCertificate::new(&position, winner, builder.finish(win))
}

fn small_position() -> impl Strategy<Value = (Position, Player)> {
    let board = prop_oneof![Just((3, 3, 0)), Just((2, 4, 1)), Just((4, 3, 3)), Just((4, 4, 7))];
    (board, 0..6usize, any::<u64>(), any::<bool>()).prop_map(|((width, height, least), more, seed, red)| {
        let board = Board::new(width, height).unwrap();
        let position = scatter(board, least + more, None, &mut Random::new(seed));
        (position, if red { Player::Red } else { Player::Blue })
    })
}

/// Changes one word of one line, or one line, and omits the digest.
pub fn mutated(text: &str, random: &mut Random) -> String {
    const WORDS: [&str; 34] = [
        "a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3", "top", "bottom", "left", "right", "red", "blue", "any",
        "touch", "bridge", "and", "or", "given", "captured", "base", "three", "7", "8", "9", "10", "11", "12", "13",
        "14", "15", "16",
    ];
    let mut lines: Vec<Vec<String>> = text.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect();
    lines.pop();
    let at = random.below(lines.len());
    match random.below(8) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at].clone()),
        2 => {
            let other = random.below(lines.len());
            lines.swap(at, other);
        }
        3 => drop(lines[at].pop()),
        4 => lines[at].push(WORDS[random.below(WORDS.len())].to_owned()),
        _ => {
            let word = random.below(lines[at].len().max(1));
            if let Some(word) = lines[at].get_mut(word) {
                *word = WORDS[random.below(WORDS.len())].to_owned();
            }
        }
    }
    lines.iter().map(|line| line.join(" ") + "\n").collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn whatever_is_won_is_proved((position, mover) in small_position()) {
        let certificate = proof(&position, mover, &mut Oracle::default());
        let read = WinCertificate::accept(certificate.to_text().as_bytes());
        prop_assert_eq!(read.as_ref(), Ok(&certificate));
        prop_assert!(certificate.is_for(&position).is_ok());
    }

    /// The digest protects against accidents only; a forger can compute a new one, but cannot prove a false claim.
    #[test]
    fn whatever_is_accepted_is_true(stones in 0..5usize, seed: u64) {
        let random = &mut Random::new(seed);
        let oracle = &mut Oracle::default();
        let position = scatter(Board::new(3, 3).unwrap(), stones, None, random);
        let text = proof(&position, Player::BOTH[random.below(2)], oracle).to_text();
        for _ in 0..200 {
            let mut altered = mutated(&text, random);
            if random.below(2) == 0 {
                altered = mutated(&sealed(&altered), random);
            }
            if let Ok(certificate) = WinCertificate::accept(sealed(&altered).as_bytes()) {
                prop_assert!(oracle.claim(&certificate), "accepted:\n{}", altered);
            }
            if !text.starts_with(&altered) {
                let digest = text.lines().last().unwrap();
                let forged = format!("{altered}{digest}\n");
                prop_assert!(WinCertificate::accept(forged.as_bytes()).is_err(), "accepted:\n{}", forged);
            }
        }
    }

    /// Lines that nobody would write: whatever they derive holds, with every other cell the opponent's.
    #[test]
    fn every_line_holds(seed: u64, blue: bool, around: bool) {
        // Nothing is derived for Blue on a cylinder.
        let board = if around && !blue { Board::cylinder(3, 3) } else { Board::new(3, 3) }.unwrap();
        let random = &mut Random::new(seed);
        let winner = if blue { Player::Blue } else { Player::Red };
        let mut builder = ProofBuilder::new(board, winner);
        let cells: Vec<Cell> = board.cells().collect();
        let mut ends = vec![ConnectionEnd::FIRST, ConnectionEnd::LAST];
        ends.extend(cells.iter().copied().map(ConnectionEnd::Cell));
        let mut lines: Vec<ProofLine> = Vec::new();
        let mut captured = 0;
        for _ in 0..1500 {
            let cell = |random: &mut Random| cells[random.below(cells.len())];
            let end = |random: &mut Random| ends[random.below(ends.len())];
            let some = |random: &mut Random| {
                (0..2 + random.below(3)).filter_map(|_| lines.get(random.below(lines.len().max(1))).copied()).collect::<Vec<ProofLine>>()
            };
            let line = match random.below(14) {
                0 => builder.touch(end(random), end(random)),
                1 => builder.bridge(end(random), end(random), cell(random), cell(random)),
                2..4 => builder.and(&some(random)),
                4..6 if !lines.is_empty() => builder.movement(cell(random), some(random)[0]),
                6 if !lines.is_empty() => builder.given(CellSet::of(cell(random)).with(cell(random)), some(random)[0]),
                7..10 => {
                    // Lines between the edges that need two neighbors: the last found are tried first.
                    let joins = |line: &&ProofLine| builder[**line].ends == [ConnectionEnd::FIRST, ConnectionEnd::LAST];
                    let between: Vec<ProofLine> = lines.iter().rev().filter(joins).take(20).copied().collect();
                    let Some(&line) = between.get(random.below(between.len().max(1))) else { continue };
                    let c = builder.needs(line).first().unwrap_or_else(|| cell(random));
                    let d = board.neighbors(c).nth(random.below(4)).unwrap_or(c);
                    let line = builder.captured(c, d, line);
                    captured += usize::from(line.is_ok());
                    line
                }
                _ => builder.or(&some(random)),
            };
            lines.extend(line.ok());
        }
        prop_assume!(captured > 0 || seed % 4 == 0);
        for line in lines {
            let DerivedConnection { ends, kind, carrier, needs } = builder[line];
            let mut position = Position::new(board);
            let ours = needs.iter().chain(ends.into_iter().filter_map(ConnectionEnd::cell));
            ours.for_each(|cell| assert!(position.place(winner, cell)));
            prop_assert!(holds(&position, winner, ends, kind, &carrier.iter().collect::<Vec<_>>()), "{:?}", builder[line]);
        }
    }
}

/// Worked by hand: a stone on the second row of 3x2 reaches the top by touching it; both cells below it are captured,
/// since with a stone on either the other has four of Red's, stones and edge, in one run around it.
#[test]
fn captured_cells_may_be_taken_for_stones() {
    let proof = |rest: &str| {
        sealed(&format!(
            "ludolog certificate 1\nboard 3x2\nred b1\nblue\nto-move blue\nwinner red\n\
             touch top b1\ntouch b1 b2\ntouch b2 bottom\nand 7 8 9\n{rest}"
        ))
    };
    assert!(WinCertificate::accept(proof("captured a2 b2 10\nwin 11\n").as_bytes()).is_ok());
    assert_eq!(refusal(&proof("captured b2 c2 10\nwin 11\n")), "line 11: a stone of red on c2 does not kill b2");
    assert_eq!(refusal(&proof("captured a1 b2 10\nwin 11\n")), "line 11: a stone of red on b2 does not kill a1");
    assert_eq!(
        refusal(&proof("captured a2 b2 8\nwin 11\n")),
        "line 11: cells are captured for what joins the edges, and 8 does not"
    );
    assert_eq!(refusal(&proof("given b1 8\nwin 11\n")), "line 11: b1 is an end of 8");
}

#[test]
fn proofs_are_short() {
    let proved = |text: &str, mover| {
        let certificate = proof(&position(text), mover, &mut Oracle::default());
        certificate.verify().expect("right");
        certificate.len()
    };
    // A bridge, from the game tree: five touches, two chains, two moves, an `or`.
    assert_eq!(proved("B R\n . .", Player::Blue), 10);
    // The whole tree of game and replies has some hundred positions; lines say less and serve more often.
    assert!(proved("B . .\n . R .\n  . . .", Player::Blue) <= 60);
}

#[test]
fn chains_within_chains_are_written_out() {
    let board = Board::new(1, 4).unwrap();
    let mut column = Position::new(board);
    board.cells().for_each(|cell| assert!(column.place(Player::Red, cell)));
    let mut builder = ProofBuilder::new(board, Player::Red);
    let cells: Vec<ConnectionEnd> = board.cells().map(ConnectionEnd::Cell).collect();
    let middle = builder.path(&[cells[2], cells[1], cells[0]]).unwrap();
    let [top, below, bottom] =
        [(ConnectionEnd::FIRST, cells[0]), (cells[2], cells[3]), (cells[3], ConnectionEnd::LAST)]
            .map(|(x, y)| builder.touch(x, y).unwrap());
    let lower = builder.and(&[below, bottom]).unwrap();
    let unused = builder.and(&[top, middle]).unwrap();
    let win = builder.and(&[top, middle, lower]).unwrap();
    assert_ne!(unused, win);
    let text = WinCertificate::new(&column, Player::Red, builder.finish(win)).to_text();
    assert!(WinCertificate::accept(text.as_bytes()).is_ok());
    let lines: Vec<&str> = text.lines().skip(ProofLine::HEADER).collect();
    assert_eq!(
        lines[..7],
        ["touch a3 a2", "touch a2 a1", "touch top a1", "touch a3 a4", "touch a4 bottom", "and 9 8 7 10 11", "win 12"]
    );
}

/// Pairs that the winner fills in every way: he wins each time.
fn is_pairing(certificate: &WinCertificate) -> bool {
    let Proof::Pairing(pairs) = certificate.proof() else { panic!("a pairing") };
    let board = certificate.board();
    let winner = certificate.winner();
    (0..1u64 << pairs.len()).all(|choice| {
        let mut position = Position::new(board);
        for (i, &[a, b]) in pairs.iter().enumerate() {
            position.place(winner, if choice >> i & 1 == 0 { a } else { b });
        }
        // All other cells are the loser's.
        let rest: Vec<Cell> = position.empty_cells().collect();
        rest.into_iter().for_each(|cell| assert!(position.place(winner.opponent(), cell)));
        position.winner() == Some(winner)
    })
}

#[test]
fn who_has_the_shorter_way_wins_by_pairs() {
    for (width, height) in [(1, 2), (2, 1), (2, 3), (3, 2), (3, 4), (4, 3), (2, 5), (5, 3), (4, 5), (5, 4), (1, 9)] {
        let certificate = certificate::pairing(Board::new(width, height).unwrap()).expect("a longer side");
        assert_eq!(certificate.winner(), if width > height { Player::Red } else { Player::Blue });
        assert_eq!(WinCertificate::accept(certificate.to_text().as_bytes()).as_ref(), Ok(&certificate));
        assert!(is_pairing(&certificate), "{width}x{height}");
    }
    for (width, height) in [(30, 31), (300, 40), (1000, 20)] {
        let certificate = certificate::pairing(Board::new(width, height).unwrap()).expect("a longer side");
        assert_eq!(certificate.verify(), Ok(()));
    }
    assert_eq!(certificate::pairing(Board::new(4, 4).unwrap()), None);
}

/// Every other pairing of 2x3, and every exchange of two words on larger boards: what is accepted is true.
#[test]
fn an_altered_pairing_is_refused() {
    for (width, height) in [(2, 3), (3, 2), (3, 4), (5, 4), (2, 6)] {
        let board = Board::new(width, height).unwrap();
        let text = certificate::pairing(board).unwrap().to_text();
        let proof = &text[..text.find("sha256").unwrap()];
        let pairs = proof.lines().skip(ProofLine::HEADER).count() - 1;
        let names: Vec<String> = board.cells().map(|cell| board.name(cell)).collect();
        let lines: Vec<&str> = proof.lines().collect();
        for pair in ProofLine::HEADER..ProofLine::HEADER + pairs {
            let words: Vec<&str> = lines[pair].split(' ').collect();
            for name in &names {
                for [a, b] in [[words[1], name], [name, words[2]], [words[2], words[1]]] {
                    let mut altered = lines.clone();
                    let line = format!("pair {a} {b}");
                    if line == lines[pair] {
                        continue;
                    }
                    altered[pair] = &line;
                    let reason = refusal(&sealed(&(altered.join("\n") + "\n")));
                    assert!(
                        reason.starts_with(&format!("line {}: ", pair + 1)) || reason.contains("is in two pairs"),
                        "{reason}"
                    );
                }
            }
            for other in ProofLine::HEADER..pair {
                let (mine, theirs): (Vec<&str>, Vec<&str>) = (words.clone(), lines[other].split(' ').collect());
                let mut altered = lines.clone();
                let exchanged = [format!("pair {} {}", mine[1], theirs[2]), format!("pair {} {}", theirs[1], mine[2])];
                altered[pair] = &exchanged[0];
                altered[other] = &exchanged[1];
                assert!(
                    WinCertificate::accept(sealed(&(altered.join("\n") + "\n")).as_bytes()).is_err(),
                    "{altered:?}"
                );
            }
            let mut altered = lines.clone();
            altered.remove(pair);
            assert!(refusal(&sealed(&(altered.join("\n") + "\n"))).contains("do not fill the block"));
        }
    }
}

#[test]
fn a_pairing_counts_on_empty_pairs_and_own_stones_only() {
    let text = certificate::pairing(Board::new(3, 2).unwrap()).unwrap().to_text();
    let proof = &text[..text.find("sha256").unwrap()];
    assert_eq!(
        proof.lines().skip(ProofLine::HEADER).collect::<Vec<_>>(),
        ["pair a1 c2", "pair b1 c1", "pair a2 b2", "win pairs"]
    );
    let accepted = |red: &str, blue: &str| {
        let stones = proof.replace("red\nblue\n", &format!("red{red}\nblue{blue}\n"));
        WinCertificate::accept(sealed(&stones).as_bytes()).map_err(|refusal| refusal.to_string())
    };
    assert!(accepted(" b2", " a2").is_ok());
    assert!(accepted(" a1 c2", "").is_ok());
    assert_eq!(accepted(" b2", " c1"), Err("line 8: red cannot count on b1 or c1".to_owned()));
}

#[test]
fn the_command_says_yes_or_no_and_why() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("a file");
    write("good.txt", &sealed(MIDDLE));
    write("bad.txt", &sealed(MIDDLE).replace("and 7 8", "and 8 7"));
    write("here.txt", "B . .\n . R .\n  . . .\n");
    write("there.txt", "B . .\n . . R\n  . . .\n");
    let run = |args: &[&str]| {
        let (status, told, _) = run(&directory, &[&["verify"], args].concat(), "");
        (status, told)
    };
    let accepted = format!(
        "accepted: red wins on 3x3 with 2 stones, with blue to move (3 lines, {} bytes)\n",
        sealed(MIDDLE).len()
    );
    assert_eq!(run(&["good.txt"]), (0, accepted.clone()));
    assert_eq!(run(&["good.txt", "--position", "here.txt"]), (0, accepted));
    let refused = "refused: good.txt, line 3: b2 is red here, empty in the position\n";
    assert_eq!(run(&["good.txt", "--position", "there.txt"]), (1, refused.to_owned()));
    let refused = "refused: bad.txt, line 11: the file is not as it was written: its digest differs\n";
    assert_eq!(run(&["bad.txt"]), (1, refused.to_owned()));
    assert_eq!(run(&["missing.txt"]).0, 2);
    assert_eq!(run(&["good.txt", "--position", "missing.txt"]).0, 2);
    let (status, json) = run(&["good.txt", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((status, json["accepted"].as_bool(), json["lines"].as_u64()), (0, Some(true), Some(3)));
    let (status, json) = run(&["bad.txt", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((status, json["accepted"].as_bool(), json["line"].as_u64()), (1, Some(false), Some(11)));
}

#[test]
fn the_page_needs_nothing_else() {
    let pairing = certificate::pairing(Board::new(4, 3).unwrap()).unwrap();
    for certificate in [WinCertificate::parse(&sealed(MIDDLE)).unwrap(), pairing] {
        let page = certificate::page::to_html(&certificate);
        assert_eq!(page.matches("class=\"cell\"").count(), certificate.board().len());
        let addresses: Vec<&str> = page.match_indices("http").map(|(at, _)| &page[at..at + 26]).collect();
        assert_eq!(addresses, ["http://www.w3.org/2000/svg"], "only the name of SVG");
        let (_, data) = page.split_once("type=\"application/json\">").unwrap();
        let data: serde_json::Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
        assert_eq!(
            data["steps"].as_array().unwrap().len() + data["pairs"].as_array().unwrap().len(),
            certificate.len()
        );
    }
}

/// A file of each kind, as written once: whoever changes a format so that they are not read raises its version and
/// keeps them readable.
#[test]
fn certificates_of_earlier_builds_are_accepted() {
    for (file, verdict) in [
        ("hex-3x3.proof", "accepted: red wins on 3x3"),
        ("draw-4x4x4.proof", "accepted: a draw on 4x4x4"),
        ("bridg-it-2.proof", "accepted: Short wins Shannon switching on 5 edges as the first player"),
    ] {
        let path = format!("{}/tests/files/{file}", env!("CARGO_MANIFEST_DIR"));
        let output = ludolog(".", &["verify", &path]).assert().success().get_output().clone();
        assert!(String::from_utf8_lossy(&output.stdout).starts_with(verdict), "{output:?}");
    }
}
