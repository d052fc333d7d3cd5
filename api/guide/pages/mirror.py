"""python3 mirror.py FILE: makes FILE, of SQLite, an exact copy of the newest snapshot, and keeps it so each time it is run."""
import gzip
import hashlib
import http.client
import json
import os
import random
import sqlite3
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from decimal import Decimal

SERVICE = "https://api.example.com"
KEY = os.environ["MODELSTATS_API_KEY"]
KEYS = {
    "models": ("id",),
    "benchmarks": ("id",),
    "scores": ("model_id", "benchmark_id"),
    "rankings": ("model_id", "category"),
    "pricing": ("model_id", "provider"),
}
DATASETS = {"model": "models", "score": "scores", "ranking": "rankings", "pricing": "pricing"}
TRIES = 8


class StartAgain(Exception):
    """What was asked for is no longer there; the list of snapshots says what is."""


class CursorLost(Exception):
    """The feed can't go on from our cursor."""


def get(url, headers):
    """Status, headers and body of 200 and 304; waits and tries again where that helps."""
    for number in range(TRIES):
        wait = min(60, 2**number)
        try:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as refusal:
            body = refusal.read()
            if refusal.code == 304:
                return 304, refusal.headers, b""
            if refusal.code == 410 or refusal.code == 422 and b'"cursor_ahead"' in body:
                raise CursorLost(body.decode()) from None
            if refusal.code == 404 or refusal.code == 403 and "Authorization" not in headers:
                raise StartAgain(body.decode()) from None
            if refusal.code == 429 and b'"quota_exceeded"' in body:
                sys.exit(f"the units of the day are used: {body.decode()}")
            if refusal.code == 429:
                wait = int(refusal.headers["Retry-After"])
            elif refusal.code not in (408, 500, 502, 503, 504):
                sys.exit(f"{url}: {refusal.code} {body.decode()}")
        except (OSError, http.client.HTTPException) as problem:
            print(f"{url}: {problem}; trying again", file=sys.stderr)
        time.sleep(wait + random.random())
    sys.exit(f"{url}: no answer after {TRIES} tries")


def ask(path, etag=None):
    headers = {"Authorization": f"Bearer {KEY}", "Idempotency-Key": str(uuid.uuid4())}
    if etag is not None:
        headers["If-None-Match"] = etag
    status, answered, body = get(SERVICE + path, headers)
    return (None if status == 304 else json.loads(body)), answered.get("ETag")


def number_text(number):
    """A float as JavaScript writes it."""
    if number == 0:
        return "0"
    if 1e-6 <= abs(number) < 1e21:
        return format(Decimal(repr(number)), "f").removesuffix(".0")
    digits, exponent = repr(number).split("e")
    return f"{digits}e{int(exponent):+d}"


def text_of(value):
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{text_of(name)}:{text_of(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(text_of, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def line_of(record):
    return text_of(record) + "\n"


def open_copy(path):
    copy = sqlite3.connect(path, isolation_level=None)
    copy.execute("CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT)")
    copy.execute(
        "CREATE TABLE IF NOT EXISTS records "
        "(dataset TEXT, first TEXT, second TEXT, line TEXT, PRIMARY KEY (dataset, first, second))"
    )
    return copy


def read_state(copy, name):
    row = copy.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
    return None if row is None else row[0]


def write_state(copy, name, value):
    copy.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (name, value))


def forget_tag(copy):
    """The copy is no longer what the list said when it had this tag."""
    copy.execute("DELETE FROM state WHERE name = 'tag'")


def place_of(dataset, key):
    parts = [key[name] for name in KEYS[dataset]]
    return dataset, parts[0], parts[1] if len(parts) > 1 else ""


def put(copy, dataset, record, line):
    copy.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)", (*place_of(dataset, record), line))


def file_of(manifest, dataset):
    return next(file for file in manifest["datasets"] if file["name"] == dataset)


def download(manifest, dataset):
    """The lines of a dataset, proven by their hashes."""
    answer, _ = ask(f"/v1/snapshots/{manifest['id']}/download?dataset={dataset}")
    _, _, packed = get(answer["url"], {})  # without the key
    if hashlib.sha256(packed).hexdigest() != file_of(manifest, dataset)["sha256"]:
        raise StartAgain(f"{dataset} came damaged")
    return [f"{line}\n" for line in gzip.decompress(packed).decode("utf-8").split("\n")[:-1]]  # at LF alone


def replace(copy, dataset, lines):
    copy.execute("DELETE FROM records WHERE dataset = ?", (dataset,))
    for line in lines:
        put(copy, dataset, json.loads(line), line)


def check_version(versioned):
    if versioned["schema_version"].split(".")[0] != "1":
        sys.exit(f"this program knows records of version 1, not {versioned['schema_version']}")


def newest_snapshot(etag=None):
    """The manifest and the tag of the list; no manifest where nothing is new."""
    answer, tag = ask("/v1/snapshots", etag)
    if answer is None:
        return None, tag
    manifest = next((one for one in answer["snapshots"] if "-v" not in one["id"]), None)
    if manifest is None:
        sys.exit("there is no snapshot yet")
    check_version(manifest)
    return manifest, tag


def import_snapshot(copy, manifest):
    lines = {dataset: download(manifest, dataset) for dataset in KEYS}
    copy.execute("BEGIN IMMEDIATE")
    for dataset in KEYS:
        replace(copy, dataset, lines[dataset])
    write_state(copy, "cursor", manifest["change_cursor"])
    forget_tag(copy)
    copy.execute("COMMIT")


def follow(copy):
    """Applies everything up to the head of the feed, a page a transaction."""
    has_more = True
    while has_more:
        page, _ = ask("/v1/changes?" + urllib.parse.urlencode({"cursor": read_state(copy, "cursor")}))
        copy.execute("BEGIN IMMEDIATE")
        for event in page["events"]:
            check_version(event)
            dataset = DATASETS.get(event["entity_type"])
            if dataset is None:
                continue
            if event["op"] == "upsert":
                put(copy, dataset, event["data"], line_of(event["data"]))
            else:
                where = place_of(dataset, event["key"])
                copy.execute("DELETE FROM records WHERE dataset = ? AND first = ? AND second = ?", where)
        write_state(copy, "cursor", page["next_cursor"])
        forget_tag(copy)
        copy.execute("COMMIT")
        has_more = page["has_more"]


def hash_of(copy, dataset):
    """SQLite compares texts by the bytes of their UTF-8, which is the order of the files."""
    digest = hashlib.sha256()
    for (line,) in copy.execute("SELECT line FROM records WHERE dataset = ? ORDER BY first, second", (dataset,)):
        digest.update(line.encode("utf-8"))
    return digest.hexdigest()


def differing(copy, manifest):
    return [name for name in KEYS if hash_of(copy, name) != file_of(manifest, name)["content_sha256"]]


def reach(copy, manifest):
    """Brings the copy to the snapshot; False where a newer night came in between."""
    if read_state(copy, "cursor") is None:
        import_snapshot(copy, manifest)
    try:
        follow(copy)
    except CursorLost as reason:
        print(f"importing anew: {reason}", file=sys.stderr)
        import_snapshot(copy, manifest)
    if read_state(copy, "cursor") != manifest["change_cursor"]:
        return False
    if "benchmarks" in differing(copy, manifest):
        lines = download(manifest, "benchmarks")
        copy.execute("BEGIN IMMEDIATE")
        replace(copy, "benchmarks", lines)
        copy.execute("COMMIT")
    if differing(copy, manifest):
        import_snapshot(copy, manifest)
    if differing(copy, manifest):
        sys.exit(f"the copy differs from snapshot {manifest['id']}: {differing(copy, manifest)}")
    return True


def main(path):
    copy = open_copy(path)
    for _ in range(TRIES):
        try:
            manifest, tag = newest_snapshot(read_state(copy, "tag"))
            if manifest is None:
                return print("nothing is new")
            if reach(copy, manifest):
                write_state(copy, "tag", tag)
                return print(f"equals snapshot {manifest['id']}")
        except StartAgain as reason:
            print(f"starting again: {reason}", file=sys.stderr)
    sys.exit("the snapshot could not be reached")


main(sys.argv[1] if len(sys.argv) > 1 else "mirror.sqlite")
