# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova serve``."""

from __future__ import annotations

from ..command import FILE, Command, Model, Option
from .shared import preprocessing

command = Command(
    "serve",
    "serve:serve",
    [
        Model("models", explained="what `predict` takes, or a folder with one of these (default: "
              "where SageMaker puts it)", nargs=-1, metavar="[[NAME=]MODEL]..."),
        Option("--host", help="Address to bind to (default: MXNOVA_SERVE_HOST, else 127.0.0.1)."),
        Option("--port", type=int, help="Default: 8080; 0: any that is free."),
        Option("-s", "--shape", multiple=True, metavar="NAME=SIZES", group="Models",
               help="Checkpoints: of an input, such as data=N,3,224,224; a word: any size."),
        Option("--epoch", type=int, group="Models",
               help="Checkpoints: number of the .params file (default: the newest)."),
        Option("--backend", metavar="NAME", group="Models",
               help="Checkpoints: who runs them, see predict."),
        *preprocessing("Models"),
        Option("--model-root", type=FILE, metavar="FOLDER", group="Models",
               help="Clients may load what is in there."),
        Option("--workers", type=int, group="Runs", help="Processes (default: 1)."),
        Option("--threads", type=int, group="Runs",
               help="Of each process, that run models (default: 2)."),
        Option("--max-batch", type=int, group="Runs",
               help="Rows that are run at once (default: 8)."),
        Option("--max-delay", type=float, metavar="SECONDS", group="Runs",
               help="That a request waits for others to share a run (default: 0)."),
        Option("--max-queue", type=int, group="Limits",
               help="Requests that may wait; more get 503 (default: 128)."),
        Option("--max-request-bytes", type=int, group="Limits",
               help="Of a request (default: 64 MiB)."),
        Option("--max-elements", type=int, group="Limits",
               help="Of all inputs of a request (default: 2**26)."),
        Option("--max-pixels", type=int, group="Limits",
               help="Of an image (default: 50,000,000)."),
        Option("--timeout", type=float, metavar="SECONDS", group="Limits",
               help="Of a request (default: 60)."),
        Option("--idle-timeout", type=int, metavar="SECONDS", group="Limits",
               help="Of a connection (default: 20)."),
    ],
    [
        "mxnova serve net -s data=N,3,224,224 --labels synset.txt",
        "mxnova serve cats=cats.mxnova dogs=dogs.mxnova --port 8000 --workers 2",
    ],
)  # fmt: skip
