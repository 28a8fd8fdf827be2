# SPDX-License-Identifier: Apache-2.0
"""Artefacts on the disk."""

from __future__ import annotations

import pytest

from . import made


@pytest.fixture(scope="package")
def artefacts(tmp_path_factory):
    """A folder with those of `made.NETWORKS`."""
    folder = tmp_path_factory.mktemp("artefacts")
    for name, make in made.NETWORKS.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(make())
    return folder
