# SPDX-License-Identifier: Apache-2.0
"""Runs pages, each in a fork of one process that has imported mxnova, in a folder of its own.

``python -m tests.pages.runner`` takes lines of JSON, ``{"page": …, "folder": …}``, and answers with
one for each: ``{"failed": …}``, what went wrong or null.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import io
import json
import os
import runpy
import shlex
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.ports import free_port
from tests.warm_commands import warm_up

from .output import NumbersChecker, same_output
from .page import ROOT, Block, Page

SECONDS = 240  # of a page
TESTED_ELSEWHERE = ("alias", "doctor")  # commands of mxnova about the environment


class PageError(Exception):
    """A block does not do what the page says."""


class Run:
    """A page that runs: the names its programs have made, and the servers that it has started."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.port = free_port()
        self.servers: list[subprocess.Popen[str]] = []

    def everything(self) -> None:
        """Runs all blocks in their order.

        Raises:
            PageError: one fails, or prints something else.
        """
        try:
            for block in self.page.runnable():
                self._one(block)
        finally:
            for server in self.servers:
                server.send_signal(signal.SIGTERM)
                server.communicate(timeout=60)
        if any(server.returncode for server in self.servers):
            raise PageError("a server did not end well")

    def _one(self, block: Block) -> None:
        printed = io.StringIO()
        ways = {"python": self._python, "pycon": self._session, "sh": self._commands}
        try:
            with contextlib.redirect_stdout(printed):
                ways[block.language](block)
        except (Exception, SystemExit):  # noqa: BLE001 - whatever a reader would see
            where = f"{self.page.name}, line {block.line}"
            raise PageError(f"{where}:\n{printed.getvalue()}{traceback.format_exc()}") from None
        if block.printed is not None and not same_output(block.printed, printed.getvalue()):
            raise PageError(
                f"{self.page.name}, line {block.line} prints\n{printed.getvalue()}\n"
                f"instead of\n{block.printed}"
            )

    def _python(self, block: Block) -> None:
        text = block.text.replace("8080", str(self.port))
        if block.file_name is not None:
            Path(block.file_name).write_text(text, "utf-8")
        elif not block.is_part:
            code = compile("\n" * block.line + text, self.page.name, "exec", dont_inherit=True)
            exec(code, self.names)

    def _session(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(block.text, self.names, self.page.name, None, 0)
        report = io.StringIO()
        runner = doctest.DocTestRunner(checker=NumbersChecker(), verbose=False)
        if runner.run(test, out=report.write, clear_globs=False).failed:
            raise PageError(report.getvalue())
        self.names.update(test.globs)

    def _commands(self, block: Block) -> None:
        text = block.text.replace("\\\n", " ").replace("8080", str(self.port))
        for line in text.splitlines():
            words = shlex.split(line, comments=True)
            if words:
                self._command(words)

    def _command(self, words: Sequence[str]) -> None:
        program, *arguments = words
        if not is_run(words):
            return
        if words[:2] == ["mxnova", "serve"]:
            self.servers.append(_served(arguments))
        elif program == "mxnova" and arguments[0] not in ("launch", "run"):
            _in_this_process("mxnova", arguments)
        elif program == "python" and arguments[0].endswith(".py"):
            with _argv(arguments):
                runpy.run_path(arguments[0], run_name="__main__")
        else:
            _in_another_process(words)


def is_run(words: Sequence[str]) -> bool:
    """Whether a command of a page is run; of others a test sees that they exist."""
    program, *arguments = words
    if program == "mxnova":
        return arguments[0] not in TESTED_ELSEWHERE and "-m" not in arguments
    if program == "python":
        return "-m" not in arguments and not arguments[0].startswith("scripts/")
    return program in ("cat", "cp", "ls", "mkdir")


@contextlib.contextmanager
def _argv(words: Sequence[str]) -> Iterator[None]:
    before, sys.argv = sys.argv, list(words)
    try:
        yield
    finally:
        sys.argv = before


def _in_this_process(program: str, arguments: Sequence[str]) -> None:
    from mxnova.cli import main

    said = io.StringIO()
    with _argv([program, *arguments]), contextlib.redirect_stderr(said):
        try:
            status = main()
        except SystemExit as end:
            status = end.code
    if status:
        raise PageError(f"{shlex.join([program, *arguments])}: status {status}\n{said.getvalue()}")


def _in_another_process(words: Sequence[str]) -> None:
    command = [sys.executable, "-m", *words] if words[0] == "mxnova" else words
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    print(done.stdout, end="")
    if done.returncode:
        raise PageError(f"{shlex.join(words)}: status {done.returncode}\n{done.stderr}")


def _served(arguments: Sequence[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "mxnova", *arguments]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    first = server.stdout.readline()
    if not first.startswith("serving "):
        raise PageError(f"{shlex.join(command)} says {first!r}")
    return server


def missing_packages(page: Page) -> list[str]:
    """Packages that a page needs and this environment lacks."""
    return [name for name in page.needs if importlib.util.find_spec(name) is None]


def _child(page: str, folder: str, report: Path) -> None:
    """Runs a page and writes what failed, if anything, to `report`."""
    signal.alarm(SECONDS)
    os.chdir(folder)
    sys.path.insert(0, folder)
    try:
        Run(Page(ROOT / page)).everything()
    except PageError as error:
        report.write_text(str(error), "utf-8")


def _forked(page: str, folder: str) -> str | None:
    report = Path(folder).with_suffix(".failed")
    child = os.fork()
    if child == 0:
        status = 1
        with contextlib.suppress(BaseException):  # nothing may return into the parent's loop
            try:
                _child(page, folder, report)
                status = 0
            except BaseException:
                report.write_text(traceback.format_exc(), "utf-8")
                raise
        os._exit(status)
    _, status = os.waitpid(child, 0)
    if report.exists():
        return report.read_text("utf-8")
    return f"{page}: its process ended with status {status}" if status else None


def main() -> None:
    """Answers requests on standard input."""
    warm_up()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what programs print beside sys.stdout
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    path = [str(ROOT / "src"), str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, path))
    for line in sys.stdin:
        request = json.loads(line)
        began = time.perf_counter()
        failed = _forked(request["page"], request["folder"])
        answer = {"failed": failed, "seconds": time.perf_counter() - began}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
