# SPDX-License-Identifier: Apache-2.0
import zipfile

import numpy as np
import pytest

WANT = np.exp([1, 5, 6]) / np.exp([1, 5, 6]).sum()


@pytest.fixture(scope="module")
def inputs(folder):
    """Files that are no input of the model."""
    honest = (folder / "x.npy").read_bytes()
    files = {
        "lying.npy": honest.replace(b"(1, 2), }          ", b"(10000000000, 2), }"),
        "short.npy": honest[:-1],
        "long.npy": honest + b"\0",
        "empty.npy": b"",
        "text.npy": b"no array",
        "code.npy": honest.replace(b"'<f4'", b"id(1)"),
        "open.npy": honest.replace(b"{", b"("),
        "list.npy": honest.replace(b"{'descr': '<f4'", b"{[]:1,'d': '<f4'"),
        "minus.npy": b"\x93NUMPY\1\0" + bytes([0x20, 0x20]) + b"-" * 0x2020,
        "text.npz": b"no archive",
        "empty.npz": b"PK\5\6" + bytes(18),
        "empty.jpg": b"",
        "text.jpg": b"no image",
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)
    assert len(files["lying.npy"]) == len(honest)
    np.save(folder / "complex.npy", np.zeros((1, 2), "complex64"))
    np.save(folder / "words.npy", np.array([["a", "b"]]))
    np.save(folder / "objects.npy", np.array([[None, 1]], object), allow_pickle=True)
    np.save(folder / "shape.npy", np.zeros((1, 3, 5)))
    np.savez(folder / "two.npz", a=np.zeros((1, 2)), b=np.zeros(1))
    np.savez(folder / "pairs.npz", data=np.array([[1, 5]], "f"), other=np.zeros(1))
    with zipfile.ZipFile(folder / "lying.npz", "w") as archive:
        archive.writestr("data.npy", files["lying.npy"])
    (folder / "folder.npy").mkdir(exist_ok=True)
    (folder / "labels.txt").write_text("cat\n[red]dog\x1b[2J\nbird\n", encoding="utf-8")
    (folder / "few.txt").write_text("cat\n", encoding="utf-8")


pytestmark = pytest.mark.usefixtures("inputs")


def predict(warm, *args):
    return warm("predict", "net", "--epoch", 1, *args)


@pytest.mark.parametrize("file", ["x.npy", "pairs.npz"])
def test_shows_and_saves_outputs(warm, folder, file):
    done = predict(warm, "--input", f"data={file}", "-o", "out.npz")
    assert done.returncode == 0, done.stderr
    assert "prob_output" in done.stdout
    np.testing.assert_allclose(np.load(folder / "out.npz")["prob_output"][0], WANT, rtol=1e-5)


def test_labels_name_the_scores(warm):
    done = predict(warm, "-i", "data=x.npy", "--top", "2", "--labels", "labels.txt")
    assert "2: bird 0.727475  1: [red]dog\\x1b[2J 0.267623\n" in done.stdout
    assert "cat" not in done.stdout


@pytest.mark.parametrize(
    "args, facts",
    [
        (("-i", "dat=x.npy"), ["'dat'", "did you mean 'data'", "its inputs: data"]),
        (("-i", "fc_weight=x.npy"), ["'fc_weight'", "its inputs: data"]),
        (("-i", "data"), ["data=FILE"]),
        (("-i", "data=x.npy", "-i", "data=x.npy"), ["twice"]),
        (("-i", "data=none.npy"), ["none.npy", "No such file"]),
        (("-i", "data=folder.npy"), ["folder.npy", "no regular file"]),
        (("-i", "data=lying.npy"), ["lying.npy", "(10000000000, 2)"]),
        (("-i", "data=lying.npz"), ["lying.npz", "(10000000000, 2)"]),
        (("-i", "data=short.npy"), ["short.npy"]),
        (("-i", "data=long.npy"), ["long.npy"]),
        (("-i", "data=empty.npy"), ["empty.npy"]),
        (("-i", "data=text.npy"), ["text.npy"]),
        (("-i", "data=code.npy"), ["code.npy"]),
        (("-i", "data=text.npz"), ["text.npz"]),
        (("-i", "data=empty.npz"), ["empty.npz", "holds nothing"]),
        (("-i", "data=two.npz"), ["two.npz", "holds a, b"]),
        (("-i", "data=empty.jpg"), ["empty.jpg", "image"]),
        (("-i", "data=text.jpg"), ["text.jpg", "image"]),
        (("-i", "data=complex.npy"), ["complex.npy", "complex64"]),
        (("-i", "data=words.npy"), ["words.npy", "<U1"]),
        (("-i", "data=objects.npy"), ["objects.npy", "objects"]),
        (("-i", "data=shape.npy"), ["fc", "the model's inputs: data"]),
        (("-i", "data=x.npy", "--size", "0x0"), ["--size='0x0'"]),
        (("-i", "data=x.npy", "--size=-1x5"), ["--size='-1x5'"]),
        (("-i", "data=x.npy", "--size", "99999999x1"), ["--size='99999999x1'"]),
        (("-i", "data=x.npy", "--size", "5"), ["--size='5'"]),
        (("-i", "data=x.npy", "--mean", "1,2"), ["--mean='1,2'"]),
        (("-i", "data=x.npy", "--mean", "nan"), ["--mean='nan'"]),
        (("-i", "data=x.npy", "--scale", "inf"), ["--scale=inf"]),
        (("-i", "data=x.npy", "--ctx", "gpu(7)"), ["gpu(7): this machine has"]),
        (("-i", "data=x.npy", "--ctx", "tpu"), ["ctx='tpu'", "gpu(1)"]),
        (("-i", "data=x.npy", "--top", "-1"), ["--top=-1"]),
        (("-i", "data=x.npy", "--top", "0"), ["--top=0"]),
        (("-i", "data=x.npy", "--epoch", "-1"), ["--epoch=-1"]),
        (("-i", "data=x.npy", "--epoch", "7"), ["no epoch 7 of net"]),
        (("-i", "data=x.npy", "--labels", "none.txt"), ["none.txt", "No such file"]),
        (("-i", "data=x.npy", "--labels", "few.txt"), ["few.txt", "prob_output (1, 3)"]),
        (("-i", "data=x.npy", "-o", "nowhere/out.npz"), ["nowhere", "No such file"]),
        (("-i", "da\x1b[2Jta=x.npy"), [r"da\x1b[2Jta"]),
    ],
    ids=lambda value: " ".join(map(ascii, value)) if isinstance(value, tuple) else "",
)
def test_a_bad_argument_or_file_is_one_line_and_status_1(folder, args, facts, capfd, monkeypatch):
    from mxnova.cli import main

    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.argv", ["mxnova", "predict", "net", "--epoch", "1", *args])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    text = capfd.readouterr().err
    assert text.startswith("error: ")
    assert [fact for fact in facts if fact not in text] == []
    assert text.count("\n") == 1
    assert text[:-1].isprintable()
