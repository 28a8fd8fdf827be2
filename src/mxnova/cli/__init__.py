# SPDX-License-Identifier: Apache-2.0
"""The command line: ``mxnova inspect``, ``mxnova predict``, ``mxnova run``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..core.base.errors import MXNetError

__all__ = ["app", "main"]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Looks into MXNet's files, runs its models and its scripts.",
)


@app.command()
def inspect(
    files: Annotated[
        list[Path], typer.Argument(help=".params, symbol .json, .rec, .states files.")
    ],
    stats: Annotated[bool, typer.Option(help="Also minimum, maximum and mean of arrays.")] = False,
    nodes: Annotated[bool, typer.Option(help="Also a table of a symbol's nodes.")] = False,
) -> None:
    """Shows what is in files, without loading the runtime."""
    from .inspect import show

    console = Console()
    for path in files:
        show(console, path, stats=stats, nodes=nodes)


@app.command()
def predict(
    prefix: Annotated[str, typer.Argument(help="Files PREFIX-symbol.json, PREFIX-0000.params.")],
    inputs: Annotated[
        list[str], typer.Option("--input", "-i", help="NAME=FILE: .npy, .npz or an image.")
    ],
    epoch: Annotated[int, typer.Option(help="Number of the .params file.")] = 0,
    size: Annotated[str | None, typer.Option(help="Images: resize to HEIGHTxWIDTH.")] = None,
    mean: Annotated[str, typer.Option(help="Images: subtract, one number or R,G,B.")] = "0",
    scale: Annotated[float, typer.Option(help="Images: multiply after subtracting.")] = 1.0,
    bgr: Annotated[
        bool, typer.Option(help="Images: channels in the order blue, green, red.")
    ] = False,
    top: Annotated[int, typer.Option(help="How many of the largest scores to show.")] = 5,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the outputs to an .npz file.")
    ] = None,
) -> None:
    """Runs a saved model on files."""
    from .predict import Picture, run

    picture = Picture.of(size, mean, scale, bgr)
    run(Console(), prefix, epoch, inputs, picture, top, output)


@app.command("run", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def run_script(
    context: typer.Context,
    script: Annotated[Path, typer.Argument(help="A Python file that says `import mxnet`.")],
) -> None:
    """Runs a script written for MXNet, unmodified; what follows it are its arguments."""
    import runpy

    from .. import as_mxnet  # noqa: F401 - makes `import mxnet` find mxnova

    if not script.is_file():
        raise typer.BadParameter(f"{script} is not a file")
    sys.argv = [str(script), *context.args]
    sys.path.insert(0, str(script.resolve().parent))
    runpy.run_path(str(script), run_name="__main__")


def main() -> None:
    """Entry point: bad files and arguments end in one line on standard error and status 1."""
    try:
        app()
    except (MXNetError, OSError) as error:
        Console(stderr=True).print(f"[bold red]error:[/] {error}", highlight=False, soft_wrap=True)
        sys.exit(1)
