//! What the optional cargo features add: dataflow beside all other engines, and tables of SQLite and Parquet. A binary of its own, since
//! to compile all integration tests again with the features takes a minute.
//!
//! Its modules are some of those of `main.rs`; the tests of these that have no use for a feature are run there.

#![allow(dead_code, reason = "helpers of modules that are not here")]

mod binary;
mod dataflow;
mod engines;
mod functions;
mod lattices;
mod oracle;
mod parquet;
mod random;
mod sqlite;
mod updates;
