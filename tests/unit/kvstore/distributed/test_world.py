# SPDX-License-Identifier: Apache-2.0
import zlib
from dataclasses import asdict

import pytest

from mxnova.core.base.errors import ArgumentError, MXNetError
from mxnova.kvstore.distributed.world import find

DMLC = {
    "DMLC_ROLE": "worker",
    "DMLC_PS_ROOT_URI": "10.0.0.1",
    "DMLC_PS_ROOT_PORT": "9091",
    "DMLC_NUM_WORKER": "4",
    "DMLC_NUM_SERVER": "2",
}
TORCHRUN = {"RANK": "3", "WORLD_SIZE": "4", "MASTER_ADDR": "node0", "MASTER_PORT": "29501"}
AGENT = {"TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_RESTART_COUNT": "2"}
SLURM = {
    "SLURM_PROCID": "0",
    "SLURM_STEP_NUM_TASKS": "8",
    "SLURM_JOB_ID": "4711",
    "SLURM_STEP_ID": "1",
    "SLURM_STEP_NODELIST": "gpu[003-005,9],login",
}
OPEN_MPI = {
    "OMPI_COMM_WORLD_RANK": "1",
    "OMPI_COMM_WORLD_SIZE": "2",
    "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
}
MPICH = {"PMI_RANK": "0", "PMI_SIZE": "2", "MASTER_ADDR": "node0", "MASTER_PORT": "1234"}

# variables -> what the world is
WORLDS = {
    "a worker whose rank is to be agreed on": (
        DMLC,
        {
            "role": "worker",
            "rank": None,
            "num_workers": 4,
            "master_address": "10.0.0.1",
            "master_port": 9091,
            "is_host": False,
            "source": "DMLC",
        },
    ),
    "a worker by default": (
        {k: v for k, v in DMLC.items() if k != "DMLC_ROLE"},
        {"role": "worker", "is_host": False},
    ),
    "a worker with a number": (DMLC | {"DMLC_WORKER_ID": "0"}, {"rank": 0, "is_host": False}),
    "the scheduler": (
        DMLC | {"DMLC_ROLE": "scheduler"},
        {"role": "scheduler", "rank": 0, "is_host": True},
    ),
    "MXNet's choice of network": (
        DMLC | {"DMLC_INTERFACE": "eth1", "DMLC_NODE_HOST": "10.0.0.7"},
        {"interface": "eth1", "node_address": "10.0.0.7"},
    ),
    "torchrun": (
        TORCHRUN,
        {
            "role": "worker",
            "rank": 3,
            "num_workers": 4,
            "master_address": "node0",
            "master_port": 29501,
            "is_host": False,
            "attempt": 0,
            "source": "torchrun",
        },
    ),
    "rank 0 of a PyTorchJob": (TORCHRUN | {"RANK": "0"}, {"rank": 0, "is_host": True}),
    "rank 0 below torchrun, which is the host": (
        TORCHRUN | AGENT | {"RANK": "0"},
        {"rank": 0, "is_host": False, "attempt": 0, "is_reused": True},
    ),
    "MXNet's launcher in a step of Slurm": (SLURM | DMLC, {"source": "DMLC"}),
    "torchrun in a step of Slurm": (SLURM | TORCHRUN, {"source": "torchrun"}),
    "Slurm": (
        SLURM,
        {
            "rank": 0,
            "num_workers": 8,
            "master_address": "gpu003",
            "master_port": 10000 + 4711 * 31 % 20000 + 1,
            "is_host": True,
            "source": "Slurm",
        },
    ),
    "Slurm with a master": (
        SLURM | {"SLURM_PROCID": "7", "MASTER_ADDR": "10.1.1.1", "MASTER_PORT": "5000"},
        {"rank": 7, "master_address": "10.1.1.1", "master_port": 5000, "is_host": False},
    ),
    "nodes in two brackets": (
        SLURM | {"SLURM_STEP_NODELIST": "rack[2-3]n[07,09]"},
        {"master_address": "rack2n07"},
    ),
    "nodes without brackets": (
        SLURM | {"SLURM_STEP_NODELIST": "a.b-c,d"},
        {"master_address": "a.b-c"},
    ),
    "mpirun on one machine": (
        OPEN_MPI,
        {"rank": 1, "num_workers": 2, "master_address": "127.0.0.1", "master_port": 29500},
    ),
    "mpirun of Open MPI, whose jobs are told apart": (
        OPEN_MPI | {"PMIX_NAMESPACE": "470089729"},
        {"master_port": 10000 + zlib.crc32(b"470089729") % 20000, "source": "MPI"},
    ),
    "MPICH": (MPICH, {"rank": 0, "master_port": 1234, "is_host": True, "source": "MPI"}),
}

ALONE = {
    "nothing": {},
    "empty texts": dict.fromkeys((*DMLC, *TORCHRUN), ""),
    "a script of sbatch": {k: v for k, v in SLURM.items() if "STEP" not in k},
    "a step of one task": SLURM | {"SLURM_STEP_NUM_TASKS": "1"},
    "mpirun of one process": OPEN_MPI | {"OMPI_COMM_WORLD_SIZE": "1"},
}

MISTAKES = {
    "a role that is none": (DMLC | {"DMLC_ROLE": "boss"}, "DMLC_ROLE='boss': must be 'worker' or"),
    "no address": (DMLC | {"DMLC_PS_ROOT_URI": ""}, "DMLC_PS_ROOT_URI is not set, .* DMLC_ROLE="),
    "no number of workers": (DMLC | {"DMLC_NUM_WORKER": ""}, "DMLC_NUM_WORKER is not set"),
    "no worker": (DMLC | {"DMLC_NUM_WORKER": "0"}, "DMLC_NUM_WORKER='0': must be >= 1"),
    "no number": (DMLC | {"DMLC_NUM_WORKER": "two"}, "DMLC_NUM_WORKER='two': must be an int"),
    "a number too many": (DMLC | {"DMLC_WORKER_ID": "4"}, "below DMLC_NUM_WORKER, which is 4"),
    "no port": (DMLC | {"DMLC_PS_ROOT_PORT": "99999"}, "DMLC_PS_ROOT_PORT='99999': must be <="),
    "a rank too high": (TORCHRUN | {"RANK": "4"}, "RANK=4: must be below WORLD_SIZE, which is 4"),
    "a negative rank": (TORCHRUN | {"RANK": "-1"}, "RANK='-1': must be >= 0"),
    "no master": (TORCHRUN | {"MASTER_ADDR": ""}, "MASTER_ADDR is not set, which RANK needs"),
    "machines of MPI": (OPEN_MPI | {"OMPI_COMM_WORLD_LOCAL_SIZE": "1"}, "need MASTER_ADDR"),
    "no nodes": (SLURM | {"SLURM_STEP_NODELIST": "[]"}, "SLURM_STEP_NODELIST='.*names no node"),
}


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_is_what_the_launcher_says(name):
    variables, wanted = WORLDS[name]
    world = asdict(find(variables))
    assert {field: world[field] for field in wanted} == wanted


@pytest.mark.parametrize("name", ALONE)
def test_a_process_is_alone(name):
    assert find(ALONE[name]) is None


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told(name):
    variables, message = MISTAKES[name]
    with pytest.raises(MXNetError, match=message):
        find(variables)


def test_patience_is_set_by_variables(monkeypatch):
    monkeypatch.setenv("MXNOVA_DIST_TIMEOUT", "7.5")
    monkeypatch.setenv("MXNOVA_DIST_START_TIMEOUT", "20")
    world = find(TORCHRUN)
    assert (world.timeout, world.start_timeout) == (7.5, 20.0)
    monkeypatch.setenv("MXNOVA_DIST_TIMEOUT", "never")
    with pytest.raises(ArgumentError, match="MXNOVA_DIST_TIMEOUT='never'"):
        find(TORCHRUN)


def test_the_environment_is_what_counts_by_default(monkeypatch):
    for name, value in TORCHRUN.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("DMLC_ROLE", raising=False)
    assert find() == find(TORCHRUN)
