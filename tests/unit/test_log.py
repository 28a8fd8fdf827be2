# SPDX-License-Identifier: Apache-2.0
"""Loggers: levels, files, colors; where the library is not."""

from __future__ import annotations

import logging
import re
import uuid

import pytest

import mxnova as mx


@pytest.fixture
def name():
    return f"mxnova-{uuid.uuid4()}"


def test_levels_are_colored(name, capsys):
    logger = mx.log.get_logger(name, level=mx.log.INFO)
    logger.debug("left out")
    logger.info("one %s", 1)
    logger.warning("two")
    lines = capsys.readouterr().err.splitlines()
    head = r"\x1b\[{}m{}\d{{4}} \d\d:\d\d:\d\d \d+ .*test_log\.py:test_levels_are_colored:\d+\]\x1b\[0m {}"
    assert re.fullmatch(head.format(32, "I", "one 1"), lines[0])
    assert re.fullmatch(head.format(31, "W", "two"), lines[1])
    assert len(lines) == 2


def test_a_logger_is_made_once(name):
    logger = mx.log.get_logger(name, level=mx.log.DEBUG)
    assert mx.log.get_logger(name, level=mx.log.ERROR) is logger
    assert logger.level == mx.log.DEBUG
    assert len(logger.handlers) == 1
    root = logging.getLogger()
    before = root.level, list(root.handlers)
    assert mx.log.get_logger() is root
    assert (root.level, root.handlers) == before


def test_files(name, tmp_path):
    path = tmp_path / "some.log"
    path.write_text("before\n")
    logger = mx.log.get_logger(name, str(path), level=mx.log.INFO)
    logger.info("into the file")
    for handler in logger.handlers:
        handler.close()
    assert path.read_text() == "before\ninto the file\n"


def test_the_old_name(name):
    with pytest.warns(DeprecationWarning, match="get_logger"):
        assert mx.log.getLogger(name) is logging.getLogger(name)


@pytest.mark.parametrize("find", ["find_lib_path", "find_include_path", "find_conf_path"])
def test_there_is_no_compiled_library(find):
    with pytest.raises(RuntimeError, match="mxnova is Python"):
        getattr(mx.libinfo, find)()


def test_version_is_that_of_the_names():
    assert mx.libinfo.__version__ == "1.9.1"
