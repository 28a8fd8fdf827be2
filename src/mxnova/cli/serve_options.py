# SPDX-License-Identifier: Apache-2.0
"""The options of ``mxnova serve``."""

from __future__ import annotations

import argparse
from pathlib import Path

from .preprocessing_options import add_preprocessing

__all__ = ["add_serve"]


def add_serve(parser: argparse.ArgumentParser) -> None:
    """Adds the options; `act` serves."""
    add = parser.add_argument
    add("models", nargs="*", metavar="[NAME=]MODEL",
        help=".mxnova file, what `open` takes (prefix of a checkpoint, model.tar.gz, .mar), or a "
        "folder with one of these (default: where SageMaker puts it)")  # fmt: skip
    add("--host", help="address to bind to (default: MXNOVA_SERVE_HOST, else 127.0.0.1)")
    add("--port", type=int, help="default: 8080; 0: any that is free")
    group = parser.add_argument_group("models")
    model = group.add_argument
    model("-s", "--shape", action="append", default=[], metavar="NAME=SIZES",
        help="checkpoints: of an input, such as data=N,3,224,224; a word: any size")  # fmt: skip
    model("--epoch", type=int, help="checkpoints: number of the .params file (default: the newest)")
    model("--backend", metavar="NAME", help="checkpoints: who runs them, see predict")
    add_preprocessing(group)
    model("--model-root", type=Path, metavar="FOLDER", help="clients may load what is in there")
    run = parser.add_argument_group("runs").add_argument
    run("--workers", type=int, help="processes (default: 1)")
    run("--threads", type=int, help="of each process, that run models (default: 2)")
    run("--max-batch", type=int, help="rows that are run at once (default: 8)")
    run("--max-delay", type=float, metavar="SECONDS",
        help="that a request waits for others to share a run (default: 0)")  # fmt: skip
    limit = parser.add_argument_group("limits").add_argument
    limit("--max-queue", type=int, help="requests that may wait; more get 503 (default: 128)")
    limit("--max-request-bytes", type=int, help="of a request (default: 64 MiB)")
    limit("--max-elements", type=int, help="of all inputs of a request (default: 2**26)")
    limit("--max-pixels", type=int, help="of an image (default: 50,000,000)")
    limit("--timeout", type=float, metavar="SECONDS", help="of a request (default: 60)")
    limit("--idle-timeout", type=int, metavar="SECONDS", help="of a connection (default: 20)")
    parser.set_defaults(act=_act)


def _act(options: argparse.Namespace) -> None:
    from .serve import serve

    serve(options)
