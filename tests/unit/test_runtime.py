# SPDX-License-Identifier: Apache-2.0
"""What this installation can do."""

from __future__ import annotations

import pickle

import pytest
import torch

import mxnova as mx
from mxnova.runtime import Features, feature_list


def test_features_are_those_of_mxnet_and_tell_the_truth():
    features = Features()
    assert list(features) == [f.name for f in feature_list()]
    assert len(features) == 32
    assert list(features)[:3] == ["CUDA", "CUDNN", "NCCL"]
    assert features["CUDA"].enabled == (mx.num_gpus() > 0)
    assert features.is_enabled("mkldnn") == torch.backends.mkldnn.is_available()
    assert features.is_enabled("INT64_TENSOR_SIZE")


def test_there_is_one_dictionary():
    assert Features() is Features() is pickle.loads(pickle.dumps(Features()))


def test_names_and_what_is_shown():
    assert repr(mx.runtime.Feature("CUDA", False)) == "✖ CUDA"
    assert repr(Features()).startswith("[")
    assert "✔ PROFILER" in repr(Features())
    with pytest.raises(RuntimeError, match="no feature is named 'MKLDN'; did you mean 'MKLDNN'"):
        Features().is_enabled("mkldn")
