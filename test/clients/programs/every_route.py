"""A consumer's program on a client that openapi-python-client made of the document; `every-route.ts` asks every route in TypeScript."""

import importlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, TypeVar, assert_never, get_type_hints

import httpx
from modelstats_client import AuthenticatedClient, Client
from modelstats_client.api.account import get_account
from modelstats_client.api.changes import list_changes
from modelstats_client.api.current import (
    get_model,
    list_benchmarks,
    list_categories,
    list_models,
    list_rankings,
    list_scores,
    list_sources,
    list_updates,
)
from modelstats_client.api.history import get_model_history, get_rankings_history
from modelstats_client.api.meta import get_liveness, get_readiness
from modelstats_client.api.snapshots import download_snapshot, list_snapshots
from modelstats_client.models import (
    Account,
    Benchmarks,
    Categories,
    Changes,
    DownloadSnapshotDataset,
    Error,
    ErrorCode,
    GetModelHistoryKind,
    HealthLive,
    HealthReady,
    ModelDelete,
    ModelDetail,
    ModelMetadataHistory,
    ModelPricingHistory,
    ModelRankingHistory,
    Models,
    ModelScoreHistory,
    ModelUpsert,
    PriceDelete,
    PriceUpsert,
    RankingDelete,
    Rankings,
    RankingsHistory,
    RankingUpsert,
    ScoreDelete,
    Scores,
    ScoreUpsert,
    SnapshotDownload,
    Snapshots,
    Sources,
    Updates,
    ValidationError,
)
from modelstats_client.types import UNSET, Unset

base_url, key, odd = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=key)
stranger = Client(base_url=base_url)

Body = TypeVar("Body")
Page = TypeVar("Page", Models, Benchmarks, Scores, Rankings, Updates)


def found(kind: type[Body], body: object) -> Body:
    """A body that is not an error."""
    assert isinstance(body, kind), body
    return body


def pages(kind: type[Page], ask: Callable[[str | Unset], object]) -> Iterator[Page]:
    """Every page of a list."""
    cursor: str | Unset = UNSET
    while True:
        page = found(kind, ask(cursor))
        yield page
        if page.next_cursor is None:
            return
        cursor = page.next_cursor


def every_operation() -> Iterator[str]:
    """The names of all operations below `/v1`, each asked as the reference asks it: a route that is new needs no line here."""
    reference = httpx.get(f"{base_url}/docs/reference/openapi.json").json()
    for path, item in reference["paths"].items():
        if not path.startswith("/v1/"):
            continue
        operation = item["get"]
        name = re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", operation["operationId"])
        module: Any = importlib.import_module(f"modelstats_client.api.{operation['tags'][0]}.{name}")
        hints = get_type_hints(module.sync)
        given: dict[str, Any] = {}
        for parameter in operation.get("parameters", []):
            if parameter.get("required") is True:
                kind, value = hints[parameter["name"]], parameter["examples"]["default"]["value"]
                given[parameter["name"]] = kind(value) if issubclass(kind, Enum) else value
        body = module.sync(client=client, **given)
        assert body is not None and not isinstance(body, Error | ValidationError), (path, body)
        yield operation["operationId"]


def told_of(event: Any) -> str:
    """What an event holds, by its type and op, each of which is a class."""
    about = f"{event.entity_type} {event.op}"
    match event:
        case ModelUpsert():
            return f"{about} {event.key.id}: {event.data.name}"
        case ScoreUpsert():
            return f"{about} {event.key.model_id} {event.key.benchmark_id}: {event.data.value}"
        case RankingUpsert():
            return f"{about} {event.key.model_id} {event.key.category}: {event.data.rank}"
        case PriceUpsert():
            return f"{about} {event.key.model_id} {event.key.provider}: {event.data.currency}"
        case ModelDelete():
            return f"{about} {event.key.id}: null"
        case ScoreDelete():
            return f"{about} {event.key.model_id} {event.key.benchmark_id}: null"
        case RankingDelete():
            return f"{about} {event.key.model_id} {event.key.category}: null"
        case PriceDelete():
            return f"{about} {event.key.model_id} {event.key.provider}: null"
    raise AssertionError(event)


def changes() -> Iterator[str]:
    cursor: str | Unset = UNSET
    while True:
        page = found(Changes, list_changes.sync(client=client, limit=5, cursor=cursor))
        yield from map(told_of, page.events)
        if not page.has_more:
            return
        cursor = page.next_cursor


def history_of(kind: GetModelHistoryKind) -> list[str]:
    """What a history holds, by its kind, each of which is a class."""
    history = get_model_history.sync("a", client=client, kind=kind)
    match history:
        case ModelScoreHistory():
            return [f"{p.date} {p.benchmark_id} {p.value} {p.payload.n}" for p in history.points]
        case ModelRankingHistory():
            return [f"{p.date} {p.category_id} {p.value} {p.payload.positions}" for p in history.points]
        case ModelPricingHistory():
            return [f"{p.date} {p.payload.provider} {p.value} {p.payload.currency}" for p in history.points]
        case ModelMetadataHistory():
            return [f"{p.date} {p.payload.name} {p.payload.organization}" for p in history.points]
        case Error() | ValidationError() | None:
            raise AssertionError(history)
        case _:
            assert_never(history)


def refusal_of(body: object) -> str:
    """The code of an envelope; the words of a list of problems."""
    if isinstance(body, Error):
        assert isinstance(body.error.code, ErrorCode)
        return f"{body.error.code.value} {'null' if body.error.param is None else body.error.param}"
    problems = found(ValidationError, body).detail
    return ",".join(f"{'.'.join(map(str, problem.loc))} {problem.type_}" for problem in problems)


snapshots = found(Snapshots, list_snapshots.sync(client=client)).snapshots
download = found(
    SnapshotDownload,
    download_snapshot.sync(snapshots[0].id, client=client, dataset=DownloadSnapshotDataset.MODELS),
)
account = found(Account, get_account.sync(client=client))
top = found(RankingsHistory, get_rankings_history.sync(client=client, category_id="general", top=1))

told = {
    "every": list(every_operation()),
    "models": [
        model.id
        for page in pages(Models, lambda cursor: list_models.sync(client=client, limit=2, cursor=cursor))
        for model in page.models
    ],
    "benchmarks": [
        benchmark.id
        for page in pages(Benchmarks, lambda cursor: list_benchmarks.sync(client=client, limit=1, cursor=cursor))
        for benchmark in page.benchmarks
    ],
    "scores": [
        f"{score.model_id} {score.benchmark_id} {score.value}"
        for page in pages(Scores, lambda cursor: list_scores.sync(client=client, limit=2, cursor=cursor))
        for score in page.scores
    ],
    "rankings": [
        f"{ranking.rank} {ranking.model_id}"
        for page in pages(
            Rankings, lambda cursor: list_rankings.sync(client=client, category="general", limit=2, cursor=cursor)
        )
        for ranking in page.rankings
    ],
    "updates": [
        f"{model.id} {model.added_at:%Y-%m-%dT%H:%M:%SZ}"
        for page in pages(Updates, lambda cursor: list_updates.sync(client=client, days=30, limit=1, cursor=cursor))
        for model in page.models
    ],
    "categories": [category.id for category in found(Categories, list_categories.sync(client=client)).categories],
    "sources": [source.id for source in found(Sources, list_sources.sync(client=client)).sources],
    "model": [score.value for score in found(ModelDetail, get_model.sync(odd, client=client)).scores],
    "histories": {kind.value: history_of(kind) for kind in GetModelHistoryKind},
    "top": [f"{p.date} {p.model_id} {p.value} {p.payload.positions}" for p in top.points],
    "snapshots": [f"{snapshot.id} {len(snapshot.datasets)}" for snapshot in snapshots],
    "download": [download.bytes_, len(httpx.get(str(httpx.URL(base_url).join(download.url))).content)],
    "changes": list(changes()),
    "account": [account.plan.plan.value, account.client_source],
    "ready": str(found(HealthReady, get_readiness.sync(client=stranger)).release.day),
    "live": found(HealthLive, get_liveness.sync(client=stranger)).status,
    "refusals": [
        refusal_of(get_model.sync("nobody", client=client)),
        refusal_of(list_models.sync(client=AuthenticatedClient(base_url=base_url, token="none"))),
        refusal_of(list_rankings.sync(client=client, category="general", limit=51)),
    ],
}
print(json.dumps(told))
