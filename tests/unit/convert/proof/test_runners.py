# SPDX-License-Identifier: Apache-2.0
"""Archives of torch.export: what is pickled in them is read as tensors alone."""

import io
import json
import os
import zipfile

import pytest
import torch

from mxnova.base import MXNetError
from mxnova.convert.proof.runners import runner_of


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
    runner_of(tmp_path / "good.pt2")
    pickled(tmp_path / "net.pt2", tmp_path / "bad.pt2", _Hostile(tmp_path / "made"))
    with pytest.raises(MXNetError, match="torch.export cannot load it"):
        runner_of(tmp_path / "bad.pt2")
    assert not (tmp_path / "made").exists()
    assert os.environ.get(name) == before


def test_runner_of_python_file_without_safetensors_names_what_to_install(tmp_path):
    text = "raise ImportError('No module', name='safetensors')\n"
    (tmp_path / "net.py").write_text(text)
    with pytest.raises(MXNetError, match=r"net.py: .* pip install 'mxnova\[safetensors\]'"):
        runner_of(tmp_path / "net.py")
