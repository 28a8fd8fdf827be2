# SPDX-License-Identifier: Apache-2.0
"""Processes that start at once: forks of one that has only imported mxnova, and has no threads."""

from __future__ import annotations

import multiprocessing
import sys

CLEAN_PROCESSES = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
CLEAN_PROCESSES.set_forkserver_preload(["mxnova.gluon", "mxnova.module", "mxnova.kvstore"])
