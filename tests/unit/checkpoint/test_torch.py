# SPDX-License-Identifier: Apache-2.0
"""torch.distributed.checkpoint reads what is written here, and the other way round."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.checkpoint import ownership
from mxnova.core.base.errors import FormatError
from mxnova.formats import safetensors

from .trained import save_all, trained

pytest.importorskip("safetensors")
dcp = pytest.importorskip("torch.distributed.checkpoint")
if not hasattr(dcp, "HuggingFaceStorageReader"):
    pytest.skip("this PyTorch has no HuggingFaceStorageReader", allow_module_level=True)


@pytest.fixture(autouse=True)
def of_one_process(monkeypatch):
    monkeypatch.setattr(ownership, "_SLICED", 1 << 10)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "torch.distributed is", UserWarning)
        yield


@pytest.mark.parametrize("world", [1, 3])
def test_torch_reads_parameters_and_states(world, tmp_path):
    net, trainer = trained()
    path = save_all(tmp_path, 1, world, net, trainer)
    names = {"0.weight": net[0].weight.data(), "1.running_var": net[1].running_var.data()}
    names["optimizer.5.1"] = trainer._updaters[0].states[5][1]
    found = {name: torch.zeros(array.shape) for name, array in names.items()}
    dcp.load(found, storage_reader=dcp.HuggingFaceStorageReader(path))
    for name, array in names.items():
        np.testing.assert_array_equal(found[name].numpy(), array.asnumpy())


def values():
    torch.manual_seed(0)
    return {
        "a.weight": torch.randn(4, 6),
        "a.bias": torch.randn(6).bfloat16(),
        "b": torch.arange(8, dtype=torch.int64).reshape(2, 2, 2),
        "scalar": torch.tensor(3.5, dtype=torch.float16),
    }


@pytest.mark.parametrize("options", [{}, {"save_distributed": True}], ids=["one file", "shards"])
def test_torchs_checkpoints_are_read(options, tmp_path):
    saved = values()
    dcp.save(saved, storage_writer=dcp.HuggingFaceStorageWriter(str(tmp_path), **options))
    assert os.path.exists(tmp_path / "model.safetensors.index.json") != bool(options)
    found = mx.checkpoint.read(tmp_path)
    assert (found.step, found.world) == (None, 1)
    for name, array in found.parameters().items():
        assert array.shape == tuple(saved[name].shape)
        np.testing.assert_array_equal(array.astype("float64").asnumpy(), saved[name].double())
    with pytest.raises(FormatError, match="holds no states"):
        found.states()


def test_torchs_files_of_a_network_are_loaded(tmp_path):
    net, _ = trained()
    state = {
        name: torch.from_numpy(p.data().asnumpy()) * 2
        for name, p in net._collect_params_with_prefix().items()
    }
    dcp.save(state, storage_writer=dcp.HuggingFaceStorageWriter(str(tmp_path)))
    mx.checkpoint.load(tmp_path, net)
    np.testing.assert_array_equal(net[0].weight.data().asnumpy(), state["0.weight"].numpy())


BY_TWO = Path(__file__).parents[2] / "data" / "checkpoints" / "torch_two_workers"


def written_by_two(rank, folder):
    """Of two processes: what torch writes of tensors that are sharded along each axis."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Shard, distribute_tensor

    torch.distributed.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (2,))
    whole = values()
    state = {
        "a.weight": distribute_tensor(whole["a.weight"], mesh, [Shard(1)]),
        "b": distribute_tensor(whole["b"], mesh, [Shard(0)]),
        "odd": distribute_tensor(torch.arange(5.0), mesh, [Shard(0)]),
        "a.bias": whole["a.bias"],
    }
    writer = dcp.HuggingFaceStorageWriter(folder, save_distributed=True)
    dcp.save(state, storage_writer=writer)
    torch.distributed.destroy_process_group()


@pytest.mark.huge
def test_what_torch_writes_with_two_processes_is_as_it_was(tmp_path):
    from ..kvstore.distributed.workers import run

    run(2, written_by_two, str(tmp_path))
    for path in BY_TWO.iterdir():
        assert safetensors.read(path).metadata == safetensors.read(tmp_path / path.name).metadata
    check_shards_of_two(tmp_path)


def test_torchs_shards_of_two_processes_are_read():
    check_shards_of_two(BY_TWO)


def check_shards_of_two(folder):
    found = mx.checkpoint.read(folder)
    assert len(found._files.files) == 2
    assert found.array("odd").asnumpy().tolist() == [0, 1, 2, 3, 4]
    whole = values()
    for name in ("a.weight", "b"):
        np.testing.assert_array_equal(found.array(name).asnumpy(), whole[name].numpy())
    box = found.array("a.weight", begin=(1, 2), shape=(2, 3)).asnumpy()
    np.testing.assert_array_equal(box, whole["a.weight"][1:3, 2:5].numpy())
