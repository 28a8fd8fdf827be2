# SPDX-License-Identifier: Apache-2.0
import gc
import multiprocessing
import os
import signal
import time

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError

memory_files = pytest.importorskip("mxnova.core.runtime.memfd", exc_type=ImportError)
Block, block_of = memory_files.Block, memory_files.block_of

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="needs memfd"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),  # Python 3.12 and later
]

SHARED = mx.Context("cpu_shared", 0)
FORK = multiprocessing.get_context("fork")
SPAWN = multiprocessing.get_context("spawn")


def open_memory_files():
    return sum(is_memory_file(n) for n in os.listdir("/proc/self/fd"))


def is_memory_file(number):
    try:
        return "memfd:mxnova" in os.readlink(f"/proc/self/fd/{number}")
    except FileNotFoundError:  # a thread that earlier tests left has closed it meanwhile
        return False


@pytest.fixture(autouse=True, scope="module")
def _quick_collections():
    """What other tests left is not looked through twice in each test."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _nothing_leaks(shared_memory):
    def count():
        gc.collect()
        memory_files._release_received()
        memory_files.release_resting()
        return open_memory_files()

    before = count()
    yield
    assert shared_memory() == set()
    assert count() <= before


# Arrays between processes -------------------------------------------------------------------------


def double_and_answer(inbox, outbox, prefix):
    memory_files._PREFIX = prefix
    array = inbox.get()
    array[:] = array * 2
    outbox.put(mx.nd.array([[1, 2], [3, 4]], ctx=SHARED, dtype="int64"))


@pytest.mark.parametrize("processes", [FORK, SPAWN], ids=["fork", "spawn"])
def test_both_sides_see_writes_and_results_outlive_their_process(processes, shared_memory):
    inbox, outbox = processes.Queue(), processes.Queue()
    arguments = inbox, outbox, shared_memory.prefix
    child = processes.Process(target=double_and_answer, args=arguments)
    child.start()
    array = mx.nd.arange(6).reshape((2, 3)).as_in_context(SHARED)
    inbox.put(array[1:])
    child.join(60)
    assert array.asnumpy().tolist() == [[0, 1, 2], [6, 8, 10]]
    answer = outbox.get()  # its process has ended
    assert (answer.context, answer.dtype) == (SHARED, np.int64)
    assert answer.asnumpy().tolist() == [[1, 2], [3, 4]]


def round_trip(array):
    connection, other = FORK.Pipe()
    connection.send(array)
    return other.recv()


@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8", "bool", "bfloat16"])
def test_any_element_type_travels(dtype):
    array = mx.nd.array([[1, 0], [1, 1]], ctx=SHARED, dtype=dtype)
    received = round_trip(array)
    assert received.dtype == array.dtype
    assert (received.asnumpy() == array.asnumpy()).all()
    array[0, 1] = 1
    assert (received.asnumpy() == array.asnumpy()).all()


def test_empty_arrays_travel():
    assert round_trip(mx.nd.empty((0, 4), ctx=SHARED)).shape == (0, 4)


def test_results_of_operators_travel_by_one_copy():
    array = mx.nd.ones((3,), ctx=SHARED) * 4
    assert block_of(array._tensor) is None
    assert round_trip(array).asnumpy().tolist() == [4, 4, 4]


def test_received_arrays_can_be_sent_on():
    array = mx.nd.zeros((3,), ctx=SHARED)
    third = round_trip(round_trip(array))
    third[1] = 7
    assert array.asnumpy().tolist() == [0, 7, 0]


def test_other_contexts_travel_by_value():
    array = mx.nd.ones((3,))
    received = round_trip(array)
    array[:] = 5
    assert (received.context, received.asnumpy().tolist()) == (mx.cpu(), [1, 1, 1])


def test_inference_sees_parameters_that_another_process_changed():
    weight = mx.nd.ones((1, 1, 1, 1), ctx=SHARED)
    data = mx.nd.ones((1, 1, 2, 2))
    net = mx.sym.Convolution(
        mx.sym.var("data"), kernel=(1, 1), num_filter=1, no_bias=True, name="c"
    )
    other = round_trip(weight)
    executors = [
        net.bind(mx.cpu(), {"data": data, "c_weight": w}, grad_req="null") for w in (weight, other)
    ]
    for value in (2, 3):
        for executor in executors * 3:  # the graph is rewritten around what stays
            executor.forward()
        (other if value == 2 else weight)[:] = value
        for executor in executors:
            assert executor.forward()[0].asnumpy().sum() == 4 * value


# Processes that are killed ------------------------------------------------------------------------


def send_two_and_wait(outbox):
    for value in (1, 2):
        outbox.send(mx.nd.full((1000,), value, ctx=SHARED))
    time.sleep(60)


def test_a_killed_sender_leaves_nothing_but_what_was_received():
    connection, other = FORK.Pipe()
    child = FORK.Process(target=send_two_and_wait, args=(other,))
    child.start()
    received = connection.recv()
    assert connection.poll(30)
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    with pytest.raises(MXNetError, match=f"process {child.pid} sent is gone"):
        connection.recv()
    assert received.asnumpy().sum() == 1000
    received[:] = 3
    assert received.asnumpy().sum() == 3000


def receive_write_and_wait(connection):
    array = connection.recv()
    array[:] = 9
    connection.send("done")
    time.sleep(60)


def test_a_killed_receiver_leaves_the_senders_array_alone():
    connection, other = FORK.Pipe()
    child = FORK.Process(target=receive_write_and_wait, args=(other,))
    child.start()
    array = mx.nd.zeros((1000,), ctx=SHARED)
    connection.send(array)
    assert connection.recv() == "done"
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    assert array.asnumpy().sum() == 9000


# Blocks -------------------------------------------------------------------------------------------


def all_received():
    """Pretends that everything sent has arrived."""
    for sent, address in memory_files._sent:
        sent._map[address.ticket] = memory_files._RECEIVED


def test_each_sending_is_received_once():
    block = Block.new(10)
    first, second = block.send(), block.send()
    assert first.ticket != second.ticket
    others = [Block.receive(first), Block.receive(second)]
    others[0].memory[3] = 5
    assert [int(b.memory[3]) for b in (block, *others)] == [5, 5, 5]


def test_a_block_lives_until_it_is_received():
    block = Block.new(10)
    block.memory[0] = 7
    address = block.send()
    del block
    gc.collect()
    received = Block.receive(address)
    assert received.memory[0] == 7
    del received
    memory_files._release_received()
    with pytest.raises(MXNetError, match="gone"):
        Block.receive(address)


def test_numbers_that_now_mean_another_block_are_noticed():
    block = Block.new(10)
    other = Block.new(10)
    address = block.send()._replace(id=other.id)
    with pytest.raises(MXNetError, match="gone"):
        Block.receive(address)
    Block.receive(address._replace(id=block.id))


def test_a_block_can_be_sent_thousands_of_times_but_not_endlessly():
    block = Block.new(1)
    addresses = [block.send() for _ in range(memory_files._HEADER - memory_files._COOKIE)]
    with pytest.raises(MXNetError, match="times"):
        block.send()
    Block.receive(addresses[9])
    assert block.send().ticket == addresses[9].ticket
    all_received()


def test_each_holder_of_a_block_sends_by_tickets_of_its_own():
    block = Block.new(1)
    other = Block.receive(block.send())
    assert block.send().ticket != other.send().ticket
    all_received()


def test_copies_that_nobody_fetched_are_removed_in_time():
    block = Block.new(10)
    address = block.send()
    block._leave(address)
    memory_files._remove_abandoned()
    assert os.path.exists(address.left_at)
    long_ago = time.time() - 2 * memory_files._ABANDONED_S
    os.utime(address.left_at, (long_ago, long_ago))
    memory_files._remove_abandoned()
    assert not os.path.exists(address.left_at)
    all_received()


def test_a_copy_left_behind_is_received_and_removed(monkeypatch):
    block = Block.new(10)
    block.memory[:] = 4
    address = block.send()
    block._leave(address)
    all_received()
    copy = Block.receive(address._replace(pid=2**30))
    assert copy.memory[:10].tolist() == [4] * 10


def test_a_copy_that_does_not_fit_is_not_left(monkeypatch, tmp_path):
    block = Block.new(10)
    address = block.send()
    monkeypatch.setattr(memory_files, "_FOLDER", tmp_path)

    class Full:
        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

        def write(self, data):
            raise OSError(28, "No space left on device")

    def open_full(path, *args, **kwargs):
        (tmp_path / path).write_bytes(b"part")
        return Full()

    monkeypatch.setattr(memory_files, "open", open_full, raising=False)
    with pytest.raises(OSError, match="No space"):
        block._leave(address)
    assert list(tmp_path.iterdir()) == []
    all_received()


def test_fork_does_not_send_for_the_parent():
    block = Block.new(10)
    address = block.send()
    pid = os.fork()
    if pid == 0:
        os._exit(len(memory_files._sent))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    Block.receive(address)


# Blocks that are used again -----------------------------------------------------------------------


@pytest.fixture
def nothing_rests():
    gc.collect()
    memory_files._release_received()
    memory_files.release_resting()


def file_of(block):
    """What tells the file that a block lies in; addresses and descriptors soon mean another."""
    return os.fstat(block.id).st_ino


def place(array):
    return file_of(block_of(array._tensor))


def is_used_again(file, size):
    """Whether one of the next blocks lies in `file`."""
    blocks = [Block.new(size) for _ in range(len(memory_files._resting) + 1)]
    return file in map(file_of, blocks)


@pytest.mark.parametrize(("size", "again"), [(5000, True), (9000, True), (10000, True)])
def test_memory_is_used_again(nothing_rests, size, again):
    file = file_of(Block.new(10_000))
    assert is_used_again(file, size) is again


@pytest.mark.parametrize("size", [4000, 10_100])
def test_memory_of_quite_another_size_is_not(nothing_rests, size):
    file = file_of(Block.new(10_000))
    assert not is_used_again(file, size)


VIEWS = {
    "array": lambda array: array[1:],
    "tensor": lambda array: array._tensor[2:3],
    "NumPy": lambda array: array._tensor.numpy()[::2].T,
    "memoryview": lambda array: memoryview(array._tensor.numpy())[1:],
    "dlpack": lambda array: array.to_dlpack_for_read(),
    "torch": lambda array: torch.from_dlpack(array.to_dlpack_for_read()),
    "storage": lambda array: array._tensor.untyped_storage(),
    "sent": lambda array: block_of(array._tensor).send(),
}


@pytest.mark.parametrize("kind", VIEWS)
def test_memory_that_somebody_sees_is_not_used(nothing_rests, kind):
    array = mx.nd.full((1000,), 3, ctx=SHARED)
    file, view = place(array), VIEWS[kind](array)
    del array
    gc.collect()
    assert place(mx.nd.zeros((1000,), ctx=SHARED)) != file
    if kind == "sent":
        view = Block.receive(view)
        assert not is_used_again(file, 4000)
    del view
    gc.collect()
    assert is_used_again(file, 4000)


def test_memory_that_was_received_is_used_by_its_maker_alone(nothing_rests):
    block = Block.new(5000)
    file, received = file_of(block), Block.receive(block.send())
    view = received.memory.numpy()[100:]
    del block, received
    assert not is_used_again(file, 5000)  # whoever received it sees it
    n_resting = len(memory_files._resting)
    del view
    assert len(memory_files._resting) == n_resting
    assert is_used_again(file, 5000)


def hold(inbox, done):
    array = inbox.recv()
    child = os.fork()
    if not child:
        done.recv()  # a fork of the receiver still sees the memory
        inbox.send(array.asnumpy().sum())
        os._exit(0)
    del array
    gc.collect()
    inbox.send("forked")
    os.waitpid(child, 0)
    inbox.send("ended")
    time.sleep(60)


def test_memory_that_forks_of_the_receiver_see_is_not_used(nothing_rests):
    ours, theirs = FORK.Pipe()
    done, wait = FORK.Pipe()
    process = FORK.Process(target=hold, args=(theirs, wait), daemon=True)
    process.start()
    array = mx.nd.full((1000,), 3, ctx=SHARED)
    file = place(array)
    ours.send(array)
    del array
    assert ours.recv() == "forked"
    other = mx.nd.full((1000,), 5, ctx=SHARED)
    assert place(other) != file
    done.send(None)
    assert (ours.recv(), ours.recv()) == (3000, "ended")
    assert is_used_again(file, 4000)
    process.kill()
    process.join()


def test_memory_that_a_fork_of_its_maker_sees_is_not_used(nothing_rests):
    array = mx.nd.full((1000,), 3, ctx=SHARED)
    file = place(array)
    ours, theirs = FORK.Pipe()
    pid = os.fork()
    if not pid:
        theirs.recv()
        gone = array.asnumpy().sum()
        del array
        os._exit(0 if gone == 3000 and not is_used_again(file, 4000) else 1)
    del array
    other = mx.nd.full((1000,), 5, ctx=SHARED)
    assert place(other) != file
    ours.send(None)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_addresses_of_earlier_blocks_find_nothing(nothing_rests):
    block = Block.new(5000)
    first = block.send()
    Block.receive(first)
    del block
    again = Block.new(5000)
    with pytest.raises(MXNetError, match="gone"):
        Block.receive(first)
    assert Block.receive(again.send()).id != again.id


def test_little_rests_and_not_for_long(nothing_rests):
    blocks = [Block.new(5000) for _ in range(2 * memory_files._RESTING)]
    del blocks
    assert len(memory_files._resting) == memory_files._RESTING
    kept = Block.new(100)
    for _ in range(memory_files._RESTING_CALLS + 1):
        kept = Block.new(100)
    del kept
    assert len(memory_files._resting) <= 2
    SHARED.empty_cache()
    assert memory_files._resting == []
