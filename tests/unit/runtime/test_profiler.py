# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import mxnova as mx
from mxnova.core.base.errors import ArgumentError, MXNetError
from mxnova.core.runtime.profiler import PROFILER, api_call, custom_code, recorder, span
from mxnova.core.runtime.profiler.aggregate import ORDERS, Totals
from mxnova.core.runtime.profiler.events import COUNTER, MARK, SPAN
from tests.waiting import wait_until

DATA = Path(__file__).parents[2] / "data" / "profiler"
profiler = mx.profiler


@pytest.fixture
def trace(tmp_path):
    """Starts the profiler; gives what reads the trace it wrote."""
    path = tmp_path / "trace.json"

    def start(**options):
        profiler.set_config(
            **{"continuous_dump": False, "aggregate_stats": True, "filename": path, **options}
        )
        profiler.set_state("run")

    def read():
        return json.loads(path.read_text())["traceEvents"]

    start.read, start.path = read, path
    profiler.set_config(filename=path, continuous_dump=False)
    yield start
    profiler.resume()
    profiler.set_state("run")
    profiler.dump(finished=True)
    profiler.dumps(reset=True)
    profiler.set_config()


def spans(events, category="operator"):
    return [e for e in events if e.get("cat") == category and e["ph"] == "X"]


def names(events, category="operator"):
    return [e["name"] for e in spans(events, category)]


def counts(category="operator"):
    entries = json.loads(profiler.dumps(format="json"))["Time"].get(category, {})
    return {name: entry["Count"] for name, entry in entries.items()}


# What is recorded ---------------------------------------------------------------------------------


def test_eager_operators_appear_under_their_names(trace):
    x = mx.nd.ones((4, 6))
    trace()
    y = mx.nd.relu(x + x) * 2
    (-y).T.reshape((2, 12)).astype("float64").copy()
    profiler.dump()
    assert names(trace.read()) == [
        "broadcast_add", "relu", "_mul_scalar", "negative", "transpose", "Cast", "_copyto",
    ]  # fmt: skip


def test_making_copying_and_writing_arrays_appear_too(trace):
    trace(profile_api=True)
    x, y = mx.nd.zeros((3,)), mx.nd.ones((3,))
    x[1:] = 5
    y.copyto(x)
    y.as_in_context(mx.cpu(1)).wait_to_read()
    y.asnumpy()
    mx.nd.waitall()
    profiler.dump()
    events = trace.read()
    assert names(events) == ["_zeros", "_ones", "_slice_assign", "_copyto", "_copyto"]
    waits = [n for n in names(events, "MXNET_C_API") if n != "MXImperativeInvokeEx"]
    assert waits == ["MXNDArrayWaitToRead", "MXNDArraySyncCopyToCPU", "MXNDArrayWaitAll"]


def test_nothing_is_recorded_when_off_or_paused(trace):
    x = mx.nd.ones((2,))
    trace()
    profiler.pause()
    x + 1
    profiler.resume()
    x - 1
    profiler.set_state("stop")
    x * 2
    profiler.pause()
    profiler.set_state("run")
    x / 2
    profiler.dump()
    assert names(trace.read()) == ["_minus_scalar", "_div_scalar"]


def test_results_are_the_same_when_profiled(trace):
    x = mx.nd.array([[1, -2], [3, 4]])
    x.attach_grad()

    def compute():
        with mx.autograd.record():
            y = (mx.nd.relu(x) * 3 + x).sum()
        y.backward()
        return y.asscalar(), x.grad.asnumpy().tolist()

    plain = compute()
    trace()
    assert compute() == plain
    recorded = counts()
    assert recorded["relu"] == recorded["_backward_relu"] == 1
    assert recorded["_backward_mul_scalar"] == 1


def test_errors_are_the_same_when_profiled(trace):
    trace()
    with pytest.raises(MXNetError, match="broadcast_add"):
        mx.nd.ones((2,)) + mx.nd.ones((3,))


def test_executors_show_nodes_in_both_directions(trace):
    net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    net = mx.sym.Activation(net, act_type="tanh", name="act")
    executor = net.simple_bind(mx.cpu(), data=(2, 4))
    executor.forward(is_train=True)
    plain, heads = executor.outputs[0].asnumpy(), mx.nd.ones((2, 3))
    trace()
    executor.forward(is_train=True)
    executor.backward(heads)
    executor.forward()
    assert (executor.outputs[0].asnumpy() == plain).all()
    profiler.dump()
    events = trace.read()
    shown = [(e["name"], e["args"]["node"]) for e in spans(events)]
    forward = [("FullyConnected", "fc"), ("Activation", "act")]
    assert shown[:2] == shown[-2:] == forward
    assert {n for n, _ in shown[2:-2]} == {"_backward_FullyConnected", "_backward_Activation"}
    assert names(events, "MXNET_C_API").count("MXExecutorForward") == 2


def test_executors_show_gradients_of_sparse_operators(trace):
    rows = mx.sym.var("rows", stype="row_sparse")
    product = mx.sym.sparse.dot(mx.sym.var("data", stype="csr"), mx.sym.sparse.square(rows))
    arrays = {"data": mx.nd.ones((2, 3)).tostype("csr")}
    arrays["rows"] = mx.nd.ones((3, 2)).tostype("row_sparse")
    gradients = {"rows": mx.nd.zeros((3, 2), stype="row_sparse")}
    executor = product.bind(mx.cpu(), arrays, gradients, {"data": "null", "rows": "write"})
    trace()
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones((2, 2)))
    profiler.dump()
    assert names(trace.read())[-2:] == ["_backward_dot", "_backward_square"]


@pytest.mark.parametrize(
    "off, missing",
    [
        ("profile_imperative", ("operator", "relu")),
        ("profile_api", ("MXNET_C_API", "MXImperativeInvokeEx")),
        ("profile_memory", ("Device Storage", "Memory: cpu/0")),
        ("profile_symbolic", ("operator", "tanh")),
    ],
)
def test_each_kind_can_be_left_out(trace, off, missing):
    x = mx.nd.ones((2,))
    executor = mx.sym.tanh(mx.sym.var("x")).bind(mx.cpu(), {"x": x})
    for options in ({}, {off: False}, {off: False, "profile_all": True}):
        trace(**options)
        mx.nd.relu(x)
        executor.forward()
        profiler.dump()
        shown = {(e.get("cat"), e["name"]) for e in trace.read()}
        assert (missing in shown) == (options != {off: False})


def test_memory_grows_by_what_an_operator_makes(trace):
    trace()
    kept = [mx.nd.ones((1000, 1000)) + 1 for _ in range(3)]
    profiler.dump()
    used = [e["args"]["Memory: cpu/0"] for e in trace.read() if e["name"] == "Memory: cpu/0"]
    if recorder.heap.in_use():
        assert used[-1] - used[0] >= (len(kept) - 1) * 4_000_000


def test_spans_nest_and_end_when_their_block_raises(trace):
    trace()

    def work():
        with span("outer"):
            with span("inner", "engine", "worker"):
                time.sleep(0.002)
            raise KeyError

    with pytest.raises(KeyError):
        work()
    profiler.dump()
    events = trace.read()
    (outer,), (inner,) = spans(events), spans(events, "engine")
    assert outer["ts"] <= inner["ts"]
    assert inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"]
    assert inner["dur"] >= 2000  # µs
    lanes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert lanes[inner["pid"]] == "worker"


def test_threads_are_told_apart(trace):
    trace()
    barrier = threading.Barrier(3)

    def work():
        barrier.wait()
        for _ in range(50):
            mx.nd.ones((2,)) + 1

    threads = [threading.Thread(target=work, name=f"worker {i}") for i in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(5):
        profiler.dump(finished=False)
    for thread in threads:
        thread.join()
    profiler.dump()
    events = spans(trace.read())
    per_thread = [e["tid"] for e in events if e["name"] == "_plus_scalar"]
    assert sorted(map(per_thread.count, set(per_thread))) == [50, 50, 50]


def test_api_call_keeps_the_function(trace):
    @api_call("MXDouble")
    def double(x: int) -> int:
        """Twice `x`."""
        return 2 * x

    assert double(2) == 4
    assert double.__doc__ == "Twice `x`."
    trace()
    assert double(x=3) == 6
    assert counts("MXNET_C_API") == {"MXDouble": 1}


# What programs record -----------------------------------------------------------------------------


def test_domains_hold_tasks_frames_counters_and_marks(trace):
    trace()
    domain = profiler.Domain("training")
    task, frame = domain.new_task("step"), domain.new_frame("batch")
    event = profiler.Event("epoch")
    for duration in (event, task, frame):
        duration.start()
    frame.stop()
    task.stop()
    event.stop()
    task.stop()  # not started
    counter = profiler.Counter(domain, "samples", 3)
    counter += 5
    counter -= 1
    counter.decrement(10)
    domain.new_marker("here").mark("thread")
    profiler.dump()
    events = trace.read()

    def shown(category):
        return [(e["ph"], e["name"]) for e in events if e.get("cat") == category]

    samples = [("C", "samples")] * 4
    assert shown("training") == [("b", "step"), ("e", "step"), *samples]
    assert shown("training,frame") == [("b", "batch"), ("e", "batch")]
    assert shown("event") == [("X", "epoch")]
    assert [e["args"]["samples"] for e in events if e["name"] == "samples"] == [3, 8, 7, -3]
    (mark,) = (e for e in events if e["name"] == "here")
    assert (mark["ph"], mark["s"]) == ("i", "t")
    assert str(domain) == "training"
    assert [str(o) for o in (task, frame, event, counter)] == ["step", "batch", "epoch", "samples"]


def test_tasks_of_one_name_may_overlap(trace):
    trace()
    tasks = [profiler.Domain("d").new_task("t") for _ in range(2)]
    for action in ("start", "stop"):
        for task in tasks:
            getattr(task, action)()
    profiler.dump()
    pairs = [(e["id"], e["ph"]) for e in trace.read() if e["name"] == "t"]
    assert len(set(pairs)) == 4
    assert len({i for i, _ in pairs}) == 2


def test_counters_count_from_many_threads(trace):
    trace()
    counter = profiler.Domain("d").new_counter("n")

    def work():
        for _ in range(500):
            counter.increment()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    profiler.dump()
    assert max(e["args"]["n"] for e in trace.read() if e["name"] == "n") == 2000


def test_marks_of_unknown_scope_are_refused():
    with pytest.raises(ArgumentError, match="global, marker, process, task, thread"):
        profiler.Domain("d").new_marker("m").mark("galaxy")


# Files --------------------------------------------------------------------------------------------


def test_each_dump_holds_everything_so_far(trace):
    x = mx.nd.ones((2,))
    trace()
    for expected in (["_plus_scalar"], ["_plus_scalar"] * 2):
        x + 1
        profiler.dump(finished=False)
        assert names(trace.read()) == expected
    profiler.dump(finished=True)
    with pytest.raises(MXNetError, match="nothing to dump"):
        profiler.dump()
    profiler.set_state("run")
    x - 1
    profiler.dump()
    assert names(trace.read()) == ["_minus_scalar"]


def test_continuous_dumps_leave_a_whole_trace_at_any_time(trace):
    trace()
    trace(continuous_dump=True, dump_period=0.01)  # while it runs
    x = mx.nd.ones((2,))
    seen = 0

    def has_seen_enough():
        nonlocal seen
        x + 1
        if trace.path.exists():
            seen = len(set(names(trace.read()))) and seen + 1
        return seen == 3

    wait_until(has_seen_enough)


def test_a_failed_dump_leaves_the_old_file(trace):
    trace()
    profiler.dump(finished=False)
    before = trace.path.read_text()
    profiler.set_config(filename=trace.path.parent / "missing" / "trace.json")
    with pytest.raises(OSError):
        profiler.dump(finished=False)
    assert trace.path.read_text() == before
    profiler.set_config(filename=trace.path)


def test_names_need_no_escaping_by_the_caller(trace):
    trace()
    with span('a "quoted"\n\\name\x00 ü'):
        pass
    profiler.dump()
    assert names(trace.read()) == ['a "quoted"\n\\name\x00 ü']


def test_forked_children_leave_the_trace_alone(trace):
    trace(continuous_dump=True, dump_period=0.01)
    pid = os.fork()
    if pid == 0:
        running = PROFILER.running or PROFILER.imperative
        os._exit(int(running))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert PROFILER.running


AUTOSTART = """
import mxnova as mx
x = mx.nd.ones((2,)) + 1
mx.sym.tanh(mx.sym.var("x")).bind(mx.cpu(), {"x": x}).forward()
"""


def test_autostart_writes_at_exit(tmp_path):
    env = {**os.environ, "MXNET_PROFILER_AUTOSTART": "1", "MXNET_PROFILER_MODE": "3"}
    env["PYTHONPATH"] = str(Path(mx.__file__).parents[1])
    subprocess.run([sys.executable, "-c", AUTOSTART], check=True, cwd=tmp_path, env=env)
    events = json.loads((tmp_path / "profile.json").read_text())["traceEvents"]
    assert {"_plus_scalar", "tanh"} <= set(names(events))
    assert {e["cat"] for e in events if "cat" in e} == {"operator"}


# Options ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options, named",
    [
        ({"foo": 1}, "foo"),
        ({"profile_all": "maybe"}, "profile_all"),
        ({"dump_period": "x"}, "dump_period"),
        ({"profile_process": "x"}, "profile_process"),
        ({"profile_process": "server"}, "server"),
        ({"filename": ""}, "filename"),
    ],
)
def test_bad_options_are_refused_by_name(options, named):
    with pytest.raises(MXNetError, match=named):
        profiler.set_config(**options)


def test_bad_states_orders_and_forms_are_refused():
    with pytest.raises(KeyError, match="run or stop"):
        profiler.set_state("go")
    with pytest.raises(KeyError, match="worker or server"):
        profiler.pause("x")
    with pytest.raises(ArgumentError, match="sort_by"):
        profiler.dumps(sort_by="name")
    with pytest.raises(ArgumentError, match="format"):
        profiler.dumps(format="xml")


def test_old_names_warn_and_work(tmp_path):
    path = tmp_path / "old.json"
    with pytest.warns(UserWarning, match="set_config"):
        profiler.profiler_set_config("all", path)
    with pytest.warns(UserWarning, match="set_state"):
        profiler.profiler_set_state("run")
    mx.nd.ones((2,)) + 1
    with pytest.warns(UserWarning, match="dump"):
        profiler.dump_profile()
    assert "_plus_scalar" in names(json.loads(path.read_text())["traceEvents"])
    profiler.set_config()


# Totals -------------------------------------------------------------------------------------------


def test_totals_count_and_reset(trace):
    x = mx.nd.ones((2,))
    trace()
    for _ in range(3):
        x + 1
    x - 1
    assert counts() == {"_plus_scalar": 3, "_minus_scalar": 1}
    profiler.dumps(reset=True)
    x - 1
    assert counts() == {"_minus_scalar": 1}
    profiler.set_config(aggregate_stats=False, filename=trace.path)
    assert profiler.dumps() == ""


RECORDED = json.loads((DATA / "tables.json").read_text())


COUNTERS = ("samples", "MXNet C API Calls", "MXNet C API Concurrency")


def events_of(table):
    """Events that have the totals which a table of MXNet shows."""
    sections = table.split("entries.\n", 1)[1].removesuffix("\n\n").split("\n\n")
    for category, *lines in (section.split("\n") for section in sections):
        if category.endswith("instant_marker"):
            yield MARK, None, category, "", 0, 0, "p", None
        for line in lines[3:]:
            name, count, *numbers = re.split(" {2,}", line)
            *total, low, high, _ = (float(n) for n in numbers)
            is_counter = category == "Device Storage" or name in COUNTERS
            values = spread(int(count), total[0] if total else high, low, high, is_counter)
            for value in values:
                payload = round(value * (1000 if is_counter else 1_000_000))
                yield COUNTER if is_counter else SPAN, None, category, name, 0, 0, payload, None


def spread(count, total, low, high, is_counter):
    if count == 1:
        return [total]
    if is_counter:
        return [low, *[high] * (count - 2), total]
    return [low, high, *[(total - low - high) / max(count - 2, 1)] * (count - 2)]


def numbers_in(text):
    return [float(n) for n in re.findall(r"\d+\.\d+", text)]


@pytest.mark.parametrize("order", ORDERS)
def test_tables_look_like_mxnets(order):
    theirs = RECORDED["tables"][order]
    totals = Totals()
    totals.add(list(events_of(theirs)))
    mine = totals.table(order, ascending=order == "min")
    # MXNet leaves the order of equal rows open, and the last digit is rounded from a float.
    for a, b in zip(sorted(mine.splitlines()), sorted(theirs.splitlines()), strict=True):
        assert re.sub(r"\d", "0", a) == re.sub(r"\d", "0", b)
        assert numbers_in(a) == pytest.approx(numbers_in(b), abs=1.01e-4)
    if order == "total":  # the one order without ties
        assert [x[:20] for x in mine.splitlines()] == [x[:20] for x in theirs.splitlines()]


def test_json_says_the_same_as_mxnets():
    totals = Totals()
    totals.add(list(events_of(RECORDED["tables"]["total"])))
    mine = json.loads(totals.json())
    assert mine["Unit"] == RECORDED["json"]["Unit"]
    for kind in ("Time", "Memory"):
        assert mine[kind].keys() == RECORDED["json"][kind].keys()
        for category, entries in mine[kind].items():
            assert list(entries) == list(RECORDED["json"][kind][category])
            for name, entry in entries.items():
                theirs = RECORDED["json"][kind][category][name]
                assert entry == pytest.approx(theirs, rel=1e-3, abs=1e-4)


class Squared(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        time.sleep(0.01)
        self.assign(out_data[0], req[0], in_data[0] * in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], 2 * in_data[0] * out_grad[0])


@mx.operator.register("profiled_square")
class SquaredProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Squared()


def test_custom_operators_have_a_section_of_their_own(trace):
    x = mx.nd.array([1, 2])
    x.attach_grad()
    trace()
    with mx.autograd.record():
        y = mx.nd.Custom(x, op_type="profiled_square")
    y.backward()
    mx.nd.Custom(x, op_type="profiled_square")
    mx.nd.relu(x)
    profiler.set_state("stop")
    totals = json.loads(profiler.dumps(reset=True, format="json"))["Time"]
    own = totals["Custom Operator"]
    assert own["profiled_square::pure_python"]["Count"] == 2
    assert own["profiled_square::broadcast_mul"]["Count"] == 2
    assert own["_backward_profiled_square::pure_python"]["Count"] == 1
    assert own["_backward_profiled_square::_mul_scalar"]["Count"] == 1
    assert own["profiled_square::pure_python"]["Min"] >= 10
    assert totals["operator"]["relu"]["Count"] == 1
    assert "broadcast_mul" not in totals["operator"]


def test_custom_code_that_raises_ends(trace):
    trace()
    with pytest.raises(ZeroDivisionError), custom_code("c"):
        1 / 0  # noqa: B018
    mx.nd.relu(mx.nd.ones(1))
    profiler.set_state("stop")
    totals = json.loads(profiler.dumps(reset=True, format="json"))["Time"]
    assert list(totals["Custom Operator"]) == ["c::pure_python"]
    assert "relu" in totals["operator"]
