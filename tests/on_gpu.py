# SPDX-License-Identifier: Apache-2.0
"""Runs tests that were written for the CPU on another device: ``MXNOVA_TEST_CONTEXT="gpu(0)" pytest …``.

Arrays are made there, ``mx.cpu()`` gives it, and it calls itself cpu(0), as recorded results do.
"""

import os

import torch

__all__ = ["as_the_cpu", "context_of_tests", "rounding"]


def context_of_tests():
    """The name of the device that tests shall run on; empty: the CPU."""
    return os.environ.get("MXNOVA_TEST_CONTEXT", "")


def rounding():
    """How many times the tolerance of the CPU's numbers others may take; cuDNN's tanh is coarse."""
    return 50 if context_of_tests() else 1


def as_the_cpu(name, patch):
    """Lets the context `name` stand for the CPU; gives it."""
    from mxnova.core.runtime import context as contexts

    chosen = contexts.context_of(name)
    interned, text = contexts._interned, contexts.Context.__repr__

    def stands_for(device_type, device_id):
        is_cpu = (device_type, device_id) == ("cpu", 0)
        return chosen if is_cpu else interned(device_type, device_id)

    def told(self):
        return "cpu(0)" if self == chosen else text(self)

    patch.setattr(contexts, "_interned", stands_for)
    patch.setattr(contexts.Context, "__repr__", told)
    patch.setattr(contexts.Context, "__str__", told)
    patch.setattr(torch.backends.cudnn, "allow_tf32", False)  # its products have 11 bits
    return chosen
