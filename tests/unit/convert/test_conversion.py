# SPDX-License-Identifier: Apache-2.0
import hashlib
import inspect
import json
import os
import re
import runpy
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.convert import convert
from mxnova.convert.target import kind_of
from mxnova.convert.writers import _export_refusal
from mxnova.core.base.errors import ArgumentError, FileError, MXNetError
from mxnova.formats import safetensors
from tests.hostile_names import CANARY, NAMES
from tests.unit.torch_module.export_limits import exporting

from .conftest import SHAPES

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_parameters_go_to_safetensors_and_back_to_the_byte(checkpoint, tmp_path):
    done = convert(checkpoint, tmp_path / "x.safetensors")
    assert done.files == [str(tmp_path / "x.safetensors")]
    metadata = safetensors.read(tmp_path / "x.safetensors").metadata
    assert metadata["mxnet.epoch"] == "7"
    hashes = {
        Path(p).name: sha256(p) for p in (f"{checkpoint}-symbol.json", f"{checkpoint}-0007.params")
    }
    assert json.loads(metadata["mxnet.sha256"]) == hashes
    convert(tmp_path / "x.safetensors", tmp_path / "x.params")
    convert(tmp_path / "x.safetensors", tmp_path / "net", to="mxnet")
    wanted = Path(f"{checkpoint}-0007.params").read_bytes()
    assert (tmp_path / "x.params").read_bytes() == wanted
    assert (tmp_path / "net-0007.params").read_bytes() == wanted


def test_a_network_goes_to_onnx_and_back(checkpoint, tmp_path):
    done = convert(checkpoint, tmp_path / "x.onnx", shapes=SHAPES)
    assert done.proof.is_equal
    assert done.line.endswith("first above tolerance: none")
    model = onnx.load(tmp_path / "x.onnx")
    assert model.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "N"
    assert {p.key for p in model.metadata_props} == {"mxnet.sha256", "mxnet.epoch"}
    back = convert(tmp_path / "x.onnx", tmp_path / "back", to="mxnet")
    assert back.proof.is_equal
    assert back.files == [str(tmp_path / "back-symbol.json"), str(tmp_path / "back-0000.params")]
    x = np.random.default_rng(0).normal(size=(2, 3, 16, 16)).astype("f")
    found = []
    for prefix, epoch in ((checkpoint, 7), (str(tmp_path / "back"), 0)):
        predictor = mx.predictor.Predictor.from_checkpoint(prefix, epoch, {"data": x.shape})
        found.append(predictor.predict(data=x)[0])
    np.testing.assert_allclose(*found, atol=1e-6)


def test_onnx_files_say_what_the_graph_says_of_its_inputs(tmp_path):
    data = mx.sym.var("data", attr={"mean_rgb": "123.7,116.3,103.5"})
    symbol = mx.sym.broadcast_mul(data, mx.sym.var("w"))
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, symbol, {"w": mx.nd.ones((1, 2))}, {})
    convert(tmp_path / "net", tmp_path / "x.onnx", shapes={"data": (1, 2)})
    told = {p.key: p.value for p in onnx.load(tmp_path / "x.onnx").metadata_props}
    assert json.loads(told["mxnet.input.data"]) == {"mean_rgb": "123.7,116.3,103.5"}
    assert told.keys() == {"mxnet.sha256", "mxnet.epoch", "mxnet.input.data"}


def test_what_one_file_cannot_hold_lies_beside_it(checkpoint, tmp_path, monkeypatch):
    from mxnova.onnx import files

    monkeypatch.setattr(files, "_LIMIT", 1000)
    target = tmp_path / "x.onnx"
    (tmp_path / "x.onnx.data").write_text("mine")
    with pytest.raises(ArgumentError, match="x.onnx.data: exists"):
        convert(checkpoint, target, shapes=SHAPES)
    assert (tmp_path / "x.onnx.data").read_text() == "mine"
    done = convert(checkpoint, target, shapes=SHAPES, force=True, opset=17)
    assert done.files == [str(target), str(tmp_path / "x.onnx.data")]
    assert done.proof.is_equal
    places = {
        entry.value
        for tensor in onnx.load(target, load_external_data=False).graph.initializer
        for entry in tensor.external_data
        if entry.key == "location"
    }
    assert places == {"x.onnx.data"}
    (tmp_path / "far").mkdir()
    for path in done.files:  # both move together
        os.rename(path, tmp_path / "far" / Path(path).name)
    assert convert(tmp_path / "far" / "x.onnx", tmp_path / "back", to="mxnet").proof.is_equal


@pytest.mark.parametrize("opset", [13, 17, 21])
def test_opsets(checkpoint, tmp_path, opset):
    done = convert(checkpoint, tmp_path / "x.onnx", shapes=SHAPES, opset=opset)
    assert done.proof.is_equal
    model = onnx.load(tmp_path / "x.onnx")
    assert model.opset_import[0].version == opset
    assert ("LayerNormalization" in {n.op_type for n in model.graph.node}) == (opset >= 17)


@pytest.mark.parametrize("dtype, flag", [("float16", 2), ("bfloat16", 12)])
def test_other_element_types(checkpoint, tmp_path, dtype, flag):
    convert(checkpoint, tmp_path / "x.safetensors", dtype=dtype)
    arrays = safetensors.read(tmp_path / "x.safetensors").arrays
    assert {a.dtype.name for a in arrays.values()} == {dtype}
    done = convert(checkpoint, tmp_path / "y.py", shapes=SHAPES, dtype=dtype)
    assert done.proof.is_equal
    done = convert(checkpoint, tmp_path / "net", to="mxnet", shapes=SHAPES, dtype=dtype)
    assert done.proof.is_equal
    types = {n.name: n.attrs.get("__dtype__") for n in mx.sym.load(done.files[0]).nodes}
    assert types["data"] == types["net_conv0_weight"] == str(flag)
    assert types["net_bn0_gamma"] is None  # which stays float32, as MXNet's operators want it


def test_half_precision_goes_to_onnx_where_its_operators_have_it(checkpoint, tmp_path):
    done = convert(checkpoint, tmp_path / "x.onnx", shapes=SHAPES, dtype="float16")
    assert done.proof.is_equal
    kinds = {t.name: t.data_type for t in onnx.load(tmp_path / "x.onnx").graph.initializer}
    assert kinds["net_conv0_weight"] == onnx.TensorProto.FLOAT16
    with pytest.raises(MXNetError, match=r"^y\.onnx: ONNX Runtime cannot run it") as caught:
        convert(checkpoint, tmp_path / "y.onnx", shapes=SHAPES, dtype="bfloat16")
    assert ".mxnova-" not in str(caught.value)


def test_networks_of_gluon_declare_their_element_types(tmp_path):
    net = mx.gluon.nn.HybridSequential(prefix="g_")
    with net.name_scope():
        net.add(mx.gluon.nn.Conv2D(2, 3), mx.gluon.nn.BatchNorm(), mx.gluon.nn.Dense(3))
    net.initialize()
    net.hybridize()
    net(mx.nd.zeros((1, 2, 4, 4)))
    net.export(str(tmp_path / "g"))
    shapes = {"data": ("N", 2, 4, 4)}
    for target in "x.onnx", "x.py":
        done = convert(tmp_path / "g", tmp_path / target, shapes=shapes, dtype="float16")
        assert done.proof.is_equal


def test_the_nearest_bfloat16_is_taken(tmp_path):
    mx.nd.save(str(tmp_path / "x.params"), {"arg:w": mx.nd.array([1.00390625, -3.14159])})
    convert(tmp_path / "x.params", tmp_path / "y.params", dtype="bfloat16")
    values = mx.nd.load(str(tmp_path / "y.params"))["arg:w"].astype("float32").asnumpy()
    np.testing.assert_array_equal(values, np.float32([1.0, -3.140625]))


def test_a_file_of_a_checkpoint_stands_for_it(checkpoint, tmp_path):
    for number, file in enumerate(("-0007.params", "-symbol.json")):
        done = convert(f"{checkpoint}{file}", tmp_path / f"{number}.onnx", shapes=SHAPES)
        assert done.proof.is_equal


def test_a_checkpoint_without_its_symbol_is_parameters(checkpoint, tmp_path):
    shutil.copy(f"{checkpoint}-0007.params", tmp_path / "x-0007.params")
    with pytest.raises(ArgumentError, match="parameters without a network"):
        convert(tmp_path / "x-0007.params", tmp_path / "x.onnx", shapes=SHAPES)
    assert [path.name for path in tmp_path.iterdir()] == ["x-0007.params"]


@pytest.mark.parametrize(
    "target, more, text",
    [
        ("x.txt", {}, "no kind of file ends in '.txt'"),
        ("x", {"to": "onxx"}, "did you mean 'onnx'"),
        ("x.onnx", {"dtype": "float8"}, "--dtype float8"),
        ("x.onnx", {}, "which shape has data"),
        ("x.onnx", {"opset": 22}, "convert: --opset=22: must be 13 to 21"),
        ("x.py", {"opset": 13}, "convert: --opset 13: .*x.py is no ONNX file"),
        ("x.onnx", {"shapes": {"dta": (1, 3, 16, 16)}}, "no input 'dta'"),
        ("x.onnx", {"epoch": 8, "shapes": SHAPES}, "0008.params"),
    ],
)
def test_arguments_that_do_not_fit_leave_nothing(checkpoint, tmp_path, target, more, text):
    with pytest.raises(MXNetError, match=text):
        convert(checkpoint, tmp_path / target, **more)
    assert not list(tmp_path.iterdir())


def test_what_is_there_is_replaced_by_force_only(checkpoint, tmp_path):
    target = tmp_path / "x.safetensors"
    target.write_text("mine")
    with pytest.raises(ArgumentError, match="exists; --force replaces it"):
        convert(checkpoint, target)
    assert target.read_text() == "mine"
    convert(checkpoint, target, force=True)
    assert safetensors.read(target).arrays


@pytest.mark.parametrize("force", [False, True])
def test_the_second_file_of_a_target_is_not_overwritten(checkpoint, tmp_path, force):
    (tmp_path / "x.safetensors").write_text("mine")
    if not force:
        with pytest.raises(ArgumentError, match="x.safetensors: exists"):
            convert(checkpoint, tmp_path / "x.py", shapes=SHAPES)
        assert [p.name for p in tmp_path.iterdir()] == ["x.safetensors"]
    else:
        convert(checkpoint, tmp_path / "x.py", shapes=SHAPES, force=True)
        assert sorted(p.name for p in tmp_path.iterdir()) == ["x.py", "x.safetensors"]


def test_links_are_not_followed(checkpoint, tmp_path):
    (tmp_path / "far").write_text("far")
    (tmp_path / "x.safetensors").symlink_to(tmp_path / "far")
    with pytest.raises(ArgumentError, match="symbolic link"):
        convert(checkpoint, tmp_path / "x.safetensors", force=True)
    (tmp_path / "y.safetensors").symlink_to(tmp_path / "none")
    with pytest.raises(ArgumentError, match="symbolic link"):
        convert(checkpoint, tmp_path / "y.safetensors", force=True)
    assert (tmp_path / "far").read_text() == "far"


def test_a_source_is_no_target(tmp_path):
    mx.nd.save(str(tmp_path / "x.params"), {"arg:w": mx.nd.ones((2,))})
    before = (tmp_path / "x.params").read_bytes()
    os.link(tmp_path / "x.params", tmp_path / "y.params")
    for target in ("x.params", "y.params"):
        with pytest.raises(ArgumentError, match="the target is a source, too"):
            convert(tmp_path / "x.params", tmp_path / target, force=True)
    assert (tmp_path / "x.params").read_bytes() == before


@pytest.mark.parametrize("target", ["none/x.safetensors", "dir.safetensors"])
def test_places_that_are_no_files(checkpoint, tmp_path, target):
    (tmp_path / "dir.safetensors").mkdir()
    with pytest.raises(FileError):
        convert(checkpoint, tmp_path / target, force=True)


def test_a_failure_while_writing_leaves_what_was_there(checkpoint, tmp_path, monkeypatch):
    (tmp_path / "net-symbol.json").write_text("mine")

    def full(*_args, **_more):
        raise FileError(28, "No space left on device", "x")

    monkeypatch.setattr("mxnova.convert.writers.params.write", full)
    with pytest.raises(FileError, match="No space left"):
        convert(checkpoint, tmp_path / "net", to="mxnet", force=True)
    assert [p.name for p in tmp_path.iterdir()] == ["net-symbol.json"]
    assert (tmp_path / "net-symbol.json").read_text() == "mine"


def test_all_files_take_their_places_or_none(checkpoint, tmp_path, monkeypatch):
    (tmp_path / "net-symbol.json").write_text("mine")
    (tmp_path / "net-0007.params").write_text("mine, too")
    replace = os.replace

    def fails(a, b):
        if (
            str(b) == str(tmp_path / "net-symbol.json")
            and ".mxnova-" in str(a)
            and not str(a).endswith(".old")
        ):
            raise OSError(5, "Input/output error")
        replace(a, b)

    monkeypatch.setattr("mxnova.formats.staging.os.replace", fails)
    with pytest.raises(FileError):
        convert(checkpoint, tmp_path / "net", to="mxnet", force=True, prove=False)
    assert (tmp_path / "net-symbol.json").read_text() == "mine"
    assert (tmp_path / "net-0007.params").read_text() == "mine, too"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_target_that_computes_something_else_is_not_kept(checkpoint, tmp_path, monkeypatch):
    from mxnova.convert import writers

    write = writers.WRITERS["onnx"].write

    def wrong(request, path):
        write(request, path)
        model = onnx.load(path)
        bias = next(t for t in model.graph.initializer if t.name == "net_fc1_bias")
        bias.raw_data = (np.frombuffer(bias.raw_data, "f") + np.float32([1, 0, 0, 0, 0])).tobytes()
        onnx.save(model, path)

    made = {**writers.WRITERS, "onnx": writers.Writer(wrong, writers.WRITERS["onnx"].files)}
    monkeypatch.setattr("mxnova.convert.conversion.WRITERS", made)
    with pytest.raises(
        MXNetError, match=r"does not compute the same.*first above tolerance: net_fc1"
    ):
        convert(checkpoint, tmp_path / "x.onnx", shapes=SHAPES)
    assert not list(tmp_path.iterdir())
    done = convert(checkpoint, tmp_path / "x.onnx", shapes=SHAPES, force=True)
    assert not done.proof.is_equal
    assert (tmp_path / "x.onnx").exists()


def test_parameters_of_a_list_are_refused(tmp_path):
    mx.nd.save(str(tmp_path / "x.params"), [mx.nd.ones((2,))])
    with pytest.raises(MXNetError, match="without names"):
        convert(tmp_path / "x.params", tmp_path / "x.safetensors")


@pytest.mark.parametrize(
    "target, to, kind",
    [
        ("a.onnx", None, "onnx"),
        ("a", "mxnet", "mxnet"),
        ("a", None, "mxnet"),
        ("a.pt2", None, "export"),
        ("b.py", "onnx", "onnx"),
    ],
)
def test_kinds(target, to, kind):
    assert kind_of(target, to) == kind


def test_an_archive_of_torch_export(checkpoint, tmp_path):
    done = convert(checkpoint, tmp_path / "x.pt2", shapes=SHAPES)
    assert done.proof.is_equal
    assert len(done.proof.outputs) == 2  # batches of 1 and 3: the size is open


def test_openvino_files(checkpoint, tmp_path):
    pytest.importorskip("openvino")
    done = convert(checkpoint, tmp_path / "x.xml", shapes=SHAPES)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.bin", "x.xml"]
    assert done.proof.is_equal


@pytest.mark.parametrize(
    "place", ["../far.data", "/etc/passwd", "..\\far.data", "sub/../../far.data"]
)
def test_numbers_of_onnx_files_lie_in_their_folder(checkpoint, tmp_path, place):
    from mxnova.convert.proof import verify

    (tmp_path / "far.data").write_bytes(bytes(64))
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "x.onnx"
    convert(checkpoint, path, shapes=SHAPES)
    model = onnx.load(path)
    bias = next(t for t in model.graph.initializer if t.name == "net_fc1_bias")
    bias.ClearField("raw_data")
    bias.data_location = onnx.TensorProto.EXTERNAL
    bias.external_data.add(key="location", value=place)
    path.write_bytes(model.SerializeToString())
    with pytest.raises(MXNetError, match="must lie in the model's folder"):
        verify(checkpoint, path, shapes=SHAPES)
    with pytest.raises(MXNetError, match="must lie in the model's folder"):
        convert(path, tmp_path / "back", to="mxnet")


@pytest.fixture(scope="module")
def recurrent(tmp_path_factory):
    """The prefixes of recurrent networks, whose initial states are of any batch."""
    folder = tmp_path_factory.mktemp("recurrent")

    class Tagger(mx.gluon.HybridBlock):
        def __init__(self):
            super().__init__(prefix="tagger_")
            with self.name_scope():
                self.embedding = mx.gluon.nn.Embedding(9, 4)
                self.rnn = mx.gluon.rnn.LSTM(3, layout="NTC", bidirectional=True)

        def hybrid_forward(self, F, x):
            return self.rnn(self.embedding(x))

    block = Tagger()
    block.initialize(mx.init.Xavier())
    block.hybridize()
    block(mx.nd.zeros((2, 5)))
    block.export(str(folder / "tagger"))
    cell = mx.rnn.LSTMCell(3, prefix="cell_")
    steps, _ = cell.unroll(5, mx.sym.var("data"), merge_outputs=True, layout="NTC")
    shapes = {"cell_i2h_weight": (12, 4), "cell_h2h_weight": (12, 3), "cell_i2h_bias": (12,)}
    shapes["cell_h2h_bias"] = (12,)
    arrays = {name: mx.nd.random.normal(shape=shape) for name, shape in shapes.items()}
    mx.model.save_checkpoint(str(folder / "unrolled"), 0, steps, arrays, {})
    return folder


def test_sequences_of_any_length_and_batch(recurrent, tmp_path):
    done = convert(recurrent / "tagger", tmp_path / "x.onnx", shapes={"data": ("N", "T")})
    assert done.proof.is_equal
    assert [row.shape for row in done.proof.outputs] == ["(1, 64, 6)", "(3, 96, 6)"]
    sizes = onnx.load(tmp_path / "x.onnx").graph.input[0].type.tensor_type.shape.dim
    assert [size.dim_param for size in sizes] == ["N", "T"]


@pytest.mark.parametrize("ending", ["onnx", "pt2"])
def test_initial_states_of_any_batch(recurrent, tmp_path, ending):
    shapes = {"data": ("N", 5, 4)}
    done = convert(recurrent / "unrolled", tmp_path / f"x.{ending}", shapes=shapes)
    assert done.proof.is_equal
    assert len(done.proof.outputs) == 2


@pytest.mark.parametrize(
    "sizes, text",
    [
        (("N", "T", 4), "takes T = 5 only: --shape data=N,5,4"),
        ((2, 5, "C"), "takes C = 4 only: --shape data=2,5,4"),
    ],
)
def test_what_must_be_given_for_sizes_that_are_fixed(recurrent, tmp_path, sizes, text):
    with pytest.raises(MXNetError, match=text):
        convert(recurrent / "unrolled", tmp_path / "x.onnx", shapes={"data": sizes})
    assert not list(tmp_path.iterdir())


def test_what_torch_export_refuses_is_told_by_input_and_axis():
    text = (
        "Constraints violated (L['x_1'].size()[2])! For more information, run with …\n"
        "  - You marked L['x_1'].size()[2] as dynamic but your code specialized it to be a "
        "constant (64). If you're using mark_dynamic, either remove it or …"
    )
    told = _export_refusal(text, {"x.1": "x_1"})
    assert "axis 2 of x.1" in told
    assert "--shape" in told
    assert _export_refusal("no\nmore", {}) == "torch.export refuses the model: no"


def test_preprocessing_goes_along(tmp_path):
    prefix = str(tmp_path / "net")
    symbol = mx.sym.Pooling(mx.sym.var("data"), global_pool=True, pool_type="avg", name="pool")
    mx.model.save_checkpoint(prefix, 0, symbol, {}, {})
    told = {"mean": "1,2,3", "scale": 0.5, "bgr": True}
    shapes = {"data": ("N", 3, 8, 8)}
    convert(prefix, tmp_path / "net.onnx", shapes=shapes, preprocessing=told)
    facts = {p.key: p.value for p in onnx.load(tmp_path / "net.onnx").metadata_props}
    assert json.loads(facts["mxnet.preprocessing"])["mean"] == [1, 2, 3]
    convert(prefix, tmp_path / "net.py", shapes=shapes, preprocessing=told)
    names = runpy.run_path(str(tmp_path / "net.py"))
    image = np.full((8, 8, 3), [10, 20, 30], np.uint8)
    (found,) = names["preprocess"](image)[:, :, 0, 0].tolist()
    assert found == [14.5, 9.0, 3.5]
    with pytest.raises(ArgumentError, match="'sise'; did you mean 'size'"):
        convert(prefix, tmp_path / "other.py", shapes=shapes, preprocessing={"sise": "8x8"})
    assert not (tmp_path / "other.py").exists()


def network_of_names(role):
    """Return a prefix's symbol and parameters with every hostile name as a `role`."""
    names = [name for name in NAMES if name not in ("data", "bias")]
    x, arguments = mx.sym.var("data"), {}
    for place, name in enumerate(names):
        other = mx.sym.var(name if role != "node" else f"other{place}")
        x = mx.sym.broadcast_add(x, other, name=name if role == "node" else f"sum{place}")
        if role != "input":
            arguments[other.name] = mx.nd.full((1, 4), place % 7)
    return x, arguments


@pytest.mark.parametrize("role", ["input", "parameter", "node"])
@pytest.mark.parametrize("ending", [".py", ".pt2", ".onnx", ".mxnova"])
def test_convert_accepts_every_name(tmp_path, monkeypatch, ending, role):
    symbol, arguments = network_of_names(role)
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, symbol, arguments, {})
    inputs = [name for name in symbol.list_inputs() if name not in arguments]
    monkeypatch.chdir(tmp_path)
    with exporting():
        shapes = dict.fromkeys(inputs, ("N", 4))
        done = convert("net", tmp_path / f"x{ending}", shapes=shapes)
    assert done.proof is not None and done.proof.is_equal
    assert CANARY not in sys.modules
    assert not (tmp_path / CANARY).exists()


def test_convert_names_arguments_of_python_files_after_inputs(tmp_path):
    names = ["data", "len", "type", "class", "self", "x-1", "x_1", "min", "topk", "_", "__x", "F"]
    x = mx.sym.add_n(*[mx.sym.var(name) for name in names])
    mx.model.save_checkpoint(str(tmp_path / "net"), 0, mx.sym.topk(x, k=1, name="top"), {}, {})
    convert(tmp_path / "net", tmp_path / "x.py", shapes=dict.fromkeys(names, (2, 4)))
    forward = runpy.run_path(str(tmp_path / "x.py"))["Model"].forward
    arguments = {
        **{name: name for name in names}, "class": "class_", "self": "self_1", "x-1": "x_1_1",
        "__x": "x", "_": "_", "F": "F_1",
    }  # fmt: skip
    assert list(inspect.signature(forward).parameters) == ["self", *arguments.values()]
    text = (tmp_path / "x.py").read_text()
    assert "Input class (argument class_) has shape 2 x 4." in text
    assert "Input len has shape 2 x 4." in text
    metadata = safetensors.read(tmp_path / "x.safetensors").metadata
    assert json.loads(metadata["mxnet.inputs"]) == arguments


def test_convert_counts_outputs_where_nodes_are_not_compared(checkpoint, tmp_path):
    done = convert(checkpoint, tmp_path / "x.mxnova", shapes=SHAPES)
    assert re.search(r"over 1 output; nodes not compared; first above tolerance: none", done.line)
