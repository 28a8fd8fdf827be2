"""The predict interface."""

import ctypes
import os
import threading

import numpy as np
import pytest

import mxnova as mx

from .c import Handle, UInt, address, created, handles, out, texts, uints

SHAPE = (1, texts("data"), uints(0, 2), uints(2, 4))
RNG = np.random.default_rng(0)
DATA = RNG.normal(size=(2, 4)).astype(np.float32)


@pytest.fixture(scope="module")
def symbol():
    scores = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    return mx.sym.SoftmaxOutput(scores, name="softmax")


@pytest.fixture(scope="module")
def parameters():
    weight = mx.nd.array(RNG.normal(size=(3, 4)))
    return {"arg:fc_weight": weight, "arg:fc_bias": mx.nd.array([1, 2, 3])}


@pytest.fixture(scope="module")
def model(symbol, parameters, tmp_path_factory):
    """The first arguments of functions that make predictors."""
    path = tmp_path_factory.mktemp("model") / "net.params"
    mx.nd.save(str(path), parameters)
    content = path.read_bytes()
    return symbol.tojson().encode(), content, len(content), 1, 0


@pytest.fixture
def predictor(call, model):
    return created(call, "MXPredCreate", *model, *SHAPE)


@pytest.fixture
def expected(symbol, parameters):
    predictor = mx.Predictor(symbol, parameters, {"data": (2, 4)})
    return lambda data: predictor.predict(data=data)[0]


def shape_of(call, predictor, index=0):
    (sizes, at), (count, count_at) = out(ctypes.POINTER(UInt)), out(UInt)
    call("MXPredGetOutputShape", predictor, index, at, count_at)
    return sizes[: count.value]


def output_of(call, predictor, index=0, dtype=np.float32):
    values = np.empty(shape_of(call, predictor, index), dtype)
    call("MXPredGetOutput", predictor, index, address(values), values.size)
    return values


def feed(call, predictor, data, name=b"data"):
    call("MXPredSetInput", predictor, name, address(data), data.size)


def test_a_model_is_fed_and_run(call, predictor, expected):
    feed(call, predictor, DATA)
    call("MXPredForward", predictor)
    assert shape_of(call, predictor) == [2, 3]
    assert np.array_equal(output_of(call, predictor), expected(DATA))
    kind, at = out(ctypes.c_int)
    call("MXPredGetOutputType", predictor, 0, at)
    assert kind.value == 0


def test_another_thread_may_run_what_this_one_set(call, predictor, expected):
    feed(call, predictor, DATA)
    thread = threading.Thread(target=call, args=("MXPredForward", predictor))
    thread.start()
    thread.join()
    assert np.array_equal(output_of(call, predictor), expected(DATA))


def test_step_by_step(call, predictor, expected):
    feed(call, predictor, DATA)
    left, at = out(ctypes.c_int)
    step = 0
    call("MXPredPartialForward", predictor, 0, at)
    while left.value:
        step += 1
        call("MXPredPartialForward", predictor, step, at)
    assert step == 5
    assert np.array_equal(output_of(call, predictor), expected(DATA))


def test_reshape_leaves_the_old_one(call, predictor, expected):
    wide = created(call, "MXPredReshape", 1, texts("data"), uints(0, 2), uints(5, 4), predictor)
    assert shape_of(call, wide) == [5, 3]
    assert shape_of(call, predictor) == [2, 3]
    data = np.concatenate([DATA, DATA, DATA[:1]])
    feed(call, wide, data)
    call("MXPredForward", wide)
    assert np.allclose(output_of(call, wide)[:2], expected(DATA))


def test_chosen_outputs(call, model, parameters):
    inner = created(
        call, "MXPredCreatePartialOut", *model, *SHAPE, 2, texts("fc", "softmax_output")
    )
    feed(call, inner, DATA)
    call("MXPredForward", inner)
    weight, bias = (a.asnumpy() for a in parameters.values())
    assert np.allclose(output_of(call, inner, 0), DATA @ weight.T + bias, atol=1e-6)
    assert np.allclose(output_of(call, inner, 1).sum(1), 1)


def test_inputs_of_other_types(call):
    doubled = (mx.sym.var("data") + mx.sym.var("data")).tojson().encode()
    model = (doubled, None, 0, 1, 0)
    types = (1, texts("data"), (ctypes.c_int * 1)(1))
    predictor = created(call, "MXPredCreateEx", *model, *SHAPE, *types)
    data = DATA.astype(np.float64)
    feed(call, predictor, data)
    call("MXPredForward", predictor)
    assert np.array_equal(output_of(call, predictor, dtype=np.float64), 2 * data)
    kind, at = out(ctypes.c_int)
    call("MXPredGetOutputType", predictor, 0, at)
    assert kind.value == 1


def test_a_monitor_is_told_of_every_node(call, predictor):
    seen = []

    @ctypes.CFUNCTYPE(None, ctypes.c_char_p, Handle, Handle)
    def monitor(name, array, state):
        seen.append((name.decode(), state))
        call("MXNDArrayFree", Handle(array))

    call("MXPredSetMonitorCallback", predictor, monitor, Handle(7), False)
    feed(call, predictor, DATA)
    call("MXPredForward", predictor)
    assert seen == [("fc_output", 7), ("softmax_output", 7)]


def test_from_many_threads(call, model, expected):
    made = handles(*[None] * 8)
    call("MXPredCreateMultiThread", *model, *SHAPE, 8, made)
    wrong = []

    def work(number):
        predictor, data = Handle(made[number]), np.empty((2, 4), np.float32)
        for i in range(1000):
            data[:] = number - i / 1000
            feed(call, predictor, data)
            call("MXPredForward", predictor)
            values = output_of(call, predictor)
            if i % 50 == 0 and not np.array_equal(values, expected(data)):
                wrong.append((number, i))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_what_is_no_parameter_may_be_missing_or_set(call, model, predictor):
    feed(call, predictor, np.zeros(2, np.float32), b"softmax_label")
    with pytest.raises(RuntimeError, match="no input 'fc_weight'"):
        feed(call, predictor, np.zeros(12, np.float32), b"fc_weight")


VALUES = address(np.zeros(6, np.float32))
# fmt: off
ERRORS = [
    ("MXPredSetInput", (b"dato", VALUES, 8), "did you mean 'data'"),
    ("MXPredSetInput", (b"data", VALUES, 7), "7 elements"),
    ("MXPredSetInput", (b"data", None, 8), "null pointer"),
    ("MXPredSetInput", (None, VALUES, 8), "null pointer"),
    ("MXPredGetOutput", (0, VALUES, 6), "forward first"),
    ("MXPredGetOutput", (1, VALUES, 6), "output"),
    ("MXPredGetOutputShape", (1, None, None), "output 1 of 1"),
    ("MXPredPartialForward", (3, None), "start with step 0"),
    ("MXPredPartialForward", (-1, None), "step 0"),
]
# fmt: on


@pytest.mark.parametrize("name, arguments, text", ERRORS)
def test_errors(call, predictor, name, arguments, text):
    with pytest.raises(RuntimeError, match=text):
        call(name, predictor, *arguments)


# fmt: off
BROKEN = [
    ((None, None, 0, 1, 0, *SHAPE), "null pointer"),
    ((b"{}", None, 0, 1, 0, *SHAPE), "nodes"),
    ((b"/etc/hostname", None, 0, 1, 0, *SHAPE), "(?i)json"),
    ((0, b"rubbish", 7, 1, 0, *SHAPE), "offset 0|magic"),
    ((0, None, 100, 1, 0, *SHAPE), "100 bytes is given as a null pointer"),
    ((0, b"", -1, 1, 0, *SHAPE), "-1 bytes"),
    ((0, None, 0, 9, 0, *SHAPE), "dev_type=9"),
    ((0, None, 0, 1, 0, 1, None, uints(0, 2), uints(2, 4)), "null pointer"),
    ((0, None, 0, 1, 0, 1, texts("data"), uints(2, 0), uints(2, 4)), "must begin at 0 and not decrease"),
    ((0, None, 0, 1, 0, 1, texts("dato"), uints(0, 2), uints(2, 4)), "did you mean 'data'"),
    ((0, None, 0, 1, 0, 0, None, None, None), "shape"),
]
# fmt: on


@pytest.mark.parametrize("arguments, text", BROKEN)
def test_models_that_cannot_be(call, model, arguments, text):
    arguments = [model[i] if given == 0 and i == 0 else given for i, given in enumerate(arguments)]
    with pytest.raises(RuntimeError, match=text):
        created(call, "MXPredCreate", *arguments)


def test_a_freed_predictor_is_an_error(call, predictor):
    call("MXPredFree", predictor)
    for name in ("MXPredForward", "MXPredFree"):
        with pytest.raises(RuntimeError, match="no predictor that is still there"):
            call(name, predictor)


def test_lists_of_arrays(call, model, parameters):
    (made, at), (count, count_at) = out(), out(UInt)
    call("MXNDListCreate", model[1], model[2], at, count_at)
    found = {}
    for i in range(count.value):
        (name, name_at), (values, values_at) = (
            out(ctypes.c_char_p),
            out(ctypes.POINTER(ctypes.c_float)),
        )
        (sizes, sizes_at), (axes, axes_at) = out(ctypes.POINTER(UInt)), out(UInt)
        call("MXNDListGet", made, i, name_at, values_at, sizes_at, axes_at)
        shape = sizes[: axes.value]
        found[name.value.decode()] = np.reshape(values[: int(np.prod(shape))], shape)
    assert found.keys() == parameters.keys()
    for name, array in parameters.items():
        assert np.array_equal(found[name], array.asnumpy())
    with pytest.raises(RuntimeError, match="array 2 of 2"):
        call("MXNDListGet", made, 2, None, None, None, None)
    call("MXNDListFree", made)
    with pytest.raises(RuntimeError, match="no list of arrays"):
        call("MXNDListGet", made, 0, None, None, None, None)


COMPILED = r"""
#include <mxnet/c_predict_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *content(const char *path, long *size) {
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    *size = ftell(file);
    rewind(file);
    char *bytes = calloc(1, *size + 1);
    if (fread(bytes, 1, *size, file) != (size_t)*size) exit(2);
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    long size, n;
    char *json = content(argv[argc - 2], &n), *params = content(argv[argc - 1], &size);
    const char *keys[] = {"data"};
    mx_uint indptr[] = {0, 2}, shape[] = {1, 4};
    float in[] = {1, 2, 3, 4}, out[3];
    PredictorHandle predictor;
    if (MXPredCreate(json, params, (int)size, 1, 0, 1, keys, indptr, shape, &predictor) ||
        MXPredSetInput(predictor, "data", in, 4) || MXPredForward(predictor) ||
        MXPredGetOutput(predictor, 0, out, 3))
        return puts(MXGetLastError());
    int torch = 0;
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) torch |= strstr(line, "libtorch") != NULL;
    printf("%d %.6f %.6f %.6f\n", torch, out[0], out[1], out[2]);
    return MXPredFree(predictor);
}
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="asks Linux what is loaded")
def test_compiled_models_start_without_torch(program, symbol, parameters, tmp_path, monkeypatch):
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    monkeypatch.setenv("MXNOVA_COMPILED", "1")
    monkeypatch.setenv("MXNOVA_CACHE", str(tmp_path / "cache"))
    symbol.save(str(tmp_path / "net.json"))
    mx.nd.save(str(tmp_path / "net.params"), parameters)
    source = tmp_path / "predict.c"
    source.write_text(COMPILED)
    given = np.float32([[1, 2, 3, 4]])
    wanted = mx.Predictor(symbol, parameters, {"data": (1, 4)}).predict(data=given)[0]
    told = []
    for _ in range(2):
        torch, *found = program(source, tmp_path / "net.json", tmp_path / "net.params").split()
        told.append(torch)
        np.testing.assert_allclose([float(v) for v in found], wanted[0], atol=1e-5)
    assert told == ["1", "0"]  # made by the first


def test_forward_rejects_missing_parameters_unless_they_are_set(call, symbol, parameters, tmp_path):
    mx.nd.save(str(tmp_path / "net.params"), {"arg:fc_weight": parameters["arg:fc_weight"]})
    content = (tmp_path / "net.params").read_bytes()
    model = symbol.tojson().encode(), content, len(content), 1, 0
    predictor = created(call, "MXPredCreate", *model, *SHAPE)
    call("MXPredSetInput", predictor, b"data", address(DATA), DATA.size)
    with pytest.raises(RuntimeError, match="MXPredForward: fc_bias: not among the parameters"):
        call("MXPredForward", predictor)
    bias = np.array([1, 2, 3], np.float32)
    call("MXPredSetInput", predictor, b"fc_bias", address(bias), bias.size)
    call("MXPredForward", predictor)
    complete = mx.Predictor(symbol, parameters, {"data": (2, 4)}).predict(data=DATA)[0]
    np.testing.assert_allclose(output_of(call, predictor), complete, rtol=1e-6)
    reshaped = created(call, "MXPredReshape", 1, texts("data"), uints(0, 2), uints(1, 4), predictor)
    call("MXPredSetInput", reshaped, b"data", address(DATA), 4)
    call("MXPredForward", reshaped)
    np.testing.assert_allclose(output_of(call, reshaped), complete[:1], rtol=1e-6)
