//! Running matches as pages that follow them.

use crate::record::About;
use crate::replay;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use indexmap::IndexMap;
use ludolog_game::scene::Scene;
use ludolog_picture::page::{Page, table};
use ludolog_player::MatchRecord;
use maud::html;
use std::io;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most matches shown; the oldest that are over make room.
const MOST_SHOWN: usize = 200;

/// Seconds until the list of matches is loaded again.
const REFRESH: u32 = 2;

/// The matches that are shown.
#[derive(Default)]
pub struct Gallery {
    /// By name, in order of their beginnings.
    shown: Mutex<IndexMap<String, Arc<ShownState>>>,
}

struct ShownState {
    about: About,
    record: MatchRecord,
    scene: Option<Scene>,
    is_running: bool,
}

impl Gallery {
    fn shown(&self) -> MutexGuard<'_, IndexMap<String, Arc<ShownState>>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows a match as it stands, with the scene that its rulesheet states.
    pub fn show(&self, about: &About, record: &MatchRecord, scene: Option<&Scene>, is_running: bool) {
        let about = about.clone();
        let record = record.clone();
        let scene = scene.cloned();
        let shown = Arc::new(ShownState { about, record, scene, is_running });
        let mut all = self.shown();
        all.insert(shown.about.id.clone(), shown);
        while all.len() > MOST_SHOWN {
            let over = all.values().position(|shown| !shown.is_running).unwrap_or(0);
            all.shift_remove_index(over);
        }
    }

    /// The page with links to all matches.
    fn list(&self) -> String {
        let all: Vec<Arc<ShownState>> = self.shown().values().rev().cloned().collect();
        let rows = html! {
            @for shown in &all {
                tr {
                    th { a href=(format!("/{}", shown.about.id)) { (shown.about.game) } }
                    td { (shown.record.players.join(", ")) }
                    td { (shown.record.plies.len()) }
                    td { @if shown.is_running { "running" } @else { (replay::goals(&shown.record).join(", ")) } }
                }
            }
        };
        let content = html! { h1 { "Matches" } (table(&["game", "players", "joint moves", "goals"], &rows)) };
        Page { title: "Ludolog matches", refresh: Some(REFRESH), ..Page::default() }.around(&content)
    }
}

async fn list(State(gallery): State<Arc<Gallery>>) -> Html<String> {
    Html(gallery.list())
}

async fn one(State(gallery): State<Arc<Gallery>>, Path(id): Path<String>) -> Response {
    let shown = gallery.shown().get(&id).cloned();
    match shown {
        Some(shown) => {
            let ShownState { about, record, scene, is_running } = &*shown;
            let page = if *is_running { replay::to_live_html } else { replay::to_html };
            Html(page(about, record, scene.as_ref())).into_response()
        }
        None => (StatusCode::NOT_FOUND, "there is no such match\n").into_response(),
    }
}

/// Serves the pages of a gallery, on a thread of its own, until the process ends.
///
/// # Errors
///
/// The listener cannot be used, or the system gives no threads.
pub fn serve(listener: TcpListener, gallery: Arc<Gallery>) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let router = Router::new().route("/", get(list)).route("/{id}", get(one)).with_state(gallery);
    std::thread::Builder::new().spawn(move || {
        runtime.block_on(async {
            if let Ok(listener) = tokio::net::TcpListener::from_std(listener) {
                // Pages that fail cost the match nothing.
                _ = axum::serve(listener, router).await;
            }
        });
    })?;
    Ok(())
}
