# SPDX-License-Identifier: Apache-2.0
"""Lines of host files become names that no program takes for options."""

from __future__ import annotations

from argparse import Namespace

import pytest

from mxnova.cli.launch.job import job_of
from mxnova.core.base.errors import ArgumentError


def _names(text, path):
    path.write_text(text, encoding="utf-8")
    options = Namespace(launcher=None, hostfile=path, sync_dst_dir=None, env_server=[], env=[],
                        env_worker=[], num_servers=0, num_workers=2, line=["echo"],
                        min=None, max=None)  # fmt: skip
    return [host.name for host in job_of(options).hosts]


def test_names_addresses_and_users(tmp_path):
    text = "a slots=2\nu@b-c.d:22 # x\n::1\n[fe80::1]\nu@::1\n"
    assert _names(text, tmp_path / "h") == ["a", "u@b-c.d", "::1", "[fe80::1]", "u@::1"]


@pytest.mark.parametrize(
    "line", ["-oProxyCommand=x", "\t-x", "-ffa", "-l:22", "u@-h", "-u@h", "a@b@c", "@h", "h;x", "-"]
)
def test_options_are_no_names(line, tmp_path):
    with pytest.raises(ArgumentError, match="must be a name"):
        _names(f"a\n{line}\n", tmp_path / "h")
