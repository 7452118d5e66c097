"""The front of the room `org`: what it brings."""

from __future__ import annotations

from hq.org import (
    agent,
    assignment,
    decisions,
    edges,
    expense,
    intent_verbs,
    organisations,
    personas,
    position_removal,
    positions,
    roles,
    types,
    yaml_verbs,
)
from hq.org.authority import SeatStopPolicy
from hq.org.files import OrgFiles
from hq.org.owners import (
    any_director,
    director_of_document,
    director_of_organisation,
    director_of_seat,
    owner_abroad,
    owner_of_aim,
    owner_of_measure,
    owner_of_neighbour,
    owner_of_organisation,
    owner_of_persona,
    owner_of_start,
)
from hq.org.risk import SpendingRisk
from hq.room import Room

ROOM = Room(
    name="org",
    types=(*types.NODES, *agent.NODES),
    edges=(*edges.EDGES, *agent.EDGES),
    verbs=(
        *organisations.VERBS,
        *yaml_verbs.VERBS,
        *assignment.VERBS,
        *roles.VERBS,
        *positions.VERBS,
        *position_removal.VERBS,
        *personas.VERBS,
        *intent_verbs.VERBS,
        *expense.VERBS,
        *decisions.VERBS,
    ),
    nouns={
        "org": "Organisations: found, write down, staff and change them; their roles, positions, personas and intent.",
        "org_intent": "What an organisation optimises for, protects and never sacrifices.",
    },
    under={"role": "org role", "position": "org position", "persona": "org persona", "org_intent": "org intent"},
    owners={
        "organisation": owner_of_organisation,
        "neighbour": owner_of_neighbour,
        "abroad": owner_abroad,
        "aim": owner_of_aim,
        "start": owner_of_start,
        "measured": owner_of_measure,
        "directed_organisation": director_of_organisation,
        "organisation_document": director_of_document,
        "seat": director_of_seat,
        "chart": any_director,
        "persona": owner_of_persona,
    },
    kinds=decisions.KINDS,
    policies=(SeatStopPolicy, SpendingRisk),
    services=(lambda wiring: OrgFiles(wiring.companies),),
    sql=("functions.sql",),
)
