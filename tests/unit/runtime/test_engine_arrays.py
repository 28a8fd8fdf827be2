# SPDX-License-Identifier: Apache-2.0
"""Arrays that the engine works on: who touches them waits, and gets what went wrong."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.core.runtime.engine import engine

WAIT = 0.03  # seconds that work takes, so that who does not wait for it is seen


@pytest.fixture(autouse=True)
def clean_engine():
    yield
    engine().drain(10)
    engine().take_errors()


def fill(array, value):
    """Pushes a slow write."""

    def write():
        time.sleep(WAIT)
        array[:] = value

    mx.engine.push(write, write=[array])


def slow_read(array):
    """Pushes a slow read; returns the list that its value goes to."""
    seen = []

    def read():
        time.sleep(WAIT)
        seen.append(array.asnumpy())

    mx.engine.push(read, read=[array])
    return seen


def fail():
    raise ValueError("boom")


READERS = {
    "asnumpy": lambda x: x.asnumpy(),
    "arithmetic": lambda x: (x + 0).asnumpy(),
    "number": lambda x: (x * 1).asnumpy(),
    "operator": lambda x: mx.nd.identity(x).asnumpy(),
    "index": lambda x: x[:].asnumpy(),
    "reshape": lambda x: x.reshape((3, 1)).asnumpy().reshape(-1),
    "copyto": lambda x: x.copyto(mx.cpu(1)).asnumpy(),
    "value of another": lambda x: _assigned(x).asnumpy(),
    "to_torch": lambda x: x.to_torch().numpy().copy(),
}


def _assigned(x):
    other = mx.nd.zeros(x.shape)
    other[:] = x
    return other


@pytest.mark.parametrize("reader", READERS)
def test_readers_wait_for_writes(reader):
    x = mx.nd.zeros((3,))
    fill(x, 7)
    np.testing.assert_array_equal(READERS[reader](x), [7, 7, 7])


def test_views_and_their_arrays_wait_for_each_other():
    x = mx.nd.zeros((4,))
    view = x[1:3]
    fill(view, 1)
    np.testing.assert_array_equal(x.asnumpy(), [0, 1, 1, 0])
    fill(x, 2)
    np.testing.assert_array_equal(view.asnumpy(), [2, 2])


def test_readers_do_not_wait_for_reads_nor_anyone_for_shapes():
    x, y = mx.nd.ones((2, 3)), mx.nd.zeros((2, 3))
    seen = slow_read(x)
    assert x.asnumpy().sum() == 6
    fill(y, 1)
    assert (y.shape, y.ndim, y.size, y.dtype) == ((2, 3), 2, 6, np.float32)
    assert seen == []


def _write_by_out(x):
    mx.nd.elemwise_add(x, mx.nd.ones((3,)), out=x)


def _write_by_update(x):
    mx.nd.sgd_update(x, mx.nd.ones((3,)), lr=1.0, out=x)


def _write_by_operator(x):
    x += 1


def _write_by_index(x):
    x[0:2] = 9


def _write_by_copy(x):
    mx.nd.zeros((3,)).copyto(x)


def _write_by_random(x):
    mx.nd.random.uniform(5, 6, (3,), out=x)


@pytest.mark.parametrize(
    "write",
    [
        _write_by_out,
        _write_by_update,
        _write_by_operator,
        _write_by_index,
        _write_by_copy,
        _write_by_random,
    ],
)
def test_writers_wait_for_reads(write):
    x = mx.nd.ones((3,))
    seen = slow_read(x)
    write(x)
    np.testing.assert_array_equal(seen, [[1, 1, 1]])
    assert (x.asnumpy() != 1).any()


def test_gradients_wait_for_reads_of_the_old_ones():
    x = mx.nd.ones((3,))
    x.attach_grad()
    with mx.autograd.record():
        y = x * 2
    seen = slow_read(x.grad)
    y.backward()
    np.testing.assert_array_equal(seen, [[0, 0, 0]])
    np.testing.assert_array_equal(x.grad.asnumpy(), [2, 2, 2])


def test_recorded_operators_wait_for_writes_of_leaves():
    x = mx.nd.ones((3,))
    x.attach_grad()
    fill(x, 3)
    with mx.autograd.record():
        y = x.slice_axis(axis=0, begin=0, end=2) * x[0:2]
    np.testing.assert_array_equal(y.asnumpy(), [9, 9])


def test_executors_wait_for_their_arguments_and_for_readers_of_their_outputs():
    data = mx.nd.ones((2,))
    executor = (mx.sym.Variable("data") * 2).bind(mx.cpu(), {"data": data})
    (output,) = executor.forward()
    seen = slow_read(output)
    fill(data, 5)
    executor.forward()
    np.testing.assert_array_equal(seen, [[2, 2]])
    np.testing.assert_array_equal(output.asnumpy(), [10, 10])


def test_sparse_arrays_wait_too():
    x = mx.nd.ones((4, 2)).tostype("row_sparse")
    seen = slow_read(x)
    x[:] = mx.nd.zeros((4, 2)).tostype("row_sparse")
    assert seen[0].sum() == 8
    fill(x, mx.nd.ones((4, 2)).tostype("row_sparse"))
    assert x.shape == (4, 2)
    assert x.data.shape == (4, 2)
    fill(x, mx.nd.zeros((4, 2)).tostype("row_sparse"))
    assert (x + x).asnumpy().sum() == 0


def test_a_failure_comes_at_the_first_touch_once():
    x, y = mx.nd.zeros((2,)), mx.nd.zeros((2,))
    mx.engine.push(fail, write=[x], name="loader")
    mx.engine.push(lambda: x.copyto(y), read=[x], write=[y])
    with pytest.raises(MXNetError, match=r"loader \(pushed at .*test_engine_arrays.py:\d+\)"):
        y.asnumpy()
    assert y.asnumpy().sum() == 0
    x[:] = 1
    assert x.asnumpy().sum() == 2
    mx.nd.waitall()


@pytest.mark.parametrize("wait", [mx.nd.waitall, mx.engine.wait_for_all])
def test_waitall_raises_failures(wait):
    x = mx.nd.zeros((2,))
    mx.engine.push(fail, write=[x])
    with pytest.raises(MXNetError, match="boom"):
        wait()
    wait()
    x.wait_to_read()


@pytest.mark.parametrize("touch", [mx.nd.NDArray.wait_to_read, mx.engine.wait_for_var])
def test_waiting_for_one_array_raises_its_failure(touch):
    x = mx.nd.zeros((2,))
    mx.engine.push(fail, write=[x])
    with pytest.raises(MXNetError, match="boom"):
        touch(x)
    touch(x)


def test_writing_to_a_failed_array_raises_its_failure_too():
    x = mx.nd.zeros((2,))
    mx.engine.push(fail, write=[x])
    with pytest.raises(MXNetError, match="boom"):
        x[:] = 1
    x[:] = 1
    assert x.asnumpy().sum() == 2


def test_arrays_that_share_memory_cannot_be_read_and_written():
    x = mx.nd.zeros((4,))
    with pytest.raises(MXNetError, match=r"swap: NDArray \(4,\) @cpu\(0\) is given both"):
        mx.engine.push(fail, read=[x], write=[x[0:2]], name="swap")


def test_inside_an_operation_undeclared_arrays_with_work_pending_are_refused():
    x, y = mx.nd.zeros((4,)), mx.nd.zeros((4,))
    began, gate = threading.Event(), threading.Event()

    def hold():
        began.set()
        gate.wait(60)

    mx.engine.push(hold, write=[x], ctx=mx.cpu(1))
    began.wait(60)
    mx.engine.push(lambda: x.copyto(y), write=[y], name="sneak")
    with pytest.raises(MXNetError, match=r"sneak .*to read NDArray \(4,\) @cpu\(0\) it would have"):
        y.asnumpy()
    gate.set()


def test_vars_go_where_arrays_go():
    step, order = mx.engine.new_variable("step"), []
    for i in range(5):
        mx.engine.push(lambda i=i: order.append(i), write=[step], priority=i)
    mx.engine.wait_for_var(step)
    assert order == list(range(5))
    assert repr(step) == "step"


def test_without_asynchronous_the_call_returns_when_it_is_done():
    x = mx.nd.zeros((2,))
    mx.engine.push(lambda: x.__setitem__(slice(None), 1), write=[x], asynchronous=False)
    with pytest.raises(ValueError, match="boom"):
        mx.engine.push(fail, write=[x], asynchronous=False)
    assert x.asnumpy().sum() == 2


def test_bulks_of_the_public_module():
    x, ran = mx.nd.zeros((2,)), []
    assert mx.engine.set_bulk_size(4) == 0
    with mx.engine.bulk(2):
        mx.engine.push(lambda: ran.append(1), write=[x])
        engine().drain()
        assert mx.engine.set_bulk_size(2) == 2
        mx.engine.push(lambda: ran.append(2), write=[x])
        x.wait_to_read()
        assert ran == [1, 2]
    assert mx.engine.set_bulk_size(0) == 4


def test_another_kind_of_engine_can_be_put_to_work():
    where, before = [], mx.engine.set_engine_type("NaiveEngine")
    try:
        mx.engine.push(lambda: where.append(threading.get_ident()))
        assert where == [threading.get_ident()]
    finally:
        assert mx.engine.set_engine_type(before) == "NaiveEngine"
    with pytest.raises(MXNetError, match="set_engine_type: name='Fast': must be one of"):
        mx.engine.set_engine_type("Fast")


def test_the_profiler_shows_operations(tmp_path):
    mx.profiler.set_config(filename=str(tmp_path / "trace.json"), continuous_dump=False)
    mx.profiler.set_state("run")
    try:
        mx.engine.push(lambda: None, name="my_work")
        mx.nd.waitall()
        mx.profiler.dump(finished=True)
        assert '"my_work"' in (tmp_path / "trace.json").read_text()
    finally:
        mx.profiler.set_state("stop")
        mx.profiler.set_config()


CHECKED = """
import mxnova as mx
x, y = mx.nd.ones((2,)), mx.nd.zeros((2,))
s = x.reshape((1, 2)).tostype("csr")

def outcome(function, **declared):
    mx.engine.push(function, name="work", **declared)
    try:
        mx.nd.waitall()
        print("passed")
    except mx.MXNetError as error:
        print(str(error).partition("): ")[2])

def write():
    y[:] = x * 2 + mx.nd.ones((2,))

outcome(write, read=[x], write=[y])
outcome(write, write=[y])
outcome(write, read=[x, y])
outcome(lambda: s.asnumpy(), read=[s])
outcome(lambda: s.data.asnumpy())
outcome(lambda: x.shape)
mx.engine.push(write, write=[y], read=[x], asynchronous=False)
try:
    mx.engine.push(write, asynchronous=False, name="work")
except mx.MXNetError as error:
    print(str(error).partition("): ")[2])
"""


def test_checked_operations_touch_only_what_they_declared():
    environment = {"MXNOVA_CHECK_ENGINE_ACCESS": "1", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", CHECKED], env=environment, capture_output=True, text=True, timeout=60
    )
    x, s = "NDArray (2,) @cpu(0)", "CSRNDArray (1, 2) @cpu(0)"
    assert done.stdout.splitlines() == [
        "passed",
        f"it reads {x} and did not declare so",
        f"it writes {x} and did not declare so",
        "passed",
        f"it reads {s} and did not declare so",
        "passed",
        f"it reads {x} and did not declare so",
    ], done.stderr
