"""Operators and functions whose parts are C functions."""

import ctypes

import numpy as np
import pytest

import mxnova as mx

from .c import Handle, UInt, handles

Int, Texts = ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)
Ints, Function = ctypes.POINTER(Int), ctypes.CFUNCTYPE(Int)


class Callbacks(ctypes.Structure):
    _fields_ = (
        ("count", Int),
        ("functions", ctypes.POINTER(Function)),
        ("states", ctypes.POINTER(Handle)),
    )


# fmt: off
Creator = ctypes.CFUNCTYPE(Int, ctypes.c_char_p, Int, Texts, Texts, ctypes.POINTER(Callbacks))
Listed = ctypes.CFUNCTYPE(Int, ctypes.POINTER(Texts), Handle)
InferShape = ctypes.CFUNCTYPE(Int, Int, Ints, ctypes.POINTER(Ints), Handle)
InferType = ctypes.CFUNCTYPE(Int, Int, Ints, Handle)
Dependency = ctypes.CFUNCTYPE(Int, Ints, Ints, Ints, Ints, ctypes.POINTER(Ints), Handle)
Create = ctypes.CFUNCTYPE(
    Int, ctypes.c_char_p, Int, ctypes.POINTER(ctypes.POINTER(UInt)), Ints, Ints,
    ctypes.POINTER(Callbacks), Handle,
)
Run = ctypes.CFUNCTYPE(Int, Int, ctypes.POINTER(Handle), Ints, Ints, Int, Handle)
Backward = ctypes.CFUNCTYPE(Int, Int, Int, ctypes.POINTER(Handle), Ints, Int, Handle)
Delete = ctypes.CFUNCTYPE(Int, Handle)
# fmt: on
IN, OUT, D_IN, D_OUT, AUX = range(5)


KEPT = []  # what C's functions are to ctypes: they must outlive what calls them


class Written:
    """An operator that squares and counts its runs, as a program in C would write it."""

    def __init__(self, call, values):
        self.call, self.values = call, values
        self.kept, self.log, self.failing = KEPT, [], None

    def fill(self, target, functions, state):
        """Puts functions where C wants them."""
        self.kept.extend(functions)
        pointers = [Function() if f is None else ctypes.cast(f, Function) for f in functions]
        memory = (Function * len(functions))(*pointers), handles(*[state] * len(functions))
        self.kept.extend(memory)
        target.count = len(functions)
        target.functions, target.states = memory

    def creator(self):
        self.kept.append(Creator(self.make))
        return self.kept[-1]

    def make(self, name, count, keys, values, result):
        self.log.append(("make", name, dict(zip(keys[:count], values[:count]))))
        functions = [
            *(Delete(self.delete), self.listed("data"), self.listed("squared")),
            *(self.listed("runs"), InferShape(self.infer_shape), Dependency(self.dependency)),
            *(Create(self.begin), InferType(self.infer_type)),
        ]
        self.fill(result[0], functions, 77)
        return self.failing != "make"

    def listed(self, *names):
        memory = (ctypes.c_char_p * (len(names) + 1))(*(n.encode() for n in names), None)
        self.kept.append(memory)

        def tell(result, state):
            result[0] = memory
            return 1

        return Listed(tell)

    def infer_shape(self, count, ndims, shapes, state):
        assert (count, state) == (3, 77)
        ndims[1], shapes[1] = ndims[0], shapes[0]
        one = (Int * 1)(1)
        self.kept.append(one)
        ndims[2], shapes[2] = 1, one
        return self.failing != "infer_shape"

    def infer_type(self, count, types, state):
        types[1] = types[2] = types[0]
        return 1

    def dependency(self, d_outputs, inputs, outputs, count, needed, state):
        memory = (Int * 2)(d_outputs[0], inputs[0])
        self.kept.append(memory)
        count[0], needed[0] = 2, memory
        return 1

    def begin(self, context, count, shapes, ndims, types, result, state):
        self.log.append(("begin", context, [shapes[i][: ndims[i]] for i in range(count)]))
        functions = [Delete(self.delete), Run(self.forward), Run(self.backward)]
        self.fill(result[0], functions, 78)
        return 1

    def arrays(self, size, pointers, tags):
        return {tags[i]: Handle(pointers[i]) for i in range(size)}

    def write(self, handle, new):
        new = np.ascontiguousarray(new, np.float32)
        data = (Handle(new.ctypes.data), ctypes.c_size_t(new.size))
        self.call("MXNDArraySyncCopyFromCPU", handle, *data)

    def forward(self, size, pointers, tags, requests, train, state):
        arrays = self.arrays(size, pointers, tags)
        assert ({*arrays}, state) == ({IN, OUT, AUX}, 78)
        if self.failing == "forward":
            return 0
        self.write(arrays[OUT], self.values(arrays[IN]) ** 2)
        self.write(arrays[AUX], self.values(arrays[AUX]) + 1)
        self.log.append(("forward", requests[0], train))
        return self.free(arrays)

    def backward(self, size, pointers, tags, requests, train, state):
        arrays = self.arrays(size, pointers, tags)
        assert {*arrays} == {IN, OUT, D_IN, D_OUT, AUX}
        self.write(arrays[D_IN], 2 * self.values(arrays[IN]) * self.values(arrays[D_OUT]))
        self.log.append(("backward", requests[0]))
        return self.free(arrays)

    def free(self, arrays):
        for handle in arrays.values():
            self.call("MXNDArrayFree", handle)
        return 1

    def delete(self, state):
        self.log.append(("delete", state))
        return 1


@pytest.fixture
def written(call, values):
    made = Written(call, values)
    call("MXCustomOpRegister", b"square_of_c", made.creator())
    return made


def test_an_operator(written):
    x, runs = mx.nd.array([[1, 2, 3]]), mx.nd.zeros((1,))
    x.attach_grad()
    with mx.autograd.record():
        y = mx.nd.Custom(x, runs, op_type="square_of_c", how="well")
    y.backward(mx.nd.array([[1, 10, 100]]))
    assert y.asnumpy().tolist() == [[1, 4, 9]]
    assert x.grad.asnumpy().tolist() == [[2, 40, 600]]
    assert runs.asnumpy().tolist() == [1]
    assert written.log == [
        ("make", b"square_of_c", {b"how": b"well"}),
        ("begin", b"cpu(0)", [[1, 3], [1]]),
        ("forward", 1, 1),
        ("backward", 1),
    ]


def test_an_operator_in_a_symbol(written):
    squared = mx.sym.Custom(mx.sym.var("x"), op_type="square_of_c", name="square")
    assert squared.list_auxiliary_states() == ["square_runs"]
    executor = squared.simple_bind(mx.cpu(), x=(2,))
    executor.arg_dict["x"][:] = 3
    executor.forward(is_train=True)
    executor.backward(mx.nd.ones((2,)))
    assert executor.grad_dict["x"].asnumpy().tolist() == [6, 6]
    assert executor.aux_dict["square_runs"].asnumpy().tolist() == [1]
    del executor, squared
    import gc

    gc.collect()
    assert ("delete", 77) in written.log
    assert ("delete", 78) in written.log


@pytest.mark.parametrize("part", ["make", "infer_shape", "forward"])
def test_parts_that_fail(written, part):
    written.failing = part
    with pytest.raises(mx.MXNetError, match=rf"square_of_c.*{part}|creator failed"):
        mx.nd.Custom(mx.nd.ones((2,)), mx.nd.zeros((1,)), op_type="square_of_c").wait_to_read()


def test_a_function_with_a_gradient(call, written):
    def backward(n_outputs, n_inputs, pointers, requests, train, state):
        written.log.append((n_outputs, n_inputs, requests[0], state))
        written.write(Handle(pointers[1]), 10 * written.values(Handle(pointers[0])))
        return written.free({i: Handle(pointers[i]) for i in range(2)})

    callbacks = Callbacks()
    written.fill(callbacks, [Backward(backward), Delete(written.delete)], 79)
    x = mx.nd.array([1, 2])
    x.attach_grad()
    with mx.autograd.record():
        with mx.autograd.pause():
            y = x * 3
        inputs, outputs = handles(x.handle), handles(y.handle)
        call("MXCustomFunctionRecord", 1, inputs, 1, outputs, ctypes.byref(callbacks))
        z = y * 2
    z.backward()
    assert x.grad.asnumpy().tolist() == [20, 20]
    assert written.log == [(1, 1, 1, 79)]


def test_null_pointers(call):
    with pytest.raises(RuntimeError, match="the creator is a null pointer"):
        call("MXCustomOpRegister", b"nothing", None)
    with pytest.raises(RuntimeError, match="null pointer"):
        call("MXCustomFunctionRecord", 0, None, 0, None, None)
