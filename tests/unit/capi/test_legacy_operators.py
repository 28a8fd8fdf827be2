"""Operators that are structs of C functions, by the address of the struct."""

import ctypes

import numpy as np
import pytest

from .c import Handle, created, handles, ints, texts

Int, Floats = ctypes.c_int, ctypes.POINTER(ctypes.c_float)
Ints, Sizes = ctypes.POINTER(Int), ctypes.POINTER(ctypes.c_uint)
Names = ctypes.POINTER(ctypes.POINTER(ctypes.c_char_p))
INPUT, OUTPUT, D_INPUT, D_OUTPUT = range(4)


def struct(result, run_type, *more):
    """MXNet's struct: functions that give `result`, and as many states."""
    functions = {
        "forward": run_type,
        "backward": run_type,
        "infer_shape": ctypes.CFUNCTYPE(result, Int, Ints, ctypes.POINTER(Sizes), Handle),
        "list_outputs": ctypes.CFUNCTYPE(result, Names, Handle),
        "list_arguments": ctypes.CFUNCTYPE(result, Names, Handle),
        **dict(more),
    }

    class Info(ctypes.Structure):
        _fields_ = (*functions.items(), *((f"p_{name}", Handle) for name in functions))

    return Info


OnNumbers = ctypes.CFUNCTYPE(
    None, Int, ctypes.POINTER(Floats), Ints, ctypes.POINTER(Sizes), Ints, Handle
)
OnArrays = ctypes.CFUNCTYPE(ctypes.c_bool, Int, ctypes.POINTER(Handle), Ints, Handle)
Needed = ctypes.CFUNCTYPE(ctypes.c_bool, Ints, Ints, Ints, Ints, ctypes.POINTER(Ints), Handle)
Native = struct(None, OnNumbers)
NDArrays = struct(ctypes.c_bool, OnArrays, ("declare_backward_dependency", Needed))


def said(*names):
    """What tells names; a null pointer ends them."""
    listed = (ctypes.c_char_p * (len(names) + 1))(*names, None)

    def tell(out, _):
        out[0] = ctypes.cast(listed, ctypes.POINTER(ctypes.c_char_p))
        return True

    return tell


def like_the_first(count, ndims, shapes, _):
    for i in range(1, count):
        ndims[i], shapes[i] = ndims[0], shapes[0]
    return True


def made(kind, forward, backward, infer_shape=like_the_first):
    """A struct with these functions."""
    functions = {
        "forward": forward, "backward": backward, "infer_shape": infer_shape,
        "list_outputs": said(b"output"), "list_arguments": said(b"x"),
    }  # fmt: skip
    types = dict(kind._fields_)
    return kind(**{name: types[name](function) for name, function in functions.items()})


@pytest.fixture
def symbol(call):
    """The operator of a struct on a variable."""

    def symbol(name, info, **attrs):
        address = format(ctypes.addressof(info), "x")
        operator = created(call, "NNGetOpHandle", name)
        values = texts(address, *attrs.values())
        atom = created(
            call, "MXSymbolCreateAtomicSymbol", operator, 1 + len(attrs),
            texts("info", *attrs), values,
        )  # fmt: skip
        x = created(call, "MXSymbolCreateVariable", b"x")
        call("MXSymbolCompose", atom, b"op", 1, None, handles(x))
        return atom

    return symbol


@pytest.fixture
def trained(call, array, values):
    """The output and the gradient for an input and the output's gradient."""

    def trained(symbol, x, head):
        gradient = array(np.zeros_like(x))
        executor = created(
            call, "MXExecutorBind", symbol, 1, 0, 1, handles(array(x)), handles(gradient),
            (ctypes.c_uint * 1)(1), 0, None,
        )  # fmt: skip
        call("MXExecutorForward", executor, 1)
        call("MXExecutorBackward", executor, 1, handles(array(head)))
        count, outputs = ctypes.c_uint(), ctypes.POINTER(Handle)()
        call("MXExecutorOutputs", executor, ctypes.byref(count), ctypes.byref(outputs))
        return values(Handle(outputs[0])), values(gradient)

    return trained


X = np.arange(6, dtype=np.float32).reshape(2, 3)


def by_tag(count, pointers, shapes, tags):
    sizes = [shapes[i][:2] for i in range(count)]
    return {tags[i]: np.ctypeslib.as_array(pointers[i], sizes[i]) for i in range(count)}


def square(count, pointers, _ndims, shapes, tags, _):
    given = by_tag(count, pointers, shapes, tags)
    given[OUTPUT][:] = given[INPUT] ** 2


def slope(count, pointers, _ndims, shapes, tags, _):
    given = by_tag(count, pointers, shapes, tags)
    given[D_INPUT][:] = 2 * given[INPUT] * given.get(D_OUTPUT, 10)


def test_on_numbers(symbol, trained):
    info = made(Native, square, slope)
    output, gradient = trained(symbol(b"_Native", info), X, X + 1)
    assert np.array_equal(output, X**2)
    assert np.array_equal(gradient, 2 * X * (X + 1))


def test_a_loss_gets_no_gradient(symbol, trained):
    info = made(Native, square, slope)
    _, gradient = trained(symbol(b"_Native", info, need_top_grad="0"), X, X + 1)
    assert np.array_equal(gradient, 20 * X)


def test_on_arrays(call, array, values, symbol, trained):
    """The arrays are the callee's to free."""

    def run(name, count, arrays, tags, result, *order):
        given = {tags[i]: Handle(arrays[i]) for i in range(count)}
        target, where = ints(1), ctypes.pointer(handles(given[result]))
        operator = created(call, "NNGetOpHandle", name)
        call("MXImperativeInvoke", operator, len(order), handles(*(given[o] for o in order)),
             target, ctypes.byref(ctypes.cast(where, ctypes.POINTER(Handle))), 0, None, None)  # fmt: skip
        for handle in given.values():
            call("MXNDArrayFree", handle)
        return True

    info = made(
        NDArrays,
        lambda count, arrays, tags, _: run(b"square", count, arrays, tags, OUTPUT, INPUT),
        lambda count, arrays, tags, _: run(
            b"elemwise_mul", count, arrays, tags, D_INPUT, INPUT, D_OUTPUT
        ),
    )
    output, gradient = trained(symbol(b"_NDArray", info), X, X + 1)
    assert np.array_equal(output, X**2)
    assert np.array_equal(gradient, X * (X + 1))


def test_failures_are_told(symbol, trained):
    info = made(NDArrays, lambda *_: False, lambda *_: False)
    with pytest.raises(RuntimeError, match="_NDArray: the function forward failed"):
        trained(symbol(b"_NDArray", info), X, X)


@pytest.mark.parametrize("info", ["", "no address", "0"])
def test_what_is_no_address(call, info):
    operator = created(call, "NNGetOpHandle", b"_Native")
    with pytest.raises(RuntimeError, match="must be an address"):
        created(call, "MXSymbolCreateAtomicSymbol", operator, 1, texts("info"), texts(info))
