"""The programs in examples/capi do what the same calls of Python do, to the last bit."""

import math
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx

FOLDER = Path(__file__).parents[3] / "examples" / "capi"
BATCH, EPOCHS = 32, 2


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """Files of images and of their digits."""
    sklearn = pytest.importorskip("sklearn.datasets")
    given, folder = sklearn.load_digits(), tmp_path_factory.mktemp("digits")
    data, labels = folder / "digits.csv", folder / "labels.csv"
    np.savetxt(data, given.data[:640], fmt="%g", delimiter=",")
    np.savetxt(labels, given.target[:640], fmt="%d")
    return data, labels


def trained(data, labels, model):
    """What the program prints, and the parameters that it ends with, by Python."""
    symbol = mx.sym.load(f"{model}-symbol.json")
    initial = mx.nd.load(f"{model}-0000.params")
    batches = mx.io.CSVIter(
        data_csv=str(data), label_csv=str(labels), data_shape=(64,), batch_size=BATCH
    )
    names = sorted(name.removeprefix("arg:") for name in initial)
    requests = {n: "write" if n in names else "null" for n in symbol.list_arguments()}
    executor = symbol.simple_bind(mx.cpu(), requests, data=(BATCH, 64), label=(BATCH,))
    store = mx.kv.create("local")
    store.set_optimizer(
        mx.optimizer.SGD(momentum=0.9, learning_rate=0.1, wd=0.0001, rescale_grad=1 / BATCH)
    )
    for key, name in enumerate(names):
        executor.arg_dict[name][:] = initial[f"arg:{name}"]
        store.init(key, executor.arg_dict[name])
    lines = []
    for epoch in range(1, EPOCHS + 1):
        loss = right = count = 0
        batches.reset()
        for batch in batches:
            executor.forward(is_train=True, data=batch.data[0] * 0.0625, label=batch.label[0])
            executor.backward()
            for key, name in enumerate(names):
                store.push(key, executor.grad_dict[name])
                store.pull(key, executor.arg_dict[name])
            found = executor.outputs[0].asnumpy()
            for row, label in zip(found, batch.label[0].asnumpy().astype(int)):
                loss -= math.log(float(row[label]))
                right += row.argmax() == label
                count += 1
        accuracy = 100 * right / count
        lines.append(
            f"epoch {epoch}: loss {loss / count:.12g}, accuracy {accuracy:.2f}% of {count}"
        )
    return lines, {name: executor.arg_dict[name].asnumpy() for name in names}


def test_training_and_classifying(program, digits, tmp_path):
    model = tmp_path / "digits"
    printed = program(FOLDER / "train_digits.cpp", *digits, model, EPOCHS)
    lines, parameters = trained(*digits, model)
    assert printed.splitlines() == lines
    assert float(lines[-1].split()[5].rstrip("%")) > 75
    saved = mx.nd.load(f"{model}-0001.params")
    for name, array in parameters.items():
        assert np.array_equal(saved[f"arg:{name}"].asnumpy(), array)
    few = tmp_path / "few.csv"
    few.write_text("\n".join(digits[0].read_text().splitlines()[:20]))
    files = (f"{model}-symbol.json", f"{model}-0001.params")
    classified = program(FOLDER / "classify.c", *files, few).split()
    predictor = mx.Predictor(*files, {"data": (1, 64)})
    for i, row in enumerate(np.loadtxt(few, delimiter=",", dtype=np.float32)):
        (found,) = predictor.predict(data=row)[0]
        assert int(classified[2 * i]) == found.argmax()
        assert classified[2 * i + 1] == f"{found.max():.9g}"


def test_a_missing_file_is_told(program, tmp_path):
    with pytest.raises(AssertionError, match="No such file"):
        program(FOLDER / "classify.c", tmp_path / "none", tmp_path / "none", tmp_path / "none")
