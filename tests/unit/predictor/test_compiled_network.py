# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import ArgumentError, FormatError, MXNetError
from mxnova.formats import compiled_model
from mxnova.predictor import Predictor
from mxnova.predictor.building import write_compiled
from mxnova.predictor.engines import ENGINES

pytest.importorskip("onnx")
RNG = np.random.default_rng(1)


def network():
    """A symbol with two inputs of open sizes, and its parameters."""
    conv = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=4, name="conv")
    pooled = mx.sym.Pooling(mx.sym.relu(conv), global_pool=True, pool_type="avg")
    symbol = mx.sym.FullyConnected(pooled, num_hidden=5, name="fc") + mx.sym.var("more")
    arrays = {
        "conv_weight": (4, 2, 3, 3), "conv_bias": (4,), "fc_weight": (5, 4), "fc_bias": (5,),
    }  # fmt: skip
    return symbol, {name: mx.nd.array(RNG.normal(size=shape)) for name, shape in arrays.items()}


@pytest.fixture(scope="module", params=ENGINES)
def compiled(request, tmp_path_factory):
    """The path of a compiled model, and a function that is the same."""
    pytest.importorskip(request.param)
    folder = tmp_path_factory.mktemp("compiled")
    symbol, arrays = network()
    onnx_file, path = str(folder / "net.onnx"), folder / "net.mxnova"
    shapes = [("N", 2, "H", "W"), ("N", 5)]
    mx.onnx.export_model(
        symbol, arrays, [(1, 2, 8, 8), (1, 5)], np.float32, onnx_file, dynamic=True,
        dynamic_input_shapes=shapes,
    )  # fmt: skip
    write_compiled(onnx_file, path, request.param, symbol.list_outputs(), labels=["cat"])
    plain = Predictor(symbol, named(arrays), {"data": (1, 2, 8, 8), "more": (1, 5)}, backend="aten")
    return path, plain


def named(arrays):
    """As .params files hold them."""
    return {f"arg:{name}": array for name, array in arrays.items()}


def feed(n=1, side=8):
    data = RNG.normal(size=(n, 2, side, side)).astype("f")
    return {"data": data, "more": RNG.normal(size=(n, 5)).astype("f")}


def test_it_computes_the_same_at_any_open_size(compiled):
    path, plain = compiled
    predictor = Predictor.load(path, threads=1)
    assert predictor.output_names == plain.output_names
    assert predictor.input_names == ["data", "more"]
    for sizes in ((1, 8), (3, 8), (2, 11), (1, 8)):
        fed = feed(*sizes)
        (found,), (wanted,) = predictor.predict(**fed), plain.predict(**fed)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_what_becomes_of_its_file_does_not_matter(compiled, tmp_path):
    copy = tmp_path / "copy.mxnova"
    copy.write_bytes(compiled[0].read_bytes())
    predictor, fed = Predictor.load(copy, threads=1), feed()
    (wanted,) = predictor.predict(**fed)
    with open(copy, "r+b") as file:
        file.write(b"\1" * 4096)  # over the first weights, too
        file.truncate(4096)
    np.testing.assert_array_equal(predictor.predict(**fed)[0], wanted)


def test_steps_of_the_predict_api(compiled):
    path, plain = compiled
    predictor = Predictor.load(path, threads=1).reshape({"data": (1, 2, 8, 8), "more": (1, 5)})
    fed = feed()
    for name, values in fed.items():
        predictor.set_input(name, values)
    predictor.forward()
    np.testing.assert_allclose(
        predictor.get_output(0), plain.predict(**fed)[0], rtol=1e-5, atol=1e-5
    )
    with pytest.raises(MXNetError, match="as a whole"):
        predictor.partial_forward(0)
    with pytest.raises(MXNetError, match="no graph"):
        predictor.graph_network  # noqa: B018


@pytest.mark.parametrize(
    "fed, facts",
    [
        ({"dat": np.zeros((1, 2, 8, 8))}, ["'dat'", "did you mean 'data'"]),
        ({"data": np.zeros((1, 3, 8, 8))}, ["data", "[N,2,H,W]", "[1,3,8,8]"]),
        ({"data": np.zeros((2, 8, 8))}, ["data", "[2,8,8]"]),
        ({"data": np.zeros((2, 2, 8, 8)), "more": np.zeros((3, 5))}, ["more", "[N,5]", "[3,5]"]),
    ],
)
def test_inputs_that_do_not_fit(compiled, fed, facts):
    with pytest.raises(ArgumentError) as error:
        Predictor.load(compiled[0], threads=1).predict(**fed)
    assert all(fact in str(error.value) for fact in facts), error.value


def test_it_does_not_import_torch(compiled):
    code = (
        "import sys, numpy as np, mxnova as mx\n"
        f"p = mx.Predictor.load({str(compiled[0])!r}, threads=1)\n"
        "p.predict(data=np.ones((1, 2, 8, 8), 'f'), more=np.ones((1, 5), 'f'))\n"
        "print({'torch', 'onnx', 'cv2'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("threads", [-1, 1 << 20, "2"])
def test_numbers_of_threads_are_checked(compiled, threads):
    with pytest.raises(ArgumentError, match="threads"):
        Predictor.load(compiled[0], threads=threads)


def changed(path, target, **fields):
    compiled_model.write(target, replace(compiled_model.read(path), **fields))
    return target


def test_files_that_do_not_hold_what_they_say(compiled, tmp_path):
    path, _ = compiled
    model = compiled_model.read(path)
    other = tmp_path / "other.mxnova"
    with pytest.raises(FormatError, match="runtime 'tensorrt'"):
        Predictor.load(changed(path, other, runtime="tensorrt"))
    with pytest.raises(MXNetError, match="other.mxnova"):
        Predictor.load(changed(path, other, arrays={"model": np.zeros(9, np.uint8)}))
    graph = next(name for name in ("model", "model.xml") if name in model.arrays)
    broken = {**model.arrays, graph: np.zeros(99, np.uint8)}
    with pytest.raises(MXNetError, match="no ONNX file|no XML"):
        Predictor.load(changed(path, other, arrays=broken))


@pytest.mark.parametrize("shape", [(1, 1 << 45), (1 << 59, 1 << 59)])
def test_inputs_that_nobody_has_memory_for(compiled, tmp_path, shape):
    path, _ = compiled
    ports = [replace(port, shape=shape) for port in compiled_model.read(path).inputs]
    predictor = Predictor.load(changed(path, tmp_path / "other.mxnova", inputs=tuple(ports)))
    with pytest.raises(MXNetError, match=r"Predictor: (openvino|onnxruntime)"):
        predictor.forward()
    with pytest.raises(ArgumentError, match="data"):
        predictor.set_input("data", np.zeros(0))


def test_weights_are_not_looked_for_in_other_files(tmp_path, monkeypatch):
    pytest.importorskip("onnxruntime")
    onnx = pytest.importorskip("onnx")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").write_bytes(np.ones(4, np.float32).tobytes())
    tensor = onnx.TensorProto(name="w", data_type=1, dims=[4])
    tensor.data_location = tensor.EXTERNAL
    tensor.external_data.add(key="location", value="secret")
    helper = onnx.helper
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"])], "g",
        [helper.make_tensor_value_info("x", 1, [4])], [helper.make_tensor_value_info("y", 1, [4])],
        [tensor],
    )  # fmt: skip
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    ports = [compiled_model.Port(key, key, (4,), "float32") for key in "xy"]
    content = np.frombuffer(made.SerializeToString(), np.uint8)
    path = tmp_path / "net.mxnova"
    compiled_model.write(
        path,
        compiled_model.CompiledModel("onnxruntime", {"model": content}, (ports[0],), (ports[1],)),
    )
    with pytest.raises(MXNetError, match="refuses the model"):
        Predictor.load(path)
