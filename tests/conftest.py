# SPDX-License-Identifier: Apache-2.0
"""What all tests have in common."""

import gc
import os
import signal
import sys

import pytest
import torch
from hypothesis import HealthCheck, settings

from .on_gpu import as_the_cpu, context_of_tests, reason_to_skip
from .without_onednn import mask

if not context_of_tests():
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # tests on stand-ins of a GPU need a machine without
if "OMP_NUM_THREADS" not in os.environ:  # as in the scripts: sums depend on how they are shared out
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
if os.environ.get("MXNOVA_TEST_WITHOUT") == "onednn":
    mask()  # before mxnova is imported


def pytest_runtest_setup(item):
    """Skips what is about another device or lacking kernels; forgets what was bound before."""
    if context_of_tests() and (why := reason_to_skip(item.nodeid)):
        pytest.skip(why)
    kept = sys.modules.get("mxnova.core.exec.bind.compiled")
    if kept is not None:  # tests change what decides of it, such as thresholds
        kept.forget()
    contexts = sys.modules.get("mxnova.core.runtime.context")
    if contexts is not None:  # gpu(0) remembers its device, also that of a stand-in
        contexts.gpu(0)._device = None
    if item.get_closest_marker("onednn"):
        from mxnova.core.runtime.torch_api import has_onednn_kernels

        if not has_onednn_kernels():
            pytest.skip("torch has no kernels of oneDNN")


# A machine that is busy is no mistake of what is tested.
settings.register_profile("mxnova", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("mxnova")


def pytest_collection():
    """What 40,000 tests are is no garbage: it is looked through neither while they are made …"""
    gc.disable()


def pytest_collection_finish():
    """… nor whenever one of them collects garbage."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True, scope="session")
def switches(tmp_path_factory):
    """Check graphs after each rewrite, measure nothing, and cache nothing for the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MXNOVA_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("MXNOVA_LINT_PASSES", "1")
        patch.setenv("MXNOVA_AUTO_BACKENDS", "")
        yield


@pytest.fixture(autouse=True)
def device(request):
    """Tests run on the device that MXNOVA_TEST_CONTEXT names."""
    if not (name := context_of_tests()):
        yield
        return
    with as_the_cpu(name, request.getfixturevalue("monkeypatch")):
        yield


@pytest.fixture
def interrupts():
    """SIGINT interrupts this process and its children, though whoever runs the tests ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def set_threads():
    """Sets how many threads operators compute in, until the end of the test."""
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


@pytest.fixture
def two_threads(set_threads):
    """Operators compute in two threads, however many cores there are."""
    set_threads(2)


@pytest.fixture(params=[1, 2])
def threads(request, set_threads):
    """Operators compute in one thread, then in two: how many."""
    set_threads(request.param)
    return request.param
