/// The integers of rows. If 32 bits are enough, an `i32` here makes rows smaller, and programs faster.
pub type Integer = i64;
