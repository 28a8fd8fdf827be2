# SPDX-License-Identifier: Apache-2.0
"""Help and errors of ``mxnova run``; with a program to run, `program` reads the options."""

from __future__ import annotations

from types import SimpleNamespace

import click

from ..command import PATH, Argument, Command, Option
from ..program import FLAGS, without_program


class _Run(Command):
    """What stands behind the options is the program's, whatever it looks like."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words, _ = without_program(args)
        return super().parse_args(ctx, words)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return ["[OPTIONS] (SCRIPT | - | -m MODULE) [ARGUMENT ...]"]


def _check(options: SimpleNamespace) -> str:
    return "which script? mxnova run SCRIPT, or mxnova run -m MODULE"


command = _Run(
    "run",
    "run:run",
    [
        Option(f"--{name}/--no-{name}", default=default, help=text)
        for name, (default, text) in FLAGS.items()
    ]
    + [Argument("program", type=PATH, nargs=-1)],  # for shells that complete it
    [
        "mxnova run train.py --epochs 3",
        "mxnova run --numpy-compat -m package.train",
    ],
    check=_check,
    epilog="The script runs as by `python SCRIPT ARGUMENT ...`, but `import mxnet` imports "
    "mxnova, in child processes too. Tracebacks leave out frames inside mxnova; "
    "MXNOVA_TRACEBACK=full shows them.",
)
