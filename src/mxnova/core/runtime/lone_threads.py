# SPDX-License-Identifier: Apache-2.0
"""Threads that compute beside the program's own, without helpers from OpenMP.

With helpers of their own there would be more of OpenMP's threads than cores, and then GNU's OpenMP
lets all of the process sleep between operators for as long as they are there: an LSTM takes 23 ms
in such a process, in others 9.4.
"""

from __future__ import annotations

import threading

import torch

__all__ = ["compute_alone"]


def compute_alone() -> None:
    """Has the calling thread, which has computed nothing yet, use no others."""
    count = torch.get_num_threads()  # a thread's first look sets its number to the process's
    if count == 1:
        return
    torch.set_num_threads(1)
    # What was said last goes for all threads to come; saying it here would take it back for this.
    sayer = threading.Thread(target=torch.set_num_threads, args=(count,))
    sayer.start()
    sayer.join()
