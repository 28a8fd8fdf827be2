# SPDX-License-Identifier: Apache-2.0
"""Files that contain code: who may run them, and what torch may unpickle of them."""

import importlib.util
import io
import json
import marshal
import os
import struct
import zipfile
from pathlib import Path

import pytest
import torch

from mxnova.base import MXNetError
from mxnova.convert.proof.runners import runner_of
from mxnova.core.base.errors import ArgumentError


class _Hostile:
    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


def pickled(archive, target, value):
    """Writes an archive anew whose first weight is a pickle of `value`; whether it has weights."""
    content = io.BytesIO()
    torch.save(value, content)
    found = False
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(target, "w") as file:
        config, name = {}, ""
        for name in source.namelist():
            if name.endswith("weights_config.json"):
                config = json.loads(source.read(name))
        weight = next(iter(config.get("config", {}).values()), None)
        if weight is not None:
            weight["use_pickle"] = found = True
        for name in source.namelist():
            data = source.read(name)
            if name.endswith("weights_config.json"):
                data = json.dumps(config).encode()
            elif weight is not None and name.endswith(f"weights/{weight['path_name']}"):
                data = content.getvalue()
            file.writestr(name, data)
    return found


@pytest.mark.parametrize("before", [None, "0"])
def test_nothing_but_tensors_is_unpickled(tmp_path, before, monkeypatch):
    name = "TORCH_FORCE_WEIGHTS_ONLY_LOAD"
    monkeypatch.delenv(name, raising=False)
    if before is not None:
        monkeypatch.setenv(name, before)
    layer = torch.nn.Linear(2, 1)
    program = torch.export.export(layer, (torch.zeros(1, 2),))
    torch.export.save(program, tmp_path / "net.pt2")
    if not pickled(tmp_path / "net.pt2", tmp_path / "good.pt2", layer.weight):
        pytest.skip("archives of this torch have no configuration of weights")
    runner_of(tmp_path / "good.pt2", trust=True)
    pickled(tmp_path / "net.pt2", tmp_path / "bad.pt2", _Hostile(tmp_path / "made"))
    with pytest.raises(MXNetError, match="torch.export cannot load it"):
        runner_of(tmp_path / "bad.pt2", trust=True)
    assert not (tmp_path / "made").exists()
    assert os.environ.get(name) == before


def test_runner_of_python_file_without_safetensors_names_what_to_install(tmp_path):
    text = "raise ImportError('No module', name='safetensors')\n"
    (tmp_path / "net.py").write_text(text)
    with pytest.raises(MXNetError, match=r"net.py: .* pip install 'mxnova\[safetensors\]'"):
        runner_of(tmp_path / "net.py", trust=True)


@pytest.mark.parametrize("name", ["net.py", "net.safetensors"])
def test_runner_of_refuses_python_files_of_others(tmp_path, name):
    (tmp_path / "net.py").write_text(f"import os\nos.mkdir({str(tmp_path / 'made')!r})\n")
    (tmp_path / "net.safetensors").write_bytes(b"")
    with pytest.raises(ArgumentError, match=r"net\.py: loading it runs code of its author"):
        runner_of(tmp_path / name)
    assert not (tmp_path / "made").exists()


def test_runner_of_refuses_archives_of_others(tmp_path):
    (tmp_path / "net.pt2").write_bytes(b"PK")
    with pytest.raises(ArgumentError, match=r"net\.pt2: loading it runs code of its author"):
        runner_of(tmp_path / "net.pt2")


def test_python_runner_ignores_compiled_code_beside_the_file(tmp_path):
    path, made = tmp_path / "net.py", tmp_path / "made"
    path.write_text("# nothing\n" * 9)
    hostile = compile(f"import os; os.mkdir({str(made)!r})", str(path), "exec")
    facts = path.stat()
    cached = Path(importlib.util.cache_from_source(str(path)))
    cached.parent.mkdir()
    head = importlib.util.MAGIC_NUMBER + struct.pack("<III", 0, int(facts.st_mtime), facts.st_size)
    cached.write_bytes(head + marshal.dumps(hostile))
    with pytest.raises(MXNetError, match="no attribute 'load'"):
        runner_of(path, trust=True)
    assert not made.exists()
