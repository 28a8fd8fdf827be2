# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError

RNG = np.random.default_rng(0)
X, W, B = (RNG.normal(size=s).astype("f") for s in ((2, 4), (3, 4), (3,)))


def net():
    return mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")


def arrays():
    return {"data": mx.nd.array(X), "fc_weight": mx.nd.array(W), "fc_bias": mx.nd.array(B)}


def gradients(fill=0.0):
    return {n: mx.nd.full(a.shape, fill) for n, a in arrays().items()}


def test_bind_by_name_and_by_list_compute_the_same():
    for args in (arrays(), list(arrays().values())):
        executor = net().bind(mx.cpu(), args)
        np.testing.assert_allclose(executor.forward()[0].asnumpy(), X @ W.T + B, rtol=1e-5)
    assert executor.output_dict["fc_output"] is executor.outputs[0]


def test_gradients_follow_their_requests():
    d_out = np.ones((2, 3), "f")
    grads = gradients(fill=1.0)
    requests = {"data": "write", "fc_weight": "add"}
    executor = net().bind(mx.cpu(), arrays(), grads, requests)
    executor.forward(is_train=True)
    executor.backward(mx.nd.array(d_out))
    np.testing.assert_allclose(grads["data"].asnumpy(), d_out @ W, rtol=1e-5)
    np.testing.assert_allclose(grads["fc_weight"].asnumpy(), d_out.T @ X + 1, rtol=1e-5)
    np.testing.assert_array_equal(grads["fc_bias"].asnumpy(), np.ones(3))
    executor.backward([mx.nd.array(d_out)])
    np.testing.assert_allclose(grads["fc_weight"].asnumpy(), 2 * d_out.T @ X + 1, rtol=1e-5)


def test_grad_req_as_string_and_list():
    for requests in ("write", ["null", "write", "null"]):
        grads = gradients()
        executor = net().bind(mx.cpu(), arrays(), list(grads.values()), requests)
        executor.forward(is_train=True)
        executor.backward()
        np.testing.assert_allclose(grads["fc_weight"].asnumpy(), np.ones((3, 2)) @ X, rtol=1e-5)


def test_an_argument_without_a_path_to_the_outputs_gets_zeros():
    x = mx.sym.var("x")
    blocked = mx.sym.BlockGrad(x * 2)
    grad = mx.nd.ones((2,))
    executor = blocked.bind(mx.cpu(), {"x": mx.nd.ones((2,))}, {"x": grad})
    executor.forward(is_train=True)
    executor.backward()
    assert grad.asnumpy().tolist() == [0, 0]


def test_an_array_bound_twice_gets_both_gradients():
    x = mx.sym.var("x")
    grad = mx.nd.zeros((2,))
    executor = (x * x).bind(mx.cpu(), {"x": mx.nd.array([2, 3])}, {"x": grad})
    executor.forward(is_train=True)
    executor.backward()
    assert grad.asnumpy().tolist() == [4, 6]


def test_updating_parameters_between_forward_and_backward_is_allowed():
    args, grads = arrays(), gradients()
    executor = net().bind(mx.cpu(), args, grads)
    executor.forward(is_train=True)
    args["fc_weight"][:] = 0
    executor.backward()
    assert grads["data"].shape == (2, 4)


def _convolved(rectify, pooled):
    x = mx.sym.Convolution(mx.sym.var("x"), kernel=(3, 3), pad=(1, 1), num_filter=16, name="c")
    x = mx.sym.BatchNorm(x, fix_gamma=False, name="b")
    x = rectify(x)
    return mx.sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max") if pooled else x


@pytest.mark.parametrize("rectify", [mx.sym.relu, lambda x: mx.sym.Activation(x, act_type="relu")])
@pytest.mark.parametrize("written", [0, -1, 1])
@pytest.mark.parametrize("pooled", [False, True])
def test_gradients_read_what_is_written_to_outputs(rectify, written, pooled):
    executor = _convolved(rectify, pooled).simple_bind(mx.cpu(), x=(8, 16, 16, 16))
    for array in executor.arg_arrays:
        array[:] = mx.nd.random.normal(0, 0.2, array.shape)
    executor.arg_dict["b_beta"][:] = 10  # above 0
    found = []
    for value in (None, written):
        (output,) = executor.forward(is_train=True)
        if value is not None:
            output[:] = value
        executor.backward(mx.nd.ones(output.shape))
        found.append(executor.grad_dict["b_beta"].asnumpy())
    reads_output = not pooled
    want = found[0] * (written > 0) if reads_output else found[0]
    np.testing.assert_allclose(found[1], want)


def _fill_view(output):
    view = output[0:1]

    def fill():
        view[:] = 7

    return fill


def _fill_elsewhere(output):
    """Another framework writes to the memory, which no version tells."""
    memory = torch.from_dlpack(output.to_dlpack_for_write())

    def fill():
        memory[0] = 7

    return fill


def _adopt(output):
    """The output is where another executor's gradient goes: its memory changes hands."""
    other = (mx.sym.var("y") * 7).bind(mx.cpu(), {"y": mx.nd.ones((2, 3))}, {"y": output})

    def fill():
        other.forward(is_train=True)
        other.backward(mx.nd.array([[1, 1, 1], [1 / 7] * 3]))

    return fill


def _fill(output):
    def fill():
        output[0] = 7

    return fill


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("is_train", [False, True])
@pytest.mark.parametrize("writer", [_fill, _fill_view, _fill_elsewhere, _adopt])
def test_outputs_are_written_to_before_backward(writer, is_train, turned):
    x = mx.sym.var("x")
    symbol = mx.sym.exp(mx.sym.transpose(x) if turned else x)
    executor = symbol.simple_bind(mx.cpu(), x=(3, 2) if turned else (2, 3))
    fill = writer(executor.forward(is_train=True)[0])
    executor.forward(is_train=is_train)
    fill()
    executor.backward(mx.nd.ones((2, 3)))
    found = executor.grad_arrays[0].asnumpy()
    np.testing.assert_allclose(found.T if turned else found, [[7, 7, 7], [1, 1, 1]], rtol=1e-6)


@pytest.mark.parametrize("is_train", [False, True])
@pytest.mark.parametrize("hand_on", [mx.sym.identity, mx.sym.BlockGrad, mx.sym.reshape])
def test_arguments_that_are_handed_on_are_not_written_to(hand_on, is_train):
    options = {"shape": (3, 2)} if hand_on is mx.sym.reshape else {}
    executor = hand_on(mx.sym.var("x"), **options).simple_bind(mx.cpu(), x=(2, 3))
    (output,) = executor.forward(is_train=is_train)
    output[:] = 7
    executor.backward(mx.nd.ones(output.shape))
    assert not executor.arg_arrays[0].asnumpy().any()


def test_results_are_not_held_where_nothing_learns():
    x = mx.sym.transpose(mx.sym.var("x"))
    executor = x.simple_bind(mx.cpu(), grad_req="null", x=(2, 3))
    executor.forward()
    assert not executor._left


def test_an_array_that_is_bound_is_not_copied_onto_itself():
    args = arrays()
    executor = net().bind(mx.cpu(), args)
    before = args["data"]._raw._version
    found = executor.forward(data=args["data"])[0].asnumpy()
    np.testing.assert_allclose(found, X @ W.T + B, rtol=1e-5)
    assert args["data"]._raw._version == before


def test_forward_takes_values_and_outputs_stay_the_same_arrays():
    executor = net().simple_bind(mx.cpu(), data=(2, 4))
    executor.copy_params_from({"fc_weight": mx.nd.array(W), "fc_bias": mx.nd.array(B)})
    first = executor.outputs[0]
    executor.forward(data=X)
    np.testing.assert_allclose(first.asnumpy(), X @ W.T + B, rtol=1e-5)
    executor.forward(data=mx.nd.array(2 * X))
    np.testing.assert_allclose(first.asnumpy(), 2 * X @ W.T + B, rtol=1e-5)
    with pytest.raises(MXNetError, match="no argument 'dat'"):
        executor.forward(dat=X)
    with pytest.raises(MXNetError, match=r"data.*\[3,4\].*\[2,4\]"):
        executor.forward(data=np.zeros((3, 4)))


def test_simple_bind_makes_everything():
    symbol = mx.sym.BatchNorm(net(), name="bn")
    executor = symbol.simple_bind(mx.cpu(1), grad_req="add", data=(2, 4))
    assert {n: a.shape for n, a in executor.arg_dict.items()} == {
        "data": (2, 4),
        "fc_weight": (3, 4),
        "fc_bias": (3,),
        "bn_gamma": (3,),
        "bn_beta": (3,),
    }
    assert {n: a.shape for n, a in executor.aux_dict.items()} == {
        "bn_moving_mean": (3,),
        "bn_moving_var": (3,),
    }
    assert all(g is not None for g in executor.grad_arrays)
    assert executor.outputs[0].context == mx.cpu(1)
    assert executor.outputs[0].shape == (2, 3)


def test_simple_bind_follows_types_and_requests():
    executor = net().simple_bind(
        mx.cpu(), grad_req={"fc_weight": "write"}, type_dict={"data": "float64"}, data=(2, 4)
    )
    assert all(a.dtype is np.float64 for a in executor.arg_arrays)
    assert [g is not None for g in executor.grad_arrays] == [False, True, False]


def test_a_monitor_watches_the_reshaped_executor_too():
    executor = (mx.sym.var("x") * 2).simple_bind(mx.cpu(), x=(4,))
    seen = []
    executor.set_monitor_callback(lambda name, _array: seen.append(name))
    executor.reshape(x=(2,)).forward()
    assert len(seen) == 1


def test_reshape_keeps_parameters_and_asks_before_growing():
    executor = net().simple_bind(mx.cpu(), data=(4, 4))
    smaller = executor.reshape(data=(2, 4))
    assert smaller.arg_dict["fc_weight"] is executor.arg_dict["fc_weight"]
    assert smaller.forward(data=X)[0].shape == (2, 3)
    with pytest.raises(MXNetError, match="allow_up_sizing"):
        executor.reshape(data=(8, 4))
    assert executor.reshape(data=(8, 4), allow_up_sizing=True).outputs[0].shape == (8, 3)
    with pytest.raises(MXNetError, match="fc_weight changes"):
        executor.reshape(data=(4, 5), allow_up_sizing=True)
    grown = executor.reshape(partial_shaping=True, allow_up_sizing=True, data=(4, 5))
    assert grown.arg_dict["fc_weight"].shape == (3, 5)


@pytest.mark.parametrize(
    "change, facts",
    [
        (lambda a: a.pop("fc_weight"), ["lacks 'fc_weight'"]),
        (lambda a: a.update(fc_weight=mx.nd.ones((3, 9))), ["'fc'", "weight", "[3,9]", "[3,4]"]),
        (lambda a: a.update(fc_weight=mx.nd.ones((3, 4), dtype="float64")), ["weight", "float64"]),
        (lambda a: a.update(fc_weight=3), ["fc_weight", "int"]),
    ],
)
def test_bind_names_what_does_not_fit(change, facts):
    args = arrays()
    change(args)
    with pytest.raises(MXNetError) as error:
        net().bind(mx.cpu(), args)
    assert all(f in str(error.value) for f in facts), error.value


def test_other_errors_of_binding_and_running():
    with pytest.raises(MXNetError, match=r"'data'.*incomplete"):
        net().simple_bind(mx.cpu())
    with pytest.raises(MXNetError, match="2 arrays; 3 are needed"):
        net().bind(mx.cpu(), list(arrays().values())[:2])
    with pytest.raises(MXNetError, match="grad_req of data='twice'"):
        net().bind(mx.cpu(), arrays(), grad_req="twice")
    executor = net().bind(mx.cpu(), arrays(), gradients())
    with pytest.raises(MXNetError, match="is_train=True"):
        executor.backward()
    executor.forward(is_train=True)
    with pytest.raises(MXNetError, match="0 gradients for 1 outputs"):
        executor.backward([])
    with pytest.raises(MXNetError, match=r"fc_output.*\[3,2\].*\[2,3\]"):
        executor.backward(mx.nd.ones((3, 2)))
    with pytest.raises(KeyError, match="lacks output 'fc_output'"):
        executor.backward({"fc": mx.nd.ones((2, 3))})
    with pytest.raises(MXNetError, match="'nope'"):
        executor.copy_params_from({"nope": mx.nd.ones((1,))})
    executor.copy_params_from({"nope": mx.nd.ones((1,))}, allow_extra_params=True)


def test_the_monitor_sees_every_array():
    executor = mx.sym.relu(net(), name="act").bind(mx.cpu(), arrays(), gradients())
    seen = {}
    executor.set_monitor_callback(lambda name, array: seen.update({name: array.shape}))
    executor.forward()
    assert seen == {"fc_output": (2, 3), "act_output": (2, 3)}
    executor.set_monitor_callback(lambda name, array: seen.update({name: array.shape}), True)
    executor.forward(is_train=True)
    assert set(seen) == {
        "data", "fc_data", "fc_weight", "fc_bias", "fc_output", "act_input0", "act_output"
    }  # fmt: skip
    seen.clear()
    executor.backward()
    assert seen == {
        "act_backward_output": (2, 3),
        "fc_backward_output0": (2, 4),
        "fc_backward_output1": (3, 4),
        "fc_backward_output2": (3,),
    }


def test_the_monitor_sees_what_each_node_gives_back():
    x = mx.sym.var("x")
    total = mx.sym.elemwise_add(mx.sym.square(x, name="s"), mx.sym.sin(x, name="t"), name="sum")
    executor = total.simple_bind(mx.cpu(), x=(2,))
    executor.arg_dict["x"][:] = [1, 2]
    seen = {}
    executor.set_monitor_callback(lambda name, array: seen.update({name: array.asnumpy()}))
    for times in (1, 2):
        executor.forward(is_train=True)
        seen.clear()
        executor.backward(mx.nd.array([times, times]))
        np.testing.assert_allclose(seen["s_backward_output"], [2 * times, 4 * times])
        np.testing.assert_allclose(seen["t_backward_output"], times * np.cos([1, 2]), rtol=1e-6)
        expected = seen["s_backward_output"] + seen["t_backward_output"]
        np.testing.assert_array_equal(executor.grad_dict["x"].asnumpy(), expected)
    executor.set_monitor_callback(None)
    seen.clear()
    executor.forward(is_train=True)
    executor.backward()
    assert seen == {}


def test_debug_str_shows_the_code():
    text = net().bind(mx.cpu(), arrays()).debug_str()
    assert "Op:FullyConnected" in text
    assert "def forward(data, fc_weight, fc_bias)" in text
    assert text.split("\n")[-3] == "Total 0 MB allocated"


def test_names_that_are_no_identifiers_are_fine():
    x, y = mx.sym.var("a.b"), mx.sym.var("a-b")
    symbol = mx.sym.relu(x + y, name="1/class")
    executor = symbol.bind(mx.cpu(), {"a.b": mx.nd.ones((1,)), "a-b": mx.nd.ones((1,))})
    assert executor.forward()[0].asnumpy().tolist() == [2]


def test_random_operators_follow_the_seed():
    executor = mx.sym.Dropout(mx.sym.var("x"), p=0.5).bind(mx.cpu(), {"x": mx.nd.ones((100,))})
    draws = []
    for _ in range(2):
        mx.random.seed(3)
        draws.append(executor.forward(is_train=True)[0].asnumpy().tolist())
    assert draws[0] == draws[1]
    assert executor.forward(is_train=True)[0].asnumpy().tolist() != draws[0]
    assert executor.forward()[0].asnumpy().tolist() == [1.0] * 100


def test_open_shapes_of_constants_are_settled_by_their_readers():
    state = mx.sym.zeros(shape=(0, 3)) + mx.sym.var("a")
    executor = state.simple_bind(mx.cpu(), a=(2, 3))
    assert executor.forward(is_train=True, a=np.ones((2, 3)))[0].shape == (2, 3)
    counted = mx.sym.arange(1, infer_range=True, step=2) * mx.sym.var("b")
    out = counted.bind(mx.cpu(), {"b": mx.nd.ones((3,))}).forward()[0]
    assert out.asnumpy().tolist() == [1, 3, 5]


# Outputs and gradients keep their memory ----------------------------------------------------------


@pytest.mark.parametrize("is_train", [False, True])
def test_whoever_sees_an_output_sees_the_next_forward(is_train):
    executor = net().bind(mx.cpu(), arrays(), gradients())
    output = executor.outputs[0]
    executor.forward(is_train)
    seen = [output, output[1:].reshape((3,)), output.detach(), output.to_torch()]
    for scale in (2, 3):
        executor.forward(is_train, data=scale * X)
        assert executor.outputs[0] is output
        wanted = scale * X @ W.T + B
        for array, want in zip(seen, (wanted, wanted[1], wanted, wanted)):
            np.testing.assert_allclose(np.asarray(array), want, rtol=1e-5)


def test_whoever_sees_a_gradient_sees_the_next_backward():
    grads = gradients()
    executor = net().bind(mx.cpu(), arrays(), grads)
    row = grads["data"][0]
    tensor = grads["fc_bias"].to_torch()
    for head in (1, 2):
        executor.forward(True)
        executor.backward(mx.nd.full((2, 3), head))
        np.testing.assert_allclose(row.asnumpy(), head * W.sum(0), rtol=1e-5)
        assert tensor.tolist() == [2 * head] * 3


def test_writing_to_an_output_does_not_disturb_backward():
    executor = mx.sym.tanh(mx.sym.var("x")).simple_bind(mx.cpu(), x=(2,))
    executor.forward(is_train=True, x=mx.nd.array([0.5, 1]))
    slope = 1 - np.tanh([0.5, 1]) ** 2
    executor.outputs[0][:] = executor.outputs[0] * 1
    executor.backward(mx.nd.ones(2))
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), slope, rtol=1e-5)


def test_outputs_whose_shape_depends_on_values():
    symbol = mx.sym.contrib.boolean_mask(mx.sym.var("x"), mx.sym.var("m"))
    ones = mx.nd.array([[1, 2], [3, 4], [5, 6]])
    executor = symbol.bind(mx.cpu(), {"x": ones, "m": mx.nd.array([1, 0, 1])})
    assert executor.forward()[0].asnumpy().tolist() == [[1, 2], [5, 6]]
    assert executor.forward(m=mx.nd.array([0, 1, 0]))[0].asnumpy().tolist() == [[3, 4]]


# Backward -----------------------------------------------------------------------------------------


def test_backward_follows_a_forward_outside_training():
    x = mx.sym.var("x")
    executor = mx.sym.Dropout(x * 2, p=0.5).simple_bind(mx.cpu(), x=(2, 5))
    executor.forward(is_train=False)
    executor.backward(mx.nd.ones((2, 5)))
    assert (executor.grad_dict["x"].asnumpy() == 2).all()
    loss = mx.sym.SoftmaxOutput(x, name="s").simple_bind(mx.cpu(), x=(2, 2))
    loss.forward()
    loss.backward()
    assert loss.grad_dict["x"].asnumpy().tolist() == [[-0.5, 0.5]] * 2


def test_backward_after_inference_differentiates_what_ran():
    symbol = mx.sym.BatchNorm(mx.sym.var("x"), name="b", fix_gamma=False, eps=1e-5)
    executor = symbol.simple_bind(mx.cpu(), x=(5, 2))
    executor.arg_dict["b_gamma"][:] = 2
    executor.aux_dict["b_moving_var"][:] = 4
    executor.forward(x=mx.nd.array(np.arange(10).reshape(5, 2)))
    executor.backward(mx.nd.ones((5, 2)))
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), np.ones((5, 2)), rtol=1e-4)
    assert executor.aux_dict["b_moving_var"].asnumpy().tolist() == [4, 4]


def test_backward_needs_no_forward_where_gradients_are_given():
    executor = (mx.sym.var("x") * 2).simple_bind(mx.cpu(), x=(2,))
    executor.backward(mx.nd.ones(2))
    assert executor.grad_dict["x"].asnumpy().tolist() == [2, 2]


def test_surplus_head_gradients_are_ignored_and_types_converted():
    executor = (mx.sym.var("x") * 2).simple_bind(mx.cpu(), x=(2,))
    executor.forward(True)
    executor.backward([mx.nd.ones(2), mx.nd.ones(7)])
    executor.backward(mx.nd.ones(2, dtype="float64"))
    name = executor._symbol.list_outputs()[0]
    executor.backward({name: mx.nd.ones(2), "other": mx.nd.ones(1)})
    assert executor.grad_dict["x"].asnumpy().tolist() == [2, 2]
    with pytest.raises(TypeError, match="not an NDArray"):
        executor.backward([3])


def test_a_lone_output_of_several_is_no_tuple():
    names = "wgld"
    symbol = mx.sym.preloaded_multi_sgd_update(*map(mx.sym.var, names), num_weights=1)
    shapes = {"w": (2,), "g": (2,), "l": (1,), "d": (1,)}
    executor = symbol.bind(mx.cpu(), {n: mx.nd.ones(shapes[n]) for n in names})
    assert executor.forward()[0].asnumpy().tolist() == [-1, -1]


def test_backward_after_inference_sees_what_was_drawn():
    x = mx.sym.var("x")
    dropped = mx.sym.Dropout(x, p=0.5, mode="always")
    executor = dropped.simple_bind(mx.cpu(), x=(1000,))
    executor.arg_dict["x"][:] = 1
    (output,) = executor.forward(is_train=False)
    executor.backward(mx.nd.ones((1000,)))
    assert executor.grad_dict["x"].asnumpy().tolist() == output.asnumpy().tolist()
    before = output.asnumpy()
    assert executor.forward(is_train=False)[0].asnumpy().tolist() != before.tolist()


def _heads(x):
    return {
        "blocked": mx.sym.BlockGrad(x),
        "loss": mx.sym.make_loss(x),
        "places": mx.sym.argmax(x, axis=1),
        "constant": mx.sym.zeros((2, 3)),
        "of a loss": mx.sym.exp(mx.sym.make_loss(x)) * 2,
        "of what wants none": mx.sym.make_loss(x) + mx.sym.var("y", shape=(2, 3)),
    }


@pytest.mark.parametrize(
    "name, slope",
    [
        *[("blocked", 3), ("loss", 4), ("places", 3), ("constant", 3)],
        *[("of a loss", 4), ("of what wants none", 4)],
    ],
)
def test_the_last_outputs_may_need_no_head_gradient(name, slope):
    x = mx.sym.var("x")
    group = mx.sym.Group([x * 3, _heads(x)[name]])
    bound = group.simple_bind(mx.cpu(), {"x": "write", "y": "null"}, x=(2, 3))
    bound.forward(is_train=True)
    bound.backward([mx.nd.ones((2, 3))])
    assert (bound.grad_dict["x"].asnumpy() == slope).all()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_head_gradient_stands_at_its_place(order):
    x = mx.sym.var("x")
    heads = [mx.sym.BlockGrad(x) if order[0] else x * 2, x * 3]
    bound = mx.sym.Group(heads).simple_bind(mx.cpu(), x=(2, 3))
    bound.forward(is_train=True)
    with pytest.raises(MXNetError, match="head_gradient is required"):
        bound.backward([mx.nd.ones((2, 3))])
