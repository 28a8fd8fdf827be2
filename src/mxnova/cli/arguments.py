# SPDX-License-Identifier: Apache-2.0
"""The command-line arguments of ``mxnova``."""

from __future__ import annotations

import argparse
import sys
from argparse import BooleanOptionalAction
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import mxnova

from ..core.base.printable import printable
from .conversion_options import add_compile, add_convert, add_diff, add_verify
from .launch_options import add_launch
from .open_options import add_open
from .prediction_options import add_predict
from .quantize_options import add_quantize
from .record_options import add_im2rec, add_rec2idx
from .serve_options import add_serve

__all__ = ["parse"]

_Program = tuple[str | None, str | None, list[str]]  # script or module, and its arguments


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The options; `command` names the command, and `act(options)` does it, but for ``run``."""
    argv, program = _without_program(list(argv))
    parser = _parser()
    if not argv:
        parser.print_help(sys.stderr)
        parser.exit(2)
    options = parser.parse_args(argv)
    if options.command == "run":
        options.script, options.module, options.args = program or (None, None, [])
        if program is None:
            options.parser.error("which script? mxnova run SCRIPT, or mxnova run -m MODULE")
    return options


def _without_program(argv: list[str]) -> tuple[list[str], _Program | None]:
    """Cuts off what stands behind ``run``'s own options: the program, and options of its own."""
    if argv[:1] != ["run"]:
        return argv, None
    for i in range(1, len(argv)):
        word = argv[i]
        if word == "-m" and i + 1 < len(argv):
            return argv[:i], (None, argv[i + 1], argv[i + 2 :])
        if word.startswith("-m") and len(word) > 2:
            return argv[:i], (None, word[2:], argv[i + 1 :])
        if word == "-" or not word.startswith("-"):
            return argv[:i], (word, None, argv[i + 1 :])
    return argv, None


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong."""

    is_intermixed = False  # whether options may stand between positional arguments

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {printable(message)} (see {self.prog} --help)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Argparse's, or, once, that for intermixed arguments, which calls this one."""
        if not self.is_intermixed:
            return super().parse_known_args(args, namespace)
        self.is_intermixed = False
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self.is_intermixed = True


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="mxnova", description="Looks into MXNet's files, runs its models and its scripts."
    )
    parser.add_argument("--version", action="version", version=f"mxnova {mxnova.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _inspect(_command(commands, "inspect", "show what is in files, without loading PyTorch"))
    add_open(_command(commands, "open", "show what is in a model's archive or folder, or save it"))
    add_diff(_command(commands, "diff", "compare the arrays of two checkpoints"))
    add_predict(_command(commands, "predict", "run a saved model on files"))
    add_serve(_command(commands, "serve", "answer requests for models over HTTP"))
    _plot(_command(commands, "plot", "print the layers of a saved network, or draw them"))
    add_convert(_command(commands, "convert", "turn a model into files of other programs, or back"))
    add_compile(_command(commands, "compile", "make one file of a model, run without PyTorch"))
    add_quantize(_command(commands, "quantize", "make a model compute with 8-bit integers"))
    add_verify(_command(commands, "verify", "compare what two models compute, node by node"))
    _export(_command(commands, "export-onnx", "write a saved model as an ONNX file (see convert)"))
    _import(_command(commands, "import-onnx", "save an ONNX file as a model (see convert)"))
    _run(_command(commands, "run", "run a script written for MXNet, unmodified"))
    add_launch(_command(commands, "launch", "run a command in many processes, as distributed jobs"))
    _alias(_command(commands, "alias", "let every Python program here `import mxnet`"))
    _capi(_command(commands, "capi", "make libmxnet.so, MXNet's interface to C and C++"))
    add_im2rec(_command(commands, "im2rec", "make lists of images, and record files of them"))
    add_rec2idx(_command(commands, "rec2idx", "make the index of a record file"))
    return parser


def _command(commands: argparse._SubParsersAction[_Parser], name: str, text: str) -> _Parser:
    parser = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    parser.set_defaults(parser=parser)
    return parser


def _inspect(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE",
        help=".params, symbol .json, .rec, .states, .safetensors, .onnx, .pt2, the prefix of a "
        "checkpoint, or a folder of checkpoints of many workers")  # fmt: skip
    add("--epoch", type=int, help="of a checkpoint (default: the newest)")
    add("--stats", action=BooleanOptionalAction, help="also minimum, maximum and mean of arrays")
    add("--nodes", action=BooleanOptionalAction, help="also a table of a model's nodes")
    add("--json", action="store_true", help="one JSON object a file, each on a line")
    parser.set_defaults(act=_act_inspect)


def _act_inspect(options: argparse.Namespace) -> None:
    from .inspect import describe, files_of
    from .report import show

    for path in (file for name in options.files for file in files_of(name, options.epoch)):
        show(describe(path, stats=options.stats, nodes=options.nodes), as_json=options.json)


def _checkpoint(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments that name a saved model."""
    parser.add_argument("prefix", help="files PREFIX-symbol.json and PREFIX-0000.params")
    parser.add_argument(
        "--epoch", type=int, help="number of the .params file (default: the newest)"
    )


def _plot(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", type=Path, metavar="SYMBOL.json")
    add("-s", "--shape", action="append", default=[], metavar="NAME=SIZES",
        help="shape of an input, such as data=1,3,224,224")  # fmt: skip
    add("-o", "--output", type=Path, metavar="FILE",
        help="draw into a file (.pdf, .png, .svg, .dot) instead of printing a table")  # fmt: skip
    add("--weights", action=BooleanOptionalAction, default=False, help="draw weights, too")
    parser.set_defaults(act=_act_plot)


def _act_plot(options: argparse.Namespace) -> None:
    from .plot import plot

    plot(options)


def _export(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    _checkpoint(parser)
    add("-s", "--shape", action="append", required=True, metavar="NAME=SIZES",
        help="shape of an input, such as data=1,3,224,224; a word, as N: any size")  # fmt: skip
    add("--dtype", default="float32", help="element type of the inputs (default: float32)")
    add("-o", "--output", type=Path, metavar="FILE", help="default: PREFIX.onnx")
    parser.set_defaults(act=_act_export)


def _act_export(options: argparse.Namespace) -> None:
    from .export_onnx import export

    export(options)


def _import(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", type=Path, metavar="FILE.onnx")
    add("prefix", help="files PREFIX-symbol.json and PREFIX-0000.params to write")
    add("-s", "--shape", action="append", default=[], metavar="NAME=SIZES",
        help="shape of an input, instead of the file's; a word, as N: any size")  # fmt: skip
    add("--epoch", type=int, default=0, help="number of the .params file (default: 0)")
    parser.set_defaults(act=_act_import)


def _act_import(options: argparse.Namespace) -> None:
    from .import_onnx import import_

    import_(options)


def _run(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "mxnova run [-h] [--no-numpy-names] [--numpy-compat] (SCRIPT | - | -m MODULE) "
        "[ARGUMENT ...]"
    )
    parser.epilog = (
        "As `python SCRIPT ARGUMENT ...`, with a `mxnet` to import that is mxnova, in child "
        "processes too. Tracebacks leave out what is inside mxnova; MXNOVA_TRACEBACK=full shows "
        "it."
    )
    parser.add_argument(
        "--numpy-names",
        action=BooleanOptionalAction,
        default=True,
        help="give NumPy the names that it dropped, such as np.float (default: yes)",
    )
    parser.add_argument(
        "--numpy-compat",
        action="store_true",
        help="let arrays of asnumpy() be numbers where they have one element, and "
        "np.array(copy=False) copy where it must, as NumPy did before 2.0",
    )


def _alias(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        choices=("install", "remove", "status"),
        help="put a package `mxnet` that is mxnova into this environment, take it away, or say "
        "what is there",
    )
    parser.set_defaults(act=_act_alias)


def _capi(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("build",), help="make the library and its headers")
    parser.add_argument("--out", type=Path, default=Path("mxnet-capi"), metavar="DIR",
        help="the folder for lib and include (default: mxnet-capi)")  # fmt: skip
    parser.set_defaults(act=_act_capi)


def _act_capi(options: argparse.Namespace) -> None:
    from ..capi.build import build

    built = build(options.out)
    sys.stdout.write(printable(f"{built.library}\nlink with: {built.links}\n", keep="\n"))


def _act_alias(options: argparse.Namespace) -> None:
    from . import alias

    getattr(alias, options.what)()
