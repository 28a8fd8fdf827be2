# SPDX-License-Identifier: Apache-2.0
"""Parameters beyond what programs recorded with MXNet show (tests/conformance)."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import mxnova as mx
from mxnova import autograd, gluon, nd
from mxnova.gluon.parameter.shapes import agrees, merged, shape_is_known


def ready(**kwargs):
    parameter = gluon.Parameter("w", **{"shape": (2, 3), "init": "ones", **kwargs})
    parameter.initialize()
    return parameter


@pytest.mark.parametrize(
    ("shape", "np_shape", "known"),
    [
        (None, False, False), ((), False, False), ((0, 2), False, False), ((1, 2), False, True),
        (None, True, False), ((), True, True), ((0, 2), True, True), ((-1, 2), True, False),
    ],
)  # fmt: skip
def test_known_shapes(shape, np_shape, known):
    with mx.np_shape(np_shape):
        assert shape_is_known(shape) is known


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ((2, 0), (2, 3), (2, 3)), ((2, 3), (0, 3), (2, 3)), ((-1, 3), (2, 0), (2, 3)),
        ((2, 3), (3, 3), None), ((2,), (2, 3), None), ((0,), (0,), (0,)),
    ],
)  # fmt: skip
def test_merged_shapes(first, second, both):
    assert merged(first, second) == both


def test_agreement_goes_one_way():
    assert agrees((0, 3), (2, 3))
    assert not agrees((2, 3), (0, 3))


def test_unknown_sizes_under_numpy_shapes():
    with mx.np_shape():
        parameter = gluon.Parameter("w", shape=(-1, 3), allow_deferred_init=True)
        parameter.initialize()
        assert parameter.shape == (-1, 3)
        parameter.shape = (2, 3)
        parameter._finish_deferred_init()
        assert parameter.data().shape == (2, 3)
        zero = gluon.Parameter("z", shape=(0, 3), allow_deferred_init=True)
        assert zero.shape == (-1, 3)


def test_waiting_names_parameter_shape_and_remedy():
    parameter = gluon.Parameter("net_w", shape=(0, 3), allow_deferred_init=True)
    parameter.initialize()
    with pytest.raises(gluon.DeferredInitializationError, match=r"'net_w'.*\(0, 3\).*in_units"):
        parameter.data()


def test_failed_initializer_changes_nothing():
    parameter = ready()
    before = parameter.data()
    with pytest.raises(mx.MXNetError, match="nothing"):
        parameter.initialize(init="nothing", force_reinit=True)
    assert parameter.data() is before
    assert parameter._deferred_init == ()


def test_refused_file_changes_nothing():
    params = gluon.ParameterDict()
    for name in "ab":
        params.get(name, shape=(2,), init="zeros").initialize()
    with pytest.raises(AssertionError, match="'b'"):
        params.load_dict({"a": nd.ones((2,)), "b": nd.ones((3,))})
    assert params["a"].data().asnumpy().tolist() == [0, 0]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", np.float64, "int8"])
def test_element_types_are_compared_as_types(dtype):
    params = gluon.ParameterDict()
    made = params.get("w", shape=(2,), dtype=dtype)
    assert params.get("w", dtype=nd.zeros((1,), dtype=dtype).dtype) is made
    made._load_init(nd.ones((2,), dtype=dtype), None)
    with pytest.raises(AssertionError, match="float32"):
        made._load_init(nd.ones((2,)), None)


def test_gradients_flow_after_each_change():
    parameter = ready()
    for change in (
        lambda: parameter.cast("float64"),
        lambda: parameter.reset_ctx(mx.cpu(1)),
        lambda: parameter.set_data(nd.ones((2, 3), ctx=mx.cpu(1), dtype="float64") * 2),
        lambda: setattr(parameter, "grad_req", "null"),
        lambda: setattr(parameter, "grad_req", "add"),
    ):
        change()
        if parameter.grad_req == "null":
            continue
        with autograd.record():
            y = (parameter.data() ** 2).sum()
        y.backward()
        assert (parameter.grad() == 2 * parameter.data()).asnumpy().all()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies_learn(copied):
    parameter = ready()
    parameter.lr_mult = 3.0
    other = copied(parameter)
    with autograd.record():
        y = (other.data() * 2).sum()
    y.backward()
    assert other.grad().asnumpy().tolist() == [[2] * 3] * 2
    assert parameter.grad().asnumpy().tolist() == [[0] * 3] * 2
    assert (other.name, other.lr_mult) == ("w", 3.0)


class _Trainer:
    """What a parameter asks of its trainer."""

    _kv_initialized = _update_on_kvstore = True

    def __init__(self):
        self.asked = []
        self.resets = 0
        self._params_to_init = []

    def _row_sparse_pull(self, parameter, out, row_id, full_idx=False):
        self.asked.append((parameter.name, row_id.asnumpy().tolist(), full_idx))
        kept = nd.ones(parameter.shape).tostype("row_sparse")
        for array in out if isinstance(out, list) else [out]:
            nd.sparse.retain(kept, row_id.astype("float32"), out=array)

    def _reset_kvstore(self):
        self.resets += 1


def test_rows_come_from_the_trainer():
    parameter = ready(shape=(4, 2), stype="row_sparse", init="zeros")
    trainer = _Trainer()
    parameter._set_trainer(trainer)
    rows = parameter.row_sparse_data(nd.array([1, 3], dtype="int64"))
    assert rows.asnumpy().tolist() == [[0, 0], [1, 1], [0, 0], [1, 1]]
    assert len(parameter.list_row_sparse_data(nd.array([0], dtype="int64"))) == 1
    assert parameter._reduce().asnumpy().tolist() == [[1, 1]] * 4
    assert [a[1:] for a in trainer.asked] == [([1, 3], False), ([0], False), ([0, 1, 2, 3], True)]
    with pytest.raises(RuntimeError, match="one trainer"):
        parameter._set_trainer(_Trainer())
    with pytest.raises(TypeError, match="row_id"):
        parameter.row_sparse_data([1])


def test_writing_resets_a_store_that_has_its_own_copy():
    parameter, trainer = ready(), _Trainer()
    parameter._set_trainer(trainer)
    parameter.set_data(nd.zeros((2, 3)))
    assert trainer.resets == 1


def test_a_dense_parameter_does_not_keep_its_trainer():
    parameter, trainer = ready(), _Trainer()
    parameter._set_trainer(trainer)
    assert parameter._trainer is trainer
    del trainer
    assert parameter._trainer is None


def test_dropped_parameters_free_their_memory_at_once():
    parameter = ready()
    with autograd.record():
        y = (parameter.data() * 2).sum()
    y.backward()
    gone = weakref.ref(parameter.data())
    gc.disable()
    try:
        del parameter, y
        assert gone() is None
    finally:
        gc.enable()


def test_constants_have_their_value_in_files_and_graphs(tmp_path):
    constant = gluon.Constant("c", np.array([1.5, 2]))
    constant.initialize(ctx=[mx.cpu(0), mx.cpu(1)])
    assert constant.data(mx.cpu(1)).asnumpy().tolist() == [1.5, 2]
    assert copy.deepcopy(constant).data(mx.cpu(0)).asnumpy().tolist() == [1.5, 2]
    loaded = mx.init.create(constant.var().attr("__init__"))
    assert isinstance(loaded, mx.init.Initializer)


def test_list_of_arrays_is_no_file_of_parameters(tmp_path):
    nd.save(str(tmp_path / "x"), [nd.ones((1,))])
    with pytest.raises(mx.MXNetError, match="no names"):
        gluon.ParameterDict().load(str(tmp_path / "x"))


@pytest.mark.parametrize("ctx", [3, "cpu", [mx.cpu(), 1]])
def test_contexts_are_checked(ctx):
    with pytest.raises(TypeError, match="ctx="):
        gluon.Parameter("w", shape=(2,)).initialize(ctx=ctx)


@pytest.mark.parametrize("arrays", [lambda p: p._data, gluon.Parameter.list_data])
@pytest.mark.parametrize("copied", [lambda net: net, copy.deepcopy])
def test_an_array_in_the_place_of_another_is_seen_by_hybridized_blocks(arrays, copied):
    net = gluon.nn.Dense(1, in_units=1, use_bias=False)
    net.initialize(mx.init.One())
    net = copied(net)
    net.hybridize()
    assert net(nd.ones((1, 1))).asscalar() == 1
    arrays(net.weight)[0] = nd.array([[5.0]])
    assert net(nd.ones((1, 1))).asscalar() == 5
