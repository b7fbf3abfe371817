//! Judges in files: JSON, with the facts as terms, so that they fit any net of the game.

use super::{Judge, MAX_FACTS, STEPS};
use ludolog_game::Role;
use ludolog_game::canonical::text;
use ludolog_propnet::Net;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The version of the files that are written, and the only one that is read.
const VERSION: u32 = 1;

/// Most products that are read.
const MAX_PRODUCTS: usize = 1 << 18;

/// The greatest weight of a file: sums of weights stay far from the limits of numbers.
const MAX_WEIGHT: f32 = 100.0;

/// A judge of a role as a file holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeFile {
    judge: Header,
    /// The role whose goal is judged.
    pub role: String,
    /// The weight of every state.
    pub bias: f32,
    /// Facts with their weights.
    pub facts: Vec<(String, f32)>,
    /// Sets of facts with the weight of a state in which all of them hold.
    pub products: Vec<(Vec<String>, f32)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    version: u32,
}

/// Why a file is no judge.
#[derive(Debug)]
pub enum NoJudge {
    /// It is not JSON of this shape: cut short, or another file.
    Unreadable(serde_json::Error),
    /// It is of another version.
    Version(u32),
    /// A product has too many facts, or a weight is no number of reasonable size.
    Value(String),
}

impl fmt::Display for NoJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoJudge::Unreadable(error) => write!(f, "it is no judge: {error}"),
            NoJudge::Version(version) => write!(f, "it has version {version}; this program reads version {VERSION}"),
            NoJudge::Value(of) => write!(f, "{of} is out of range"),
        }
    }
}

impl std::error::Error for NoJudge {}

impl JudgeFile {
    /// The file of a judge of a role of a net.
    pub fn new(judge: &Judge, net: &Net, role: Role) -> JudgeFile {
        let name = |fact: usize| text(&net.facts[fact].term);
        let weight = |steps: i32| steps as f32 / STEPS;
        let facts = judge.facts.iter().enumerate().filter(|(_, steps)| **steps != 0);
        let products = judge.products.iter().map(|product| {
            let facts = product.facts.iter().map(|&fact| name(fact as usize));
            (facts.collect(), weight(product.weight))
        });
        JudgeFile {
            judge: Header { version: VERSION },
            role: text(&net.roles[role.0 as usize].term),
            bias: weight(judge.bias),
            facts: facts.map(|(fact, &steps)| (name(fact), weight(steps))).collect(),
            products: products.collect(),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`NoJudge`].
    pub fn read(bytes: &[u8]) -> Result<JudgeFile, NoJudge> {
        let file: JudgeFile = serde_json::from_slice(bytes).map_err(NoJudge::Unreadable)?;
        if file.judge.version != VERSION {
            return Err(NoJudge::Version(file.judge.version));
        }
        let is_weight = |weight: f32| weight.abs() <= MAX_WEIGHT;
        let wrong_fact = file.facts.iter().find(|(_, weight)| !is_weight(*weight)).map(|(fact, _)| fact.clone());
        let is_product = |facts: &[String], weight| (1..=MAX_FACTS).contains(&facts.len()) && is_weight(weight);
        let wrong_product = file.products.iter().find(|(facts, weight)| !is_product(facts, *weight));
        let wrong = wrong_fact.or_else(|| wrong_product.map(|(facts, _)| facts.join(" ")));
        match wrong.or_else(|| (!is_weight(file.bias)).then(|| "the bias".to_owned())) {
            Some(wrong) => Err(NoJudge::Value(wrong)),
            None => Ok(file),
        }
    }

    /// The judge of a role of two in a net; `None` if it is a judge of another game, whose facts are unknown to the net for
    /// the greater part. A net of the game that begins elsewhere lacks the facts that cannot hold any more.
    pub fn of(&self, net: &Net, role: Role) -> Option<Judge> {
        let meanings = meanings(net);
        let known = self.facts.iter().filter(|(fact, _)| meanings.contains_key(fact)).count();
        let judged = net.roles.iter().position(|role| text(&role.term) == self.role)?;
        if 2 * known < self.facts.len() {
            return None;
        }
        let mut read = ReadWeights { bias: self.bias, facts: vec![0.0; net.facts.len()], products: Vec::new() };
        for (fact, weight) in &self.facts {
            read.add(&[meanings.get(fact).copied()], Vec::new(), *weight)?;
        }
        for (facts, weight) in &self.products {
            let facts: Vec<_> = facts.iter().map(|fact| meanings.get(fact).copied()).collect();
            read.add(&facts, Vec::new(), *weight)?;
        }
        let judge = Judge::new(read.bias, &read.facts, read.products.into_iter());
        if judged == role.0 as usize { Some(judge) } else { (net.roles.len() == 2).then(|| judge.opposite()) }
    }
}

/// The meaning of a fact for a net that knows it.
#[derive(Clone, Copy)]
enum Meaning {
    /// It holds in every state.
    Always,
    Fact(u32),
    /// It holds where the fact of this number does not.
    Opposite(u32),
}

fn meanings(net: &Net) -> FxHashMap<String, Meaning> {
    let facts = (0..).zip(&net.facts).map(|(number, fact)| (text(&fact.term), Meaning::Fact(number)));
    let always = net.constants.iter().map(|fact| (text(fact), Meaning::Always));
    let opposites = net.opposites.iter().map(|(fact, other)| (text(fact), Meaning::Opposite(*other as u32)));
    facts.chain(always).chain(opposites).collect()
}

/// The weights of a file in the numbers of a net.
struct ReadWeights {
    bias: f32,
    facts: Vec<f32>,
    products: Vec<(Box<[u32]>, f32)>,
}

impl ReadWeights {
    /// Adds the weight of some facts besides those of `numbers`, whatever they mean: what never holds adds nothing, and
    /// `w · (1 - f)` is `w - w · f`. `None` if that makes too many products.
    fn add(&mut self, facts: &[Option<Meaning>], mut numbers: Vec<u32>, weight: f32) -> Option<()> {
        let Some((fact, others)) = facts.split_first() else {
            numbers.sort_unstable();
            numbers.dedup();
            match numbers[..] {
                [] => self.bias += weight,
                [fact] => self.facts[fact as usize] += weight,
                _ => self.products.push((numbers.into(), weight)),
            }
            return (self.products.len() <= MAX_PRODUCTS).then_some(());
        };
        match *fact {
            None => Some(()),
            Some(Meaning::Always) => self.add(others, numbers, weight),
            Some(Meaning::Fact(number)) => {
                numbers.push(number);
                self.add(others, numbers, weight)
            }
            Some(Meaning::Opposite(number)) => {
                self.add(others, numbers.clone(), weight)?;
                numbers.push(number);
                self.add(others, numbers, -weight)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_are_refused_with_the_reason() {
        let read = |text: &str| JudgeFile::read(text.as_bytes()).expect_err(text).to_string();
        assert!(read("{\"judge\": {\"version\": 1}, \"role\": ").contains("EOF"));
        let of = |version: u32, weight: f32| {
            format!(
                "{{\"judge\":{{\"version\":{version}}},\"role\":\"x\",\"bias\":0,\"facts\":[[\"f\",{weight}]],\"products\":[]}}"
            )
        };
        assert_eq!(read(&of(2, 0.0)), "it has version 2; this program reads version 1");
        assert_eq!(read(&of(1, 1e30)), "f is out of range");
        assert!(JudgeFile::read(of(1, -3.5).as_bytes()).is_ok());
    }
}
