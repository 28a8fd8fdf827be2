# SPDX-License-Identifier: Apache-2.0
from html.parser import HTMLParser

from mxnova.core.base.html import escaped, fact_table, table

HOSTILE = "<script>alert(1)</script>\x1b[2J&\u202e"


class Text(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text.append(data)


def test_text_cannot_become_markup():
    assert escaped(HOSTILE) == "&lt;script&gt;alert(1)&lt;/script&gt;\\x1b[2J&amp;\\u202e"
    for html in (
        table(HOSTILE, [HOSTILE], [[HOSTILE]], HOSTILE),
        fact_table("", {HOSTILE: HOSTILE}),
    ):
        assert "script" not in Text(html).tags
        assert "\x1b" not in html


def test_tables_have_a_cell_for_each_value():
    html = table("about", ["a", "b"], [["x", 12345], ["y", 0.5]], "all of it")
    assert Text(html).text == ["about", "a", "b", "x", "12,345", "y", "0.5", "all of it"]
    assert Text(fact_table("about", {"rate": 0.1})).text == ["about", "rate", "0.1"]
