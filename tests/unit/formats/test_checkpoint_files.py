# SPDX-License-Identifier: Apache-2.0
import pytest

from mxnova.core.base.errors import MissingFileError
from mxnova.formats.checkpoint_files import is_prefix, located


@pytest.fixture
def files(tmp_path):
    def files(*names):
        for name in names:
            (tmp_path / name).touch()
        return tmp_path / "net"

    return files


def test_the_only_epoch_is_found(files):
    prefix = files("net-symbol.json", "net-0012.params", "net-x.params", "net-12.params")
    assert is_prefix(prefix)
    assert located(prefix) == (f"{prefix}-symbol.json", f"{prefix}-0012.params", 12)


def test_epochs_beyond_four_digits(files):
    assert located(files("net-12345.params")).epoch == 12345


def test_an_epoch_that_is_asked_for_need_not_be_there(files):
    prefix = files()
    assert located(prefix, 3).params == f"{prefix}-0003.params"


def test_the_newest_of_several_epochs_is_found_and_the_log_says_so(files, caplog):
    prefix = files("net-0002.params", "net-12345.params", "net-0010.params")
    assert located(prefix).epoch == 12345
    assert caplog.messages == [f"{prefix}: epoch 12345 is taken, the newest of 3"]


def test_no_epoch_is_a_missing_file(files):
    prefix = files("net-symbol.json")
    assert not is_prefix(prefix)
    with pytest.raises(MissingFileError, match="net-0000.params"):
        located(prefix)


def test_a_file_is_no_prefix(files):
    assert not is_prefix(files("net", "net-0001.params"))


@pytest.mark.parametrize("path", ["none/net", "a\0b"])
def test_folders_that_are_not_there(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not is_prefix(path)
