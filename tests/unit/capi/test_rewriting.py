"""Symbols rewritten through C."""

import ctypes

import pytest

import mxnova as mx
from mxnova.contrib import quantization
from mxnova.core.base.handles import find

from .c import UInt, created, handles, ints, out, texts


@pytest.fixture
def network():
    data = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=4, name="c")
    return mx.sym.FullyConnected(mx.sym.relu(data, name="r"), num_hidden=3, name="f")


def json_of(handle):
    return find(handle.value, mx.sym.Symbol).tojson()


def quantized(call, network, offline):
    (made, at), (count, count_at) = out(), out(UInt)
    names, names_at = out(ctypes.POINTER(ctypes.c_char_p))
    call(
        *("MXQuantizeSymbol", network.handle, at, ints(1), 1, texts("f"), 0, None),
        *(len(offline), texts(*offline), b"int8", True, b"full", b"tensor-wise"),
        *(count_at, names_at),
    )
    return made, [name.decode() for name in names[: count.value]]


def test_integers(call, network):
    made, layers = quantized(call, network, ["c_weight", "c_bias"])
    parameters = {"c_weight": mx.nd.ones((4, 2, 3, 3)), "c_bias": mx.nd.ones((4,))}
    expected, *_ = quantization.quantize_graph(
        network, parameters, {}, excluded_sym_names=["f"], calib_mode="naive"
    )
    assert json_of(made) == expected.tojson()
    assert "c_output" in layers
    ranges = (1, texts("c_output"), (ctypes.c_float * 1)(-2), (ctypes.c_float * 1)(3))
    calibrated = created(call, "MXSetCalibTableToQuantizedSymbol", made, *ranges)
    assert '"min_calib_range": "-2.000000"' in json_of(calibrated)


def test_subgraphs(call, network):
    for name, chosen in (
        ("MXGenBackendSubgraph", ()),
        ("MXBuildSubgraphByOpNames", (1, texts("relu"))),
    ):
        backend = b"MKLDNN" if not chosen else b"default"
        found = json_of(created(call, name, network.handle, backend, *chosen))
        assert ("_CachedOp" in found) is bool(chosen)
    call("MXSetSubgraphPropertyOpNamesV2", b"default", 1, texts("relu"))
    found = json_of(created(call, "MXGenBackendSubgraph", network.handle, b"default"))
    assert "_CachedOp" in found
    call("MXRemoveSubgraphPropertyOpNamesV2", b"default")
    with pytest.raises(RuntimeError, match="none were named"):
        created(call, "MXGenBackendSubgraph", network.handle, b"default")
    with pytest.raises(RuntimeError, match="'nobody' is not registered"):
        call("MXSetSubgraphPropertyOpNamesV2", b"nobody", 1, texts("relu"))


def test_a_backend_with_what_is_known(call, network):
    (made, at), (count, count_at) = out(), out(ctypes.c_int)
    weight = mx.nd.ones((4, 2, 3, 3))
    nothing = (None, None, count_at)

    def optimize(shape):
        call(
            *("MXOptimizeForBackend", network.handle, b"MKLDNN", 1, at),
            *(2, handles(None, weight.handle), 0, None, 1, texts("option"), texts("1")),
            *(1, texts("data"), (ctypes.c_int64 * len(shape))(*shape), (UInt * 2)(0, len(shape))),
            *(1, texts("data"), ints(0), 1, texts("data"), ints(0), False),
            *(count_at, *nothing, None, None),
        )

    count.value = 5
    optimize((1, 2, 8, 8))
    assert count.value == 0
    assert json_of(made) == network.get_backend_symbol("MKLDNN").tojson() != network.tojson()
    with pytest.raises(RuntimeError, match="weight .c_weight. has shape"):
        optimize((1, 5, 8, 8))


def test_mixed_precision(call, network):
    made = created_with(call, network, 2)
    assert "amp_cast" in json_of(made)
    with pytest.raises(RuntimeError, match="dtype=99"):
        created_with(call, network, 99)


def created_with(call, network, dtype):
    made, at = out()
    parameters = texts("c_weight", "c_bias", "f_weight", "f_bias")
    call(
        *("MXReducePrecisionSymbol", network.handle, at, 0, None, 0, None, ints(dtype), 0),
        *(2, 0, 0, 1, 0, 4, texts("Convolution", "FullyConnected"), None, None),
        *(texts("Activation"), None, texts("act_type"), texts("softrelu"), parameters, None),
    )
    return made


def test_a_graph_as_a_parameter(call, network):
    operator = created(call, "NNGetOpHandle", b"_CachedOp")
    body = mx.sym.relu(mx.sym.var("a")) + 1
    pairs = (2, texts("subgraph", "static_alloc"), texts(body.tojson(), "True"))
    made = created(call, "MXSymbolCreateAtomicSymbol", operator, *pairs)
    x = mx.sym.var("x")
    call("MXSymbolCompose", made, b"body", 1, None, handles(x.handle))
    symbol = find(made.value, mx.sym.Symbol)
    assert symbol.list_arguments() == ["x"]
    assert symbol.eval(x=mx.nd.array([-1, 2]))[0].asnumpy().tolist() == [1, 3]
