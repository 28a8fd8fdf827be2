# SPDX-License-Identifier: Apache-2.0
import threading

import numpy as np
import pytest
import torch

import mxnova as mx
from mxnova.core.base.errors import MXNetError, OutOfMemoryError, OutOfRangeError
from mxnova.core.exec.program.program import ArrayFacts, Facts, Mode, Program, ProgramTable


def program(symbol, **shapes):
    facts = {n: ArrayFacts(s, torch.float32) for n, s in shapes.items()}
    return Program(symbol, Facts(facts, mx.cpu()))


def test_its_graph_is_its_own():
    symbol = mx.sym.LeakyReLU(mx.sym.var("x"), slope=0.5, name="l")
    made = program(symbol, x=(1,))
    symbol._set_attr(slope="0.25")
    assert made.run([torch.tensor([-1.0])])[0].tolist() == [-0.5]


def test_modes_are_lowered_once_each():
    symbol = mx.sym.Dropout(mx.sym.var("x"), p=0.5)
    made = program(symbol, x=(1000,))
    ones = torch.ones(1000)
    assert made.lowered(Mode()) is made.lowered(Mode())
    assert made.run([ones])[0].tolist() == ones.tolist()
    assert 0 < (made.run([ones], Mode(train=True))[0] == 0).sum() < 1000


def test_recorded_modes_have_mxnets_gradients():
    made = program(mx.sym.SoftmaxOutput(mx.sym.var("x"), mx.sym.var("y")), x=(1, 2), y=(1,))
    x = torch.zeros(1, 2, requires_grad=True)
    (result,) = made.run([x, torch.zeros(1)], Mode(True, True))
    result.backward(torch.full((1, 2), 9.0))
    assert x.grad.tolist() == [[-0.5, 0.5]]


def test_programs_are_shared_between_shapes_that_complete_the_same():
    plain = ProgramTable(mx.sym.exp(mx.sym.var("x")))
    open_ = ProgramTable(mx.sym.exp(mx.sym.var("x") + mx.sym.zeros((0, 3))))
    kinds = [((n, 3), torch.float32, "default") for n in (1, 2, 1)]
    one, two, three = [plain.find(mx.cpu(), (k,), lambda p: p) for k in kinds]
    assert one is two is three
    one, two, three = [open_.find(mx.cpu(), (k,), lambda p: p) for k in kinds]
    assert one is three is not two


def raising(error):
    """An operator that raises `error`, by way of a user's."""

    class Fails(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            raise error

    @mx.operator.register("fails_in_program")
    class FailsProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Fails()

    return mx.sym.Custom(mx.sym.var("data"), op_type="fails_in_program", name="c")


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (RuntimeError("no"), MXNetError),
        (TypeError("no"), MXNetError),
        (ValueError("no"), MXNetError),
        (IndexError("no"), OutOfRangeError),
        (IndexError("no"), IndexError),
        (ZeroDivisionError("no"), MXNetError),
        (OverflowError("no"), MXNetError),
        (RecursionError("no"), MXNetError),
        (KeyError("no"), MXNetError),
        (MemoryError(), OutOfMemoryError),
        (MemoryError("no"), MemoryError),
        (torch.OutOfMemoryError("no"), OutOfMemoryError),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: no"), OutOfMemoryError),
    ],
)
def test_whatever_is_raised_becomes_an_error_that_names_all(monkeypatch, error, kind, watched):
    symbol = mx.sym.tanh(mx.sym.relu(mx.sym.var("x"), name="r"), name="t")
    made = program(symbol, x=(2, 3))

    def fail(_self):
        raise error

    monkeypatch.setattr(torch.Tensor, "_fails", fail, raising=False)
    monkeypatch.setitem(
        made.lowered(Mode()).function.__globals__, "_t_output", lambda x: x._fails()
    )
    if watched:
        lowered = made.lowered(Mode())
        last = lowered.steps[-1]._replace(run=lambda x: x._fails())
        lowered.steps = (*lowered.steps[:-1], last)
    observers = [_Silent()] if watched else []
    with pytest.raises(kind, match=r"node 't': tanh\(data=\[2,3\] float32\): ") as caught:
        made.run([torch.ones(2, 3)], observers=observers)
    assert isinstance(caught.value, MXNetError)
    assert caught.value.__cause__ is error


class _Silent:
    def before(self, step, inputs):
        pass

    def after(self, step, outputs):
        pass


def test_errors_that_are_ours_keep_their_cause_and_get_the_node():
    made = program(raising(ValueError("as asked")), data=(1,))
    with pytest.raises(MXNetError, match="node 'c': Custom.*forward.*as asked") as error:
        made.run([torch.ones(1)])
    assert isinstance(error.value.__cause__, ValueError)


def test_of_many_inputs_some_are_shown(monkeypatch):
    shapes = {f"x{i}": (2, 3) for i in range(40)}
    made = program(mx.sym.concat(*map(mx.sym.var, shapes), name="joined"), **shapes)
    code = made.lowered(Mode()).function.__globals__
    monkeypatch.setitem(code, "_joined_output", lambda *_: torch.ones(1) @ torch.ones(2))
    wanted = r"node 'joined': Concat\(arg0=\[2,3\] float32, .*float32, 28 more\): "
    with pytest.raises(MXNetError, match=wanted):
        made.run([torch.ones(2, 3)] * 40)


def test_a_program_works_after_an_error():
    take = mx.sym.take(mx.sym.var("x"), mx.sym.var("i"), mode="raise", name="t")
    executor = take.bind(mx.cpu(), {"x": mx.nd.array([1, 2]), "i": mx.nd.array([5])})
    with pytest.raises(IndexError, match="node 't'"):
        executor.forward()[0].asnumpy()
    executor.forward()
    assert executor.forward(i=mx.nd.array([1]))[0].asscalar() == 2
    with pytest.raises(IndexError, match="node 't'"):
        mx.nd.waitall()


def test_many_threads_lower_and_run():
    symbol = mx.sym.BatchNorm(
        mx.sym.Convolution(mx.sym.var("x"), kernel=(1, 1), num_filter=2, name="c"), name="b"
    )
    shapes, _, states = symbol.infer_shape(x=(1, 2, 3, 3))
    names = (*symbol.list_arguments(), *symbol.list_auxiliary_states())
    rng = np.random.default_rng(0)
    given = {n: mx.nd.array(rng.uniform(1, 2, s)) for n, s in zip(names, shapes + states)}
    op = mx.nd.CachedOp(symbol)
    arrays = [given[n] for n in symbol.list_inputs()]
    wanted = mx.nd.CachedOp(symbol)(*arrays).asnumpy()
    wrong = []

    def work():
        for i in range(30):
            if i % 7 == 0:
                arrays[1][:] = arrays[1]  # a write: back to the plain graph, for everybody
            if not np.allclose(op(*arrays).asnumpy(), wanted, rtol=1e-4):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
