# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet's operators for the Deep Graph Library give; run it with MXNet's Python.

    OMP_NUM_THREADS=1 python scripts/record/dgl.py tests/data/dgl.json

Only what is decided is recorded: neighborhoods of which no edge is left to chance, and no padding,
which MXNet leaves uninitialised.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import mxnet as mx
import numpy as np

# Vertex -> neighbors. Edges are numbered from 100.
GRAPHS = {
    "full": [[1, 2, 3, 4], [0, 2, 3, 4], [0, 1, 3, 4], [0, 1, 2, 4], [0, 1, 2, 3]],
    "chain": [[1], [0, 2], [1, 3], [2, 4], [3, 5], [4, 6], [5, 7], [6]],
    "uneven": [[5, 7], [], [0, 1, 2, 3, 4, 5, 6, 7, 8], [2], [2, 8], [], [6], [0, 3], [4]],
}
# graph, arrays of seeds, num_hops, max_num_vertices
NEIGHBORHOODS = [
    ("full", [[0]], 1, 10),
    ("full", [[0, 1, 2, 3, 4]], 1, 5),
    ("full", [[3], [4, 2]], 2, 6),
    ("chain", [[3]], 0, 4),
    ("chain", [[3], [7], [0, 6]], 1, 6),
    ("chain", [[3]], 2, 10),
    ("chain", [[3]], 3, 10),
    ("chain", [[3, 0, 3]], 1, 10),
    *(("chain", [[3]], 3, most) for most in (1, 2, 3, 4)),
    *(("uneven", [[7, 4]], 4, most) for most in (2, 3, 4, 5, 6, 7, 8, 9, 20)),
    ("uneven", [[1], [6], [2]], 3, 9),
]
# graph, arrays of vertices
PARTS = [
    ("full", [[0, 2, 4]]),
    ("chain", [[0, 1, 2], [5, 6], [3]]),
    ("chain", [[0, 1, 1]]),
    ("uneven", [[0, 2, 3, 5, 7, 8], [1]]),
]


def main(path: Path) -> None:
    probability = np.arange(1, 10, dtype="float32") / 45
    cases = {
        "graphs": {name: stored(graph(name)) for name in GRAPHS},
        "neighborhoods": [neighborhood(*case) for case in NEIGHBORHOODS],
        "likely": [likely(*case, probability) for case in NEIGHBORHOODS],
        "parts": [part(*case) for case in PARTS],
        "adjacency": [{"graph": g, "is": stored(call("adjacency", graph(g)))} for g in GRAPHS],
    }
    path.write_text(json.dumps(cases, sort_keys=True) + "\n")


def graph(name: str) -> Any:
    neighbors = GRAPHS[name]
    indices = np.concatenate([np.array(n, "int64") for n in neighbors])
    indptr = np.cumsum([0, *map(len, neighbors)])
    n = len(neighbors)
    data = np.arange(100, 100 + len(indices))
    return mx.nd.sparse.csr_matrix((data, indices, indptr), shape=(n, n), dtype="int64")


def call(name: str, *arrays: Any, **attrs: Any) -> Any:
    return getattr(mx.nd.contrib, f"dgl_{name}")(*arrays, **attrs)


def vertices(values: list[int]) -> Any:
    return mx.nd.array(values, dtype="int64")


def stored(matrix: Any) -> dict[str, Any]:
    parts = {name: getattr(matrix, name) for name in ("data", "indices", "indptr")}
    return {
        "shape": matrix.shape,
        "dtype": np.dtype(matrix.dtype).name,
        **{name: array.asnumpy().tolist() for name, array in parts.items()},
    }


def sampled(
    operator: str, name: str, seeds: list[list[int]], hops: int, most: int, *more: Any
) -> Any:
    """The case and its results: kinds of results, each with one for each array of seeds."""
    arrays = [graph(name), *more, *map(vertices, seeds)]
    results = call(
        operator,
        *arrays,
        num_args=len(arrays),
        num_hops=hops,
        num_neighbor=len(GRAPHS[name]),
        max_num_vertices=most,
    )
    case = {"graph": name, "seeds": seeds, "num_hops": hops, "max_num_vertices": most}
    n = len(seeds)
    return case, [results[i : i + n] for i in range(0, len(results), n)]


def neighborhood(name: str, seeds: list[list[int]], hops: int, most: int) -> dict[str, Any]:
    case, (found, edges, layers) = sampled("csr_neighbor_uniform_sample", name, seeds, hops, most)
    counts = [int(v[-1].asscalar()) for v in found]
    case["vertices"] = real(found, counts)
    case["edges"] = [stored(e) for e in edges]
    case["layers"] = real(layers, counts)
    if all(set(e.indices.asnumpy()) <= set(v) for e, v in zip(edges, case["vertices"])):  # noqa: B905
        compact = call(
            "graph_compact",
            *edges,
            *found,
            num_args=2 * len(found),
            graph_sizes=tuple(counts),
            return_mapping=False,
        )
        case["compact"] = [stored(c) for c in as_list(compact)]
    return case


def likely(
    name: str, seeds: list[list[int]], hops: int, most: int, probability: np.ndarray
) -> dict[str, Any]:
    given = mx.nd.array(probability[: len(GRAPHS[name])])
    case, (found, edges, shares, layers) = sampled(
        "csr_neighbor_non_uniform_sample", name, seeds, hops, most, given
    )
    counts = [int(v[-1].asscalar()) for v in found]
    case["probability"] = given.asnumpy().tolist()
    case["vertices"] = real(found, counts)
    case["edges"] = [stored(e) for e in edges]
    case["probabilities"] = real(shares, counts)
    case["layers"] = real(layers, counts)
    return case


def real(arrays: list[Any], counts: list[int]) -> list[list[Any]]:
    """Without the padding."""
    return [a[:n].asnumpy().tolist() for a, n in zip(arrays, counts)]  # noqa: B905


def part(name: str, lists: list[list[int]]) -> dict[str, Any]:
    arrays = [graph(name), *map(vertices, lists)]
    results = call("subgraph", *arrays, num_args=len(arrays), return_mapping=True)
    return {"graph": name, "vertices": lists, "is": [stored(r) for r in results]}


def as_list(result: Any) -> list[Any]:
    return result if isinstance(result, list) else [result]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
