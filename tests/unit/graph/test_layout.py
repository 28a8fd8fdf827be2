# SPDX-License-Identifier: Apache-2.0
import random
from itertools import combinations

import pytest

from mxnova.core.graph.layout import layered

BOX, LANE, GAP = 100.0, 10.0, 20.0


def laid(count, edges):
    return layered(count, edges, BOX, LANE, GAP)


def of_chance(seed):
    """A graph with skips and forks, and what has no sources in the middle of it."""
    rng = random.Random(seed)
    edges = {(rng.randrange(max(0, i - 6), i), i) for i in range(1, 40) if rng.random() < 0.9}
    edges |= {tuple(sorted(rng.sample(range(40), 2))) for _ in range(15)}
    return 40, sorted(edges)


def test_a_chain_is_a_straight_line():
    layout = laid(4, [(0, 1), (1, 2), (2, 3)])
    assert layout.boxes == [(50.0, 0.0), (50.0, 1.0), (50.0, 2.0), (50.0, 3.0)]
    assert (layout.width, layout.layers) == (BOX, 4)


def test_a_fork_is_symmetric():
    layout = laid(4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    (top, _), (left, _), (right, _), (bottom, _) = layout.boxes
    assert right - left == pytest.approx(BOX + GAP)
    assert top == pytest.approx((left + right) / 2)
    assert bottom == pytest.approx(top)


def test_an_edge_goes_around_what_it_skips():
    layout = laid(3, [(0, 1), (1, 2), (0, 2)])
    x, layer = layout.routes[2][1]
    assert layer == 1
    assert abs(x - layout.boxes[1][0]) >= BOX / 2 + LANE / 2 + GAP - 1e-6


def test_an_input_stands_above_the_node_that_reads_it():
    layout = laid(4, [(0, 1), (1, 3), (2, 3)])
    assert layout.boxes[2][1] == 1


@pytest.mark.parametrize("seed", range(5))
def test_boxes_do_not_overlap_and_edges_go_down(seed):
    count, edges = of_chance(seed)
    layout = laid(count, edges)
    for (x, layer), (y, other) in combinations(layout.boxes, 2):
        assert layer != other or abs(x - y) >= BOX + GAP - 1e-6
    for route, (source, target) in zip(layout.routes, edges, strict=True):
        assert (route[0], route[-1]) == (layout.boxes[source], layout.boxes[target])
        layers = [layer for _, layer in route]
        assert layers == sorted(set(layers))
    assert all(BOX / 2 <= x <= layout.width - BOX / 2 + 1e-6 for x, _ in layout.boxes)


def test_very_long_edges_go_straight():
    chain = [(i, i + 1) for i in range(60)]
    assert len(laid(61, [*chain, (0, 60)]).routes[-1]) == 2


def test_nothing_is_laid_out_as_nothing():
    assert laid(0, []).boxes == []
