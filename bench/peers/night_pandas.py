"""A night as a plain script with pandas would do it, without checks and without a proof.

Reads both days, joins them, and writes the events and today's records as sorted JSON Lines, gzipped, with hashes.
usage: night_pandas.py YESTERDAY_FOLDER TODAY_FOLDER NEW_FOLDER
"""

import gzip
import hashlib
import json
import sys
from pathlib import Path

import pandas as pd

KEYS = {
    "models": ["id"],
    "benchmarks": ["id"],
    "scores": ["model_id", "benchmark_id"],
    "rankings": ["model_id", "category"],
    "pricing": ["model_id", "provider"],
}


def read(path: Path) -> pd.DataFrame:
    return pd.read_json(path, lines=True, dtype=False)  # Else dates become numbers.


def write(rows: pd.DataFrame, target: Path) -> dict:
    """Writes rows as gzipped JSON Lines and hashes both sides."""
    lines = rows.to_json(orient="records", lines=True, force_ascii=False).encode() if len(rows) else b""
    packed = gzip.compress(lines, compresslevel=6, mtime=0)
    target.write_bytes(packed)
    hashes = {"content_sha256": hashlib.sha256(lines).hexdigest(), "sha256": hashlib.sha256(packed).hexdigest()}
    return {**hashes, "bytes": len(packed)}


def events_between(old: pd.DataFrame, new: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Today's rows that are new or changed, and the keys of those that are gone, with what became of them."""
    joined = new.merge(old, on=key, how="outer", suffixes=("", "_old"), indicator=True, sort=True)
    is_changed = joined["_merge"] != "both"
    for column in new.columns:
        if column in key or column == "updated_at":
            continue
        now, before = joined[column], joined[f"{column}_old"]
        is_changed |= (now != before) & ~(now.isna() & before.isna())
    joined["op"] = joined["_merge"].map({"both": "upsert", "left_only": "upsert", "right_only": "delete"})
    return joined.loc[is_changed, ["op", *new.columns]]


def publish(yesterday: Path, today: Path, folder: Path) -> dict:
    report = {"records": {}, "events": 0, "files": {}}
    for name, key in KEYS.items():
        old, new = read(yesterday / f"{name}.jsonl"), read(today / f"{name}.jsonl")
        events = events_between(old, new, key)
        report["files"][f"{name}.events"] = write(events, folder / f"{name}.events.jsonl.gz")
        report["files"][name] = write(new.sort_values(key), folder / f"{name}.jsonl.gz")
        report["records"][name] = len(new)
        if name != "benchmarks":  # The feed has no events of benchmarks.
            report["events"] += len(events)
    return report


if __name__ == "__main__":
    yesterday, today, folder = map(Path, sys.argv[1:])
    folder.mkdir(parents=True)
    print(json.dumps(publish(yesterday, today, folder)))
