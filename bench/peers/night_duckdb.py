"""A night as a plain script with DuckDB would do it, without checks and without a proof.

Reads both days, joins them, and writes the events and today's records as sorted JSON Lines, gzipped, with hashes.
usage: night_duckdb.py YESTERDAY_FOLDER TODAY_FOLDER NEW_FOLDER
"""

import gzip
import hashlib
import json
import sys
from pathlib import Path

import duckdb

KEYS = {
    "models": ["id"],
    "benchmarks": ["id"],
    "scores": ["model_id", "benchmark_id"],
    "rankings": ["model_id", "category"],
    "pricing": ["model_id", "provider"],
}


def compress(lines: Path) -> dict:
    """Gzips a file of lines and hashes both sides."""
    content, packed = hashlib.sha256(), hashlib.sha256()
    target = lines.with_suffix(".jsonl.gz")
    with lines.open("rb") as source, gzip.open(target, "wb", compresslevel=6) as output:
        while block := source.read(1 << 20):
            content.update(block)
            output.write(block)
    with target.open("rb") as file:
        while block := file.read(1 << 20):
            packed.update(block)
    lines.unlink()
    return {"content_sha256": content.hexdigest(), "sha256": packed.hexdigest(), "bytes": target.stat().st_size}


def publish(yesterday: Path, today: Path, folder: Path) -> dict:
    database = duckdb.connect()
    report = {"records": {}, "events": 0, "files": {}}
    for name, key in KEYS.items():
        old, new = (f"read_json('{day / name}.jsonl', format = 'newline_delimited')" for day in (yesterday, today))
        database.execute(f"CREATE TABLE old AS SELECT * FROM {old}")
        database.execute(f"CREATE TABLE new AS SELECT * FROM {new}")
        columns = [column for column, *_ in database.execute("DESCRIBE new").fetchall()]
        content = [column for column in columns if column not in (*key, "updated_at")]
        is_changed = " OR ".join([f"new.{column} IS DISTINCT FROM old.{column}" for column in content])
        order = ", ".join(key)
        names = ", ".join([f"coalesce(new.{column}, old.{column}) AS {column}" for column in key])
        join = " AND ".join([f"new.{column} = old.{column}" for column in key])
        op = f"if(new.{key[0]} IS NULL, 'delete', 'upsert')"
        data = f"CASE WHEN new.{key[0]} IS NOT NULL THEN new END"
        events = f"""SELECT '{name}' AS dataset, {op} AS op, {names}, {data} AS data FROM new FULL JOIN old ON {join}
            WHERE new.{key[0]} IS NULL OR old.{key[0]} IS NULL OR {is_changed} ORDER BY {order}"""
        for what, select in ((f"{name}.events", events), (name, f"SELECT * FROM new ORDER BY {order}")):
            lines = folder / f"{what}.jsonl"
            rows = database.execute(f"COPY ({select}) TO '{lines}' (FORMAT json)").fetchone()[0]
            report["files"][what] = compress(lines)
            if what == name:
                report["records"][name] = rows
            elif name != "benchmarks":  # The feed has no events of benchmarks.
                report["events"] += rows
        database.execute("DROP TABLE old; DROP TABLE new")
    return report


if __name__ == "__main__":
    yesterday, today, folder = map(Path, sys.argv[1:])
    folder.mkdir(parents=True)
    print(json.dumps(publish(yesterday, today, folder)))
