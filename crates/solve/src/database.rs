//! The values of all states of a game, in a file.
//!
//! ```text
//! header · fingerprint of the rulesheet and its facts · sum of goals · symbols · states in blocks · where the blocks begin · hash of all before
//! ```
//!
//! States are sorted as the numbers that their bits are. A state is what distinguishes it from the one before: how many
//! bytes they share at the front, the bytes that follow (front coding, as in dictionaries), and the symbol for its
//! value and distance: some five bytes. A block begins with a whole state, so that a state is found by bisection and a
//! short scan.

use crate::fingerprint::{fingerprint, hash_bytes};
use crate::solution::{SolvedStates, StateValue, best_moves};
use ludolog_game::{Draw, GameError, JointMove, JointMoves, Role, State, StateMachine};
use ludolog_propnet::{Net, NetMachine};
use ludolog_syntax::ColdSort;
use ludolog_syntax::budget::Budget;
use std::cmp::Ordering;
use std::fmt;
use std::slice;
use std::sync::Arc;

/// The first bytes of a file, before the version of the format.
const MAGIC: &[u8; 15] = b"ludolog-solved\0";

/// The version of the format.
const VERSION: u8 = 3;

/// The version before, which differs in its fingerprint: it depended on the program that solved the game.
const WITHOUT_FINGERPRINT: u8 = 2;

/// Random walks, and the states of each, in which a database without a fingerprint is held against a game.
const WALKS: usize = 32;
const WALK: usize = 100;

/// States of a block: the scan of one takes about as long as the bisection.
const BLOCK: usize = 128;

/// Bytes of a symbol: whether there is a value, the value, the distance plus one.
const SYMBOL: usize = 1 + 8 + 8;

/// The sum of the goals of a game that has none, since one role plays it.
const NO_SUM: i128 = i128::MAX;

/// A database of values, read from its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Database {
    bytes: Vec<u8>,
    /// `None` in a file of the version before.
    fingerprint: Option<u64>,
    sum: Option<i128>,
    symbols: Vec<StateValue>,
    key_bytes: usize,
    states: u64,
    /// The place of the blocks, and that of the places of their beginnings.
    blocks: usize,
    index: usize,
}

/// Why bytes are no database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoDatabase {
    /// They do not begin as a database does.
    Format,
    /// They have this version of the format, which is not read.
    Version(u8),
    /// They were changed, or are not complete.
    Damaged,
}

impl fmt::Display for NoDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoDatabase::Format => f.write_str("this is no database of a solved game"),
            NoDatabase::Version(version) => write!(
                f,
                "the database has version {version} of its format, and versions {WITHOUT_FINGERPRINT} and {VERSION} are read; \
                 solve the game again with `game solve --database`"
            ),
            NoDatabase::Damaged => f.write_str("the database is damaged or not complete"),
        }
    }
}

impl std::error::Error for NoDatabase {}

/// The bytes of the number that the bits of a row are, the highest first.
fn key(row: &[u64], bytes: usize, key: &mut Vec<u8>) {
    key.clear();
    key.extend((0..bytes).rev().map(|place| (row[place / 8] >> (8 * (place % 8))) as u8));
}

fn put_number(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes bytes from the front.
struct ByteReader<'b>(&'b [u8]);

impl<'b> ByteReader<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn word(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

impl SolvedStates {
    /// The values of all states as a database; `None` if they are not known, or not all in this process.
    pub fn database(&self, net: &Net) -> Option<Vec<u8>> {
        if !self.is_whole() {
            return None;
        }
        let key_bytes = net.facts.len().div_ceil(8);
        let mut order: Vec<(u32, u32)> = Vec::new();
        for (shard, of) in (0..).zip(&self.shards) {
            order.extend((0..of.rows.len() as u32).map(|number| (shard, number)));
        }
        let row = |&(shard, number): &(u32, u32)| self.shards[shard as usize].rows.row(number as usize);
        order.cold_sort_by(|a, b| row(a).iter().rev().cmp(row(b).iter().rev()));
        let label = |&(shard, number): &(u32, u32)| self.label_at(&self.shards[shard as usize], number as usize);
        let mut symbols: Vec<StateValue> = Vec::new();
        let mut symbol_of = std::collections::HashMap::new();

        let mut states = Vec::new();
        let mut index = Vec::new();
        let mut before = Vec::new();
        let mut here = Vec::new();
        for (place, of) in order.iter().enumerate() {
            key(row(of), key_bytes, &mut here);
            let mut shared = 0;
            if place % BLOCK == 0 {
                index.push(states.len() as u64);
            } else {
                shared = before.iter().zip(&here).take(u8::MAX.into()).take_while(|(a, b)| a == b).count();
            }
            let label = label(of);
            let symbol = *symbol_of.entry(label).or_insert_with(|| {
                symbols.push(label);
                symbols.len() as u64 - 1
            });
            states.push(shared as u8);
            states.extend_from_slice(&here[shared..]);
            put_number(symbol, &mut states);
            std::mem::swap(&mut before, &mut here);
        }

        let mut bytes = MAGIC.to_vec();
        bytes.push(VERSION);
        bytes.extend(self.sum.unwrap_or(NO_SUM).to_le_bytes());
        for number in
            [fingerprint(net), key_bytes as u64, order.len() as u64, symbols.len() as u64, states.len() as u64]
        {
            bytes.extend(number.to_le_bytes());
        }
        for StateValue { value, distance } in symbols {
            bytes.push(value.is_some().into());
            bytes.extend(value.unwrap_or_default().to_le_bytes());
            bytes.extend(distance.map_or(0, |distance| u64::from(distance) + 1).to_le_bytes());
        }
        bytes.append(&mut states);
        index.iter().for_each(|place: &u64| bytes.extend(place.to_le_bytes()));
        bytes.extend(hash_bytes(&bytes).to_le_bytes());
        Some(bytes)
    }
}

impl Database {
    /// Reads a database from the bytes that [`SolvedStates::database`] made.
    ///
    /// # Errors
    ///
    /// [`NoDatabase`].
    pub fn read(bytes: Vec<u8>) -> Result<Database, NoDatabase> {
        let (version, content) =
            bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_first()).ok_or(NoDatabase::Format)?;
        if ![WITHOUT_FINGERPRINT, VERSION].contains(version) {
            return Err(NoDatabase::Version(*version));
        }
        let has_fingerprint = *version == VERSION;
        let end = bytes.len().checked_sub(8).ok_or(NoDatabase::Damaged)?;
        if Some(hash_bytes(&bytes[..end])) != ByteReader(&bytes[end..]).word() {
            return Err(NoDatabase::Damaged);
        }
        let mut reader = ByteReader(content);
        let sum = reader.take(16).and_then(|bytes| bytes.try_into().ok()).ok_or(NoDatabase::Damaged)?;
        let sum = Some(i128::from_le_bytes(sum)).filter(|sum| *sum != NO_SUM);
        let mut word = || reader.word().ok_or(NoDatabase::Damaged);
        let [fingerprint, key_bytes, states, symbols, length] = [word()?, word()?, word()?, word()?, word()?];
        let mut labels = Vec::new();
        for _ in 0..symbols {
            let mut symbol = ByteReader(reader.take(SYMBOL).ok_or(NoDatabase::Damaged)?);
            let has_value = symbol.take(1) == Some(&[1]);
            let value = symbol.word().filter(|_| has_value).map(|value| value as i64);
            let distance = symbol.word().and_then(|distance| u32::try_from(distance.checked_sub(1)?).ok());
            labels.push(StateValue { value, distance });
        }
        let blocks = bytes.len() - reader.0.len();
        let index = blocks.checked_add(length as usize).filter(|index| *index <= end).ok_or(NoDatabase::Damaged)?;
        if (end - index) as u64 == 8 * states.div_ceil(BLOCK as u64) {
            Ok(Database {
                symbols: labels,
                key_bytes: key_bytes as usize,
                fingerprint: has_fingerprint.then_some(fingerprint),
                sum,
                states,
                blocks,
                index,
                bytes,
            })
        } else {
            Err(NoDatabase::Damaged)
        }
    }

    /// The number of states.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// Whether it is the database of a game, whose facts are numbered as they were when it was solved. A file of the
    /// version before is taken for one if its values of the states on random walks follow from those of the states
    /// after them.
    pub fn is_of(&self, net: &Arc<Net>) -> bool {
        self.key_bytes == net.facts.len().div_ceil(8)
            && match self.fingerprint {
                Some(known) => known == fingerprint(net),
                None => self.fits(net).unwrap_or(false),
            }
    }

    /// Whether the labels of the states on random walks are right.
    fn fits(&self, net: &Arc<Net>) -> Result<bool, GameError> {
        let mut machine = NetMachine::new(net, Budget::unlimited());
        let mut draw = Draw::new(1);
        for _ in 0..WALKS {
            let mut state = machine.initial_state().clone();
            for _ in 0..WALK {
                let Some(mut next) = self.successors(&mut machine, &state)? else { return Ok(false) };
                if next.is_empty() {
                    break;
                }
                state = next.swap_remove(draw.below(next.len()));
            }
        }
        Ok(true)
    }

    /// The states after a state, none after an end; `None` if its value does not follow from theirs.
    fn successors(&self, machine: &mut NetMachine, state: &State) -> Result<Option<Vec<State>>, GameError> {
        let Some(here) = self.label(machine, state) else { return Ok(None) };
        if machine.is_terminal(state)? {
            let goal = machine.goal(state, Role(0))?;
            return Ok((here.value == goal).then(Vec::new));
        }
        let legal = machine.all_legal_moves(slice::from_ref(state))?.swap_remove(0);
        let first_chooses = legal[0].len() > 1;
        let joints: Vec<JointMove> = JointMoves::new(legal).collect();
        let steps: Vec<_> = joints.iter().map(|joint| (state, &**joint)).collect();
        let next = machine.next_states(&steps)?;
        let labels: Option<Vec<StateValue>> = next.iter().map(|next| self.label(machine, next)).collect();
        let Some(labels) = labels else { return Ok(None) };
        // Where play need not end, values do not follow from those of the next states alone.
        let values: Option<Vec<i64>> = labels.iter().map(|label| label.value).collect();
        let best =
            values.and_then(|values| if first_chooses { values.into_iter().max() } else { values.into_iter().min() });
        Ok((best.is_none() || here.value == best).then_some(next))
    }

    /// The goal of a role where the first role has this one; `None` for roles that the game does not have.
    pub fn goal(&self, role: Role, value: i64) -> Option<i64> {
        match role {
            Role(0) => Some(value),
            Role(1) => i64::try_from(self.sum? - i128::from(value)).ok(),
            Role(_) => None,
        }
    }

    /// The best joint moves in a state, with the states that they lead to: as for [`best_moves`].
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    pub fn best_moves(&self, machine: &mut NetMachine, state: &State) -> Result<Vec<(JointMove, State)>, GameError> {
        best_moves(machine, state, |machine, state| self.label(machine, state))
    }

    /// The value of a state of the machine of the game; `None` if it cannot be reached.
    pub fn label(&self, machine: &NetMachine, state: &State) -> Option<StateValue> {
        let mut row = Vec::new();
        let mut sought = Vec::new();
        machine.push_row(state, &mut row);
        key(&row, self.key_bytes, &mut sought);
        // The last block whose first state is not after the one that is sought.
        let mut low = 0;
        let mut high = self.states.div_ceil(BLOCK as u64) as usize;
        while high - low > 1 {
            let middle = low.midpoint(high);
            match self.block(middle)?.get(1..=self.key_bytes)?.cmp(&sought) {
                Ordering::Greater => high = middle,
                _ => low = middle,
            }
        }
        let mut block = ByteReader(self.block(low)?);
        let mut here = vec![0; self.key_bytes];
        for _ in 0..BLOCK {
            let shared = usize::from(*block.take(1)?.first()?);
            let rest = here.get_mut(shared..)?;
            rest.copy_from_slice(block.take(rest.len())?);
            let symbol = block.number()?;
            match here.cmp(&sought) {
                Ordering::Less => {}
                Ordering::Equal => return self.symbols.get(symbol as usize).copied(),
                Ordering::Greater => break,
            }
        }
        None
    }

    /// The bytes from a block to the last one.
    fn block(&self, number: usize) -> Option<&[u8]> {
        let place = ByteReader(self.bytes.get(self.index + 8 * number..)?).word()?;
        self.bytes.get(self.blocks + place as usize..self.index)
    }
}
