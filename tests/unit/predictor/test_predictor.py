# SPDX-License-Identifier: Apache-2.0
import threading

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError
from mxnova.core.exec.backends import auto
from mxnova.core.exec.program.interpreter import Teller
from mxnova.predictor import NDList, Predictor

RNG = np.random.default_rng(1)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A small net with everything that inference rewrites, saved as a checkpoint."""
    prefix = str(tmp_path_factory.mktemp("model") / "net")
    conv = mx.sym.Convolution(
        mx.sym.var("data"), kernel=(3, 3), pad=(1, 1), num_filter=4, name="conv"
    )
    act = mx.sym.relu(mx.sym.BatchNorm(conv, name="bn", fix_gamma=False), name="act")
    fc = mx.sym.FullyConnected(act, num_hidden=5, name="fc")
    symbol = mx.sym.SoftmaxOutput(fc, name="softmax")
    shapes, _, aux_shapes = symbol.infer_shape(data=(1, 2, 6, 6))
    args = {
        n: mx.nd.array(RNG.normal(size=s))
        for n, s in zip(symbol.list_arguments(), shapes)
        if n not in ("data", "softmax_label")
    }
    aux = {
        n: mx.nd.array(RNG.uniform(0.5, 2, s))
        for n, s in zip(symbol.list_auxiliary_states(), aux_shapes)
    }
    mx.model.save_checkpoint(prefix, 1, symbol, args, aux)
    return prefix


def images(n=1):
    return RNG.normal(size=(n, 2, 6, 6)).astype("f")


def expected(prefix, x):
    symbol, args, aux = mx.model.load_checkpoint(prefix, 1)
    args = {**args, "data": mx.nd.array(x), "softmax_label": mx.nd.zeros((len(x),))}
    return symbol.bind(mx.cpu(), args, aux_states=aux).forward()[0].asnumpy()


def test_paths_bytes_and_objects_give_the_same_model(saved):
    x = images()
    json, params = f"{saved}-symbol.json", f"{saved}-0001.params"
    with open(json) as f:
        text = f.read()
    with open(params, "rb") as f:
        content = f.read()
    sources = [
        (json, params),
        (text, content),
        (text.encode(), content),
        (mx.sym.load(json), mx.nd.load(params)),
    ]
    for symbol, parameters in sources:
        predictor = Predictor(symbol, parameters, {"data": (1, 2, 6, 6)})
        np.testing.assert_allclose(predictor.predict(data=x)[0], expected(saved, x), atol=1e-5)


@pytest.mark.parametrize("before", range(1, 5))
def test_the_last_bit_does_not_depend_on_where_files_have_parameters(before, tmp_path):
    weight = mx.nd.array(RNG.normal(size=(64, 500)))
    arrays = {"arg:unused": mx.nd.zeros((before,)), "arg:fc_weight": weight}
    mx.nd.save(str(tmp_path / "fc.params"), arrays)
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=64, no_bias=True, name="fc")
    x = RNG.normal(size=(1, 500)).astype("f")
    answers = [
        Predictor(symbol, source, {"data": x.shape}).predict(data=x)[0]
        for source in (arrays, tmp_path / "fc.params", (tmp_path / "fc.params").read_bytes())
    ]
    np.testing.assert_array_equal(answers[1], answers[0])
    np.testing.assert_array_equal(answers[2], answers[0])


def test_the_c_apis_steps(saved):
    x = images()
    predictor = Predictor.from_checkpoint(saved, 1, {"data": x.shape})
    assert predictor.output_names == ["softmax_output"]
    assert predictor.output_shapes == [(1, 5)]
    predictor.set_input("data", x)
    predictor.forward()
    np.testing.assert_allclose(predictor.get_output(0), expected(saved, x), atol=1e-5)
    np.testing.assert_array_equal(predictor.get_output("softmax_output"), predictor.get_output(0))


def test_partial_forward_ends_with_the_outputs(saved):
    x = images()
    predictor = Predictor.from_checkpoint(saved, 1, {"data": x.shape})
    predictor.set_input("data", x)
    left = [predictor.partial_forward(0)]
    while left[-1] > 0:
        left.append(predictor.partial_forward(len(left)))
    assert left == list(range(left[0], -1, -1))
    np.testing.assert_allclose(predictor.get_output(0), expected(saved, x), atol=1e-5)


def test_inner_outputs_and_reshape(saved):
    predictor = Predictor.from_checkpoint(
        saved, 1, {"data": (1, 2, 6, 6)}, outputs=["act", "softmax_output"]
    )
    assert predictor.output_names == ["act_output", "softmax_output"]
    x = images(3)
    wider = predictor.reshape({"data": x.shape})
    assert wider.output_shapes == [(3, 4, 6, 6), (3, 5)]
    np.testing.assert_allclose(wider.predict(data=x)[1], expected(saved, x), atol=1e-5)
    assert predictor.output_shapes == [(1, 4, 6, 6), (1, 5)]


def test_threads_do_not_see_each_others_inputs(saved):
    predictor = Predictor.from_checkpoint(saved, 1, {"data": (1, 2, 6, 6)})
    inputs = [images() for _ in range(8)]
    want = [predictor.predict(data=x)[0] for x in inputs]
    wrong = []

    def work(i):
        for _ in range(20):
            predictor.set_input("data", inputs[i])
            predictor.forward()
            if not np.array_equal(predictor.get_output(0), want[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    "use, facts",
    [
        (lambda p: p.set_input("dat", images()), ["'dat'", "did you mean 'data'"]),
        (lambda p: p.set_input("data", np.zeros((1, 3))), ["data", "[1,3]", "[1,2,6,6]"]),
        (lambda p: p.get_output(0), ["forward"]),
        (lambda p: (p.forward(data=images()), p.get_output(1)), ["output 1 of 1"]),
        (lambda p: p.partial_forward(1), ["step 0"]),
        (lambda p: (p.partial_forward(0), p.partial_forward(3)), ["step=3", "step 1 is next"]),
        (lambda p: (p.partial_forward(0), p.partial_forward(-1)), ["step=-1"]),
        (lambda p: p.reshape({"dat": (1,)}), ["'dat'"]),
        (lambda p: p.reshape({}), ["data", "input_shapes"]),
    ],
)
def test_errors_name_what_is_wrong(saved, use, facts):
    with pytest.raises(MXNetError) as error:
        use(Predictor.from_checkpoint(saved, 1, {"data": (1, 2, 6, 6)}))
    assert all(f in str(error.value) for f in facts), error.value


def test_outputs_that_do_not_exist_are_refused(saved):
    with pytest.raises(MXNetError, match="'actt'; did you mean 'act"):
        Predictor.from_checkpoint(saved, 1, {"data": (1, 2, 6, 6)}, outputs=["actt"])


def test_ndlist_lists_arrays_of_a_file(saved):
    arrays = NDList(f"{saved}-0001.params")
    assert len(arrays) == 8
    name, values = arrays[0]
    assert name.startswith("arg:")
    assert isinstance(values, np.ndarray)


def test_sessions_are_apart():
    data = mx.sym.var("data")
    predictor = Predictor(data * 2, {}, {"data": (2,)})
    one, other = predictor.session(), predictor.session()
    one.set_input("data", np.array([1.0, 2.0]))
    other.set_input("data", np.array([3.0, 4.0]))
    one.forward()
    other.forward()
    assert one.output(0).tolist() == [2, 4]
    assert other.output(0).tolist() == [6, 8]
    shape, dtype = one.output_facts(0)
    assert (shape, dtype.name) == ((2,), "float32")
    wide = one.reshape({"data": (3,)})
    assert wide.output_facts(0)[0] == (3,)
    with pytest.raises(mx.MXNetError, match="forward first"):
        wide.output(0)


def test_a_session_may_be_watched():
    seen = []
    session = Predictor(mx.sym.relu(mx.sym.var("data"), name="r"), {}, {"data": (2,)}).session()
    session.monitor = Teller(lambda name, _, array: seen.append((name, array.shape)), True, True)
    session.set_input("data", np.array([-1.0, 2.0]))
    session.forward()
    assert session.output(0).tolist() == [0, 2]
    assert seen == [("data", (2,)), ("r_input0", (2,)), ("r_output", (2,))]


def test_other_sizes_are_predicted_too(saved):
    predictor = Predictor.from_checkpoint(saved, 1, {"data": (1, 2, 6, 6)})
    for n in (1, 3, 2, 3, *range(4, 14)):
        x = images(n)
        np.testing.assert_allclose(predictor.predict(data=x)[0], expected(saved, x), atol=1e-5)
    assert predictor.output_shapes == [(1, 5)]
    assert len(predictor._others) == 8
    with pytest.raises(MXNetError, match=r"data has shape \[2,3,6,6\], expected \[1,2,6,6\]"):
        predictor.predict(data=np.zeros((2, 3, 6, 6), "f"))


def test_as_many_values_of_another_shape_are_no_reshape():
    network = mx.sym.sum(mx.sym.var("data"), axis=2)
    predictor = Predictor(network, {}, {"data": (1, 4, 6)})
    for shape in ((1, 6, 4), (2, 3, 4), (4, 1, 6)):
        assert predictor.predict(data=np.ones(shape, "f"))[0].shape == shape[:2]
    assert predictor.predict(data=np.ones(24, "f"))[0].shape == (1, 4)  # flat values are taken


def test_runtimes_that_are_installed_are_measured(saved, monkeypatch, tmp_path):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    monkeypatch.setenv("MXNOVA_CACHE", str(tmp_path))
    monkeypatch.setenv("MXNOVA_AUTO_BACKENDS", "onnxruntime")
    measured = []
    monkeypatch.setattr(
        auto, "measured", lambda runners: measured.append(runners) or {"aten": 2, "onnxruntime": 1}
    )
    predictor = Predictor.from_checkpoint(saved, 1, {"data": (1, 2, 6, 6)})
    assert [[*runners] for runners in measured] == [["aten", "onnxruntime"]]
    assert "onnxruntime" in {row.backend for row in predictor.explain()}
    wide = predictor.reshape({"data": (2, 2, 6, 6)})  # takes the choice over
    assert "onnxruntime" in {row.backend for row in wide.explain()}
    assert len(measured) == 1
    plain = Predictor.from_checkpoint(saved, 1, {"data": (1, 2, 6, 6)}, backend="aten")
    assert {row.backend for row in plain.explain()} == {"aten"}
    monkeypatch.setenv("MXNET_SUBGRAPH_BACKEND", "aten")
    plain = Predictor.from_checkpoint(saved, 1, {"data": (3, 2, 6, 6)})
    assert {row.backend for row in plain.explain()} == {"aten"}
    assert len(measured) == 1
