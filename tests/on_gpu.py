# SPDX-License-Identifier: Apache-2.0
"""Runs tests that were written for the CPU on another device: ``MXNOVA_TEST_CONTEXT="gpu(0)" pytest …``.

Arrays are made there, ``mx.cpu()`` gives it, and it calls itself cpu(0), as recorded results do.
"""

import os
import re

import torch

__all__ = ["as_the_cpu", "context_of_tests", "reason_to_skip", "rounding"]

# Tests -> why their results are those of a CPU.
OF_THE_CPU = {
    r"test_on_gpu\.py|test_(kernel_errors|constants)\.py|bins_on_a_gpu": "they have a stand-in of a GPU",
    r"test_seeds\.py|test_exact_loops\.py": "MXNet's numbers are those of its CPU",
    r"test_range_check\.py": "arrays made before the tests are on the CPU",
    r"multi_sum_sq.*half": "squares of halves are summed in float32",
    r"test_torch_modules\.py": "modules are compared with executors bit by bit, on the CPU",
    r"test_indexing\.py::test_set\[.*\[(0, 0|2, 0, 2, 0)\]": "equal places keep any of their values",
    r"test_ndarray\.py.*(\[| )\S+ /=? [iub0]\b": "integers are divided by zero without an error",
    r"test_ndarray\.py.* \*\*=? (u|-1)\b": "infinity becomes the greatest integer, not the least",
    r"test_ops\.py.*_npi_arctanh/3-int": "infinity becomes the greatest integer, not the least",
    r"__getstate__|exported_files|saved_bytes": "files and pickles name the device",
    r"test_api\.py.*(Context\('cpu'\) ==|device_type)": "it is no CPU",
    r"\[(initialized|refused_two_contexts)\]": "a second CPU is another device",
    r"\[(checkpoints [12]|resumed_in_the_middle)\]": "arrays of files are on the CPU, whose context is the GPU's here",
}


def context_of_tests():
    """The name of the device that tests shall run on; empty: the CPU."""
    return os.environ.get("MXNOVA_TEST_CONTEXT", "")


def reason_to_skip(test):
    """Why a test, named by its node's id, is not for the device that was chosen; None if it is."""
    return next((why for of, why in OF_THE_CPU.items() if re.search(of, test)), None)


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
