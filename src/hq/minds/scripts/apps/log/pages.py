"""The pages of the log, as HTML."""

from datetime import date
from html import escape
from pathlib import Path
from urllib.parse import urlencode

import settings

STYLE = Path(__file__).with_name("style.css").read_text("utf-8")
OTHER = "Other…"
SORTS = {"newest": "Newest first", "oldest": "Oldest first", "cost": "Highest cost first", "hours": "Most hours first"}
DONE = {"added": "The entry was added.", "changed": "The entry was changed.", "deleted": "The entry was deleted."}


def frame(title, body, known=True):
    out = (
        '<form method="post" action="/sign-out"><button class="quiet">Sign out</button></form>'
        if settings.SIGN_IN and known
        else ""
    )
    return f"""<!doctype html>
<html lang="en" style="--accent: {escape(settings.COLOUR)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header class="top"><a href="/">{escape(settings.TITLE)}</a>{out}</header>
<main id="main">{body}</main>
</body>
</html>"""


def message(text):
    return frame(settings.TITLE, f'<h1>{escape(text)}</h1><p><a class="button" href="/">Back to the log</a></p>')


def sign_in(new, wrong=""):
    title = "Choose a password" if new else "Sign in"
    says = (
        "This log has no password yet. Choose the one that opens it from now on."
        if new
        else "This log is behind a password."
    )
    problem = f'<p class="wrong" id="why" role="alert">{escape(wrong)}</p>' if wrong else ""
    return frame(
        title,
        f"""<section class="narrow"><h1>{title}</h1><p>{says}</p>
<form method="post" action="/sign-in" class="stack">
<label for="password">Password</label>
<input id="password" name="password" type="password" required autofocus autocomplete="{"new" if new else "current"}-password"{' aria-describedby="why" aria-invalid="true"' if wrong else ""}>
{problem}<button class="main">{"Start the log" if new else "Sign in"}</button></form></section>""",
        known=False,
    )


def overview(entries, months, kinds, asked, values=None, wrong=None):
    done = DONE.get(asked.get("done", ""), "")
    return frame(
        settings.TITLE,
        f"""<h1 class="hidden">{escape(settings.TITLE)}</h1>
<p class="done" role="status">{done}</p>
{totals(months)}
<section aria-labelledby="new"><h2 id="new">New entry</h2>{form("/add", "Add entry", values or {}, wrong or {})}</section>
{table(entries, kinds, asked)}
{by_month(months)}""",
    )


def totals(months):
    now = date.today().isoformat()[:7]
    this = next((row for row in months if row["month"] == now), None)
    every = [sum(row[name] for row in months) for name in ("hours", "cost", "many")]
    cards = [
        ("This month", number(this["hours"] if this else 0) + " h", money(this["cost"] if this else 0)),
        ("In all", number(every[0]) + " h", money(every[1])),
        ("Entries", str(every[2]), f"in {len(months)} month{'' if len(months) == 1 else 's'}"),
    ]
    return (
        '<dl class="totals">'
        + "".join(
            f"<div><dt>{name}</dt><dd>{big}</dd><dd class='soft'>{small}</dd></div>" for name, big, small in cards
        )
        + "</dl>"
    )


def form(action, label, values, wrong, cancel=""):
    extra = "".join(text(f"x_{at}", name, values, wrong) for at, name in enumerate(settings.EXTRA))
    day = {"day": values.get("day") or date.today().isoformat()}
    return f"""<form method="post" action="{action}" class="entry">
{text("day", "Day", day, wrong, 'type="date" required')}
{kind(values, wrong)}
{text("hours", "Hours", values, wrong, 'inputmode="decimal" placeholder="1.5"')}
{text("cost", "Cost", values, wrong, 'inputmode="decimal" placeholder="180"')}
{extra}{text("note", "Note", values, wrong, 'maxlength="2000"', "wide")}
<p class="buttons"><button class="main">{label}</button>{cancel}</p></form>"""


def text(name, label, values, wrong, more="", size=""):
    value = values.get(name, "")
    value = number(value) if isinstance(value, float) else str(value)
    return field(
        name,
        label,
        wrong,
        f'<input id="{name}" name="{name}" value="{escape(value)}" {more}{describes(name, wrong)}>',
        size,
    )


def field(name, label, wrong, control, size=""):
    problem = f'<span class="wrong" id="{name}-why">{escape(wrong[name])}</span>' if name in wrong else ""
    return f'<p class="field {size}"><label for="{name}">{escape(label)}</label>{control}{problem}</p>'


def describes(name, wrong):
    return f' aria-invalid="true" aria-describedby="{name}-why"' if name in wrong else ""


def kind(values, wrong):
    chosen = values.get("kind", "")
    if not settings.KINDS:
        return text("kind", settings.KIND, values, wrong, 'required maxlength="200"')
    known = chosen in ("", *settings.KINDS)
    options = "".join(option(each, each == chosen) for each in settings.KINDS)
    if not settings.OTHER:
        return field(
            "kind", settings.KIND, wrong, f'<select id="kind" name="kind"{describes("kind", wrong)}>{options}</select>'
        )
    options += option(OTHER, not known)
    other = values.get("other", "") if chosen == OTHER else "" if known else chosen
    control = f'<select id="kind" name="kind"{describes("kind", wrong)}>{options}</select>'
    typed = f'<input id="other" name="other" value="{escape(other)}" maxlength="200" placeholder="if {escape(OTHER)}">'
    return field("kind", settings.KIND, wrong, control) + field("other", f"Other {settings.KIND.lower()}", {}, typed)


def option(value, chosen, label=""):
    return f'<option value="{escape(value)}"{" selected" if chosen else ""}>{escape(label or value)}</option>'


def table(entries, kinds, asked):
    words, picked, order = asked.get("q", ""), asked.get("kind", ""), asked.get("sort", settings.SORT)
    choices = option("", not picked, "All") + "".join(option(each, each == picked) for each in kinds)
    sorts = "".join(option(name, name == order, label) for name, label in SORTS.items())
    kept = urlencode({name: value for name, value in (("q", words), ("kind", picked), ("sort", order)) if value})
    heads = "".join(f'<th scope="col"{how}>{escape(name)}</th>' for name, how in heads_of())
    rows = "".join(row(entry) for entry in entries)
    none = (
        "Nothing fits. Try other words, or all kinds."
        if words or picked
        else "No entries yet. The first one is added above."
    )
    body = f'<div class="scroll" tabindex="0" role="region" aria-label="Table of entries"><table class="entries"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    return f"""<section aria-labelledby="entries"><div class="title"><h2 id="entries">Entries <span class="soft">{len(entries)}</span></h2>
<a class="button" href="/entries.csv?{escape(kept)}">Export CSV</a></div>
<form class="filter" action="/" role="search"><p class="field"><label for="q">Search</label><input id="q" name="q" type="search" value="{escape(words)}"></p>
<p class="field"><label for="only">{escape(settings.KIND)}</label><select id="only" name="kind">{choices}</select></p>
<p class="field"><label for="sort">Order</label><select id="sort" name="sort">{sorts}</select></p>
<button>Show</button></form>
{body if entries else f'<p class="empty">{none}</p>'}</section>"""


def heads_of():
    yield from (("Day", ""), (settings.KIND, ""), ("Hours", ' class="number"'), ("Cost", ' class="number"'))
    yield from ((name, "") for name in settings.EXTRA)
    yield from (("Note", ""), ("Actions", ""))


def row(entry):
    about = escape(f"{entry['kind']}, {entry['day']}")
    extra = "".join(
        f'<td data-label="{escape(name)}">{escape(entry[f"x_{at}"] or "")}</td>'
        for at, name in enumerate(settings.EXTRA)
    )
    return f"""<tr><td data-label="Day"><time datetime="{escape(entry["day"])}">{escape(entry["day"])}</time></td>
<td data-label="{escape(settings.KIND)}">{escape(entry["kind"])}</td><td data-label="Hours" class="number">{number(entry["hours"])}</td>
<td data-label="Cost" class="number">{money(entry["cost"])}</td>{extra}<td data-label="Note">{escape(entry["note"] or "")}</td>
<td class="actions"><a href="/edit/{entry["id"]}">Edit<span class="hidden"> {about}</span></a>
<a href="/delete/{entry["id"]}">Delete<span class="hidden"> {about}</span></a></td></tr>"""


def by_month(months):
    if not months:
        return ""
    most = max(row["hours"] for row in months) or 1
    rows = "".join(
        f"""<tr><th scope="row">{row["month"]}</th><td><span class="bar" style="--part: {100 * row["hours"] / most:.0f}%"></span></td>
<td class="number">{number(row["hours"])}</td><td class="number">{money(row["cost"])}</td><td class="number">{row["many"]}</td></tr>"""
        for row in months
    )
    heads = '<th scope="col">Month</th><td></td><th scope="col" class="number">Hours</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Entries</th>'
    return f'<section aria-labelledby="months"><h2 id="months">By month</h2><div class="scroll" tabindex="0" role="region" aria-label="Table of months"><table class="months"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div></section>'


def edit(entry, sent=None, wrong=None):
    values = sent or {name: entry[name] for name in entry.keys()}
    cancel = '<a class="button" href="/">Cancel</a>'
    shown = form(f"/edit/{entry['id']}", "Save", values, wrong or {}, cancel)
    return frame("Edit entry", f"<h1>Edit entry</h1>{shown}")


def delete(entry):
    about = escape(f"{entry['day']}, {entry['kind']}, {number(entry['hours'])} hours, {money(entry['cost'])}")
    return frame(
        "Delete entry",
        f"""<section class="narrow"><h1>Delete this entry?</h1><p>{about}</p>
<form method="post" action="/delete/{entry["id"]}" class="buttons"><button class="danger">Delete</button><a class="button" href="/">Keep it</a></form></section>""",
    )


def number(value):
    return f"{float(value or 0):,.2f}".rstrip("0").rstrip(".")


def money(value):
    return f"{float(value or 0):,.2f}"
