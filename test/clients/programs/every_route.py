"""A consumer's program on a client that openapi-python-client made of the document: it asks every route, and every list to its end.

Each answer has to be of a class of the client, which holds all that came. `every-route.ts` asks every route in TypeScript. A new route
needs no line in either.
"""

import importlib
import json
import re
import sys
from collections.abc import Iterator
from enum import Enum
from itertools import count
from typing import Any, assert_never, get_type_hints

import httpx
from modelstats_client import AuthenticatedClient, Client
from modelstats_client.api.current import get_model, list_models, list_rankings
from modelstats_client.api.history import get_model_history
from modelstats_client.models import (
    Error,
    ErrorCode,
    GetModelHistoryKind,
    ModelMetadataHistory,
    ModelPricingHistory,
    ModelRankingHistory,
    ModelScoreHistory,
    ValidationError,
)

base_url, key, odd = sys.argv[1:]
client = AuthenticatedClient(base_url=base_url, token=key)
stranger = Client(base_url=base_url)
events: set[str] = set()


def ask(module: Any, **given: Any) -> Any:
    """A body of a 200, in which nothing was left out."""
    response = module.sync_detailed(client=client, **given)
    body = response.parsed
    if response.headers["content-type"].startswith("text/"):  # A file, which the client leaves to its callers.
        assert response.status_code == 200 and response.content, module.__name__
        return response
    assert response.status_code == 200 and body is not None, (module.__name__, response.content)
    text = json.dumps(body.to_dict(), sort_keys=True).replace("+00:00", "Z")
    assert json.loads(text) == json.loads(response.content), (module.__name__, text)
    return body


def every_operation() -> Iterator[tuple[str, int]]:
    """All operations below `/v1`, each asked as the reference asks it, and how many pages of it there are."""
    reference = httpx.get(f"{base_url}/docs/reference/openapi.json").json()
    for path, item in reference["paths"].items():
        if not path.startswith("/v1/"):
            continue
        operation = item["get"]
        name = re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", operation["operationId"])
        tag = operation["tags"][0].replace(" ", "_")
        module: Any = importlib.import_module(f"modelstats_client.api.{tag}.{name}")
        hints = get_type_hints(module.sync)
        given: dict[str, Any] = {}
        for parameter in operation.get("parameters", []):
            if parameter.get("required") is True:
                named = parameter["name"]
                argument = named if named in hints else f"{named}_"  # Built-in names get an underscore.
                kind, value = hints[argument], parameter["examples"]["default"]["value"]
                given[argument] = kind(value) if issubclass(kind, Enum) else value
        yield operation["operationId"], pages_of(module, hints, given)


def pages_of(module: Any, hints: dict[str, Any], given: dict[str, Any]) -> int:
    """Asks for all pages of a list, a record a page, or for the one of anything else."""
    given |= {name: value for name, value in {"limit": 1, "days": 30}.items() if name in hints}
    for page in count(1):
        body = ask(module, **given)
        events.update(type(event).__name__ for event in getattr(body, "events", []))
        if "cursor" not in hints or not getattr(body, "has_more", body.next_cursor):
            return page
        given["cursor"] = body.next_cursor
    raise AssertionError(module.__name__)


def history_of(kind: GetModelHistoryKind) -> str:
    """What a history holds, by its kind, each of which is a class."""
    ask(get_model_history, model_id="a", kind=kind)
    history = get_model_history.sync("a", client=client, kind=kind)
    match history:
        case ModelScoreHistory():
            return f"{history.points[0].payload.n}"
        case ModelRankingHistory():
            return f"{history.points[0].payload.positions}"
        case ModelPricingHistory():
            return f"{history.points[0].payload.currency}"
        case ModelMetadataHistory():
            return f"{history.points[0].payload.name}"
        case Error() | ValidationError() | None:
            raise AssertionError(history)
        case _:
            assert_never(history)


def refusal_of(body: object) -> str:
    """The code of an envelope; the words of a list of problems."""
    if isinstance(body, Error):
        assert isinstance(body.error.code, ErrorCode)
        return f"{body.error.code.value} {body.error.param}"
    assert isinstance(body, ValidationError), body
    return ",".join(f"{'.'.join(map(str, problem.loc))} {problem.type_}" for problem in body.detail)


told = {
    "pages": dict(every_operation()),
    "events": sorted(events),
    "model": ask(get_model, id=odd).id,
    "histories": {kind.value: history_of(kind) for kind in GetModelHistoryKind},
    "refusals": [
        refusal_of(get_model.sync("nobody", client=client)),
        refusal_of(list_models.sync(client=AuthenticatedClient(base_url=base_url, token="none"))),
        refusal_of(list_rankings.sync(client=client, category="general", limit=51)),
    ],
}
print(json.dumps(told))
