import io
import unittest
from html import escape

from app import TITLE, Book, make_app


class GuestBook(unittest.TestCase):
    def setUp(self):
        self.app = make_app(Book(":memory:"))

    def visit(self, body=b"", path="/"):
        environ = {"REQUEST_METHOD": "POST" if body else "GET", "PATH_INFO": path, "CONTENT_LENGTH": str(len(body))}
        environ["wsgi.input"] = io.BytesIO(body)
        return b"".join(self.app(environ, lambda status, headers: None)).decode()

    def test_its_title_is_its_heading(self):
        self.assertIn(f"<h1>{escape(TITLE)}</h1>", self.visit())
        self.assertIn(f"<title>{escape(TITLE)}</title>", self.visit())

    def test_an_empty_book_has_no_guests(self):
        self.assertIn("<ul></ul>", self.visit())

    def test_who_signs_is_in_it_and_can_be_deleted(self):
        self.visit(b"name=Ana&words=Lovely")
        self.assertIn("<b>Ana</b>", self.visit())
        self.assertIn("Lovely", self.visit())
        self.visit(b"id=1", "/delete")
        self.assertNotIn("Ana", self.visit())

    def test_a_name_is_shown_as_text(self):
        self.visit(b"name=%3Cb%3E")
        self.assertIn("&lt;b&gt;", self.visit())

    def test_nobody_signs_without_a_name(self):
        self.visit(b"name=+&words=x")
        self.assertIn("<ul></ul>", self.visit())


if __name__ == "__main__":
    unittest.main()
