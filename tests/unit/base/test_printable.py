# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.core.base.errors import FormatError, MXNetError, UnknownNameError
from mxnova.core.base.printable import printable


@pytest.mark.parametrize(
    "text, shown",
    [
        ("conv0_weight", "conv0_weight"),
        ("Größe 名前 🙂", "Größe 名前 🙂"),
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b2J", r"\x9b2J"),
        ("a\r\n\tb\0", r"a\r\n\tb\x00"),
        ("\u202etxt\u2066", r"\u202etxt\u2066"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
        ("[red]", "[red]"),
        ("C:\\x", "C:\\x"),
    ],
)
def test_what_a_terminal_obeys_is_escaped(text, shown):
    assert printable(text) == shown


def test_every_character_comes_out_printable():
    everything = "".join(map(chr, range(0x110000)))
    assert printable(everything).isprintable()


@pytest.mark.parametrize("kind", [MXNetError, FormatError, UnknownNameError])
def test_texts_of_errors_are_printable_lines(kind):
    error = kind("node '\x1b]0;x\x07\ud800'\nsecond line")
    assert str(error) == "node '\\x1b]0;x\\x07\\ud800'\nsecond line"
    assert error.args[0].startswith("node '\x1b")
