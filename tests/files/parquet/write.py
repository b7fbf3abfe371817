"""Writes the Parquet files beside it with pyarrow 26, for tests that Ludolog reads what other programs write."""

from datetime import date, datetime, time, timezone
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

here = Path(__file__).parent


def write(name, columns, **options):
    table = pa.table({column: pa.array(values, kind) for column, (kind, values) in columns.items()})
    pq.write_table(table, here / name, **options)


# Each type that a value of a fact may have, with its bounds.
write(
    "types.parquet",
    {
        "truth": (pa.bool_(), [True, False]),
        "i8": (pa.int8(), [-128, 127]),
        "i16": (pa.int16(), [-32768, 32767]),
        "i32": (pa.int32(), [-(2**31), 2**31 - 1]),
        "i64": (pa.int64(), [-(2**63), 2**63 - 1]),
        "u8": (pa.uint8(), [0, 255]),
        "u16": (pa.uint16(), [0, 65535]),
        "u32": (pa.uint32(), [0, 2**32 - 1]),
        "u64": (pa.uint64(), [0, 2**63 - 1]),
        "f32": (pa.float32(), [1.5, -0.25]),
        "f64": (pa.float64(), [0.1, 1e300]),
        "text": (pa.string(), ["ü", "x y"]),
        "bytes": (pa.binary(), [b"a", b"b"]),
        "fixed": (pa.binary(2), [b"cd", b"ef"]),
        "cents": (pa.decimal128(9, 2), [Decimal("-0.05"), Decimal("1.10")]),
        "long": (pa.decimal128(38, 30), [Decimal("-1.000000000000000000000000000001"), Decimal("0")]),
        "whole": (pa.decimal128(30, 0), [Decimal("-7"), Decimal(2**63 - 1)]),
        "day": (pa.date32(), [date(1969, 12, 31), date(2026, 11, 27)]),
        "noon": (pa.time32("ms"), [time(0, 0), time(23, 59, 59, 999000)]),
        "tick": (pa.time64("us"), [time(0, 0), time(23, 59, 59, 999999)]),
        "ms": (pa.timestamp("ms"), [datetime(1900, 1, 1), datetime(2026, 11, 27, 12, 30, 1, 500000)]),
        "us": (pa.timestamp("us", "UTC"), [datetime(2000, 2, 29, tzinfo=timezone.utc)] * 2),
    },
)
# Pages of the second version, in the encodings of differences.
rows = 40000
write(
    "pages.parquet",
    {"n": (pa.int64(), [i * i for i in range(rows)]), "s": (pa.string(), [f"name {i // 100}" for i in range(rows)])},
    compression="gzip",
    data_page_version="2.0",
    use_dictionary=False,
    column_encoding={"n": "DELTA_BINARY_PACKED", "s": "DELTA_BYTE_ARRAY"},
    row_group_size=15000,
)
# As polars writes its files.
write("zstd.parquet", {"n": (pa.int64(), list(range(1000))), "s": (pa.string(), [f"name {i // 10}" for i in range(1000)])}, compression="zstd")
# Old types and times, of Spark and Impala.
write("int96.parquet", {"time": (pa.timestamp("ns"), [0, 1])}, use_deprecated_int96_timestamps=True)
# Rows and columns that no facts are.
write("nulls.parquet", {"a": (pa.int64(), [1, 2, None, 4]), "b": (pa.string(), ["x", None, "y", "z"])})
write("nested.parquet", {"a": (pa.int64(), [1]), "tags": (pa.list_(pa.string()), [["x"]])})
write("long.parquet", {"a": (pa.uint64(), [1, 2**64 - 1])})
write("binary.parquet", {"a": (pa.binary(), [b"x", b"\xff"])})
write("half.parquet", {"a": (pa.float16(), [1.5])})
write("infinite.parquet", {"a": (pa.float64(), [float("inf"), float("nan")])})
write("brotli.parquet", {"a": (pa.int64(), [1])}, compression="brotli")
write("empty.parquet", {"a": (pa.int64(), []), "b": (pa.string(), [])})
