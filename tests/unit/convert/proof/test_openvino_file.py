# SPDX-License-Identifier: Apache-2.0
"""Models of OpenVINO whose inputs and outputs lose or share names when OpenVINO folds nodes."""

import numpy as np
import pytest

import mxnova as mx
from mxnova.convert import convert

pytest.importorskip("openvino")
pytest.importorskip("onnx")

DATA, OTHER = mx.sym.var("data"), mx.sym.var("other")
UNCHANGED = mx.sym.Reshape(DATA, shape=(0, -1), name="unchanged")
RELU = mx.sym.relu(DATA, name="relu")


def gru(**options):
    parts = [mx.sym.var(name) for name in ("data", "parameters", "state")]
    return mx.sym.RNN(*parts, state_size=4, num_layers=1, mode="gru", state_outputs=True, **options)


ROWS = {"data": (2, 6)}
PAIR = {"data": (2, 6), "other": (2, 6)}
SAMPLES = {
    "first node without effect": (mx.sym.FullyConnected(UNCHANGED, num_hidden=3), ROWS),
    "only node without effect": (UNCHANGED, ROWS),
    "state of a GRU": (gru(), {"data": (3, 2, 5), "state": (1, 2, 4)}),
    "box_nms": (mx.sym.contrib.box_nms(DATA, overlap_thresh=0.5), {"data": (2, 30, 6)}),
    "output that is an input": (mx.sym.Group([DATA, DATA * 2]), ROWS),
    "outputs that are one array": (mx.sym.Group([RELU, RELU, UNCHANGED]), ROWS),
    "outputs that are inputs in another order": (mx.sym.Group([OTHER, DATA]), PAIR),
    "constant output": (mx.sym.Group([DATA + 1, mx.sym.ones((2, 3))]), ROWS),
    "name like that of a result": (
        mx.sym.Group([mx.sym.relu(DATA, name="data/sink_port_0"), DATA]),
        ROWS,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_openvino_models_are_fed_by_names_of_the_source(name, tmp_path):
    symbol, shapes = SAMPLES[name]
    found = dict(zip(symbol.list_arguments(), symbol.infer_shape(**shapes)[0]))
    draw = np.random.default_rng(0)
    arrays = {n: mx.nd.array(draw.uniform(-0.5, 0.5, s)) for n, s in found.items() if n not in shapes}  # fmt: skip
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, symbol, arrays, {})
    for target, options in (("net.xml", {}), ("net.mxnova", {"runtime": "openvino"})):
        done = convert(tmp_path / "net", tmp_path / target, shapes=shapes, **options)
        assert done.proof.is_equal


@pytest.mark.slow
def test_openvino_layers_with_folded_batch_norm_are_not_compared(tmp_path):
    net = mx.gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(mx.gluon.nn.Conv2D(4, 3, groups=4, use_bias=False), mx.gluon.nn.BatchNorm())
        net.add(mx.gluon.nn.Activation("relu"), mx.gluon.nn.Dense(3))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    net(mx.nd.ones((1, 4, 8, 8)))
    for parameter in net.collect_params(".*(gamma|running_var)").values():
        parameter.set_data(mx.nd.random.uniform(2, 3, parameter.shape))
    net.export(str(tmp_path / "net"))
    shapes = {"data": ("N", 4, 8, 8)}
    done = convert(tmp_path / "net", tmp_path / "net.xml", shapes=shapes)
    names = [row.name for row in done.proof.nodes]
    assert "net_batchnorm0_fwd" in names
    assert "net_conv0_fwd" not in names
