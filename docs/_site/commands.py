# SPDX-License-Identifier: Apache-2.0
"""The page of the command line, from the declarations of commands."""

from __future__ import annotations

from collections.abc import Iterator

import click

from mxnova.cli.arguments import PROGRAM
from mxnova.cli.command import COMMANDS, Argument, Command, Option

__all__ = ["page"]

INTRODUCTION = """\
# Command line

`mxnova COMMAND --help` and `mxnova help COMMAND` print what this page lists. Options may stand
before, between or after arguments; those of `run` and `launch` stand before the program that is
run. Everything after `--` is an argument. Results are written to standard output, errors as one
line to standard error. The exit status is 0 after success, 1 after an error or a difference, and
2 if arguments are invalid. `--json` prints one object per line. `mxnova completion bash` (or zsh,
fish) prints a script by which the shell completes commands, options, values and files.
"""


def page() -> str:
    """The whole page."""
    context = click.Context(PROGRAM)
    commands = (PROGRAM.get_command(context, name) for name in COMMANDS)
    return "\n".join([INTRODUCTION, *(_section(c) for c in commands if c is not None)])


def _section(command: Command) -> str:
    blocks = [f"## {command.name}\n", f"{command.help}\n"]
    arguments = [p for p in command.params if isinstance(p, Argument) and p.explained]
    rows = [*map(_argument, arguments), *map(_option, _options(command))]
    if rows:
        blocks += ["| argument or option | meaning |\n|---|---|", *rows, ""]
    if command.epilog:
        blocks.append(f"{_cell(command.epilog)}\n")
    return "\n".join([*blocks, "```console", *(f"$ {line}" for line in command.examples), "```\n"])


def _options(command: Command) -> Iterator[Option]:
    return (param for param in command.params if isinstance(param, Option))


def _argument(param: Argument) -> str:
    return f"| `{_cell(param.metavar or (param.name or '').upper())}` | {_cell(param.explained)} |"


def _option(param: Option) -> str:
    *names, last = [*param.opts, *param.secondary_opts]
    value = "" if param.is_flag else f" {_value(param)}"
    codes = ", ".join(f"`{name}`" for name in (*names, _cell(f"{last}{value}")))
    return f"| {codes} | {_cell(param.help or '')} |"


def _value(param: Option) -> str:
    if isinstance(param.type, click.Choice):
        return param.metavar or " or ".join(map(str, param.type.choices))
    return param.metavar or (param.type.name or "").upper()


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("*_", r"\*_").replace("2**", r"2\*\*")
