"""Schemathesis over the whole API, on a live server: no 5xx, nothing that the description does not promise."""

from __future__ import annotations

import asyncio
import os
import threading
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import requests
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig

from hq.api.app import create_app
from hq.api.listener import bind, url_of
from hq.app import open_door, registry
from hq.clock import SystemClock
from hq.database.address import Address
from hq.database.migrate import Migrated
from hq.headquarters import Headquarters
from hq.settings import Settings
from tests.support.company import cloned

SOAK = os.environ.get("HQ_TEST_EXAMPLES")  # how many per verb, always other ones: hundreds find more and take minutes
FEW, MANY = 2, 25
VERBS = sorted(verb.name for verb in registry())
# What a description cannot say: whether a thing is there, may move so, or goes together with another argument.
CONFIG = SchemathesisConfig.from_dict(
    {
        "checks": {
            "positive_data_acceptance": {"expected-statuses": ["2xx", "401", "403", "404", "409", "410", "422", "423"]}
        }
    }
)
CREATE = {
    verb.noun: dict(verb.examples[0].args)
    for verb in registry()
    if verb.undo == "exact" and verb.action == "create" and verb.examples and "slug" in verb.args.model_fields
}
STAFFED = ("org", "org_intent", "role", "position", "persona", "agent")


@dataclass(frozen=True)
class Live:
    url: str
    schema: Any
    token: str


@pytest.fixture(scope="module")
def live(server: Address, template: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server on a database of its own, in a thread."""
    home = tmp_path_factory.mktemp("live")
    with cloned(server, template[0]) as address, nowhere_to_go(), Serving(address, template[1], home) as url:
        yield Live(url, schemathesis.openapi.from_url(f"{url}/openapi.json", config=CONFIG, timeout=60), template[1])


def nowhere_to_go() -> AbstractContextManager[Any]:
    """Made-up addresses and programs of connectors are neither called nor started."""
    return patch("hq.connectors.client._client", side_effect=OSError("there is no outside in this test"))


class Serving:
    """uvicorn in a thread, on a free port, for the length of a block."""

    def __init__(self, address: Address, token: str, home: Path) -> None:
        self._address, self._token = address, token
        self._settings = Settings.load({"HQ_HOME": str(home), "HQ_PORT": "0"})
        self._listener = bind(self._settings)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    def __enter__(self) -> str:
        self._thread.start()
        assert self._ready.wait(60)
        return url_of(self._listener)

    def __exit__(self, *_: object) -> None:
        self._web.should_exit = True
        self._thread.join(60)

    async def _serve(self) -> None:
        async with open_door(self._address, vault_file=self._settings.vault_file, pool_size=8) as door:
            hq = Headquarters(self._settings, self._address, door, self._token, SystemClock(), Migrated((), 1))
            config = uvicorn.Config(create_app(hq, None), log_config=None, lifespan="off", ws="none")
            self._web = uvicorn.Server(config)
            self._ready.set()
            await self._web.serve(sockets=[self._listener])


def company(live: Live, verb: str) -> dict[str, str | None]:
    """Tokens of a company of the test's own, so that freezing it or revoking its tokens spoils nothing else."""
    if verb == "tenant.create":
        return {"founder": live.token, "nobody": None}
    founder = call(live, "tenant.create", live.token, name=f"For {verb} {uuid.uuid4()}", founder="Bo")["token"]
    for noun in things(verb):
        call(live, f"{noun}.create", founder, **CREATE[noun] | {"slug": f"a-{noun}"})
    if verb.partition(".")[0] in STAFFED:
        call(live, "org.create", founder, template="software-team")
    agent = call(live, "auth.token", founder, agent="chief")["token"]
    return {"founder": founder, "agent": agent, "nobody": None}


def things(verb: str) -> list[str]:
    """What is there to be named: one of the verb's own noun, where that is easily made, and two others."""
    return sorted({verb.partition(".")[0], "task", "entity"} & set(CREATE))


def call(live: Live, verb: str, token: str, **args: Any) -> Any:
    url = f"{live.url}/api/{verb.replace('.', '/')}"
    answer = requests.post(url, json=args, headers={"Authorization": f"Bearer {token}"}, timeout=30)
    assert answer.ok, answer.text
    return answer.json()["data"]


def references(verb: str) -> list[str]:
    """The arguments that take the slug of a node."""
    fields = registry().get(verb).args.model_json_schema().get("properties", {})
    return [
        name for name, part in fields.items() if any(kind.get("maxLength") == 200 for kind in part.get("anyOf", [part]))
    ]


def reaching(case: Any, names: list[str], thing: str) -> Any:
    """A valid case that names things which are there, so that what lies behind the first refusal is met too."""
    if isinstance(case.body, dict):
        case.body.update({name: f"a-{thing}" for name in names if isinstance(case.body.get(name), str)})
    case.headers.pop("X-HQ-Actor", None)
    case.query.pop("at", None)
    case.query.pop("known_at", None)
    return case


def cases(live: Live, verb: str) -> st.SearchStrategy[Any]:
    operation = live.schema[f"/api/{verb.replace('.', '/')}"]["POST"]
    valid = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    invalid = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    named = st.builds(reaching, valid, st.just(references(verb)), st.sampled_from(things(verb)))
    return st.one_of(named, valid, invalid)


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_breaks_its_promise(live: Live, verb: str):
    hold(live, verb, FEW)


@pytest.mark.long
@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_breaks_its_promise_however_it_is_called(live: Live, verb: str):
    hold(live, verb, int(SOAK or MANY))


def hold(live: Live, verb: str, examples: int) -> None:
    tokens = company(live, verb)

    @settings(
        max_examples=examples, deadline=None, database=None, derandomize=not SOAK, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=cases(live, verb), who=st.sampled_from(sorted(tokens)))
    def promise(case: Any, who: str) -> None:
        bearer = {"Authorization": f"Bearer {tokens[who]}"} if tokens[who] else {}
        case.call_and_validate(headers=bearer, timeout=30)

    promise()
