import unittest
from html.parser import HTMLParser
from pathlib import Path


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


class Page(unittest.TestCase):
    def setUp(self):
        tags = Tags()
        tags.feed(Path(__file__).with_name("index.html").read_text("utf-8"))
        self.found = tags.found

    def test_it_has_a_title_and_one_heading(self):
        names = [tag for tag, _ in self.found]
        self.assertEqual((names.count("title"), names.count("h1")), (1, 1))

    def test_it_says_how_to_get_in_touch(self):
        self.assertTrue(any(attrs.get("href", "").startswith("mailto:") for _, attrs in self.found))

    def test_it_loads_nothing_from_elsewhere(self):
        self.assertFalse([attrs["src"] for _, attrs in self.found if "src" in attrs])


if __name__ == "__main__":
    unittest.main()
