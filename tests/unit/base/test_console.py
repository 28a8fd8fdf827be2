# SPDX-License-Identifier: Apache-2.0
import io
import logging
import sys
import warnings

import pytest

from mxnova.core.base.console import escape_output, open_console
from mxnova.core.base.printable import escape_record
from mxnova.core.base.progress import progress
from mxnova.core.base.user_warnings import warn_user
from tests.hostile_names import SEQUENCES, is_quiet


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_escape_output_shows_control_characters(monkeypatch, sequence):
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with escape_output():
        print(f"a{sequence}b")
        sys.stderr.writelines([f"c{sequence}d", "\n"])
        logging.lastResort.emit(logging.makeLogRecord({"msg": f"e{sequence}f"}))
    assert (sys.stdout, sys.stderr) == (out, err)
    for text in (out.getvalue(), err.getvalue()):
        assert is_quiet(text)
        assert text.endswith("\n")


def test_escape_output_leaves_text_lines_and_tabs(capsys):
    with escape_output():
        assert print("ümlaut 名前 [red] \\x1b\tx\ny") is None
        assert not sys.stdout.isatty()
    assert capsys.readouterr().out == "ümlaut 名前 [red] \\x1b\tx\ny\n"


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_console_keeps_its_own_colors_only(monkeypatch, sequence):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", Terminal())
    stream = sys.stdout
    with escape_output():
        open_console(width=200).print(f"a{sequence}b", style="bold", markup=False, highlight=False)
    text = stream.getvalue()
    assert text.startswith("\x1b[1m")
    inner = text.removeprefix("\x1b[1m").replace("\x1b[0m", "").replace("\x1b[1m", "")
    assert is_quiet(inner)


def test_progress_shows_hostile_texts_as_they_are(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    stream = sys.stderr
    with escape_output(), progress() as tell:
        tell("read [/] [red]x \x1b]0;title\x07 \x1b[95;7m")
    text = stream.getvalue()
    assert "read [/] [red]x" in text
    assert not {"\x1b]0;", "\x07", "\x1b[95;7m"} & {s for s in SEQUENCES if s in text}
    assert "\x1b]" not in text and "\x1b[95;7m" not in text


def test_log_records_are_escaped(caplog):
    try:
        raise ValueError("text \x1b[2J")
    except ValueError:
        logging.getLogger("mxnova").exception("model %s: %d", "x\x1b]0;t\x07\u202e", 3)
    (record,) = caplog.records
    assert record.getMessage() == "model x\\x1b]0;t\\x07\\u202e: 3"
    assert is_quiet(logging.Formatter().format(record))
    assert escape_record(record)


def test_warnings_are_escaped():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_user("node \x1b[2J\x9b", RuntimeWarning)
    assert str(caught[0].message) == "node \\x1b[2J\\x9b"
