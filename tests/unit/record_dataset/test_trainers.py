# SPDX-License-Identifier: Apache-2.0
"""Trainers for PyTorch that use MXNet for their records alone run with mxnova in its place."""

import subprocess
import sys

import cv2
import numpy as np
import pytest

pytestmark = pytest.mark.slow
MXNOVA = [sys.executable, "-c", "from mxnova.cli import main; main()"]

# What such programs ask of MXNet: `import mxnet`, an indexed file, keys, read_idx, unpack, imdecode.
TRAINER = """
import numbers, os, sys
import mxnet as mx
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

class Faces(Dataset):
    def __init__(self, folder):
        names = [os.path.join(folder, "train." + end) for end in ("idx", "rec")]
        self.records = mx.recordio.MXIndexedRecordIO(*names, "r")
        head, _ = mx.recordio.unpack(self.records.read_idx(0))
        if head.flag > 0:
            self.indices = np.array(range(1, int(head.label[0])))
        else:
            self.indices = np.array(list(self.records.keys))

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, i):
        head, encoded = mx.recordio.unpack(self.records.read_idx(self.indices[i]))
        label = head.label if isinstance(head.label, numbers.Number) else head.label[0]
        pixels = mx.image.imdecode(encoded).asnumpy()
        return torch.tensor(pixels.transpose(2, 0, 1) / 255.0).float(), torch.tensor(label).long()

torch.manual_seed(0)
loader = DataLoader(Faces(sys.argv[1]), batch_size=8, shuffle=True, num_workers=int(sys.argv[2]))
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 8 * 8, 2))
optimizer = torch.optim.SGD(model.parameters(), 0.05)
losses = []
for epoch in range(6):
    for pixels, labels in loader:
        loss = torch.nn.functional.cross_entropy(model(pixels), labels)
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        losses.append(loss.item())
print(len(loader.dataset), sum(losses[-5:]) < sum(losses[:5]))
"""


def run(*arguments, cwd):
    done = subprocess.run([*MXNOVA, *map(str, arguments)], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def with_head(folder, n):
    """Puts the record in front that says how many faces there are, as insightface's files have it."""
    from mxnova.recordio import IRHeader, MXIndexedRecordIO, pack

    old = MXIndexedRecordIO(folder / "train.idx", folder / "train.rec", "r")
    images = [old.read_idx(key) for key in old.keys]
    new = MXIndexedRecordIO(folder / "train.idx", folder / "train.rec2", "w")
    new.write_idx(0, pack(IRHeader(2, [n + 1, n + 1], 0, 0), b""))
    for key, image in enumerate(images, 1):
        new.write_idx(key, image)
    new.close()
    (folder / "train.rec2").rename(folder / "train.rec")


def train_unchanged(folder, n_workers):
    (folder / "train.py").write_text(TRAINER)
    return run("run", "train.py", folder, n_workers, cwd=folder)


def train_with_the_import_changed(folder, n_workers):
    (folder / "train.py").write_text(TRAINER.replace("import mxnet as mx", "import mxnova as mx"))
    command = [sys.executable, "train.py", str(folder), str(n_workers)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "head, n_workers, train",
    [
        pytest.param(False, 0, train_with_the_import_changed, marks=pytest.mark.huge),
        (True, 2, train_unchanged),
    ],
)
def test_a_trainer_reads_a_file_of_im2rec(head, n_workers, train, tmp_path):
    draw = np.random.RandomState(0)
    for i in range(40):
        (tmp_path / "images" / str(i % 2)).mkdir(parents=True, exist_ok=True)
        image = draw.randint(0, 100, (8, 8, 3)) + 100 * (i % 2)
        cv2.imwrite(str(tmp_path / f"images/{i % 2}/{i}.png"), image.astype(np.uint8))
    run("im2rec", "--recursive", "--list", "train", "images", cwd=tmp_path)
    run("im2rec", "--encoding", ".png", "train", "images", cwd=tmp_path)
    if head:
        with_head(tmp_path, 40)
    assert train(tmp_path, n_workers) == "40 True\n"
