//! The page and its messages over HTTP, for this machine alone.

use crate::{Folder, Studio};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use ludolog_lsp::Settings;
use serde_json::{Value, json};
use std::io;
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The page, its script and its style.
pub const ASSETS: [(&str, &str, &str); 3] = [
    ("index.html", "text/html; charset=utf-8", include_str!("../page/index.html")),
    ("studio.js", "text/javascript; charset=utf-8", include_str!("../page/dist/studio.js")),
    ("studio.css", "text/css; charset=utf-8", include_str!("../page/studio.css")),
];

/// The script of the worker, where the engine lies beside the page.
pub const WORKER: &str = include_str!("../page/dist/worker.js");

/// Tabs that are served at once; the one that was silent longest goes for a new one.
const MAX_TABS: usize = 16;

/// The largest message of a page, in bytes.
const MAX_MESSAGE: usize = 32 << 20;

/// The time between two looks for the end.
const LOOK: Duration = Duration::from_millis(100);

/// The header of the token that the link has, and that of the number of a tab.
const TOKEN: &str = "x-ludolog-token";
const TAB: &str = "x-ludolog-tab";

/// The beginning of a page.
pub enum Beginning {
    /// The text that the browser has kept, or an example.
    Kept,
    /// A text, by its name.
    Text(String, String),
    /// Files that the page opens and saves.
    Folder(Arc<Folder>),
}

struct Served {
    settings: Settings,
    token: String,
    /// Host and port, as a page of this server names them.
    hosts: [String; 2],
    beginning: Beginning,
    /// The tabs by their numbers, the one that spoke last behind.
    tabs: Mutex<Vec<(String, Arc<Mutex<Studio>>)>>,
}

/// Serves pages that have the token until `stop` is set.
///
/// # Errors
///
/// The system has no threads or sockets for it.
pub fn serve(
    listener: TcpListener,
    settings: Settings,
    token: String,
    beginning: Beginning,
    stop: &AtomicBool,
) -> io::Result<()> {
    let port = listener.local_addr()?.port();
    listener.set_nonblocking(true)?;
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let served = Arc::new(Served { settings, token, hosts, beginning, tabs: Mutex::default() });
    let mut router =
        Router::new().route("/take", post(take)).route("/go-on", post(go_on)).route("/first", post(first_text));
    for (name, kind, text) in ASSETS {
        let path = if name == "index.html" { "/".to_owned() } else { format!("/{name}") };
        router = router.route(&path, get(move || async move { ([(header::CONTENT_TYPE, kind)], text) }));
    }
    let router = router
        .layer(DefaultBodyLimit::max(MAX_MESSAGE))
        .layer(middleware::from_fn_with_state(served.clone(), guard))
        .with_state(served);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let stopped = async {
            while !stop.load(Ordering::Relaxed) {
                tokio::time::sleep(LOOK).await;
            }
        };
        tokio::select! {
            ended = axum::serve(listener, router) => ended,
            () = stopped => Ok(()),
        }
    })?;
    // A message that is being answered is not waited for.
    runtime.shutdown_background();
    Ok(())
}

/// Refuses what does not come from a page of this server: other names of this machine, other origins, and messages without the token.
async fn guard(State(served): State<Arc<Served>>, request: Request, next: Next) -> Response {
    let text =
        |headers: &HeaderMap, name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let headers = request.headers();
    let is_own = |host: &str| served.hosts.iter().any(|own| own == host);
    let is_from_here = text(headers, "host").is_some_and(|host| is_own(&host))
        && text(headers, "origin").is_none_or(|origin| origin.strip_prefix("http://").is_some_and(is_own));
    let has_token = request.method() == axum::http::Method::GET || text(headers, TOKEN).as_ref() == Some(&served.token);
    if !is_from_here {
        return (StatusCode::FORBIDDEN, "this studio serves its own page alone").into_response();
    }
    if !has_token {
        return (StatusCode::FORBIDDEN, "the link of the studio has a token; this has none").into_response();
    }
    let mut response = next.run(request).await;
    let policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, header::HeaderValue::from_static(policy));
    headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    response
}

/// The text that the page begins with.
async fn first_text(State(served): State<Arc<Served>>) -> Response {
    json_response(&match &served.beginning {
        Beginning::Kept => Value::Null,
        Beginning::Text(name, text) => json!({ "name": name, "text": text }),
        Beginning::Folder(folder) => json!({ "files": folder.names().collect::<Vec<_>>() }),
    })
}

async fn take(State(served): State<Arc<Served>>, headers: HeaderMap, message: Bytes) -> Response {
    with_tab(&served, &headers, move |studio| json!(studio.take(&String::from_utf8_lossy(&message)))).await
}

async fn go_on(State(served): State<Arc<Served>>, headers: HeaderMap) -> Response {
    with_tab(&served, &headers, |studio| json!(studio.go_on())).await
}

/// Asks the studio of a tab, on a thread that may take its time. A tab that is not known, or not any more, begins with `initialize`, and is
/// told so.
async fn with_tab(
    served: &Arc<Served>,
    headers: &HeaderMap,
    ask: impl FnOnce(&mut Studio) -> Value + Send + 'static,
) -> Response {
    let Some(tab) = headers.get(TAB).and_then(|value| value.to_str().ok()) else {
        return (StatusCode::BAD_REQUEST, "a message without the number of its tab").into_response();
    };
    let studio = served.studio(tab);
    let asked = tokio::task::spawn_blocking(move || ask(&mut studio.lock().unwrap_or_else(PoisonError::into_inner)));
    match asked.await {
        Ok(value) => json_response(&value),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "the studio has failed at this; it is a bug").into_response(),
    }
}

impl Served {
    /// The studio of a tab, a new one if there is none.
    fn studio(&self, tab: &str) -> Arc<Mutex<Studio>> {
        let mut tabs = self.tabs.lock().unwrap_or_else(PoisonError::into_inner);
        let known = tabs.iter().position(|(name, _)| name == tab).map(|at| tabs.remove(at).1);
        let folder = match &self.beginning {
            Beginning::Folder(folder) => Some(folder.clone()),
            Beginning::Kept | Beginning::Text(..) => None,
        };
        let begin = || Arc::new(Mutex::new(Studio::new(self.settings.clone()).with_folder(folder)));
        let studio = known.unwrap_or_else(begin);
        if tabs.len() >= MAX_TABS {
            tabs.remove(0);
        }
        tabs.push((tab.to_owned(), studio.clone()));
        studio
    }
}

fn json_response(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}
