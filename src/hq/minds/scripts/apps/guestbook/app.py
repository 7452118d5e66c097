"""A guest book: who was here, and what they say. `python3 app.py` starts it; PORT says where. Entries are kept in guests.db."""

import os
import sqlite3
from datetime import date
from html import escape
from pathlib import Path
from urllib.parse import parse_qs
from wsgiref.simple_server import make_server

TITLE = "Guest book"
COLOUR = "#1d4ed8"
STYLE = """
:root { color-scheme: light dark; font: 17px/1.6 system-ui, sans-serif; color: light-dark(#1b1c1f, #eceef1); background: light-dark(#f7f7f5, #101216); }
body { max-width: 40rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
form.sign, li { padding: 1rem 1.25rem; border: 1px solid light-dark(#deded9, #333843); border-radius: 14px; background: light-dark(#fff, #191c22); }
form.sign { display: grid; gap: .4rem; }
label { font-weight: 600; }
input, textarea { width: 100%; box-sizing: border-box; padding: .6rem .8rem; border: 1px solid light-dark(#6b6e76, #a6acb7); border-radius: 10px; font: inherit; color: inherit; background: none; }
button { min-height: 44px; padding: 0 1.1rem; border: 0; border-radius: 10px; font: inherit; font-weight: 600; color: #fff; background: var(--accent); cursor: pointer; }
button.small { min-height: 32px; padding: 0 .7rem; border: 1px solid currentcolor; color: inherit; background: none; font-size: .85rem; }
:focus-visible { outline: 3px solid light-dark(var(--accent), #fff); outline-offset: 2px; }
ul { display: grid; gap: .8rem; margin: 1.5rem 0 0; padding: 0; list-style: none; }
li p { margin: .2rem 0 .6rem; white-space: pre-line; overflow-wrap: anywhere; }
time { color: light-dark(#5c5f66, #a6acb7); font-size: .9rem; }
"""
PAGE = """<!doctype html>
<html lang="en" style="--accent: {colour}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<link rel="icon" href="data:,"><style>{style}</style></head>
<body><main><h1>{title}</h1>
<form class="sign" method="post" action="/"><label for="name">Your name</label><input id="name" name="name" required maxlength="100">
<label for="words">What you want to say</label><textarea id="words" name="words" rows="3" maxlength="2000"></textarea>
<div><button>Sign the book</button></div></form>
<ul>{guests}</ul></main></body></html>"""
GUEST = """<li><b>{name}</b> <time datetime="{day}">{day}</time><p>{words}</p>
<form method="post" action="/delete"><button class="small" name="id" value="{id}" aria-label="Delete what {name} wrote">Delete</button></form></li>"""


class Book:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.execute("create table if not exists guests (id integer primary key, name text, words text, day text)")

    def all(self):
        return self.db.execute("select id, name, words, day from guests order by id desc").fetchall()

    def sign(self, name, words):
        self.db.execute(
            "insert into guests (name, words, day) values (?, ?, ?)", (name, words, date.today().isoformat())
        )
        self.db.commit()

    def delete(self, number):
        self.db.execute("delete from guests where id = ?", (number,))
        self.db.commit()


def make_app(book):
    def app(environ, start_response):
        if environ["REQUEST_METHOD"] == "POST":
            length = min(int(environ.get("CONTENT_LENGTH") or 0), 100_000)
            sent = {
                name: values[0]
                for name, values in parse_qs(environ["wsgi.input"].read(length).decode("utf-8", "replace")).items()
            }
            if environ.get("PATH_INFO") == "/delete":
                book.delete(sent.get("id", ""))
            elif sent.get("name", "").strip():
                book.sign(sent["name"].strip(), sent.get("words", "").strip())
            start_response("303 See Other", [("Location", "/")])
            return [b""]
        guests = "".join(
            GUEST.format(id=n, name=escape(name), words=escape(words), day=day) for n, name, words, day in book.all()
        )
        page = PAGE.format(title=escape(TITLE), colour=escape(COLOUR), style=STYLE, guests=guests)
        start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
        return [page.encode()]

    return app


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "8000"))
    print(f"Open http://127.0.0.1:{port}; Ctrl-C stops it.", flush=True)
    make_server("127.0.0.1", port, make_app(Book(Path(__file__).with_name("guests.db")))).serve_forever()
