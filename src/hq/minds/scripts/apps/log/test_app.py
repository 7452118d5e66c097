import io
import re
import unittest
from html import unescape
from unittest import mock
from urllib.parse import urlencode

import pages
import settings
from app import App, Log

DECIDED = ""  # how the kind is given, in the words of whoever decided it; "" where nobody was asked
BUILT = ()  # what was on the list when it was built; what was added since was asked for
LIST = r"(?:lists?|lista|drop-?downs?|choices|choos\w+|pick\w*)"
TEXT = r"(?:free[ -]text|texto livre|as text|typ(?:e|ing) (?:it|them)|anything)"
OTHER = r"(?:others?|something else|anything else)"
DENIED = (
    r"(?:\b(?<!why )(?:not(?! only| just)|never|without|no|instead of|than|anything but|não|sem|em vez de)|n['’]t)"
    rf"(?: (?!but\b)\w+){{0,4}}? (?:{TEXT}|{LIST}|{OTHER})\b|\b(?:{TEXT}|{LIST}) (?:is|are|would be) not\b"
)
LISTED = r"\b(?:list|dropdown|choices?|kinds?|types?)\b[^:\n]{0,40}: *([^\n]+)"
NAMED = r"\b(?:list|dropdown|choices)\b(?:,? (?:please|thanks))?,? (?:with|of|namely|containing) +([^\n]+)"
NO_NAME = r"\b(?:my|our|the|all|common|usual|some|any|an?|most|more|every)\b"
NO_ITEM = r"\b(?:and|or|(?:an)?others?|(?:some|any|no)thing else|as|free text|please|thanks|thank you)\b"


class Decision:
    """What the words of a decision ask for."""

    def __init__(self, words):
        kept = re.sub(DENIED, "", words, flags=re.IGNORECASE)

        def speaks(of, text=kept):
            return bool(re.search(rf"\b{of}\b", text, re.IGNORECASE))

        self.free = not speaks(LIST) and (speaks(TEXT) or (kept != words and speaks(LIST, words)))
        self.other = speaks(OTHER) or speaks(TEXT)
        found = None if self.free else re.search(LISTED, kept, re.IGNORECASE)
        ends = r"[.!?]\s+(?=(?:Nothing|No|Not|And|Please|I|It|They|The|Thanks?|That)\b)"
        self.listed = re.split(ends, found[1])[0] if found else ""
        named = None if self.free or found else re.search(NAMED, kept, re.IGNORECASE)
        if named and not re.search(NO_NAME, named[1], re.IGNORECASE) and re.search(r",|\band\b|\bor\b", named[1]):
            self.listed = re.split(ends, named[1])[0]

    def missing(self, offered):
        """The words of what it lists that nothing on offer is called by."""
        left = self.listed
        for item in sorted(offered, key=len, reverse=True):
            left = re.sub(rf"(?<!\w){re.escape(item)}(?!\w)", "", left)
        return re.findall(r"\w+", re.sub(NO_ITEM, "", left, flags=re.IGNORECASE))

    def unasked(self, offered):
        """What is on offer and not on its list, where it has one."""
        return [each for each in offered if self.listed and each not in self.listed]


class Browser:
    def __init__(self, app):
        self.app, self.cookie = app, ""

    def get(self, path="/", **asked):
        return self.visit("GET", path, b"", urlencode(asked))

    def post(self, path, **sent):
        return self.visit("POST", path, urlencode(sent).encode())

    def visit(self, method, path, body, query="", **more):
        environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query, "CONTENT_LENGTH": str(len(body))}
        environ |= {"wsgi.input": io.BytesIO(body), "HTTP_COOKIE": self.cookie, **more}
        told = []
        page = b"".join(self.app(environ, lambda status, headers: told.extend((status, dict(headers))))).decode()
        self.cookie = told[1].get("Set-Cookie", self.cookie).split(";")[0]
        return told[0][:3], page


class AppTest(unittest.TestCase):
    signs_in = False

    def setUp(self):
        patch = mock.patch.object(settings, "SIGN_IN", self.signs_in)
        patch.start()
        self.addCleanup(patch.stop)
        self.log = Log(":memory:")
        self.browser = Browser(App(self.log))
        self.kind = (settings.KINDS or ("Solo",))[0]

    def add(self, **more):
        entry = {"day": "2026-01-02", "kind": self.kind, "hours": "1.5", "cost": "180", "note": "Circuits"} | more
        return self.browser.post("/add", **entry)


class Entries(AppTest):
    def test_an_entry_is_added_edited_and_deleted(self):
        self.assertEqual(self.add()[0], "303")
        self.assertIn("Circuits", self.browser.get()[1])
        self.assertIn('value="1.5"', self.browser.get("/edit/1")[1])
        self.browser.post("/edit/1", day="2026-01-03", kind=self.kind, hours="2", cost="90", note="Cross-country")
        self.assertEqual(
            [tuple(row)[1:6] for row in self.log.entries()], [("2026-01-03", self.kind, 2.0, 90.0, "Cross-country")]
        )
        self.assertIn("Delete this entry?", self.browser.get("/delete/1")[1])
        self.browser.post("/delete/1")
        self.assertEqual(self.log.entries(), [])
        self.assertEqual(self.browser.get("/edit/1")[0], "404")

    def test_months_are_summed_up(self):
        self.add(day="2026-01-02", hours="1.5", cost="100")
        self.add(day="2026-01-20", hours="2", cost="50.5")
        self.add(day="2026-02-01", hours="1", cost="10")
        sums = [(row["month"], row["hours"], row["cost"], row["many"]) for row in self.log.months()]
        self.assertEqual(sums, [("2026-02", 1.0, 10.0, 1), ("2026-01", 3.5, 150.5, 2)])
        self.assertIn("By month", self.browser.get()[1])

    def test_what_is_wrong_is_said_and_what_was_typed_stays(self):
        status, page = self.add(hours="many", note="Keep me")
        self.assertEqual(status, "400")
        self.assertIn("Write a number", page)
        self.assertIn('value="many"', page)
        self.assertIn('value="Keep me"', page)
        self.assertEqual(self.add(day="tomorrow")[0], "400")
        self.assertEqual(self.add(kind="")[0], "400")
        self.assertIn("24 hours", self.add(hours="100")[1])
        self.assertEqual(self.add(cost="nan")[0], "400")
        self.assertEqual(self.log.entries(), [])

    def test_entries_are_searched_and_put_in_order(self):
        self.add(note="Dear", cost="300", hours="1")
        self.add(note="100% cheap", cost="20", hours="9")
        self.assertEqual([row["note"] for row in self.log.entries(order="cost")], ["Dear", "100% cheap"])
        self.assertEqual([row["note"] for row in self.log.entries(order="hours")], ["100% cheap", "Dear"])
        self.assertEqual([row["note"] for row in self.log.entries("100%")], ["100% cheap"])
        self.assertIn("Nothing fits", self.browser.get(q="balloon")[1])

    def test_all_of_it_is_exported(self):
        self.add(note="=1+1")
        status, table = self.browser.get("/entries.csv")
        self.assertEqual(status, "200")
        self.assertEqual(table.splitlines()[0].split(",")[:4], ["Day", settings.KIND, "Hours", "Cost"])
        self.assertIn("'=1+1", table)

    def test_what_is_written_is_shown_as_text(self):
        self.add(note="<b>bold</b>")
        self.assertIn("&lt;b&gt;", self.browser.get()[1])
        self.assertNotIn("<b>bold", self.browser.get()[1])

    def test_other_pages_cannot_write(self):
        status, _ = self.browser.visit("POST", "/add", b"day=2026-01-02", HTTP_SEC_FETCH_SITE="cross-site")
        self.assertEqual(status, "403")

    def test_a_field_that_was_added_later_is_there(self):
        page = self.browser.get()[1]
        for name in settings.EXTRA:
            self.assertIn(f">{name}</label>", page)


@unittest.skipUnless(DECIDED, "nobody was asked how the kind is given")
class Decided(AppTest):
    """What was decided about how the kind is given: what the page shows is held against the words of the decision."""

    def setUp(self):
        super().setUp()
        self.decision = Decision(DECIDED)
        self.page = self.browser.get()[1]
        chooser = re.search(r'<select id="kind".*?</select>', self.page, re.DOTALL)
        self.offered = [unescape(each) for each in re.findall('<option value="([^"]*)"', chooser[0])] if chooser else []

    def test_decided_from_a_list_or_as_free_text(self):
        if self.decision.free:
            self.assertRegex(self.page, '<input id="kind"(?![^>]* list=)')
            self.assertEqual(self.offered, [])
        else:
            self.assertNotIn('<input id="kind"', self.page)
            self.assertTrue(self.offered)

    def test_decided_what_is_on_the_list(self):
        self.assertEqual(self.decision.missing(self.offered), [], f"{DECIDED!r}, and offered is {self.offered}")
        self.assertEqual(self.decision.unasked(BUILT), [], f"{DECIDED!r}, and built with {BUILT}")
        self.assertLessEqual(set(BUILT), set(self.offered))

    def test_decided_what_else_may_be_given(self):
        takes = self.decision.free or self.decision.other
        sent = {"kind": "Something unheard of"}
        if not self.decision.free and takes:
            sent = {"kind": pages.OTHER, "other": "Something unheard of"}
        self.assertEqual(self.add(**sent)[0], "303" if takes else "400")
        self.assertEqual("Something unheard of" in self.log.kinds(), takes)


class SignIn(AppTest):
    signs_in = True

    def test_the_first_one_chooses_the_password_and_it_is_asked_for_from_then_on(self):
        self.assertEqual(self.browser.get()[0], "401")
        self.assertEqual(self.browser.post("/sign-in", password="short")[0], "400")
        self.assertEqual(self.browser.post("/sign-in", password="long enough")[0], "303")
        self.assertEqual(self.browser.get()[0], "200")
        stranger = Browser(self.browser.app)
        self.assertEqual(stranger.get("/entries.csv")[0], "401")
        self.assertEqual(stranger.post("/sign-in", password="another one")[0], "401")
        self.assertEqual(stranger.post("/add", day="2026-01-02", kind="x")[0], "401")
        self.assertEqual(stranger.post("/sign-in", password="long enough")[0], "303")
        self.browser.post("/sign-out")
        self.assertEqual(self.browser.get()[0], "401")


if __name__ == "__main__":
    unittest.main()
