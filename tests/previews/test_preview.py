"""What was made is opened: it runs on an address of its own, for its founder alone, and is stopped by the house."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from hq.previews.response_headers import answered
from hq.previews.watch import stop_stale
from tests.support.company import ended_process
from tests.support.sandboxes import MISSING
from tests.support.shop import APP, Shop

pytestmark = pytest.mark.skipif(bool(MISSING), reason=str(MISSING))

SPY = """
import json, os, socket, sys, urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer


def tried(what):
    try:
        return what()
    except Exception as error:
        return type(error).__name__


class App(BaseHTTPRequestHandler):
    def do_GET(self):
        told = {
            "hq": tried(lambda: socket.create_connection(("127.0.0.1", int(open("port").read())), 2) and "reached"),
            "out": tried(lambda: socket.create_connection(("1.1.1.1", 80), 2) and "reached"),
            "home": tried(lambda: os.listdir(open("home").read())),
            "env": sorted(name for name in os.environ if name.startswith("HQ")),
            "headers": self.headers.as_string(),
        }
        body = json.dumps(told).encode()
        self.send_response(200)
        self.send_header("Content-Security-Policy", "default-src 'none'")
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(body)


HTTPServer(("127.0.0.1", 5001), App).serve_forever()
"""


async def test_an_app_runs_and_answers_who_has_the_ticket(shop: Shop):
    await shop.firm.deliver(shop.mission, app__py=APP)

    browser, home = await shop.visit()

    answer = await browser.get(f"{home}/flights?year=2026")
    assert answer.text == "hello from /flights?year=2026 app=1"
    assert "hq" not in answer.headers["set-cookie"], "the gate's own cookie is not the app's to set"
    assert urlsplit(home).hostname not in ("127.0.0.1", "localhost"), "cookies go by host: hq's never come here"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    [row] = (await shop.hq.do("preview.list"))["items"]
    assert (row["mission"], row["state"], row["command"]) == (shop.mission, "running", "python3 app.py")
    assert "GET /flights?year=2026" in (await shop.hq.do("preview.log", mission=shop.mission))["text"]


async def test_a_stranger_is_refused_and_a_ticket_is_good_once(shop: Shop):
    await shop.firm.deliver(shop.mission, app__py=APP)
    url = await shop.open()
    home = f"http://{urlsplit(url).netloc}"
    async with httpx2.AsyncClient(trust_env=False) as stranger:
        assert (await stranger.get(home)).status_code == 403
        assert (await stranger.get(f"{home}/?hq-ticket=guessed")).status_code == 403
        assert (await stranger.get(home, headers={"Cookie": "hq_preview=guessed"})).status_code == 403
        assert (await stranger.get(url, headers={"Host": "elsewhere.example"})).status_code == 421
        assert (await stranger.get(url)).status_code == 303
        assert (await httpx2.AsyncClient(trust_env=False).get(url)).status_code == 403, "used"
        for site, mode in (("cross-site", "cors"), ("cross-site", "navigate"), ("same-site", "navigate")):
            crossing = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
            assert (await stranger.post(home, headers=crossing)).status_code == 403
            assert (await stranger.get(home, headers=crossing)).status_code == 403
        assert (await stranger.get(home)).status_code == 200, "its own visitor, all the while"
        for asks in ({"Service-Worker": "script"}, {"Sec-Fetch-Dest": "serviceworker"}):
            assert (await stranger.get(f"{home}/sw.js", headers=asks)).status_code == 403
        onwards = await stranger.get(await shop.open(), headers={"Sec-Fetch-Site": "cross-site"})
        assert (onwards.status_code, onwards.headers["refresh"]) == (200, "0; url=/")
        assert (
            (await stranger.get(f"{home}//elsewhere.example/?hq-ticket={_ticket(await shop.open())}"))
            .headers["location"]
            .startswith("/elsewhere")
        )


HEADERS = """
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

SAID = [
    ("Content-Type", "text/html"), ("Cache-Control", "no-cache"), ("Content-Disposition", "inline"), ("ETag", "1"),
    ("Set-Cookie", "plain=1; Path=/; HttpOnly"), ("Set-Cookie", "wide=1; Domain=127.0.0.1; Path=/"),
    ("Set-Cookie", "=hq_preview=stolen"), ("Set-Cookie", " hq_preview=stolen"),
    ("Content-Security-Policy", "default-src 'none'; report-uri http://127.0.0.1:9/"),
    ("Content-Security-Policy-Report-Only", "default-src 'none'; report-uri http://127.0.0.1:9/"),
    ("Refresh", "0; url=http://127.0.0.1:9/"), ("Link", "<http://127.0.0.1:9/>; rel=preload; as=style"),
    ("NEL", "{}"), ("Report-To", "{}"), ("Reporting-Endpoints", "a='http://127.0.0.1:9/'"),
    ("Strict-Transport-Security", "max-age=1"), ("Access-Control-Allow-Origin", "*"), ("Alt-Svc", "h3=':9'"),
    ("Service-Worker-Allowed", "/"), ("Speculation-Rules", "'/rules'"), ("Clear-Site-Data", "'*'"),
    ("X-Frame-Options", "ALLOWALL"), ("Referrer-Policy", "unsafe-url"), ("X-DNS-Prefetch-Control", "on"),
]


class App(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        for name, value in SAID:
            self.send_header(name, value)
        self.end_headers()


HTTPServer(("127.0.0.1", int(os.environ["PORT"])), App).serve_forever()
"""


async def test_of_what_an_app_says_in_headers_only_what_is_harmless_is_passed_on(shop: Shop):
    await shop.firm.deliver(shop.mission, app__py=HEADERS)
    browser, home = await shop.visit()

    said = (await browser.get(home)).headers

    assert set(said) == {
        "date", "content-type", "cache-control", "content-disposition", "etag", "set-cookie", "content-security-policy",
        "x-frame-options", "x-content-type-options", "x-dns-prefetch-control", "referrer-policy", "permissions-policy",
        "cross-origin-opener-policy", "cross-origin-resource-policy", "transfer-encoding",
    }  # fmt: skip
    assert said.get_list("set-cookie") == ["plain=1; Path=/; HttpOnly", "wide=1; Path=/"]
    assert "report" not in said["content-security-policy"] and "worker-src blob:" in said["content-security-policy"]
    assert (said["x-frame-options"], said["referrer-policy"]) == ("DENY", "same-origin")
    assert said["x-dns-prefetch-control"] == "off"


@pytest.mark.parametrize(
    ("location", "passed"),
    [
        ("/there?a=1#b", True),
        ("there", True),
        ("?a", True),
        ("http://{here}/there", True),
        ("http://elsewhere.example/", False),
        ("//elsewhere.example/", False),
        ("/\\elsewhere.example/", False),
        ("/\t/elsewhere.example/", False),
        ("http:/elsewhere.example", False),
        ("https://{here}/", False),
        ("http://{here}@elsewhere.example/", False),
        ("http://[", False),
        ("javascript:alert(1)", False),
    ],
)
def test_an_app_leads_on_within_itself_only(location, passed):
    said = location.format(here="127.93.1.2:20000").encode("latin-1")

    sent = dict(answered([(b"location", said)], "127.93.1.2:20000", "hq_preview"))

    assert sent.get(b"location") == (said if passed else None)


def _ticket(url: str) -> str:
    return url.partition("hq-ticket=")[2]


async def test_an_app_reaches_neither_hq_nor_the_network_nor_the_home(shop: Shop):
    with socket.create_server(("127.0.0.1", 0)) as hq_port:
        port, home = hq_port.getsockname()[1], str(Path.home())
        await shop.firm.deliver(shop.mission, app__py=SPY, port=str(port), home=home)

        browser, at = await shop.visit()

        told = (await browser.get(at)).json()
    assert told["hq"] == "ConnectionRefusedError"
    assert told["out"] in ("OSError", "TimeoutError", "ConnectionRefusedError")
    assert told["home"] in ("FileNotFoundError", "PermissionError")
    assert told["env"] == []
    assert "hq_preview" not in told["headers"]


async def test_what_was_entered_is_there_again_after_a_stop_and_after_a_change(shop: Shop):
    await shop.firm.deliver(shop.mission, app__py=APP)
    browser, home = await shop.visit()
    assert (await browser.post(home, content=b"one entry")).status_code == 204

    await shop.hq.do("preview.stop", mission=shop.mission)
    with pytest.raises(httpx2.ConnectError):
        await browser.get(home)
    _, again = await shop.visit()
    assert again == home, "the same files, so what a browser keeps for them is there again"
    await shop.firm.deliver(shop.mission, app__py=APP.replace("hello from", "changed"))
    browser, other = await shop.visit()

    assert urlsplit(other).hostname != urlsplit(home).hostname, (
        "other files, and nothing of those before in the browser"
    )
    assert (await browser.get(other)).text.startswith("changed")
    kept = shop.previews.running[0].order.tree / "kept.txt"
    assert await asyncio.to_thread(kept.read_bytes) == b"one entry"


WRITER = """
import os, sqlite3
from http.server import BaseHTTPRequestHandler, HTTPServer


class App(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(("%s|%s|%s" % (open("style.css").read(), ",".join(sorted(os.listdir("."))), TOLD)).encode())


def told():
    with open(os.environ["DATA_DIR"] + "/starts", "a+") as kept:
        kept.write("x")
        kept.seek(0)
        return kept.read()


TOLD = told()
#WRITES
HTTPServer(("127.0.0.1", int(os.environ["PORT"])), App).serve_forever()
"""
WRITES = """
for name in ("sqlite3.py", "style.css", "README.md", "pages.py", "index.html"):
    open(name, "w").write("raise SystemExit(7)")
open("flights.db", "w").write("rows")
os.mkdir("deep"); open("deep/more.json", "w").write("{}"); open("deep/code.py", "w").write("")
os.symlink("/tmp", "sub"); os.symlink("/etc/passwd", "x.json")
os.remove("notes.md"); os.mkdir("notes.md")
"""


async def test_what_runs_is_the_snapshot_whatever_the_app_wrote_beside_it_and_its_data_is_kept(shop: Shop):
    files = {"style__css": "good", "notes__md": "notes"}
    await shop.firm.deliver(shop.mission, app__py=WRITER, **files)
    [space] = (await shop.hq.do("workspace.list"))["items"]
    good = (await shop.hq.do("workspace.show", ref=space["slug"]))["props"]["snapshot"]
    browser, home = await shop.visit()
    assert (await browser.get(home)).text == "good|app.py,notes.md,style.css|x"
    await shop.firm.deliver(shop.mission, app__py=WRITER.replace("#WRITES", WRITES))
    browser, home = await shop.visit()
    assert "sqlite3.py" in (await browser.get(home)).text

    await shop.hq.do("workspace.revert", ref=space["slug"], snapshot=good)
    browser, home = await shop.visit()

    assert (await browser.get(home)).text == "good|app.py,deep,flights.db,notes.md,style.css|xxx"
    tree = shop.previews.running[0].order.tree
    assert await asyncio.to_thread(os.listdir, tree / "deep") == ["more.json"]
    await shop.hq.do("preview.stop", mission=shop.mission)

    # what stands where a link stood before, and what an interrupted start left
    (tree / "sub").symlink_to("/etc")
    await shop.hq.do("workspace.drop", ref=space["slug"], session="hand")
    await shop.firm.deliver(shop.mission, app__py=WRITER + "# more", sub="a file")
    await asyncio.to_thread(tree.rename, tree.with_name(".preview.old"))
    browser, home = await shop.visit()
    assert (await browser.get(home)).text == "good|app.py,deep,flights.db,notes.md,style.css,sub|xxxx"
    assert sorted(each.name for each in tree.parent.iterdir() if each.name.startswith(".")) == [
        ".preview",
        ".preview-data",
    ]


async def test_the_house_stops_what_nobody_looks_at_and_what_has_changed(shop: Shop):
    await shop.firm.deliver(shop.mission, app__py=APP)
    await shop.visit()
    assert await stop_stale(shop.hq.door) == 0

    await shop.firm.deliver(shop.mission, app__py=APP + "\n# another")
    assert await stop_stale(shop.hq.door) == 1
    assert "changed" in (await shop.hq.do("preview.list"))["items"][0]["why"]

    await shop.visit()
    shop.previews._idle = 0.0
    assert await stop_stale(shop.hq.door) == 1
    assert "nobody looked" in (await shop.hq.do("preview.list"))["items"][0]["why"]


async def test_an_app_that_does_not_start_says_why(shop: Shop):
    await shop.firm.deliver(shop.mission, app__py="import nothing_like_it")

    outcome = await shop.hq.call("mission.open", ref=shop.mission)

    assert outcome.code == "conflict" and "nothing_like_it" in outcome.message
    assert "nothing_like_it" in (await shop.hq.do("preview.log", mission=shop.mission))["text"]


async def test_a_page_is_served_and_a_document_is_shown(shop: Shop):
    await shop.firm.deliver(shop.mission, notes__md="# Notes", README__md="about")
    shown = await shop.hq.do("mission.open", ref=shop.mission)
    assert (shown["opens_as"], shown["path"]) == ("document", f"/missions/{shop.mission}/files/notes.md")

    await shop.firm.deliver(shop.mission, index__html="<h1>Hello</h1>", secret__txt="x")
    browser, home = await shop.visit()

    assert (await browser.get(home)).text == "<h1>Hello</h1>"
    assert (await browser.get(f"{home}/..%2f..%2fetc/passwd")).status_code == 404


async def test_a_procfile_says_what_starts_it_and_npm_is_not_there(shop: Shop):
    await shop.firm.deliver(shop.mission, package__json="{}")
    assert "npm" in (await shop.hq.do("mission.open", ref=shop.mission))["why"]

    await shop.firm.deliver(shop.mission, Procfile="web: python3 serve.py\n", serve__py=APP)
    await shop.visit()

    assert (await shop.hq.do("preview.list"))["items"][0]["command"] == "python3 serve.py"


async def test_a_command_that_does_not_stay_opens_nothing_and_nothing_unmade_is_opened(shop: Shop):
    assert (await shop.hq.call("mission.open", ref=shop.mission)).code == "conflict"
    await shop.firm.deliver(shop.mission, app__py=APP)
    shop.previews.serving = False

    outcome = await shop.hq.call("mission.open", ref=shop.mission)

    assert outcome.code == "conflict" and "hq up" in outcome.message
    token = await shop.firm.token("forge")
    assert (await shop.hq.call("mission.open", ref=shop.mission, _token=token)).code == "forbidden"


LEFT = """
import asyncio, os, sys
from pathlib import Path
from uuid import uuid4
from hq.previews.preview import Preview, PreviewOrder
from hq.sandbox import Sandbox, SandboxLimits


def parent(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
    except OSError:  # it ended meanwhile: others run here too
        return None


async def main(place):
    tree = place / "tree"
    order = PreviewOrder(uuid4(), uuid4(), "m", "s", tree, "exec sleep 1000 & exec python3 -m http.server $PORT", "", SandboxLimits())
    made = Preview(order, Sandbox(place / "scratch"))
    await made.start()
    print(*(p for p in os.listdir("/proc") if p.isdigit() and parent(p) == str(os.getpid())), flush=True)
    await asyncio.sleep(1000)


asyncio.run(main(Path(sys.argv[1])))
"""


def test_nothing_is_left_after_the_house_is_killed(tmp_path):
    (tmp_path / "tree").mkdir(mode=0o777)
    (tmp_path / "tree").chmod(0o777)
    tmp_path.chmod(0o711)
    house = subprocess.Popen([sys.executable, "-c", LEFT, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert house.stdout
    children = [int(pid) for pid in house.stdout.readline().split()]
    assert len(children) >= 2, "the sandbox and the way into it"

    os.kill(house.pid, signal.SIGKILL)
    house.wait()

    for child in children:
        while not ended_process(child):
            os.sched_yield()
