//! `ludolog serve`: a player that game managers reach over HTTP.

use super::players::{KnowledgeArgs, MEBIBYTE};
use super::{Failure, Outcome, interrupt, limits, print};
use crate::cli::choice::choice;
use clap::Args;
use ludolog::player::{Options, PlayerKind};
use ludolog::protocol::server::{self, DEFAULT_PORT, Origins, ServedExchange};
use ludolog::protocol::{Host, MatchSettings, Message};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::thread::available_parallelism;

#[derive(Args)]
pub struct ServeArgs {
    /// The address to listen on; 0.0.0.0 lets other machines in
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// The port to listen on; 0 takes a free one
    #[arg(long, default_value_t = DEFAULT_PORT)]
    port: u16,
    /// The player
    #[arg(long, value_name = "PLAYER", default_value = "auto", value_parser = choice::<PlayerKind>())]
    player: PlayerKind,
    /// Threads of each match; matches that think at once share the cores equally [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Mebibytes that the player of each match may fill with what it remembers
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,
    /// Most matches at once; others are told that the player is busy
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=1024))]
    matches: u64,
    /// Think also where there is only one legal move
    #[arg(long)]
    ponder: bool,
    /// The seed of all choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    knowledge: KnowledgeArgs,
    /// Let web pages of this origin talk to the player, as https://example.org, or `*` for all; by default none may
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    /// Say nothing about messages
    #[arg(long)]
    quiet: bool,
}

/// Most characters of a message on standard error.
const SHOWN: usize = 100;

/// Serves until Ctrl-C.
pub fn run(args: &ServeArgs) -> Result<Outcome, Failure> {
    let address = args.address;
    let port = args.port;
    let taken =
        |error| Failure::Message(format!("cannot listen on {address} port {port}: {error}; choose another --port"));
    let listener = TcpListener::bind((address, port)).map_err(taken)?;
    let bound = listener.local_addr().map_err(taken)?;
    let threads = args.threads.map(|threads| threads as usize);
    let options = Options {
        threads: threads.unwrap_or_else(|| available_parallelism().map_or(1, usize::from)),
        memory: args.memory as usize * MEBIBYTE,
        ponder: args.ponder,
        seed: args.seed,
        databases: args.knowledge.databases()?,
        judges: args.knowledge.judges(),
    };
    let player = args.player;
    let matches = args.matches as usize;
    let limits = limits::budget();
    let host = Host::new(MatchSettings { player, options, matches, limits });
    let stop = interrupt::flag();
    print(&format!("the player {} answers at http://{bound}; Ctrl-C ends it\n", args.player.0.name))?;
    let quiet = args.quiet;
    let watch = move |exchange: &ServedExchange<'_>| {
        if !quiet {
            anstream::eprintln!("{}", line(exchange));
        }
    };
    let served = server::serve(listener, host, Origins::new(args.allow_origin.clone()), Box::new(watch), &stop);
    served.map_err(|error| Failure::Message(format!("cannot serve: {error}")))?;
    Ok(Outcome::Interrupted)
}

/// A message and its answer in a line; rules are left out.
fn line(exchange: &ServedExchange<'_>) -> String {
    let message = match exchange.message {
        Ok(Message::Start { id, role, start_clock, play_clock, .. }) => {
            let role = ludolog::game::canonical::text(role);
            format!("(start {id} {role} … {} {})", start_clock.as_secs_f64(), play_clock.as_secs_f64())
        }
        Ok(Message::Preview { clock, .. }) => format!("(preview … {})", clock.as_secs_f64()),
        Ok(message) => message.to_string(),
        Err(_) => "no message".to_owned(),
    };
    let mut shown: String = message.chars().take(SHOWN).collect();
    if shown.len() < message.len() {
        shown.push('…');
    }
    let remark = exchange.remark.as_ref().map(|remark| format!("  ({remark})")).unwrap_or_default();
    format!("{:.3} s  {shown}  {}{remark}", exchange.took.as_secs_f64(), exchange.reply)
}
