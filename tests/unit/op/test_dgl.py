# SPDX-License-Identifier: Apache-2.0
"""Graph operators give what MXNet gave (`scripts/record/dgl.py`), and sample as they promise."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.core.op.schema import find
from tests.unit.op.inference import inferred_dtypes, inferred_shapes

RECORDED = json.loads((Path(__file__).parents[2] / "data" / "dgl.json").read_text())
UNIFORM, WEIGHTED = (
    f"_contrib_dgl_csr_neighbor_{kind}_sample" for kind in ("uniform", "non_uniform")
)
contrib = mx.nd.contrib


def graph(name):
    record = RECORDED["graphs"][name]
    parts = (record["data"], record["indices"], record["indptr"])
    return mx.nd.sparse.csr_matrix(parts, shape=record["shape"], dtype="int64")


def vertices(values):
    return mx.nd.array(values, dtype="int64")


def arrays_of(result):
    return result if isinstance(result, list) else [result]


def assert_stored(matrices, records):
    for matrix, record in zip(arrays_of(matrices), records, strict=True):
        assert matrix.stype == "csr"
        assert (list(matrix.shape), np.dtype(matrix.dtype).name) == (
            record["shape"],
            record["dtype"],
        )
        for name in ("indptr", "indices", "data"):
            assert getattr(matrix, name).asnumpy().tolist() == record[name], name


def assert_padded(arrays, records, length):
    for array, record in zip(arrays, records, strict=True):
        assert array.shape == (length,)
        values = array.asnumpy().tolist()
        assert values[: len(record)] == pytest.approx(record)
        assert not any(values[len(record) :])


def neighborhoods(case, operator, *more):
    """Kinds of results, each with one for each array of seeds."""
    arrays = [graph(case["graph"]), *more, *map(vertices, case["seeds"])]
    attrs = {name: case[name] for name in ("num_hops", "max_num_vertices")}
    results = operator(*arrays, num_neighbor=9, num_args=len(arrays), **attrs)
    n = len(case["seeds"])
    return [results[i : i + n] for i in range(0, len(results), n)]


@pytest.mark.parametrize("case", RECORDED["neighborhoods"], ids=str)
def test_whole_neighborhoods(case):
    found, edges, layers = neighborhoods(case, contrib.dgl_csr_neighbor_uniform_sample)
    most = case["max_num_vertices"]
    assert [int(v[-1].asscalar()) for v in found] == [len(v) for v in case["vertices"]]
    assert_padded([v[:-1] for v in found], case["vertices"], most)
    assert_padded(layers, case["layers"], most)
    assert_stored(edges, case["edges"])
    if "compact" in case:
        sizes = tuple(map(len, case["vertices"]))
        n = 2 * len(found)
        compact = contrib.dgl_graph_compact(
            *edges, *found, num_args=n, graph_sizes=sizes, return_mapping=True
        )
        assert_stored(compact[: len(found)], case["compact"])
        for mapping, before, new in zip(compact[len(found) :], edges, compact, strict=False):
            assert mapping.data.asnumpy().tolist() == before.data.asnumpy().tolist()
            assert mapping.indices.asnumpy().tolist() == new.indices.asnumpy().tolist()


@pytest.mark.parametrize("case", RECORDED["likely"], ids=str)
def test_whole_neighborhoods_with_probabilities(case):
    probability = mx.nd.array(case["probability"])
    operator = contrib.dgl_csr_neighbor_non_uniform_sample
    _, edges, shares, layers = neighborhoods(case, operator, probability)
    assert_padded(shares, case["probabilities"], case["max_num_vertices"])
    assert_padded(layers, case["layers"], case["max_num_vertices"])
    assert_stored(edges, case["edges"])


@pytest.mark.parametrize("case", RECORDED["parts"], ids=str)
def test_subgraph(case):
    arrays = [graph(case["graph"]), *map(vertices, case["vertices"])]
    n = len(arrays)
    both = contrib.dgl_subgraph(*arrays, num_args=n, return_mapping=True)
    assert_stored(both, case["is"])
    new = contrib.dgl_subgraph(*arrays, num_args=n, return_mapping=False)
    assert_stored(new, case["is"][: n - 1])


@pytest.mark.parametrize("case", RECORDED["adjacency"], ids=str)
def test_adjacency(case):
    assert_stored(contrib.dgl_adjacency(graph(case["graph"])), [case["is"]])


def followed(operator, *more, n=400):
    """How often each neighbor of vertex 0 of the full graph is among the two that are chosen."""
    mx.random.seed(11)
    seeds = [vertices([0])] * n
    results = operator(graph("full"), *more, *seeds, num_args=n + 1 + len(more), max_num_vertices=5)
    edges = results[n : 2 * n]
    chosen = np.array([e.indices.asnumpy() for e in edges])
    assert chosen.shape == (n, 2)
    assert (chosen[:, 0] < chosen[:, 1]).all()
    assert all((e.data.asnumpy() == 99 + e.indices.asnumpy()).all() for e in edges)
    return np.bincount(chosen.ravel(), minlength=5) / n


def test_graphs_keep_samples_apart():
    """Two samples of one neighborhood are two draws, which graphs must not merge."""
    op = find("_contrib_dgl_csr_neighbor_uniform_sample").of({"num_args": 2})
    assert op.draws


def test_neighbors_are_chosen_evenly():
    share = followed(contrib.dgl_csr_neighbor_uniform_sample)
    assert share == pytest.approx([0, 0.5, 0.5, 0.5, 0.5], abs=0.1)


def test_likely_neighbors_are_preferred():
    probability = mx.nd.array([0.2, 0.7, 0.1, 0.0, 0.0])
    share = followed(contrib.dgl_csr_neighbor_non_uniform_sample, probability)
    assert share == pytest.approx([0, 1, 1, 0, 0])
    probability = mx.nd.array([0.0, 0.4, 0.2, 0.2, 0.2])
    share = followed(contrib.dgl_csr_neighbor_non_uniform_sample, probability)
    # Of two drawn one after the other, without putting back: 0.4 + 3 * 0.2 * 0.4 / 0.8.
    assert share == pytest.approx([0, 0.7, 0.433, 0.433, 0.433], abs=0.1)


@pytest.mark.parametrize(
    "call, message",
    [
        (
            lambda: contrib.dgl_csr_neighbor_uniform_sample(
                graph("chain"), vertices([1, 2, 3]), max_num_vertices=2, num_args=2
            ),
            "max_num_vertices=2: must be at least the number of seeds, 3",
        ),
        (
            lambda: contrib.dgl_csr_neighbor_uniform_sample(
                graph("chain"), vertices([8]), num_args=2
            ),
            r"seeds \[8\]: vertices of the graph go from 0 to 7",
        ),
        (
            lambda: contrib.dgl_subgraph(
                graph("chain"), vertices([2, 1]), num_args=2, return_mapping=False
            ),
            r"data \[2, 1\]: must be rising",
        ),
        (
            lambda: contrib.dgl_graph_compact(
                graph("chain"),
                vertices([0, 1, 2]),
                num_args=2,
                graph_sizes=(3,),
                return_mapping=False,
            ),
            r"graph_sizes=\(3,\): a neighborhood has 2 vertices",
        ),
        (lambda: contrib.dgl_adjacency(vertices([[0, 1]])), "data must be in csr storage"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(MXNetError, match=message):
        call()


def test_shapes():
    attrs = {"num_args": 3, "max_num_vertices": 7}
    assert (
        inferred_shapes(UNIFORM, attrs, [(4, 4), (2,), (3,)])
        == "[4,4], [2], [3] -> [8], [8], [7,4], [7,4], [7], [7]"
    )
    assert (
        inferred_shapes(WEIGHTED, attrs, [(4, 4), None, (3,)])
        == "[4,4], [4], [3] -> [8], [7,4], [7], [7]"
    )
    with pytest.raises(MXNetError, match=r"csr_matrix has shape \[2,3\]: a graph needs a square"):
        inferred_shapes(UNIFORM, attrs, [(2, 3), (2,), (3,)])
    subgraph = {"num_args": 3, "return_mapping": True}
    assert (
        inferred_shapes("_contrib_dgl_subgraph", subgraph, [(4, 4), (2,), (3,)])
        == "[4,4], [2], [3] -> [2,2], [3,3], [2,2], [3,3]"
    )


def test_types():
    found = inferred_dtypes(WEIGHTED, {"num_args": 3}, [torch.int64, None, None])
    assert found == "int64, float32, int64 -> int64, int64, float32, int64"
