# SPDX-License-Identifier: Apache-2.0
"""What a stranger does: clones, installs, and follows docs/getting-started.md word for word.

``python -m scripts.stranger`` does so in a new folder and a new environment, command by command as
the page states them. It ends with status 1 if one of them fails or prints something else, or if the
first prediction comes later than ``--limit`` seconds after the start. pip takes packages from where
it is configured to; ``--constraint`` (constraints.txt) keeps their versions.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.pages.output import same_output
from tests.pages.page import ROOT, Block, Page

PAGE = Page(ROOT / "docs" / "getting-started.md")
SESSION = """
import doctest, sys
test = doctest.DocTestParser().get_doctest(open(sys.argv[1]).read(), {}, "page", None, 0)
sys.path.insert(0, "")
sys.exit(doctest.DocTestRunner(verbose=False).run(test).failed > 0)
"""


class Stranger:
    """Someone at a terminal.

    Attributes:
        folder: where they are.
        predicted: seconds from the start to the first prediction.
    """

    def __init__(self, folder: Path, constraint: Path) -> None:
        self.folder = folder
        self.predicted: float | None = None
        self.environ = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRT"))}
        self.environ["PIP_CONSTRAINT"] = str(constraint)
        python = Path(sys.executable).parent
        self.environ["PATH"] = os.pathsep.join([str(python), self.environ["PATH"]])
        self.began = time.monotonic()

    def follow(self, page: Page) -> None:
        """Does what the page says, in its order; sessions of Python are one, as for a reader."""
        blocks = page.runnable()
        session = "".join(block.text for block in blocks if block.language == "pycon")
        for block in blocks:
            if block.language == "sh":
                self.type(block)
            elif block.language == "python" and block.file_name:
                (self.folder / block.file_name).write_text(block.text, "utf-8")
            elif block.language == "pycon" and session:
                self.converse(session)
                session = ""

    def type(self, block: Block) -> None:
        """Runs the lines of a block and compares what they print with what the page says."""
        lines = block.text.replace("\\\n", " ").splitlines()
        printed = "".join(self.run(line) for line in lines)
        if block.printed is not None and not same_output(block.printed, printed):
            sys.exit(f"{PAGE.name}, line {block.line} prints\n{printed}instead of\n{block.printed}")

    def run(self, line: str) -> str:
        """What a command prints."""
        words = shlex.split(line, comments=True)
        if not words:
            return ""
        if words[0] == "source":
            self.activate(self.folder / words[1])
            return ""
        return self.done(line, words)

    def activate(self, script: Path) -> None:
        """As venv's own scripts do: programs of the environment are found first."""
        if os.name == "nt":  # the page says so
            script = script.parents[1] / "Scripts" / "activate"
        if not script.is_file():
            sys.exit(f"{script} is not there")
        self.environ["PATH"] = os.pathsep.join([str(script.parent), self.environ["PATH"]])

    def converse(self, session: str) -> None:
        """Enters a session into Python, which must answer as the page says."""
        path = self.folder / "session.txt"
        path.write_text(session, "utf-8")
        self.done("python, the session", ["python", "-c", SESSION, path.name])

    def done(self, line: str, words: list[str]) -> str:
        """What a program prints, with the time that it took told."""
        began = time.monotonic()
        program = shutil.which(words[0], path=self.environ["PATH"])
        if program is None:
            sys.exit(f"{line}: there is no program {words[0]}")
        done = subprocess.run(
            [program, *words[1:]],
            cwd=self.folder,
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
        )
        now = time.monotonic()
        print(f"{now - self.began:6.1f} s  (+{now - began:5.1f})  {line}", flush=True)
        if done.returncode:
            sys.exit(f"{line}: status {done.returncode}\n{done.stdout}{done.stderr}")
        if words[:2] == ["mxnova", "predict"] and self.predicted is None:
            self.predicted = now - self.began
        return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=180, help="seconds to the first prediction")
    parser.add_argument("--constraint", type=Path, default=ROOT / "constraints.txt")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        stranger = Stranger(Path(scratch), options.constraint.resolve())
        stranger.run(f"git clone --quiet {shlex.quote(ROOT.as_posix())} mxnova")
        stranger.folder /= "mxnova"
        stranger.follow(PAGE)
    if stranger.predicted is None:
        sys.exit(f"{PAGE.name} predicts nothing")
    print(f"first prediction after {stranger.predicted:.0f} s")
    if stranger.predicted > options.limit:
        sys.exit(f"later than {options.limit:.0f} s")


if __name__ == "__main__":
    main()
