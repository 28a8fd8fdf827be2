# SPDX-License-Identifier: Apache-2.0
import json

import numpy as np
import pytest

import mxnova as mx
from mxnova.cli import main


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """A network of images, and images of several sizes, one of them damaged."""
    cv2 = pytest.importorskip("cv2")
    path = tmp_path_factory.mktemp("images")
    pooled = mx.sym.Pooling(mx.sym.var("data"), global_pool=True, pool_type="avg")
    fc = mx.sym.FullyConnected(pooled, num_hidden=3, name="fc")
    weights = {"fc_weight": mx.nd.array(np.eye(3)), "fc_bias": mx.nd.zeros((3,))}
    symbol = mx.sym.SoftmaxOutput(fc, name="softmax")
    mx.model.save_checkpoint(str(path / "net"), 0, symbol, weights, {})
    (path / "pics").mkdir()
    for i in range(7):
        pixels = np.zeros((8 + i, 9, 3), np.uint8)
        pixels[..., 2 - i % 3] = 5
        cv2.imwrite(str(path / "pics" / f"{i}.png"), pixels)
    (path / "pics" / "3a.png").write_bytes(b"no image")
    (path / "labels.txt").write_text("red\ngreen\nblue\n")
    return path


@pytest.fixture
def run(images, monkeypatch, capsys):
    monkeypatch.chdir(images)

    def run(*args):
        monkeypatch.setattr("sys.argv", ["mxnova", *map(str, args)])
        try:
            main()
            status = 0
        except SystemExit as ended:
            status = ended.code
        return (status, *capsys.readouterr())

    return run


def test_a_bad_image_stops_no_other_and_a_run_is_resumed(run, tmp_path):
    args = ("net", "-o", tmp_path / "r.jsonl", "--labels", "labels.txt", "pics")
    sized = (*args, "--batch", 3, "--size", "8x8")
    status, out, err = run("predict", *sized)
    assert (status, out) == (1, "")
    assert "7 predicted, 1 failed\nfailed: pics/3a.png: " in err
    whole = (tmp_path / "r.jsonl").read_bytes()
    rows = [json.loads(line) for line in whole.splitlines()]
    assert [row["name"] for row in rows] == [f"pics/{i}.png" for i in range(7)]
    best = [row["outputs"]["softmax_output"][0]["label"] for row in rows]
    assert best == [("red", "green", "blue")[i % 3] for i in range(7)]
    (tmp_path / "r.jsonl").write_bytes(whole[: len(whole) // 2])
    status, _, err = run("predict", *sized, "--resume")
    assert "4 predicted, 1 failed, 3 were there" in err
    assert (tmp_path / "r.jsonl").read_bytes() == whole


def test_a_compiled_model_knows_labels_and_preprocessing(run, tmp_path):
    pytest.importorskip("onnxruntime")
    made = tmp_path / "m.mxnova"
    how = ("--labels", "labels.txt", "--bgr", "--no-prove")
    status, out, _ = run("compile", "net", "-s", "data=N,3,8,8", "-o", made, *how)
    assert (status, out.splitlines()[0]) == (0, str(made))
    status, out, err = run("predict", made, "pics/0.png", "pics/1.png", "--top", 1)
    assert (status, out) == (0, "pics/0.png: 2: blue 0.986703\npics/1.png: 1: green 0.986703\n")
    assert err.startswith("ran by onnxruntime (compiled)\n2 predicted")
    status, out, _ = run("predict", made, "-i", "data=pics/0.png", "--no-bgr", "--top", 1)
    assert "0: red 0.986703" in out


def test_archives_and_folders_are_models(run, images, tmp_path):
    import shutil

    for file in images.glob("net-*"):
        shutil.copy(file, tmp_path)
    status, out, _ = run("predict", tmp_path, "pics/2.png", "--top", 1)
    assert (status, out) == (0, "pics/2.png: 2: 0.986703\n")


@pytest.mark.parametrize(
    "args, text",
    [
        ((), "which files?"),
        (("pics", "--batch", "0"), "--batch=0"),
        (("pics", "--threads", "0"), "--threads=0"),
        (("pics", "--resume"), "-o FILE is missing"),
        (("pics", "-o", "r.txt"), "must end in"),
        (("pics", "-s", "dat=N,3,8,8"), "--shape dat"),
        (("pics", "-s", "data=1,3,8,8", "--batch", "2"), "1 rows at once"),
        (("pics", "-s", "data=N,3,8,8", "--backend", "nobody"), "nobody"),
    ],
)
def test_bad_arguments_are_one_line(run, args, text):
    status, out, err = run("predict", "net", *args)
    assert status in (1, 2)
    assert (out, err.count("\n")) == ("", 1)
    assert text in err
