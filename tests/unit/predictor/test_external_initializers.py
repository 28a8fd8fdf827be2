# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from mxnova.core.base.inference_runtimes import onnxruntime_options
from mxnova.predictor.external_initializers import add_external_initializers

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")
helper = onnx.helper
FILES_IN_MEMORY = "add_external_initializers_from_files_in_memory"


def graph(dtype, name="w", *initializers):
    """Its output is an array, w unless another is named."""
    made = helper.make_graph(
        [helper.make_node("Identity", [name], ["y"])], "g", [],
        [helper.make_tensor_value_info("y", dtype, None)], initializers,
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 13)]
    return helper.make_model(made, opset_imports=opsets, ir_version=8).SerializeToString()


def session_of(values, content):
    options = onnxruntime_options(1)
    options.log_severity_level = 4
    before, held = add_external_initializers(options, {"w": values}, runtime)
    providers = ["CPUExecutionProvider"]
    session = runtime.InferenceSession(before + content, options, providers=providers)
    return session.run(None, {})[0], held


@pytest.mark.parametrize("api", ["files in memory", "values"])
@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "int8", "uint8", "int64", "bool", "float16"]
)
def test_a_session_reads_them(dtype, api, monkeypatch):
    if api == "values":
        monkeypatch.delattr(runtime.SessionOptions, FILES_IN_MEMORY, raising=False)
    values = np.arange(600).reshape(2, 300).astype(dtype)
    found, _ = session_of(values, graph(helper.np_dtype_to_tensor_dtype(values.dtype)))
    np.testing.assert_array_equal(found, values)
    assert found.dtype == values.dtype


def elsewhere(name, location):
    """Four texts that are said to be in a file."""
    tensor = onnx.TensorProto(name=name, data_type=onnx.TensorProto.STRING, dims=[4])
    tensor.data_location = tensor.EXTERNAL
    tensor.external_data.add(key="location", value=location)
    return tensor


@pytest.mark.parametrize("name", ["w", "other"])
@pytest.mark.parametrize("location", ["w", "/w", "../w", "", "*/_ORT_MEM_ADDR_/*"])
def test_a_graph_cannot_take_them_for_something_else(name, location):
    values = np.arange(64, dtype=np.float32)
    content = graph(onnx.TensorProto.STRING, name, elsewhere(name, location))
    with pytest.raises(Exception, match="(?i)external|initializer"):
        session_of(values, content)


def test_places_differ_from_session_to_session():
    values = {"w": np.ones(4, np.float32)}
    made = {add_external_initializers(onnxruntime_options(1), values, runtime)[0] for _ in range(3)}
    assert len(made) == 3
