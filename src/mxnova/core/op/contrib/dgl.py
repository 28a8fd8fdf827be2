# SPDX-License-Identifier: Apache-2.0
"""Graphs as sparse matrices: neighborhoods sampled around vertices, and parts of graphs.

The matrix of a graph is in csr storage; what it stores at row u and column v is the number of the
edge from u to v. Serves the Deep Graph Library: Wang et al., "Deep Graph Library: a graph-centric,
highly-performant package for graph neural networks", 2019.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ...base.errors import MXNetError
from ...base.params import AnyCount, Long, Longs
from ...base.shapes import UnknownDim, shape_text
from ..declaration import operator
from ..infer import DTypes, Shapes
from ..kernel import KERNELS, Kernel, kernel
from ..schema import Op
from ..sparse.storage import Csr

_log = logging.getLogger("mxnova")


class _OfGraphs(Op):
    differentiable = False

    def _needs_csr(self) -> MXNetError:
        return MXNetError(f"{self.name}: {self.inputs()[0]} must be in csr storage")

    def _square(self, s: Shapes, name: str) -> None:
        s.rank(name, 2)
        rows, columns = s[name]
        if not isinstance(rows, UnknownDim) and rows != columns:
            raise s.fail(f"{name} has shape {shape_text(s[name])}: a graph needs a square matrix")


# Neighborhoods ------------------------------------------------------------------------------------


class _Neighborhood(NamedTuple):
    """Sampled vertices by rising number, their distances from the seeds, and the edges followed."""

    vertices: Tensor
    layers: Tensor
    edges: Csr


_Sample = Callable[[Csr], Csr]


def _neighborhood(
    graph: Csr, seeds: Tensor, n_hops: int, most: int, sample: _Sample
) -> _Neighborhood:
    """What is at most `n_hops` edges from `seeds`, edges being those that `sample` leaves.

    The search goes breadth first, and ends with the vertex whose neighbors make `most` vertices.
    The matrix of edges has a row for each of the vertices, padded to `most`.
    """
    frontier = seeds[_first_of_each(seeds)]
    found, layers = frontier, torch.zeros_like(frontier)
    expanded, edges = [frontier[:0]], [graph.take(frontier[:0])]
    for layer in range(1, n_hops + 1):
        room = most - len(found)
        if not room:
            break
        picked = sample(graph.take(frontier))
        unseen = (~torch.isin(picked.indices, found)).nonzero().squeeze(1)
        new = unseen[_first_of_each(picked.indices[unseen])]
        if len(new) >= room:
            new = new[:room]
            last = int(picked.rows()[new[-1]]) + 1
            frontier, picked = frontier[:last], picked.take(torch.arange(last, device=new.device))
        expanded.append(frontier)
        edges.append(picked)
        frontier = picked.indices[new]
        found = torch.cat((found, frontier))
        layers = torch.cat((layers, torch.full_like(frontier, layer)))
    vertices, order = found.sort()
    return _Neighborhood(vertices, layers[order], _rows_of(vertices, expanded, edges, most))


def _first_of_each(values: Tensor) -> Tensor:
    """Where each value stands first, in the order of places."""
    ordered, places = values.sort(stable=True)
    is_first = torch.ones_like(ordered, dtype=torch.bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return places[is_first].sort().values


def _rows_of(
    vertices: Tensor, expanded: Sequence[Tensor], edges: Sequence[Csr], n_rows: int
) -> Csr:
    """The `edges` that begin at the `expanded` vertices, a row for each of `vertices`."""
    starts, order = torch.cat(list(expanded)).sort()
    lengths = torch.cat([part.indptr.diff() for part in edges])
    joined = Csr(
        torch.cat([part.data for part in edges]),
        _from_zero(lengths),
        torch.cat([part.indices for part in edges]),
        (len(starts), edges[0].shape[1]),
    ).take(order)
    in_rows = lengths.new_zeros(n_rows)
    in_rows[torch.searchsorted(vertices, starts)] = lengths[order]
    return Csr(joined.data, _from_zero(in_rows), joined.indices, (n_rows, joined.shape[1]))


def _from_zero(lengths: Tensor) -> Tensor:
    return torch.cat((lengths.new_zeros(1), lengths.cumsum(0)))


def _best_of_rows(graph: Csr, most: int, score: Callable[[Csr], Tensor]) -> Csr:
    """`graph` without the edges of each row that are not among its `most` best by `score`."""
    lengths = graph.indptr.diff()
    if not len(lengths) or int(lengths.max()) <= most:
        return graph
    owner = graph.rows()
    order = score(graph).argsort(descending=True)
    order = order[owner[order].argsort(stable=True)]  # by row, the best ones first
    rank = torch.arange(len(order), device=order.device) - graph.indptr[owner]
    chosen = order[rank < most].sort().values
    starts = _from_zero(lengths.clamp(max=most))
    return Csr(graph.data[chosen], starts, graph.indices[chosen], graph.shape)


class _Sampler(_OfGraphs):
    num_args: AnyCount
    num_hops: int
    num_neighbor: int
    max_num_vertices: int
    _per_seeds: tuple[str, ...]  # storage types of what is given for each array of seeds

    def n_variadic(self) -> int:
        return self.num_args - len(self.type.signature.inputs)

    def outputs(self) -> tuple[str, ...]:
        return tuple(f"output{i}" for i in range(len(self._per_seeds) * self.n_variadic()))

    def infer_stype(self, stypes: Sequence[str]) -> tuple[str, ...]:
        return tuple(stype for stype in self._per_seeds for _ in range(self.n_variadic()))

    def infer_shape(self, s: Shapes) -> None:
        self._square(s, "csr_matrix")
        for seeds in s.inputs[-self.n_variadic() :]:
            s.rank(seeds, 1)
        n = self.max_num_vertices
        shapes = {"vertices": (n + 1,), "edges": (n, s.csr_matrix[1])}
        for name, kind in zip(s.outputs, self._kinds(), strict=True):
            s[name] = shapes.get(kind, (n,))

    def infer_dtype(self, t: DTypes) -> None:
        for name in t.inputs[-self.n_variadic() :]:
            t[name] = torch.int64
        if "probability" in t:
            t.probability = torch.float32
        for name, kind in zip(t.outputs, self._kinds(), strict=True):
            if kind == "edges":
                t.same("csr_matrix", name)
            else:
                t[name] = torch.float32 if kind == "probability" else torch.int64

    def _kinds(self) -> list[str]:
        """What each output holds."""
        kinds = ["vertices", "edges", "probability", "layers"]
        if len(self._per_seeds) == 3:
            kinds.remove("probability")
        return [kind for kind in kinds for _ in range(self.n_variadic())]

    def _searched(
        self, graph: Csr, seed_arrays: Sequence[Tensor], score: Callable[[Csr], Tensor]
    ) -> list[_Neighborhood]:
        def sample(rows: Csr) -> Csr:
            return _best_of_rows(rows, self.num_neighbor, score)

        for seeds in seed_arrays:
            self._check(seeds, graph)
        hops, most = self.num_hops, self.max_num_vertices
        found = [_neighborhood(graph, seeds, hops, most, sample) for seeds in seed_arrays]
        if any(len(each.vertices) == most for each in found):
            _log.warning(
                "%s: stopped at max_num_vertices=%d vertices, which may not be all", self.name, most
            )
        return found

    def _check(self, seeds: Tensor, graph: Csr) -> None:
        if len(seeds) > self.max_num_vertices:
            raise MXNetError(
                f"{self.name}: max_num_vertices={self.max_num_vertices}: must be at least the "
                f"number of seeds, {len(seeds)}"
            )
        _check_vertices(self, "seeds", seeds, graph)

    def _padded(self, values: Tensor) -> Tensor:
        return torch.cat((values, values.new_zeros(self.max_num_vertices - len(values))))

    def _with_count(self, vertices: Tensor) -> Tensor:
        return torch.cat((self._padded(vertices), vertices.new_tensor([len(vertices)])))


def _check_vertices(op: Op, name: str, vertices: Tensor, graph: Csr) -> None:
    if len(vertices) and not 0 <= int(vertices.min()) <= int(vertices.max()) < graph.shape[0]:
        raise MXNetError(
            f"{op.name}: {name} {vertices.tolist()[:10]}: vertices of the graph go from 0 to "
            f"{graph.shape[0] - 1}"
        )


@operator("_contrib_dgl_csr_neighbor_uniform_sample")
class UniformSample(_Sampler):
    """Sampled neighborhoods: from each vertex reached, some edges chosen at random are followed.

    For each array of seeds three arrays, all of the first kind first: the vertices by rising
    number, (max_num_vertices + 1,), their count in the last place; the edges followed, csr
    (max_num_vertices, all vertices), row i for vertex i of the first array; and how many edges each
    vertex is from a seed, (max_num_vertices,).

    Args:
        csr_matrix: the graph, in csr storage.
        seed_arrays: vertices to begin from, int64 (seeds,).
        num_args: number of arrays given.
        num_hops: largest distance from the seeds.
        num_neighbor: number of edges followed from a vertex, all if there are fewer.
        max_num_vertices: the search stops at that many vertices.
    """

    num_args: AnyCount
    num_hops: Long = 1
    num_neighbor: Long = 2
    max_num_vertices: Long = 100
    _per_seeds = ("default", "csr", "default")

    def forward(self, csr_matrix: Tensor, *seed_arrays: Tensor) -> Tensor:
        raise self._needs_csr()

    @kernel("csr", "default", ...)
    def _sampled(
        self, csr_matrix: Csr, *seed_arrays: Tensor, rng: torch.Generator | None
    ) -> tuple[Any, ...]:
        def score(rows: Csr) -> Tensor:
            return torch.rand(len(rows.data), generator=rng, device=rows.data.device)

        found = self._searched(csr_matrix, seed_arrays, score)
        return (
            *(self._with_count(each.vertices) for each in found),
            *(each.edges for each in found),
            *(self._padded(each.layers) for each in found),
        )


@operator("_contrib_dgl_csr_neighbor_non_uniform_sample")
class NonUniformSample(_Sampler):
    """Sampled neighborhoods, likely neighbors preferred.

    As _contrib_dgl_csr_neighbor_uniform_sample, but an edge is chosen with a probability in
    proportion to that of the vertex it leads to. The probabilities of the vertices found,
    (max_num_vertices,), are given before the distances.

    Args:
        csr_matrix: the graph, in csr storage.
        probability: float32 (vertices,): how likely a vertex is chosen.
        seed_arrays: vertices to begin from, int64 (seeds,).
        num_args: number of arrays given.
        num_hops: largest distance from the seeds.
        num_neighbor: number of edges followed from a vertex, all if there are fewer.
        max_num_vertices: the search stops at that many vertices.
    """

    num_args: AnyCount
    num_hops: Long = 1
    num_neighbor: Long = 2
    max_num_vertices: Long = 100
    _per_seeds = ("default", "csr", "default", "default")

    def infer_shape(self, s: Shapes) -> None:
        super().infer_shape(s)
        s.probability = (s.csr_matrix[0],)

    def forward(self, csr_matrix: Tensor, probability: Tensor, *seed_arrays: Tensor) -> Tensor:
        raise self._needs_csr()

    @kernel("csr", "default", ...)
    def _sampled(
        self,
        csr_matrix: Csr,
        probability: Tensor,
        *seed_arrays: Tensor,
        rng: torch.Generator | None,
    ) -> tuple[Any, ...]:
        def score(rows: Csr) -> Tensor:
            # The first of competing exponential waiting times, with these rates.
            rate = probability[rows.indices]
            return rate / torch.empty_like(rate).exponential_(generator=rng)

        found = self._searched(csr_matrix, seed_arrays, score)
        return (
            *(self._with_count(each.vertices) for each in found),
            *(each.edges for each in found),
            *(self._padded(probability[each.vertices]) for each in found),
            *(self._padded(each.layers) for each in found),
        )


# Parts of graphs ----------------------------------------------------------------------------------


def _among(rows: Csr, vertices: Tensor) -> Csr:
    """The edges of `rows` that lead to `vertices`, which are numbered by their places there."""
    ordered, order = vertices.sort(stable=True)
    place = torch.searchsorted(ordered, rows.indices, right=True) - 1
    kept = place >= 0
    kept[kept.clone()] = ordered[place[kept]] == rows.indices[kept]
    starts = _from_zero(kept.long())[rows.indptr]
    shape = (rows.shape[0], len(vertices))
    return Csr(rows.data[kept], starts, order[place[kept]], shape)


def _renumbered(graph: Csr) -> Csr:
    return graph.with_data(torch.arange(len(graph.data), device=graph.data.device))


class _Part(_OfGraphs):
    num_args: AnyCount
    return_mapping: bool

    def _n_parts(self) -> int:
        raise NotImplementedError

    def outputs(self) -> tuple[str, ...]:
        n = self._n_parts() * (2 if self.return_mapping else 1)
        return tuple(f"output{i}" for i in range(n))

    def infer_stype(self, stypes: Sequence[str]) -> tuple[str, ...]:
        return ("csr",) * len(self.outputs())

    def _results(self, parts: Sequence[Csr]) -> tuple[Csr, ...]:
        new = [_renumbered(part) for part in parts]
        return (*new, *parts) if self.return_mapping else tuple(new)


@operator("_contrib_dgl_subgraph")
class Subgraph(_Part):
    """The edges between given vertices, csr (vertices, vertices), for each array of vertices.

    Edges are numbered anew, from 0.

    Args:
        graph: the graph, in csr storage.
        data: vertices by rising number, int64 (vertices,).
        num_args: number of arrays given.
        return_mapping: also give the same matrices with the numbers that edges have in `graph`.
    """

    num_args: AnyCount
    return_mapping: bool

    def n_variadic(self) -> int:
        return self.num_args - 1

    def _n_parts(self) -> int:
        return self.num_args - 1

    def infer_shape(self, s: Shapes) -> None:
        s.rank("graph", 2)
        vertices = s.inputs[1:]
        for i, name in enumerate(s.outputs):
            of = vertices[i % len(vertices)]
            s.rank(of, 1)
            s[name] = (s[of][0], s[of][0])

    def infer_dtype(self, t: DTypes) -> None:
        for name in (*t.inputs[1:], *t.outputs[: self._n_parts()]):
            t[name] = torch.int64
        for name in t.outputs[self._n_parts() :]:
            t.same("graph", name)

    def forward(self, graph: Tensor, *data: Tensor) -> Tensor:
        raise self._needs_csr()

    @kernel("csr", "default", ...)
    def _parts(self, graph: Csr, *data: Tensor) -> tuple[Csr, ...]:
        for vertices in data:
            _check_vertices(self, "data", vertices, graph)
            if bool((vertices.diff() < 0).any()):
                raise MXNetError(f"{self.name}: data {vertices.tolist()[:10]}: must be rising")
        return self._results([_among(graph.take(vertices), vertices) for vertices in data])


@operator("_contrib_dgl_graph_compact")
class GraphCompact(_Part):
    """Sampled neighborhoods as graphs of their own: csr (size, size), without empty rows.

    Vertices and edges are numbered anew, from 0.

    Args:
        graph_data: matrices of edges, in csr storage, then as many arrays of vertices, as
            _contrib_dgl_csr_neighbor_uniform_sample gives them.
        num_args: number of arrays given.
        return_mapping: also give the same matrices with the numbers that edges had.
        graph_sizes: number of vertices of each neighborhood.
    """

    num_args: AnyCount
    return_mapping: bool
    graph_sizes: Longs

    def _n_parts(self) -> int:
        return self.num_args // 2

    def infer_shape(self, s: Shapes) -> None:
        n = self._n_parts()
        if len(s.inputs) != 2 * n or len(self.graph_sizes) != n:
            raise s.fail(
                f"num_args={self.num_args}, graph_sizes={self.graph_sizes}: must be two arrays and "
                f"one size for each graph"
            )
        for i, name in enumerate(s.outputs):
            s[name] = (self.graph_sizes[i % n],) * 2

    def infer_dtype(self, t: DTypes) -> None:
        n = self._n_parts()
        for name in (*t.inputs[n:], *t.outputs[:n]):
            t[name] = torch.int64
        for before, mapping in zip(t.inputs, t.outputs[n:], strict=False):
            t.same(before, mapping)

    def forward(self, *graph_data: Tensor) -> Tensor:
        raise self._needs_csr()

    def compact(self, *graph_data: Any) -> tuple[Csr, ...]:
        """The dense form of the same name, on csr storage."""
        n = self._n_parts()
        rows, vertices = graph_data[:n], graph_data[n:]
        return self._results(
            [self._compacted(*each) for each in zip(rows, vertices, self.graph_sizes, strict=True)]
        )

    def _compacted(self, rows: Csr, vertices: Tensor, size: int) -> Csr:
        count = int(vertices[-1])
        if count != size:
            raise MXNetError(
                f"{self.name}: graph_sizes={self.graph_sizes}: a neighborhood has {count} vertices"
            )
        used = rows.take(torch.arange(size, device=vertices.device))
        part = _among(used, vertices[:size])
        if len(part.data) < len(used.data):
            raise MXNetError(f"{self.name}: graph_data: edges lead to vertices that are not there")
        return part


class _FirstHalf(Kernel):
    """The kernel for arrays of which the first half is in csr storage."""

    def serves(self, op: Op, stypes: Sequence[str]) -> bool:
        n = len(stypes) // 2
        return list(stypes) == ["csr"] * n + ["default"] * n


KERNELS["_contrib_dgl_graph_compact"].append(
    _FirstHalf(GraphCompact.compact, ("csr", "default"), ("csr",))
)


@operator("_contrib_dgl_adjacency")
class Adjacency(_OfGraphs):
    """1.0 for each edge of a graph, csr of the graph's shape.

    Args:
        data: the graph, in csr storage.
    """

    differentiable = None  # type: ignore[assignment]

    def infer_shape(self, s: Shapes) -> None:
        s.same("data", "output")
        s.rank("data", 2)

    def infer_dtype(self, t: DTypes) -> None:
        t.data = torch.int64
        t.output = torch.float32

    def forward(self, data: Tensor) -> Tensor:
        raise self._needs_csr()

    @kernel("csr", out="csr")
    def _ones(self, data: Csr) -> Csr:
        return data.with_data(torch.ones_like(data.data, dtype=torch.float32))
