# SPDX-License-Identifier: Apache-2.0
"""Commands as click has them, with what click lacks: help of arguments, groups, examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
from click.shell_completion import CompletionItem

__all__ = ["COMMANDS", "FILE", "PATH", "Argument", "Command", "Count", "Model", "Option", "Words"]

COMMANDS = {
    "inspect": "show the contents of files, without loading PyTorch",
    "open": "show the model in an archive or folder, or save it",
    "diff": "compare the arrays of two checkpoints",
    "predict": "run a saved model on files",
    "serve": "serve models over HTTP",
    "plot": "print or draw the layers of a saved network",
    "view": "show a model in a browser with Netron",
    "convert": "convert a model to or from other formats, and check the result",
    "compile": "compile a model into one file that runs without PyTorch",
    "quantize": "quantize a model to 8-bit integers, and measure its accuracy",
    "verify": "compare the outputs of two models, node by node",
    "export-onnx": "write a saved model as an ONNX file (see convert)",
    "import-onnx": "convert an ONNX file to a saved model (see convert)",
    "run": "run an unmodified script written for MXNet",
    "launch": "run a command in several processes, as a distributed job",
    "download": "download pretrained weights and data sets by name",
    "alias": "make `import mxnet` work in this Python environment",
    "capi": "build libmxnet.so, MXNet's interface for C and C++",
    "im2rec": "create image lists and record files",
    "check": "report what in a script for MXNet works differently here or not at all",
    "rec2idx": "create the index of a record file",
    "doctor": "report versions, hardware, backends and settings, and find faults",
    "completion": "print the completion script of a shell",
    "help": "show the options of a command, with examples",
}
"""What each command does; its options are `options.NAME.command`."""

FILE = click.Path(path_type=Path)  # whether it is there is for the command to say
PATH = click.Path()  # a text, such as the prefix of files


class Words(click.types.StringParamType):
    """A text that shells complete to one of some words; others are for the command to refuse."""

    def __init__(self, words: Callable[[], Iterable[str]]) -> None:
        self.words = words

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The words that begin so."""
        return [CompletionItem(word) for word in self.words() if word.startswith(incomplete)]


class Count(click.IntRange):
    """An integer that is not less than `low`."""

    def __init__(self, low: int) -> None:
        super().__init__(low)
        self.low = low

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """The number, which a text says."""
        number: int = click.INT.convert(value, param, ctx)
        if number < self.low:
            self.fail(f"must be at least {self.low}, not {number}", param, ctx)
        return number


class Option(click.Option):
    """An option, under the heading `group` in the help."""

    def __init__(self, *names: str, group: str = "Options", **facts: Any) -> None:
        super().__init__(names, **facts)
        self.group = group

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """What errors call it."""
        return "/".join([*self.opts, *self.secondary_opts])


class Argument(click.Argument):
    """An argument that the help explains."""

    def __init__(self, name: str, explained: str = "", **facts: Any) -> None:
        super().__init__([name], **facts)
        self.explained = explained

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """What errors call it."""
        return (self.name or "").upper()


class Model(Argument):
    """A model, which must be there and begin as its files do before the command is imported.

    Args:
        name: of the option.
        more: kinds of files that the command takes beside those that all take.
        **facts: of `Argument`.
    """

    def __init__(self, name: str, more: str = "", **facts: Any) -> None:
        text = f"checkpoint (its prefix or a file), archive or folder (see open), .onnx{more}"
        super().__init__(name, **{"explained": text, "type": PATH, **facts})


class Command(click.Command):
    """A command: its parameters, and where the function is that does it.

    Args:
        name: one of `COMMANDS`.
        act: ``module:function`` below `mxnova.cli`, which is imported to be called.
        params: arguments and options.
        examples: command lines that work as they are written.
        failed: the status of errors.
        check: says why options do not go together, if they do not.
        **facts: of `click.Command`.
    """

    def __init__(
        self,
        name: str,
        act: str,
        params: Sequence[click.Parameter],
        examples: Sequence[str],
        *,
        failed: int = 1,
        check: Callable[[SimpleNamespace], str | None] | None = None,
        **facts: Any,
    ) -> None:
        text = COMMANDS[name]
        sentence = f"{text[0].upper()}{text[1:]}."
        super().__init__(
            name,
            params=list(params),
            help=sentence,
            short_help=text,
            **facts,
        )
        self.act, self.examples, self.failed = act, examples, failed
        self.check = check
        self.models = [param.name or "" for param in params if isinstance(param, Model)]

    def invoke(self, ctx: click.Context) -> SimpleNamespace:
        """The options, with what does the command; it is not done yet."""
        options = SimpleNamespace(**ctx.params, command=self.name, failed=self.failed)
        if self.check is not None and (text := self.check(options)) is not None:
            ctx.fail(text)
        options.act = self._act
        return options

    def _act(self, options: SimpleNamespace) -> Any:
        if self.models:
            from .models import check_models  # imports NumPy

            check_models(options, self.models)
        module, _, function = self.act.partition(":")
        return getattr(import_module(f".{module}", __package__), function)(options)

    # Help -----------------------------------------------------------------------------------------

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As the other lines of mxnova begin: with a small letter."""
        words = " ".join(self.collect_usage_pieces(ctx))
        formatter.write_usage(ctx.command_path, words, prefix="usage: ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Arguments, then options, by their groups."""
        arguments = [
            (param.make_metavar(ctx), param.explained)
            for param in self.params
            if isinstance(param, Argument) and param.explained
        ]
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": arguments, "Options": []}
        for param in self.get_params(ctx):
            if isinstance(param, click.Argument):
                continue
            if (record := param.get_help_record(ctx)) is not None:
                groups.setdefault(getattr(param, "group", "Options"), []).append(record)
        for title, rows in groups.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What else there is to know, and examples, which are not broken into lines."""
        super().format_epilog(ctx, formatter)
        if self.examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in self.examples))
