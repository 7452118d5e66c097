"""The front of the room `channels`: what it brings."""

from __future__ import annotations

from hq.channels.egress.client import EgressClient
from hq.channels.http import request, sites
from hq.channels.http import types as http
from hq.channels.ssh import types as ssh
from hq.channels.ssh import verbs as ssh_verbs
from hq.channels.web import verbs as web_verbs
from hq.channels.web.providers import SearchSetting
from hq.channels.webhooks import delivery_verbs
from hq.channels.webhooks import types as webhooks
from hq.channels.webhooks import verbs as webhook_verbs
from hq.channels.webhooks.delivery import Courier
from hq.room import Room

ROOM = Room(
    name="channels",
    types=(*webhooks.NODES, *ssh.NODES, *http.NODES),
    edges=(*webhooks.EDGES, *ssh.EDGES, *http.EDGES),
    verbs=(
        *ssh_verbs.VERBS,
        *sites.VERBS,
        *request.VERBS,
        *web_verbs.VERBS,
        *webhook_verbs.VERBS,
        *delivery_verbs.VERBS,
    ),
    nouns={
        "http": "Requests to web servers, and the sites whose credentials may go with them.",
        "ssh": "Commands on other machines, and the machines they are allowed on.",
        "web": "The web: search it, read a page of it.",
    },
    pumps=(Courier,),
    jobs=delivery_verbs.JOBS,
    policies=(request.HttpPolicy,),
    services=(lambda _: EgressClient(), lambda wiring: SearchSetting(wiring.search)),
    tables=(
        "webhooks",
        "webhook_deliveries",
    ),
    sql=("webhooks/functions.sql",),
)
