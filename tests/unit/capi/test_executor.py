"""Executors, gradients, CachedOp and packed functions through C, with Python's answers."""

import ctypes

import numpy as np
import pytest

import mxnova as mx

from .c import Handle, UInt, created, handles, ints, out, texts, uints

ListOfHandles = ctypes.POINTER(Handle)


NETWORK = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc").tanh()


@pytest.fixture
def listed(call):
    """The handles that a function lists."""

    def listed(function, *arguments):
        size, where_size = out(UInt)
        found, where = out(ListOfHandles)
        call(function, *arguments, where_size, where)
        return [Handle(found[i]) for i in range(size.value)]

    return listed


def random_values(*shapes):
    rng = np.random.default_rng(1)
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


SHAPES = (2, 4), (3, 4), (3,)


def expected(inputs, head):
    """Output and gradients as an executor in Python computes them."""
    arrays = [mx.nd.array(a) for a in inputs]
    grads = [mx.nd.zeros(a.shape) for a in arrays]
    executor = NETWORK.bind(mx.cpu(), arrays, grads)
    (output,) = executor.forward(is_train=True)
    executor.backward(mx.nd.array(head))
    return output.asnumpy(), [g.asnumpy() for g in grads]


def test_bound_to_arrays(call, array, values, listed):
    *inputs, head = random_values(*SHAPES, (2, 3))
    grads = [array(np.zeros_like(a)) for a in inputs]
    executor = created(
        call, "MXExecutorBind", NETWORK.handle, 1, 0, 3, handles(*map(array, inputs)),
        handles(*grads), uints(1, 1, 1), 0, None,
    )  # fmt: skip
    call("MXExecutorForward", executor, 1)
    (output,) = listed("MXExecutorOutputs", executor)
    call("MXExecutorBackward", executor, 1, handles(array(head)))
    value, gradients = expected(inputs, head)
    assert np.array_equal(values(output), value)
    for made, wanted in zip(grads, gradients, strict=True):
        assert np.array_equal(values(made), wanted)


def simple_bind(call, form, integer, starts_type):
    """Arrays of the arguments, of their gradients, and the executor."""
    n_args, where_n = out(UInt)
    args, where_args = out(ListOfHandles)
    grads, where_grads = out(ListOfHandles)
    _, where_n_aux = out(UInt)
    _, where_aux = out(ListOfHandles)
    no_buffer, where_no_buffer = out(ctypes.c_int)
    no_buffer.value = -1
    executor = created(
        call, f"MXExecutorSimpleBind{form}", NETWORK.handle, 1, 0,
        0, None, None, None,
        0, None, texts("write"),
        1, texts("data"), (integer * 2)(2, 4), (starts_type * 2)(0, 2),
        0, None, None, 0, None, None, 0, None, where_no_buffer, None, None, None, None,
        where_n, where_args, where_grads, where_n_aux, where_aux, None,
    )  # fmt: skip
    count = n_args.value
    return (
        [Handle(args[i]) for i in range(count)],
        [Handle(grads[i]) for i in range(count)],
        executor,
    )


@pytest.mark.parametrize(
    "form, integer", [("", UInt), ("Ex", ctypes.c_int), ("Ex64", ctypes.c_int64)]
)
def test_bound_to_shapes(call, array, values, listed, form, integer):
    *inputs, head = random_values(*SHAPES, (2, 3))
    args, grads, executor = simple_bind(call, form, integer, UInt)
    for mine, given in zip(args, inputs, strict=True):
        call(
            "MXNDArraySyncCopyFromCPU", mine, Handle(given.ctypes.data), ctypes.c_size_t(given.size)
        )
    call("MXExecutorForward", executor, 1)
    (output,) = listed("MXExecutorOutputs", executor)
    call("MXExecutorBackwardEx", executor, 1, handles(array(head)), 1)
    value, gradients = expected(inputs, head)
    assert np.array_equal(values(output), value)
    assert all(np.array_equal(values(g), w) for g, w in zip(grads, gradients, strict=True))


def test_reshaped(call, values, listed):
    _, _, executor = simple_bind(call, "Ex", ctypes.c_int, UInt)
    outs = [out(kind) for kind in (UInt, ListOfHandles, ListOfHandles, UInt, ListOfHandles)]
    other = created(
        call, "MXExecutorReshapeEx", 0, 1, 1, 0, 0, None, None, None,
        1, texts("data"), ints(5, 4), uints(0, 2), *(w for _, w in outs), executor,
    )  # fmt: skip
    call("MXExecutorForward", other, 0)
    (output,) = listed("MXExecutorOutputs", other)
    assert values(output).shape == (5, 3)


def test_reshaped_without_gradients_that_nobody_asks_for(call, array):
    arrays = [[array(np.zeros(shape)) for shape in SHAPES] for _ in range(2)]
    inputs, grads = (handles(*each) for each in arrays)
    executor = created(
        call, "MXExecutorBind", NETWORK.handle, 1, 0, 3, inputs, grads, uints(0, 1, 1), 0, None
    )
    (count, where), (given, where_given) = out(UInt), out(ListOfHandles)
    rest = [out(kind)[1] for kind in (UInt, ListOfHandles)]
    created(
        call, "MXExecutorReshapeEx", 0, 1, 1, 0, 0, None, None, None, 1, texts("data"), ints(1, 4),
        uints(0, 2), where, out(ListOfHandles)[1], where_given, *rest, executor,
    )  # fmt: skip
    assert [bool(each) for each in given[: count.value]] == [False, True, True]


def test_a_monitor(call):
    _, _, executor = simple_bind(call, "Ex", ctypes.c_int, UInt)
    seen = []

    @ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p)
    def tell(name, array, _):
        seen.append(name.decode())
        call("MXNDArrayFree", Handle(array))

    call("MXExecutorSetMonitorCallbackEX", executor, tell, None, True)
    call("MXExecutorForward", executor, 0)
    assert {"fc_output", "fc_weight"} <= set(seen)
    call("MXExecutorSetMonitorCallback", executor, ctypes.c_void_p(0), None)


def test_listing_ends_as_mxnet_front_end_reads_it(call):
    _, _, executor = simple_bind(call, "Ex", ctypes.c_int, UInt)
    text, where = out(ctypes.c_char_p)
    call("MXExecutorPrint", executor, where)
    assert text.value.decode().split("\n")[-3].split()[2:] == ["MB", "allocated"]


def test_gradients_of_what_was_recorded(call, array, values):
    x, gradient = array([1, 2, 3]), array([0, 0, 0])
    call("MXAutogradMarkVariables", 1, handles(x), uints(1), handles(gradient))
    before, where = out(ctypes.c_int)
    call("MXAutogradSetIsRecording", 1, where)
    assert before.value == 0
    try:
        (y,) = invoked(call, "square", x)
    finally:
        call("MXAutogradSetIsRecording", 0, where)
    call("MXAutogradBackward", 1, handles(y), None, 0)
    assert np.array_equal(values(gradient), [2, 4, 6])
    found = created(call, "MXNDArrayGetGrad", x)
    assert np.array_equal(values(found), [2, 4, 6])


def test_no_gradient_is_there_where_none_was_wanted(call, array):
    x, y = array([1, 2]), array([3, 4])
    gradients = handles(array([0, 0]), array([0, 0]))
    call("MXAutogradMarkVariables", 2, handles(x, y), uints(0, 1), gradients)
    _, where = out(ctypes.c_int)
    call("MXAutogradSetIsRecording", 1, where)
    try:
        (z,) = invoked(call, "elemwise_mul", x, y)
    finally:
        call("MXAutogradSetIsRecording", 0, where)
    call("MXAutogradBackward", 1, handles(z), None, 0)
    assert created(call, "MXNDArrayGetGrad", x).value is None
    assert created(call, "MXNDArrayGetGrad", y).value is not None


def test_gradients_as_new_arrays(call, array, values):
    x = array([1, 2, 3])
    call("MXAutogradMarkVariables", 1, handles(x), uints(1), handles(array([0, 0, 0])))
    _, where = out(ctypes.c_int)
    call("MXAutogradSetIsRecording", 1, where)
    try:
        (y,) = invoked(call, "square", x)
    finally:
        call("MXAutogradSetIsRecording", 0, where)
    made, where_made = out(ListOfHandles)
    stypes, where_stypes = out(ctypes.POINTER(ctypes.c_int))
    call("MXAutogradBackwardEx", 1, handles(y), handles(array([1, 10, 100])), 1, handles(x),
         0, 0, 1, where_made, where_stypes)  # fmt: skip
    assert np.array_equal(values(Handle(made[0])), [2, 40, 600])
    assert stypes[0] == 0


def invoked(call, name, *arrays, **attrs):
    """The results of an operator."""
    operator = created(call, "NNGetOpHandle", name.encode())
    count, where_count = out(ctypes.c_int)
    outputs, where = out(ListOfHandles)
    call(
        "MXImperativeInvoke", operator, len(arrays), handles(*arrays), where_count, where,
        len(attrs), texts(*attrs), texts(*attrs.values()),
    )  # fmt: skip
    return [Handle(outputs[i]) for i in range(count.value)]


def test_operators_with_parameters_and_outputs(call, array, values):
    parts = invoked(call, "split", array([[1, 2, 3, 4]]), num_outputs=2, axis=1)
    assert [values(p).tolist() for p in parts] == [[[1, 2]], [[3, 4]]]
    with pytest.raises(RuntimeError, match="elemwise_add"):
        invoked(call, "elemwise_add", array([1, 2]), array([[1, 2, 3]]))
    with pytest.raises(RuntimeError, match="there is no argument 'axes'"):
        invoked(call, "sum", array([1, 2]), axes=1)


def test_an_output_without_memory_gets_it(call, array, values):
    target = created(call, "MXNDArrayCreateNone")
    operator = created(call, "NNGetOpHandle", b"square")
    count, where = ctypes.c_int(1), ctypes.cast(handles(target), ListOfHandles)
    call("MXImperativeInvoke", operator, 1, handles(array([3])), ctypes.byref(count),
         ctypes.byref(where), 0, None, None)  # fmt: skip
    assert values(target).tolist() == [9]


def test_a_symbol_as_a_function(call, array, values):
    inputs = random_values(*SHAPES)
    function = created(
        call, "MXCreateCachedOpEx", NETWORK.handle, 1, texts("static_alloc"), texts("1")
    )
    count, where_count = out(ctypes.c_int)
    outputs, where = out(ListOfHandles)
    call("MXInvokeCachedOp", function, 3, handles(*map(array, inputs)), where_count, where)
    wanted, _ = expected(inputs, np.zeros((2, 3), np.float32))
    assert count.value == 1
    assert np.array_equal(values(Handle(outputs[0])), wanted)
    call("MXFreeCachedOp", function)


class Value(ctypes.Union):
    _fields_ = (
        ("v_int64", ctypes.c_int64),
        ("v_handle", ctypes.c_void_p),
        ("v_str", ctypes.c_char_p),
    )


def packed(call, name, *arguments):
    """What a packed function returns for (type code, member, value)s: its code and value."""
    given = (Value * max(len(arguments), 1))()
    for slot, (_, member, value) in zip(given, arguments, strict=False):
        setattr(slot, member, value)
    codes, result = ints(*(a[0] for a in arguments)), Value()
    code = ctypes.c_int()
    function = created(call, "MXNetFuncGetGlobal", name.encode())
    call("MXNetFuncCall", function, given, codes, len(arguments), ctypes.byref(result),
         ctypes.byref(code))  # fmt: skip
    return code.value, result


def test_packed_functions(call, values):
    sizes = [packed(call, "_Integer", (0, "v_int64", n)) for n in (2, 3)]
    code, shape = packed(call, "_ADT", *((c, "v_handle", v.v_handle) for c, v in sizes))
    none = (4, "v_handle", None)
    array_code, made = packed(
        call, "_npi.zeros", (code, "v_handle", shape.v_handle), (11, "v_str", b"float32"), none
    )
    assert array_code == 14
    assert values(Handle(made.v_handle)).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert packed(call, "_nop")[0] == 4
    assert created(call, "MXNetFuncGetGlobal", b"_npi.zeroes").value is None


def test_packed_functions_freed(call):
    function = created(call, "MXNetFuncGetGlobal", b"_nop")
    call("MXNetFuncFree", function)
    with pytest.raises(RuntimeError, match="no packed function that is still there"):
        call("MXNetFuncFree", function)
    assert packed(call, "_nop")[0] == 4
