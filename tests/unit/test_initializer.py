# SPDX-License-Identifier: Apache-2.0
"""First values: against MXNet's where they are fixed, against its distributions where drawn."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import mxnova as mx
from mxnova.initializer import InitDesc

RECORDED = json.loads((Path(__file__).parents[1] / "data/initializer.json").read_text())


def filled(init, desc="a_weight", shape=(3,), dtype="float32", **described):
    array = mx.nd.full(shape, 7, dtype=dtype)
    init(InitDesc(desc, **described) if type(desc) is str else desc, array)
    return array.asnumpy()


@pytest.mark.parametrize("name, kwargs, desc, shape, expected", RECORDED["fixed"])
def test_fixed_values(name, kwargs, desc, shape, expected):
    values = filled(getattr(mx.init, name)(**kwargs), desc, tuple(shape))
    np.testing.assert_allclose(values.ravel(), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name, kwargs, desc, shape, expected", RECORDED["fixed_by_plain_name"])
def test_fixed_values_by_plain_names(name, kwargs, desc, shape, expected):
    array = mx.nd.full(tuple(shape), 7)
    with pytest.warns(DeprecationWarning, match="InitDesc"):
        getattr(mx.init, name)(**kwargs)(desc, array)
    np.testing.assert_allclose(array.asnumpy().ravel(), expected, rtol=1e-6)


@pytest.mark.parametrize("mode, both, layers, shape, expected", RECORDED["fused"])
def test_fused_parameters(mode, both, layers, shape, expected):
    init = mx.init.FusedRNN(mx.init.Constant(5), 3, layers, mode, both, 2.0)
    assert filled(init, shape=tuple(shape)).tolist() == expected


@pytest.mark.parametrize("name, kwargs, shape, numbers", RECORDED["drawn"])
def test_distributions(name, kwargs, shape, numbers):
    mx.random.seed(3)
    values = filled(getattr(mx.init, name)(**kwargs), shape=tuple(shape))
    mean, deviation, low, high = numbers
    assert values.mean() == pytest.approx(mean, abs=5 * deviation * (2 / values.size) ** 0.5)
    assert values.std() == pytest.approx(deviation, rel=0.03)
    # Extremes of normal numbers move from draw to draw, bounds of even ones do not.
    slack = 0.01 if high < 2 * deviation else 0.3
    assert values.min() == pytest.approx(low, rel=slack)
    assert values.max() == pytest.approx(high, rel=slack)


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 2, 3), (30, 2, 3)])
@pytest.mark.parametrize("rand_type", ["uniform", "normal"])
def test_orthogonal(shape, rand_type):
    values = filled(mx.init.Orthogonal(2, rand_type), shape=shape).reshape(shape[0], -1)
    product = values @ values.T if values.shape[0] <= values.shape[1] else values.T @ values
    np.testing.assert_allclose(product, 4 * np.eye(min(values.shape)), atol=1e-5)


@pytest.mark.parametrize("name, kwargs, text", RECORDED["dumped"])
def test_dumped_and_made_again(name, kwargs, text):
    init = getattr(mx.init, name)(**kwargs)
    assert init.dumps() == text
    assert mx.init.create(text) == init


def test_registered_names():
    found = mx.registry.get_registry(mx.init.Initializer)
    ours = [name for name, kind in found.items() if kind.__module__.startswith("mxnova.")]
    assert sorted(ours) == RECORDED["registered"]  # tests register others


@pytest.mark.parametrize(
    "value, expected",
    [
        (mx.nd.array([1, 2]), '["constant", {"value": [1.0, 2.0]}]'),
        (np.ones((1, 2)), '["constant", {"value": [[1.0, 1.0]]}]'),
        ([1, 2], '["constant", {"value": [1, 2]}]'),
        (np.float32(2), '["constant", {"value": 2.0}]'),
    ],
)
def test_constants_are_dumped_as_lists(value, expected):
    init = mx.init.Constant(value)
    assert init.dumps() == json.dumps(["constant", init._kwargs]) == expected
    assert init == mx.init.create(expected)


def test_equality_is_of_class_and_arguments():
    assert mx.init.Uniform(1) == mx.init.Uniform(1)
    assert mx.init.Uniform(1) != mx.init.Uniform(2)
    assert mx.init.Zero() != mx.init.One()
    assert mx.init.Zero() != 3


@pytest.mark.parametrize(
    "attribute", ["one", "Ones", '["one", {}]', '{"initializer": "one"}', mx.init.One()]
)
@pytest.mark.parametrize("name", ["a_bias", "a_gamma", "whatever"])
def test_attributes_come_first(attribute, name):
    assert filled(mx.init.Zero(), name, attrs={"__init__": attribute}).tolist() == [1, 1, 1]


def test_variables_carry_initializers():
    attrs = mx.sym.Variable("x", init=mx.init.Constant(4)).attr_dict()["x"]
    assert filled(mx.init.Zero(), "x", attrs=attrs).tolist() == [4, 4, 4]


def test_global_initializers_are_kept():
    desc = InitDesc("a_weight")
    init = mx.init.One()
    filled(init, desc)
    assert desc.global_init is init
    fused = mx.init.FusedRNN(None, 3, 1, "gru").dumps()
    values = filled(init, "rnn", (63,), attrs={"__init__": fused})
    assert values.tolist() == [1] * 45 + [0] * 18


def test_quantized_weights_are_drawn_from_all_bytes():
    values = filled(mx.init.One(), "a_weight_quantize", (5000,), dtype="int8")
    assert -127 <= values.min() < -115
    assert 115 < values.max() <= 127


@pytest.mark.parametrize("dtype", ["float16", "float64", "bfloat16"])
def test_other_types(dtype):
    array = mx.nd.zeros((50, 40), dtype=dtype)
    mx.init.Uniform(1)(InitDesc("a_weight"), array)
    values = array.astype("float64").asnumpy()
    assert abs(values).max() <= 1
    assert values.std() == pytest.approx(3**-0.5, rel=0.1)
    assert (values != values.astype("float32")).any() == (dtype == "float64")


def test_rows_of_sparse_arrays_are_filled():
    array = mx.nd.sparse.zeros("row_sparse", (3, 2))
    mx.init.Constant(2)(InitDesc("a_weight"), array)
    assert array.asnumpy().tolist() == [[2, 2]] * 3
    mx.init.Uniform()(InitDesc("a_weight"), array)
    assert (array.asnumpy() != 2).all()


def test_names_with_no_rule_are_refused():
    with pytest.raises(ValueError, match="'whatever'.*weight"):
        filled(mx.init.One(), "whatever")


def test_own_initializers():
    @mx.init.register
    class Twice(mx.init.Initializer):
        def __init__(self, value):
            super().__init__(value=value)
            self.value = value

        def _init_weight(self, _, arr):
            arr[:] = 2 * self.value

    assert Twice(3).dumps() == '["twice", {"value": 3}]'
    assert filled(mx.init.create("twice", value=4)).tolist() == [8, 8, 8]
    with pytest.raises(NotImplementedError, match="_init_weight"):
        filled(mx.init.Initializer())


REFUSED = [
    (mx.init.Xavier(), (3,), "two axes"),
    (mx.init.Xavier("other"), (3, 3), "rnd_type='other'"),
    (mx.init.Xavier(factor_type="other"), (3, 3), "factor_type='other'"),
    (mx.init.Orthogonal(), (3,), "two axes"),
    (mx.init.Orthogonal(1, "other"), (3, 3), "rand_type='other'"),
    (mx.init.Bilinear(), (3, 3), "four axes"),
    (mx.init.FusedRNN(mx.init.One(), 4, 1, "lstm"), (7,), "7 elements"),
    (mx.init.FusedRNN(None, 4, 1, "lstm"), (120,), "init=None"),
]


@pytest.mark.parametrize("init, shape, text", REFUSED)
def test_refused(init, shape, text):
    array = mx.nd.full(shape, 7)
    with pytest.raises(ValueError, match=text):
        init(InitDesc("a_weight"), array)
    assert (array.asnumpy() == 7).all()


def test_random_integers_are_refused():
    with pytest.raises(mx.MXNetError, match="int32"):
        filled(mx.init.Uniform(), dtype="int32")


def test_load(tmp_path, caplog):
    values = {"arg:a": mx.nd.ones((2,)), "aux:b": mx.nd.zeros((3,)), "c": mx.nd.ones((1,))}
    path = str(tmp_path / "some.params")
    mx.nd.save(path, values)
    for given in (values, path):
        init = mx.init.Load(given, mx.init.Constant(5), verbose=True)
        assert sorted(init.param) == ["a", "b", "c"]
        with caplog.at_level("INFO"):
            assert filled(init, "a", (2,)).tolist() == [1, 1]
            assert filled(init, "b").tolist() == [0, 0, 0]
            assert filled(init, "d_weight").tolist() == [5, 5, 5]
        with pytest.raises(AssertionError, match=r"'a' is of shape \(3,\).*\(2,\)"):
            filled(init, "a")
    assert "d_weight: filled by the default initializer" in caplog.text
    with pytest.raises(AssertionError, match="'d'"):
        filled(mx.init.Load(values), "d")
    with pytest.raises(AssertionError, match="names"):
        mx.init.Load([mx.nd.ones(1)])
    with pytest.raises(mx.MXNetError, match="nowhere"):
        mx.init.Load("/nowhere/some.params")


def test_mixed():
    init = mx.init.Mixed(["a_.*bias", ".*"], [mx.init.Zero(), "one"])
    assert filled(init, "a_bias").tolist() == [0, 0, 0]
    assert filled(init, "b_a_weight").tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="'b_weight': fits no pattern"):
        filled(mx.init.Mixed(["a"], ["one"]), "b_weight")
    with pytest.raises(AssertionError, match="1 patterns, 0 initializers"):
        mx.init.Mixed(["a"], [])


def test_verbosity(caplog):
    init = mx.init.Constant(2)
    assert init.set_verbosity(True) is init
    with caplog.at_level("INFO"):
        filled(init, "a_weight")
        filled(init.set_verbosity(True, lambda array: f"{array.size} of them"), "b_bias")
        filled(init.set_verbosity(False), "c_bias")
    assert caplog.messages == [
        "a_weight: filled as weight: 2.0",
        "b_bias: filled as bias: 3 of them",
    ]


@pytest.mark.parametrize(
    "described",
    [
        "[" * 100_000,
        '["uniform", {"scale": "a"}]',
        '["one", {"a": 1}]',
        '["xavier", {"magnitude": -1}]',
    ],
)
def test_descriptions_in_files_that_make_no_sense(described):
    description = mx.init.InitDesc("w", {"__init__": described})
    with pytest.raises(mx.MXNetError, match="initializer|variable 'w': __init__="):
        mx.init.Zero()(description, mx.nd.zeros((2, 3)))
