# SPDX-License-Identifier: Apache-2.0
import gc
import threading

import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.core.runtime import context as context_module
from mxnova.core.runtime import cuda_pool, storage
from mxnova.core.runtime.context import cpu, cpu_pinned, gpu
from mxnova.core.runtime.storage import Pool, Rounding, Storage

KIB, MIB = 1 << 10, 1 << 20


@pytest.fixture
def own():
    return Storage()


# Pools --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "size, naive, rounded",
    [
        (0, 4 * KIB, 4 * KIB),
        (1, 4 * KIB, 4 * KIB),
        (4 * KIB, 4 * KIB, 4 * KIB),
        (4 * KIB + 1, 8 * KIB, 8 * KIB),
        (9 * KIB, 12 * KIB, 16 * KIB),
        (2 * MIB, 2 * MIB, 2 * MIB),
        (2 * MIB + 1, 4 * MIB, 4 * MIB),
        (16 * MIB, 16 * MIB, 16 * MIB),
        (16 * MIB + 1, 18 * MIB, 32 * MIB),
        (33 * MIB, 34 * MIB, 48 * MIB),
    ],
)
def test_sizes_are_rounded_by_the_pools_rule(size, naive, rounded, monkeypatch):
    assert Rounding.of("CPU").capacity(size) == naive
    monkeypatch.setenv("MXNET_CPU_MEM_POOL_TYPE", "Round")
    assert Rounding.of("CPU").capacity(size) == rounded
    monkeypatch.setenv("MXNET_CPU_MEM_POOL_TYPE", "Unpooled")
    assert Rounding.of("CPU").capacity(size) == max(size, 1)


def test_variables_set_the_rule(monkeypatch):
    monkeypatch.setenv("MXNET_CPU_MEM_POOL_PAGE_SIZE", "100")
    monkeypatch.setenv("MXNET_CPU_MEM_LARGE_ALLOC_ROUND_SIZE", "1000")
    assert [Rounding.of("CPU").capacity(n) for n in (1, 950, 1001)] == [100, 1000, 2000]
    monkeypatch.setenv("MXNET_CPU_PINNED_MEM_POOL_TYPE", "Round")
    monkeypatch.setenv("MXNET_CPU_PINNED_MEM_POOL_ROUND_LINEAR_CUTOFF", "13")
    assert [Rounding.of("CPU_PINNED").capacity(n) for n in (5000, 9000)] == [8192, 16384]
    assert Rounding.of("CPU").kind == "Naive"
    monkeypatch.setenv("MXNET_CPU_MEM_POOL_TYPE", "naive")
    with pytest.raises(MXNetError, match="MXNET_CPU_MEM_POOL_TYPE='naive'"):
        Rounding.of("CPU")


def fake_pool(limit=None, is_scarce=lambda size: False):
    made = []

    def make(size):
        if limit is not None and sum(made) + size > limit:
            made.clear()  # what follows a release
            raise RuntimeError("out of memory")
        made.append(size)
        return torch.empty(size, dtype=torch.uint8)

    return Pool(make, Rounding("Naive", 10, 1000), is_scarce)


def test_freed_blocks_are_taken_again():
    pool = fake_pool()
    block, reused = pool.take(15)
    assert (block.numel(), reused, pool.size) == (20, False, 0)
    pool.give(block)
    assert pool.size == 20
    assert pool.take(5)[1] is False
    again, reused = pool.take(18)
    assert (again.data_ptr(), reused, pool.size) == (block.data_ptr(), True, 0)


def test_pools_are_emptied_before_memory_runs_out():
    scarce = []
    pool = fake_pool(is_scarce=lambda size: bool(scarce))
    pool.give(pool.take(15)[0])
    pool.take(50)
    assert pool.size == 20
    scarce.append(True)
    pool.take(100)
    assert pool.size == 0


def test_pools_are_emptied_when_memory_has_run_out():
    pool = fake_pool(limit=100)
    pool.give(pool.take(60)[0])
    assert pool.take(80)[0].numel() == 80
    assert pool.size == 0


# Storage ------------------------------------------------------------------------------------------


def test_blocks_are_taken_freed_and_counted(own):
    handle = own.alloc(5000, cpu())
    assert (handle.size, handle.context, handle.memory.numel()) == (5000, cpu(), 8192)
    assert (handle.shared_pid, handle.shared_id) == (-1, -1)
    address = handle.dptr
    own.free(handle)
    again = own.alloc(6000, cpu())
    assert again.dptr == address
    own.direct_free(again)
    known = own.statistics(cpu())
    assert (known.used, known.pooled, known.peak) == (0, 0, 8192)
    assert (known.n_alloc, known.n_free, known.n_reused) == (2, 2, 1)


def test_contexts_are_counted_apart(own):
    own.alloc(1, cpu(0))
    own.free(own.alloc(1, cpu(1)))
    assert (own.statistics(cpu(0)).used, own.statistics(cpu(0)).pooled) == (4096, 0)
    assert (own.statistics(cpu(1)).used, own.statistics(cpu(1)).pooled) == (0, 4096)
    own.release_all(cpu(1))
    assert own.statistics(cpu(1)).pooled == 0
    rows = [line.split() for line in str(own).splitlines()]
    assert rows[0] == ["context", "used", "pooled", "peak", "n_alloc", "n_free", "n_reused"]
    assert rows[1:] == [
        ["cpu(0)", "4096", "0", "4096", "1", "0", "0"],
        ["cpu(1)", "0", "0", "4096", "1", "1", "0"],
    ]


def test_freeing_twice_is_refused(own):
    handle = own.alloc(10, cpu())
    own.free(handle)
    for free in (own.free, own.direct_free):
        with pytest.raises(MXNetError, match="freed before"):
            free(handle)
    assert own.statistics(cpu()).used == 0


def test_requests_beyond_all_memory_are_refused(own):
    with pytest.raises(MXNetError, match=r"cpu\(0\): no memory for 4611686018427387904 bytes"):
        own.alloc(1 << 62, cpu())


def test_lent_memory_returns_with_its_last_view(own):
    tensor = own.lend(own.alloc(40, cpu())).view(torch.float32).view(2, 5)
    views = [tensor[1:], tensor.numpy()[0], tensor.t().detach()]
    del tensor
    while views:
        assert own.statistics(cpu()).pooled == 0
        views.pop()
    gc.collect()
    assert own.statistics(cpu()).pooled == 4096


def test_many_threads_take_and_free(own):
    def work():
        for size in range(1, 200):
            handle = own.alloc(size * 50, cpu())
            handle.memory.fill_(size % 256)
            assert handle.memory[0] == handle.memory[-1] == size % 256
            own.free(handle)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    known = own.statistics(cpu())
    assert (known.used, known.n_alloc, known.n_free) == (0, 796, 796)


# Arrays -------------------------------------------------------------------------------------------


def used(context):
    return Storage.get().statistics(context).used


@pytest.mark.parametrize("name", ["cpu_pinned", "cpu_shared"])
def test_arrays_on_special_contexts_lie_in_storage(name):
    context = mx.Context(name, 3)
    made = [
        mx.nd.zeros((50, 50), ctx=context),
        mx.nd.array([[1, 2], [3, 4]], ctx=context, dtype="int8"),
        mx.nd.ones((3,)).as_in_context(context),
        mx.nd.empty((0, 3), ctx=context),
    ]
    assert [a.context for a in made] == [context] * 4
    assert used(context) >= 10_000
    assert made[1].asnumpy().tolist() == [[1, 2], [3, 4]]
    assert made[2].asnumpy().tolist() == [1, 1, 1]
    assert (made[0] + 1).asnumpy().sum() == 2500
    made.clear()
    gc.collect()
    assert used(context) == 0


def test_pinned_memory_is_pinned_where_there_is_cuda(monkeypatch, own):
    asked = []
    monkeypatch.setattr(storage.torch.cuda, "is_available", lambda: True)
    empty = torch.empty
    monkeypatch.setattr(
        storage.torch,
        "empty",
        lambda *a, pin_memory, **k: asked.append(pin_memory) or empty(*a, **k),
    )
    own.alloc(1, cpu_pinned())
    own.alloc(1, cpu())
    assert asked == [True, False]


def test_empty_cache_releases_pooled_memory():
    context = cpu(9)
    Storage.get().free(Storage.get().alloc(1, context))
    assert Storage.get().statistics(context).pooled == 4096
    context.empty_cache()
    assert Storage.get().statistics(context).pooled == 0


# GPUs, by fakes -----------------------------------------------------------------------------------


@pytest.fixture
def one_gpu(monkeypatch):
    monkeypatch.setattr(context_module, "num_gpus", lambda: 1)
    return mx.Context("gpu", 0)


def test_statistics_of_a_gpu_are_atens(monkeypatch, one_gpu, own):
    known = {
        "allocated_bytes.all.current": 100,
        "allocated_bytes.all.peak": 300,
        "reserved_bytes.all.current": 512,
        "allocation.all.allocated": 9,
        "allocation.all.freed": 7,
        "segment.all.allocated": 2,
    }
    monkeypatch.setattr(storage.torch.cuda, "memory_stats", lambda device: known)
    assert own.statistics(one_gpu) == storage.Statistics(100, 412, 300, 9, 7, 7)


def test_memory_of_a_gpu_may_be_left_to_others(monkeypatch, one_gpu):
    limits = []
    monkeypatch.setattr(
        context_module.torch.cuda, "set_per_process_memory_fraction", lambda *a: limits.append(a)
    )
    assert one_gpu.device == torch.device("cuda", 0)
    monkeypatch.setenv("MXNET_GPU_MEM_POOL_RESERVE", "25")
    assert mx.Context("gpu", 0).device == torch.device("cuda", 0)
    assert limits == [(0.75, 0)]


@pytest.mark.parametrize(
    "kind, expected",
    [
        ("Naive", {}),
        ("Round", {"PYTORCH_CUDA_ALLOC_CONF": "roundup_power2_divisions:1"}),
        ("Unpooled", {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}),
    ],
)
def test_the_gpu_pool_type_becomes_atens_setting(kind, expected, monkeypatch):
    names = ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_NO_CUDA_MEMORY_CACHING")
    for name in names:
        monkeypatch.setenv(name, "")  # so that it is restored
        monkeypatch.delenv(name)
    monkeypatch.setenv("MXNET_GPU_MEM_POOL_TYPE", kind)
    cuda_pool.tune()
    set_now = {n: v for n, v in cuda_pool.os.environ.items() if n in names}
    assert set_now == expected
    for name in expected:
        monkeypatch.setenv(name, "mine")
        cuda_pool.tune()
        assert cuda_pool.os.environ[name] == "mine"


def test_memory_info_names_the_missing_gpu():
    if torch.cuda.is_available():
        free, total = mx.context.gpu_memory_info(0)
        assert 0 < free <= total
    with pytest.raises(MXNetError, match=r"gpu\(99\)"):
        mx.context.gpu_memory_info(99)
    gpu(99).empty_cache()
