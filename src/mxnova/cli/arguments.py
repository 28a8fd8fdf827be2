# SPDX-License-Identifier: Apache-2.0
"""The command-line arguments of ``mxnova``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any, NoReturn

import click

import mxnova

from ..core.base.errors import candidates
from ..core.base.printable import printable
from .command import COMMANDS, Command

__all__ = ["COMPLETION_VARIABLE", "PROGRAM", "parse"]

COMPLETION_VARIABLE = "_MXNOVA_COMPLETE"  # by which a shell asks for completions
_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _Program(click.Group):
    """The commands, each of which is imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = f"{__package__}.options.{cmd_name.replace('-', '_')}"
        command: Command = import_module(module).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        known = name in COMMANDS or name.startswith("-")
        if not known and not ctx.resilient_parsing:  # a shell that completes wants no errors
            hint = candidates(name, [*COMMANDS, "--version"])
            raise click.UsageError(f"no command {name!r}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage("mxnova", "COMMAND [OPTIONS] ...", prefix="usage: ")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        found = [CompletionItem(n, help=COMMANDS[n]) for n in COMMANDS if n.startswith(incomplete)]
        return found or click.Command.shell_complete(self, ctx, incomplete)


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"mxnova {mxnova.__version__}")
        ctx.exit()


PROGRAM = _Program(
    "mxnova",
    help="Looks into MXNet's files, runs its models and its scripts.",
    epilog="`mxnova COMMAND --help` shows options and examples.",
    context_settings=_SETTINGS,
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="Show the version and exit.",
        )
    ],
)


def parse(argv: Sequence[str]) -> SimpleNamespace:
    """The options; `command` names the command, and `act(options)` does it.

    Raises:
        SystemExit: they cannot be used, which was told; or help was asked for, and shown.
    """
    if COMPLETION_VARIABLE in os.environ:
        _complete()
    try:
        if not argv:
            click.echo(
                PROGRAM.get_help(click.Context(PROGRAM, info_name="mxnova", **_SETTINGS)), err=True
            )
            sys.exit(2)
        with PROGRAM.make_context("mxnova", list(argv)) as context:
            options: SimpleNamespace = PROGRAM.invoke(context)
            return options
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except BrokenPipeError:  # nobody reads the help any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # flushing it at the end fails no more
        sys.exit(1)
    except click.ClickException as error:
        _refuse(error)


def _refuse(error: click.ClickException) -> NoReturn:
    """Tells in one line what is wrong."""
    text = error.format_message()
    context = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption):
        known = [] if context is None else _option_names(context)
        text = f"no option {error.option_name}{candidates(error.option_name, known)}"
    path = "mxnova" if context is None else context.command_path
    line = printable(" ".join(text.split()).removesuffix("."))
    sys.stderr.write(f"error: {line} (see {path} --help)\n")
    sys.exit(2)


def _option_names(context: click.Context) -> list[str]:
    params = context.command.get_params(context)
    return [n for p in params for n in (*p.opts, *p.secondary_opts) if n.startswith("--")]


def _complete() -> NoReturn:
    """Answers a shell that asks what a word may become."""
    from click.shell_completion import shell_complete

    instruction = os.environ[COMPLETION_VARIABLE]
    sys.exit(shell_complete(PROGRAM, {}, "mxnova", COMPLETION_VARIABLE, instruction))
