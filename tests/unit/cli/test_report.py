# SPDX-License-Identifier: Apache-2.0
import re
import sys

from mxnova.cli.report import Report, show

REPORT = Report(
    "[b]file[/b]\x1b[2J",
    "2 rows",
    {"rows": [{"name": "[red]a\x9b", "n": 1000}, {"name": "b"}], "none": [], "total": 1.5},
)


def test_a_pipe_gets_aligned_lines(capsys):
    show(REPORT, as_json=False)
    assert capsys.readouterr().out == (
        "[b]file[/b]\\x1b[2J: 2 rows\nrows\nname            n\n[red]a\\x9b  1,000\nb\ntotal: 1.5\n"
    )


def test_a_terminal_gets_tables_without_markup_or_codes_of_data(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    show(REPORT, as_json=False)
    shown = capsys.readouterr().out
    assert "[red]a\\x9b" in shown
    assert "1,000" in shown
    assert "2J" not in re.sub(r"\\x1b\[2J", "", shown)
    assert "\x9b" not in shown
