# SPDX-License-Identifier: Apache-2.0
"""Options of ``mxnova serve``."""

from __future__ import annotations

from ..command import FILE, Command, Model, Option
from .shared import preprocessing

command = Command(
    "serve",
    "serve:serve",
    [
        Model("models", explained="model as for `predict`, or a folder that contains one "
              "(default: SageMaker's folder)", nargs=-1, metavar="[[NAME=]MODEL]..."),
        Option("--host", help="Address to listen on (default: MXNOVA_SERVE_HOST, else 127.0.0.1)."),
        Option("--port", type=int, help="Port to listen on; 0 selects a free one (default: 8080)."),
        Option("-s", "--shape", multiple=True, metavar="NAME=SIZES", group="Models",
               help="Checkpoints: shape of an input, such as data=N,3,224,224; a word such as N "
               "leaves a size open; data:uint8=N,4 also states its dtype."),
        Option("--epoch", type=int, group="Models",
               help="Checkpoints: epoch (default: the newest)."),
        Option("--backend", metavar="NAME", group="Models",
               help="Checkpoints: backend, as for `predict`."),
        Option("--ctx", metavar="DEVICE", group="Models",
               help="Checkpoints: device, as for `predict`."),
        *preprocessing("Models"),
        Option("--model-root", type=FILE, metavar="FOLDER", group="Models",
               help="Folder whose models clients may load."),
        Option("--workers", type=int, group="Runs", help="Number of processes (default: 1)."),
        Option("--threads", type=int, group="Runs",
               help="Runs at once in each process, on equal shares of the cores (default: 2)."),
        Option("--max-batch", type=int, group="Runs",
               help="Largest batch that requests are combined into, in rows (default: 8)."),
        Option("--max-delay", type=float, metavar="SECONDS", group="Runs",
               help="Longest time that a request waits for others to share a batch (default: 0)."),
        Option("--max-queue", type=int, group="Limits",
               help="Length of the queue; further requests get status 503 (default: 128)."),
        Option("--max-request-bytes", type=int, group="Limits",
               help="Largest request (default: 64 MiB)."),
        Option("--max-text-bytes", type=int, group="Limits",
               help="Largest JSON or CSV in a request (default: 4 MiB)."),
        Option("--max-elements", type=int, group="Limits",
               help="Largest number of elements in all inputs of a request (default: 2**26)."),
        Option("--max-pixels", type=int, group="Limits",
               help="Largest image (default: 50,000,000)."),
        Option("--max-models", type=int, group="Limits",
               help="Number of models that may be loaded at a time (default: 64)."),
        Option("--timeout", type=float, metavar="SECONDS", group="Limits",
               help="Time limit of each step of a request: to receive, decode, run and send "
               "(default: 60)."),
        Option("--load-timeout", type=float, metavar="SECONDS", group="Limits",
               help="Time limit for loading a model (default: 300)."),
        Option("--idle-timeout", type=int, metavar="SECONDS", group="Limits",
               help="Time after which an idle connection is closed (default: 20)."),
    ],
    [
        "mxnova serve net -s data=N,3,224,224 --labels synset.txt",
        "mxnova serve cats=cats.mxnova dogs=dogs.mxnova --port 8000 --workers 2",
    ],
)  # fmt: skip
