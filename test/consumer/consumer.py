"""A consumer of the data who has read the specification and nothing else, in Python without any library.

    python3 consumer.py STORE_FOLDER API_URL API_KEY

It imports the first snapshot of a file store, follows the change feed from that snapshot's cursor over HTTP, and matches records in
the plain way: a model whose `id` is the event's `entity_id`, a score whose `model_id:benchmark_id` is it. At the end of each published
day its copy must be that day's snapshot. Prints one JSON object; ends with 1 where a deletion found nothing or a copy differs.
"""

import gzip
import json
import sys
import urllib.parse
import urllib.request
from pathlib import Path

KEYS = {
    "model": ("models", ("id",)),
    "score": ("scores", ("model_id", "benchmark_id")),
    "ranking": ("rankings", ("model_id", "category")),
    "pricing": ("pricing", ("model_id", "provider")),
}


def name_of(entity_type, record):
    return ":".join(record[part] for part in KEYS[entity_type][1])


def read_snapshot(store, release):
    """The records of a snapshot by entity type and name."""
    folder = store / "releases" / f"{release['day']}.{release['run']}"
    copy = {}
    for entity_type, (dataset, _) in KEYS.items():
        with gzip.open(folder / "snapshot" / f"{dataset}.jsonl.gz", "rt", encoding="utf-8", newline="\n") as lines:
            records = [json.loads(line) for line in lines]
        copy[entity_type] = {name_of(entity_type, record): record for record in records}
        assert len(copy[entity_type]) == len(records), f"{dataset} of {release['day']}: two records have one name"
    manifest = json.loads((folder / "snapshot" / "manifest.json").read_text(encoding="utf-8"))
    return copy, manifest["change_cursor"]


def read_feed(url, key, cursor):
    """Every event after a cursor, page by page."""
    more = True
    while more:
        query = urllib.parse.urlencode({"cursor": cursor, "limit": 1000})
        request = urllib.request.Request(f"{url}/v1/changes?{query}", headers={"Authorization": f"Bearer {key}"})
        with urllib.request.urlopen(request, timeout=60) as response:
            page = json.load(response)
        yield from page["events"]
        cursor, more = page["next_cursor"], page["has_more"]


def apply(copy, event, counts):
    records = copy[event["entity_type"]]
    counts["events"] += 1
    if event["op"] == "upsert":
        records[event["entity_id"]] = event["data"]
        return
    counts["deletions"][event["entity_type"]] += 1
    record = records.pop(event["entity_id"], None)
    if record is None:
        counts["missed"] += 1
    elif any(record[name] != value for name, value in event["key"].items()):
        counts["wrong_key"] += 1


def differences(day, copy, snapshot):
    for entity_type, records in snapshot.items():
        own = copy[entity_type]
        if own != records:
            extra, absent = own.keys() - records.keys(), records.keys() - own.keys()
            yield {"day": day, "entity_type": entity_type, "extra": sorted(extra)[:5], "absent": sorted(absent)[:5]}


def follow(store, url, key):
    releases = json.loads((store / "catalog.json").read_text(encoding="utf-8"))["releases"]
    copy, cursor = read_snapshot(store, releases[0])
    counts = {"snapshots": 1, "events": 0, "deletions": dict.fromkeys(KEYS, 0), "missed": 0, "wrong_key": 0}
    different = []
    feed = read_feed(url, key, cursor)
    event = next(feed, None)
    for release in releases[1:]:
        while event is not None and event["occurred_on"] <= release["day"]:
            apply(copy, event, counts)
            event = next(feed, None)
        different += differences(release["day"], copy, read_snapshot(store, release)[0])
        counts["snapshots"] += 1
    return {**counts, "events_left": 0 if event is None else 1, "different": different}


if __name__ == "__main__":
    result = follow(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
    print(json.dumps(result))
    sys.exit(1 if result["missed"] or result["wrong_key"] or result["different"] or result["events_left"] else 0)
