# SPDX-License-Identifier: Apache-2.0
"""Two workers of one thread each that share a store; MXNet's have two servers, torch's gloo."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.group import environments
from benchmarks.inputs import import_mx
from benchmarks.models.sizes import FULL, batch_of, start_of
from benchmarks.subject import Case, Options, Subject

N_WORKERS = 2
BATCH = 64  # images of a worker
RATE = 0.1
FEW = 100  # numbers of a small value
OFTEN = 20  # pushes and pulls of it in a sample
SMALL_KEY, FIRST_KEY = 999, 1000  # of the large model; those of LeNet are 0, 1, …

# A store is one for all cases, and the first has no optimizer: MXNet hangs where there are two.
SMALL = f"push and pull {FEW} numbers"
AT_ONCE = "100 MB in one call, SGD"
BY_KEY = "100 MB key by key, SGD"
LENET = f"LeNet, an image of {N_WORKERS} x {BATCH}"


def cases(peer: str, options: Options) -> dict[str, Callable[[], Case]]:
    shape = (10, 10) if options.smoke else (1000, 1000)
    make = _Torch if peer == "torch" else functools.partial(_Store, peer)
    maker = functools.cache(lambda: make(shape))
    return {
        SMALL: lambda: maker().small(),
        AT_ONCE: lambda: maker().large(by_key=False),
        BY_KEY: lambda: maker().large(by_key=True),
        LENET: lambda: maker().lenet(),
    }


def _outputs(act: Callable[[], None], arrays: Callable[[], Sequence[Any]]) -> Any:
    """A case's `output`: some arrays after one run."""

    def output() -> Sequence[Any]:
        act()
        return arrays()

    return output


class _Store:
    """Cases with a store of mxnova or MXNet.

    Args:
        peer: which of both.
        shape: of the 25 values of the large model.
    """

    def __init__(self, peer: str, shape: tuple[int, ...]) -> None:
        self._mx = import_mx(peer)
        self._shape = shape
        self._store = self._mx.kv.create("dist_sync")

    def small(self) -> Case:
        nd, store = self._mx.nd, self._store
        gradient, out = nd.ones((FEW,)), nd.zeros((FEW,))
        store.init(SMALL_KEY, gradient)

        def once() -> None:
            store.push(SMALL_KEY, gradient)
            store.pull(SMALL_KEY, out=out)
            out.wait_to_read()

        def run() -> None:
            for _ in range(OFTEN):
                once()

        # Of the first time: a pull of MXNet's writes into the gradient, too.
        return Case(run, output=_outputs(once, lambda: [out.asnumpy()]), items=OFTEN)

    def large(self, *, by_key: bool) -> Case:
        nd, store = self._mx.nd, self._store
        if not by_key:
            store.set_optimizer(self._mx.optimizer.create("sgd", learning_rate=RATE))
        first = FIRST_KEY * (1 + by_key)
        keys = list(range(first, first + 25))
        gradients = [nd.ones(self._shape) for _ in keys]
        weights = [nd.zeros(self._shape) for _ in keys]
        store.init(keys, weights)

        def run() -> None:
            if by_key:
                for place, key in enumerate(keys):
                    store.push(key, gradients[place], priority=-place)
                    store.pull(key, out=weights[place], priority=-place)
            else:
                store.pushpull(keys, gradients, out=weights)
            for weight in weights:
                weight.wait_to_read()

        return Case(run, output=_outputs(run, lambda: [w.asnumpy()[0] for w in weights]))

    def lenet(self) -> Case:
        from benchmarks.models.gluon_net import blocks

        mx = self._mx
        data, label = batch_of("LeNet", BATCH, FULL)
        x, y = mx.nd.array(data), mx.nd.array(label)
        net = blocks(mx, FULL)["LeNet"]()
        net.initialize()
        net(x)
        for place, parameter in enumerate(net.collect_params().values()):
            parameter.set_data(mx.nd.array(start_of(place, parameter.shape)))
        net.hybridize(static_alloc=True)
        loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
        settings = {"learning_rate": 1e-3, "momentum": 0.9}
        trainer = mx.gluon.Trainer(net.collect_params(), "sgd", settings, kvstore=self._store)

        def step() -> Any:
            with mx.autograd.record():
                loss = loss_of(net(x), y)
            loss.backward()
            trainer.step(N_WORKERS * BATCH)
            return loss.asnumpy()

        # The losses of a second step show the gradients of the first.
        items = N_WORKERS * BATCH
        return Case(step, finish=mx.nd.waitall, output=lambda: [step(), step()], items=items)


class _Torch:
    """Cases with torch's all_reduce, and with DistributedDataParallel."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        import torch
        import torch.distributed

        self._torch = torch
        self._shape = shape
        torch.set_num_threads(1)
        torch.distributed.init_process_group("gloo")

    def small(self) -> Case:
        gradient = self._torch.ones(FEW)
        out = gradient.clone()

        def run() -> None:
            for _ in range(OFTEN):
                out.copy_(gradient)
                self._torch.distributed.all_reduce(out)

        return Case(run, output=_outputs(run, lambda: [out.numpy()]), items=OFTEN)

    def large(self, *, by_key: bool) -> Case:
        torch = self._torch
        weights = [torch.nn.Parameter(torch.zeros(self._shape)) for _ in range(25)]
        gradients = [torch.ones(self._shape) for _ in weights]
        optimizer = torch.optim.SGD(weights, RATE)
        for weight in weights:
            weight.grad = torch.empty(self._shape)

        def run() -> None:
            for weight, gradient in zip(weights, gradients, strict=True):
                weight.grad.copy_(gradient)
            self._sum_up([weight.grad for weight in weights], by_key)
            optimizer.step()

        return Case(run, output=_outputs(run, lambda: [w.detach().numpy()[0] for w in weights]))

    def _sum_up(self, gradients: Sequence[Any], by_key: bool) -> None:
        distributed = self._torch.distributed
        if not by_key:
            distributed.all_reduce_coalesced(gradients)
            return
        works = [distributed.all_reduce(gradient, async_op=True) for gradient in gradients]
        for work in works:
            work.wait()

    def lenet(self) -> Case:
        from benchmarks.models.torch_blocks import modules

        torch = self._torch
        module = modules(FULL)["LeNet"]().train()
        with torch.no_grad():
            for place, parameter in enumerate(module.parameters()):
                parameter.copy_(torch.from_numpy(start_of(place, tuple(parameter.shape))))
        module = torch.nn.parallel.DistributedDataParallel(module)
        optimizer = torch.optim.SGD(module.parameters(), 1e-3, 0.9)
        x, y = map(torch.from_numpy, batch_of("LeNet", BATCH, FULL))

        def step() -> Any:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(module(x), y, reduction="none")
            loss.mean().backward()
            optimizer.step()
            return loss.detach().numpy()

        return Case(step, output=lambda: [step(), step()], items=N_WORKERS * BATCH)


SUBJECT = Subject(
    "Two workers of one thread each",
    ("mxnova", "torch", "mxnet"),
    cases,
    rounds=8,
    turn=0.5,
    targets=dict.fromkeys(((case, "mxnet") for case in (SMALL, AT_ONCE, BY_KEY, LENET)), 1.0),
    processes=functools.partial(environments, n_workers=N_WORKERS),
)
