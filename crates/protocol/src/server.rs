//! A [`Host`] behind HTTP, as game managers reach players.
//!
//! A message is the body of a POST, or the path of a GET for those who try the player by hand. What a web page sends is
//! refused unless its origin is among the [`Origins`] that may; answers to those carry the headers that browsers ask
//! for before they let a page talk to a player. Managers that are no pages name no origin. Each connection carries one
//! message. Connections that have not sent theirs are closed after some seconds, and the oldest of them when there are
//! many, so that whoever opens connections and keeps silent does not keep managers out.

use crate::host::{Arrival, Host, Remark, STACK};
use crate::message::{Malformed, Message, MessageRefusal, PlayerReply};
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_MAX_AGE,
    ALLOW, CONTENT_TYPE, HeaderName, HeaderValue, ORIGIN, VARY,
};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Router, handler::Handler};
use http_body_util::BodyExt;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use indexmap::IndexMap;
use std::io;
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::AbortHandle;

/// The port that players listen on by custom.
pub const DEFAULT_PORT: u16 = 9147;

/// Most bytes of a message, many times those of the longest rulesheet in use.
const MAX_BODY: usize = 16 << 20;

/// The time that a client has for the head of its request, and again for the body.
const READ_TIME: Duration = Duration::from_secs(10);

/// Most connections whose message has not arrived in full.
const MAX_WAITING: usize = 256;

/// The time to wait when no connection can be accepted, for want of file descriptors, say.
const RETRY: Duration = Duration::from_millis(50);

/// The time between two looks at the flag that ends the server.
const LOOK: Duration = Duration::from_millis(100);

/// Threads for connections; players think on others.
const THREADS: usize = 2;

/// A message and its answer, for those who watch.
pub struct ServedExchange<'e> {
    /// The message.
    pub message: Result<&'e Message, &'e Malformed>,
    /// The answer.
    pub reply: &'e PlayerReply,
    /// Oddities of the answer.
    pub remark: Option<Remark>,
    /// The time between them.
    pub took: Duration,
}

/// Who watches the exchanges.
pub type Watcher = dyn Fn(&ServedExchange<'_>) + Send + Sync;

/// The origins of web pages that may talk to a player, as `https://example.org` or `*` for all; by default none.
#[derive(Clone, Debug, Default)]
pub struct Origins(Vec<String>);

/// The page behind a request.
enum Sender {
    /// None: a program, or an address that somebody has typed.
    NoPage,
    /// One that may talk to the player, of this origin.
    Page(HeaderValue),
    /// One that may not.
    Stranger,
}

impl Origins {
    /// These origins.
    pub fn new(origins: Vec<String>) -> Origins {
        Origins(origins)
    }

    /// The page that has sent a request, by the headers that browsers do not let pages change.
    fn sender(&self, headers: &HeaderMap) -> Sender {
        let is_allowed = |origin: &str| self.0.iter().any(|allowed| allowed == "*" || allowed == origin);
        match headers.get(ORIGIN) {
            Some(origin) if origin.to_str().is_ok_and(is_allowed) => Sender::Page(origin.clone()),
            Some(_) => Sender::Stranger,
            // Requests for pictures, say, name no origin. `none` is an address that somebody has typed.
            None => match headers.get("sec-fetch-site") {
                Some(site) if site != "none" && !is_allowed("*") => Sender::Stranger,
                _ => Sender::NoPage,
            },
        }
    }
}

/// The state that all connections share.
struct ServerState {
    host: Host,
    origins: Origins,
    watch: Box<Watcher>,
    /// By number, oldest first: the connections whose message has not arrived in full.
    waiting: Mutex<IndexMap<u64, AbortHandle>>,
}

/// Serves the players of a host, to pages of these origins only and to all that are no pages, until the flag is set.
///
/// # Errors
///
/// The listener cannot be used, or the system gives no threads.
pub fn serve(
    listener: TcpListener,
    host: Host,
    origins: Origins,
    watch: Box<Watcher>,
    stop: &AtomicBool,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_stack_size(STACK)
        .enable_all()
        .build()?;
    let shared = Arc::new(ServerState { host, origins, watch, waiting: Mutex::default() });
    let result = runtime.block_on(accept(listener, shared, stop));
    // Players stop thinking when their connections are dropped.
    runtime.shutdown_timeout(Duration::from_secs(1));
    result
}

async fn accept(listener: TcpListener, shared: Arc<ServerState>, stop: &AtomicBool) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let router: Router = Router::new().fallback_service(handle.with_state(shared.clone()));
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        let stream = match tokio::time::timeout(LOOK, listener.accept()).await {
            Err(_) => continue,
            Ok(Ok((stream, _))) => stream,
            Ok(Err(_)) => {
                shared.drop_oldest(MAX_WAITING / 2);
                tokio::time::sleep(RETRY).await;
                continue;
            }
        };
        number += 1;
        _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone().layer(Extension(ConnectionNumber(number))));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(READ_TIME)
            .keep_alive(false)
            .serve_connection(TokioIo::new(stream), service);
        let ended = shared.clone();
        // Registered before the connection can end.
        let mut waiting = shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let task = tokio::spawn(async move {
            // A client that breaks the connection has its own reasons.
            _ = connection.await;
            ended.arrived(number);
        });
        waiting.insert(number, task.abort_handle());
        drop(waiting);
        shared.drop_oldest(MAX_WAITING);
    }
    Ok(())
}

impl ServerState {
    /// Closes the oldest connections that wait, but for this many.
    fn drop_oldest(&self, keep: usize) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let excess = waiting.len().saturating_sub(keep);
        waiting.drain(..excess).for_each(|(_, task)| task.abort());
    }

    /// Notes that the message of a connection has arrived in full.
    fn arrived(&self, number: u64) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).shift_remove(&number);
    }
}

/// The number of a connection.
#[derive(Clone, Copy)]
struct ConnectionNumber(u64);

/// Tells the player when somebody leaves who waits for its answer.
struct LeaveNotice(Option<Arc<AtomicBool>>);

impl Drop for LeaveNotice {
    fn drop(&mut self) {
        if let Some(gone) = &self.0 {
            gone.store(true, Ordering::Relaxed);
        }
    }
}

async fn handle(
    State(shared): State<Arc<ServerState>>,
    Extension(connection): Extension<ConnectionNumber>,
    request: Request,
) -> Response {
    match shared.origins.sender(request.headers()) {
        Sender::NoPage => answer(shared, connection, request).await,
        Sender::Page(origin) => (for_pages(origin), answer(shared, connection, request).await).into_response(),
        Sender::Stranger => refuse(StatusCode::FORBIDDEN, "pages of this origin may not ask; --allow-origin lets them"),
    }
}

async fn answer(shared: Arc<ServerState>, connection: ConnectionNumber, request: Request) -> Response {
    let arrival = Arrival::new();
    let text = match *request.method() {
        Method::POST => match tokio::time::timeout(READ_TIME, body(request.into_body())).await {
            Ok(Ok(text)) => text,
            Ok(Err((status, reason))) => return refuse(status, reason),
            Err(_) => return refuse(StatusCode::REQUEST_TIMEOUT, "the message did not arrive in time"),
        },
        Method::GET => match percent_encoding::percent_decode_str(&request.uri().path()[1..]).decode_utf8() {
            Ok(text) if text.is_empty() => Message::Info.to_string(),
            Ok(text) => text.into_owned(),
            Err(_) => return refuse(StatusCode::BAD_REQUEST, "the path is no text in UTF-8"),
        },
        Method::OPTIONS => return respond(StatusCode::OK, String::new()),
        _ => {
            let refused = refuse(StatusCode::METHOD_NOT_ALLOWED, "send messages by POST");
            return ([(ALLOW, METHODS)], refused).into_response();
        }
    };
    shared.arrived(connection.0);
    let mut waiting = LeaveNotice(Some(arrival.gone.clone()));
    let answer = tokio::task::spawn_blocking(move || {
        let message: Result<Message, Malformed> = text.parse();
        let reply = match &message {
            Ok(message) => shared.host.answer(message, &arrival),
            Err(malformed) => PlayerReply::Refused(MessageRefusal::Malformed(malformed.clone())),
        };
        let remark = arrival.remark.get().cloned();
        let took = arrival.at.elapsed();
        (shared.watch)(&ServedExchange { message: message.as_ref(), reply: &reply, remark, took });
        (status(&reply), reply.to_string())
    });
    let answer = answer.await;
    waiting.0 = None;
    match answer {
        Ok((status, text)) => respond(status, text),
        Err(_) => refuse(StatusCode::INTERNAL_SERVER_ERROR, "the player has failed"),
    }
}

/// The body as text. One that is too long is read to its end, so that the client reads the answer.
async fn body(mut body: Body) -> Result<String, (StatusCode, &'static str)> {
    let mut bytes = Vec::new();
    let mut is_too_long = false;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| (StatusCode::BAD_REQUEST, "the message broke off"))?;
        if let Some(data) = frame.data_ref() {
            is_too_long |= bytes.len() + data.len() > MAX_BODY;
            if is_too_long {
                bytes = Vec::new();
            } else {
                bytes.extend_from_slice(data);
            }
        }
    }
    if is_too_long {
        Err((StatusCode::PAYLOAD_TOO_LARGE, "a message has at most 16 MiB"))
    } else {
        String::from_utf8(bytes).map_err(|_| (StatusCode::BAD_REQUEST, "the message is no text in UTF-8"))
    }
}

fn status(reply: &PlayerReply) -> StatusCode {
    match reply {
        PlayerReply::Refused(MessageRefusal::Malformed(_) | MessageRefusal::Wrong(_)) => StatusCode::BAD_REQUEST,
        PlayerReply::Refused(MessageRefusal::UnknownMatch(_)) => StatusCode::NOT_FOUND,
        PlayerReply::Refused(MessageRefusal::Untimely(_)) => StatusCode::CONFLICT,
        PlayerReply::Refused(MessageRefusal::Late(_)) => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::OK,
    }
}

fn refuse(status: StatusCode, reason: &str) -> Response {
    respond(status, PlayerReply::Refused(MessageRefusal::Wrong(reason.to_owned())).to_string())
}

/// The methods that are answered.
const METHODS: &str = "POST, GET, OPTIONS";

fn respond(status: StatusCode, text: String) -> Response {
    (status, [(CONTENT_TYPE, "text/acl")], text).into_response()
}

/// The headers by which a browser lets a page of this origin talk to the player.
fn for_pages(origin: HeaderValue) -> [(HeaderName, HeaderValue); 6] {
    let fixed = HeaderValue::from_static;
    [
        (ACCESS_CONTROL_ALLOW_ORIGIN, origin),
        (VARY, fixed("Origin")),
        (ACCESS_CONTROL_ALLOW_METHODS, fixed(METHODS)),
        (ACCESS_CONTROL_ALLOW_HEADERS, fixed("Content-Type, Sender, Receiver")),
        (ACCESS_CONTROL_MAX_AGE, fixed("86400")),
        // Pages from elsewhere may talk to players on this machine.
        (HeaderName::from_static("access-control-allow-private-network"), fixed("true")),
    ]
}
