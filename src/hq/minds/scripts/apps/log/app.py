"""A log with totals by month, search and CSV, from Python's own library. `python3 app.py` starts it; PORT says where."""

import csv
import hashlib
import hmac
import io
import os
import secrets
import sqlite3
import threading
from datetime import date
from http.cookies import SimpleCookie
from pathlib import Path
from socketserver import ThreadingMixIn
from urllib.parse import parse_qsl, urlencode
from wsgiref.simple_server import WSGIServer, make_server

import pages
import settings

FIELDS = ("day", "kind", "hours", "cost", "note", *(f"x_{number}" for number in range(len(settings.EXTRA))))
NUMBERS = {"hours": (24, "A day has 24 hours."), "cost": (1e9, "That is more than fits here.")}
"""How much each may be, and what is said of more."""
ORDERS = {
    "newest": "day desc, id desc",
    "oldest": "day, id",
    "cost": "cost desc, day desc, id desc",
    "hours": "hours desc, day desc, id desc",
}
LONGEST = 1_000_000


class Log:
    """The entries, in one file."""

    def __init__(self, path):
        self.db = sqlite3.connect(path, check_same_thread=False)
        self.db.row_factory = sqlite3.Row
        self.turn = threading.RLock()
        self.run(
            "create table if not exists entries (id integer primary key, day text, kind text, hours real, cost real, note text)"
        )
        self.run("create table if not exists kept (name text primary key, value text)")
        there = {row["name"] for row in self.run("pragma table_info(entries)")}
        for name in FIELDS:
            if name not in there:  # a field that was added since
                self.run(f"alter table entries add column {name} text default ''")

    def run(self, sql, values=()):
        with self.turn, self.db:
            return self.db.execute(sql, values).fetchall()

    def entries(self, words="", kind="", order=settings.SORT):
        texts = " || ' ' || ".join(f"coalesce({name}, '')" for name in FIELDS if name not in NUMBERS)
        where = f"where ({texts}) like ? escape '!' and (? = '' or kind = ?)"
        like = "%" + "".join(f"!{c}" if c in "!%_" else c for c in words) + "%"
        return self.run(
            f"select * from entries {where} order by {ORDERS.get(order, ORDERS['newest'])}", (like, kind, kind)
        )

    def months(self):
        return self.run(
            "select substr(day, 1, 7) as month, count(*) as many, sum(hours) as hours, sum(cost) as cost"
            " from entries group by 1 order by 1 desc"
        )

    def kinds(self):
        return [row["kind"] for row in self.run("select distinct kind from entries order by kind")]

    def one(self, number):
        return next(iter(self.run("select * from entries where id = ?", (number,))), None)

    def save(self, values, number=None):
        names = list(values)
        if number is None:
            marks = ", ".join("?" for _ in names)
            self.run(f"insert into entries ({', '.join(names)}) values ({marks})", list(values.values()))
        else:
            self.run(
                f"update entries set {', '.join(f'{n} = ?' for n in names)} where id = ?", [*values.values(), number]
            )

    def delete(self, number):
        self.run("delete from entries where id = ?", (number,))

    def kept(self, name):
        return next((row["value"] for row in self.run("select value from kept where name = ?", (name,))), None)

    def keep(self, name, value):
        self.run("insert or replace into kept values (?, ?)", (name, value))


def read_form(sent):
    """What a form says, as it is kept, and what is wrong with it, by field."""
    values = {name: sent.get(name, "").strip() for name in FIELDS}
    wrong = {}
    if values["kind"] == pages.OTHER:
        values["kind"] = sent.get("other", "").strip()
    if not values["kind"]:
        wrong["kind"] = f"Say which {settings.KIND.lower()}."
    elif settings.KINDS and not settings.OTHER and values["kind"] not in settings.KINDS:
        wrong["kind"] = "Choose one from the list."
    try:
        values["day"] = date.fromisoformat(values["day"]).isoformat()
    except ValueError:
        wrong["day"] = "Write the day as 2026-01-31."
    for name, (most, too_much) in NUMBERS.items():
        try:
            number = float(values[name].replace(",", ".") or 0)
        except ValueError:
            number = -1
        if 0 <= number <= most:
            values[name] = number
        else:
            wrong[name] = too_much if number > most else "Write a number, such as 1.5."
    return values, wrong


def as_csv(rows):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["Day", settings.KIND, "Hours", "Cost", "Note", *settings.EXTRA])
    for row in rows:
        cells = [row[name] for name in FIELDS]
        # A spreadsheet would take such a text for a formula.
        writer.writerow(
            [f"'{cell}" if isinstance(cell, str) and cell[:1] in "=+-@" and cell else cell for cell in cells]
        )
    return out.getvalue()


def hashed(password, salt):
    return hashlib.scrypt(password.encode(), salt=salt.encode(), n=2**14, r=8, p=1).hex()


class App:
    """What a browser talks to."""

    def __init__(self, log):
        self.log = log
        self.signed_in = set()

    def __call__(self, environ, start_response):
        status, kind, body, headers = self.answer(environ)
        data = body.encode()
        start_response(
            status, [("Content-Type", f"{kind}; charset=utf-8"), ("Content-Length", str(len(data))), *headers]
        )
        return [data]

    def answer(self, environ):
        path, post = environ.get("PATH_INFO", "/"), environ["REQUEST_METHOD"] == "POST"
        asked = dict(parse_qsl(environ.get("QUERY_STRING", "")))
        sent = {}
        if post:
            if environ.get("HTTP_SEC_FETCH_SITE", "same-origin") not in ("same-origin", "none"):
                return page("403 Forbidden", pages.message("That came from another page."))
            length = min(int(environ.get("CONTENT_LENGTH") or 0), LONGEST)
            sent = dict(
                parse_qsl(environ["wsgi.input"].read(length).decode("utf-8", "replace"), keep_blank_values=True)
            )
        if path == "/style.css":
            return "200 OK", "text/css", pages.STYLE, [("Cache-Control", "no-cache")]
        if settings.SIGN_IN and not self.known(environ):
            return self.sign_in(path, sent)
        action, _, number = path.strip("/").partition("/")
        entry = self.log.one(int(number)) if number.isascii() and number.isdigit() and len(number) < 16 else None
        if number and entry is None:
            return page("404 Not Found", pages.message("There is no such entry any more."))
        match (action, post):
            case ("", False):
                return self.overview(asked)
            case ("entries.csv", False):
                name = ("Content-Disposition", 'attachment; filename="entries.csv"')
                return "200 OK", "text/csv", as_csv(self.found(asked)), [name]
            case ("add", True) | ("edit", True):
                return self.save(sent, entry)
            case ("edit", False) if entry:
                return page("200 OK", pages.edit(entry))
            case ("delete", False) if entry:
                return page("200 OK", pages.delete(entry))
            case ("delete", True) if entry:
                self.log.delete(entry["id"])
                return back("deleted")
            case ("sign-out", True):
                self.signed_in.discard(cookie_of(environ))
                return back("")
        return page("404 Not Found", pages.message("There is nothing here."))

    def found(self, asked):
        order = asked.get("sort", settings.SORT)
        return self.log.entries(asked.get("q", "").strip(), asked.get("kind", ""), order)

    def overview(self, asked, values=None, wrong=None):
        shown = pages.overview(self.found(asked), self.log.months(), self.log.kinds(), asked, values, wrong)
        return page("400 Bad Request" if wrong else "200 OK", shown)

    def save(self, sent, entry):
        values, wrong = read_form(sent)
        if wrong and entry is None:
            return self.overview({}, sent, wrong)
        if wrong:
            return page("400 Bad Request", pages.edit(entry, sent, wrong))
        self.log.save(values, entry["id"] if entry else None)
        return back("changed" if entry else "added")

    def known(self, environ):
        return cookie_of(environ) in self.signed_in

    def sign_in(self, path, sent):
        """Whoever comes first chooses the password; from then on it is asked for."""
        salt, kept, said = self.log.kept("salt"), self.log.kept("password"), sent.get("password", "")
        if path != "/sign-in" or not said:
            return page("401 Unauthorized", pages.sign_in(new=kept is None))
        if kept is None:
            if len(said) < 8:
                return page("400 Bad Request", pages.sign_in(new=True, wrong="Take at least eight characters."))
            salt = secrets.token_hex(16)
            kept = hashed(said, salt)
            self.log.keep("salt", salt)
            self.log.keep("password", kept)
        if not hmac.compare_digest(hashed(said, salt), kept):
            return page("401 Unauthorized", pages.sign_in(new=False, wrong="That is not the password."))
        token = secrets.token_urlsafe()
        self.signed_in.add(token)
        status, kind, body, headers = back("")
        return status, kind, body, [*headers, ("Set-Cookie", f"session={token}; HttpOnly; SameSite=Lax; Path=/")]


def cookie_of(environ):
    found = SimpleCookie(environ.get("HTTP_COOKIE", "")).get("session")
    return found.value if found else ""


def page(status, body):
    return status, "text/html", body, []


def back(done):
    return "303 See Other", "text/plain", "", [("Location", "/" + (f"?{urlencode({'done': done})}" if done else ""))]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "8000"))
    app = App(Log(Path(__file__).with_name("log.db")))
    print(f"Open http://127.0.0.1:{port}; Ctrl-C stops it.", flush=True)
    make_server("127.0.0.1", port, app, server_class=Server).serve_forever()
