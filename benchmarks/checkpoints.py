# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.checkpoints``: what saving in the background costs a training loop.

Turns of a few steps of ResNet-50 by Adam alternate between three loops: one that never saves, one
that saves at the first step of each turn and goes on, and one that waits until it is written. Steps
are timed one by one, turns as a whole with what is still being written at their end, and the call
of `save`. Medians are shown, and processor time of the process, which other programs change least.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import typer

from benchmarks.inputs import indices, normal

LOOPS = ("never", "background", "waiting")


def main(
    steps: Annotated[int, typer.Option(min=2, help="Of a turn; one save in each.")] = 10,
    turns: Annotated[int, typer.Option(min=2, help="Of each loop.")] = 5,
    batch: Annotated[int, typer.Option(min=1, help="Pictures in a step.")] = 16,
    smoke: Annotated[bool, typer.Option(help="A tiny network: shows only that it runs.")] = False,
) -> None:
    """Compare the steps of a loop that saves checkpoints with those of one that does not."""
    with tempfile.TemporaryDirectory() as folder:
        found = measure(folder, steps, turns, batch, smoke)
    print(json.dumps(found, indent=2))


def measure(folder: str, steps: int, turns: int, batch: int, smoke: bool) -> dict[str, Any]:
    import mxnova as mx

    size = 32 if smoke else 224
    net = mx.gluon.model_zoo.vision.get_model("mobilenet0.25" if smoke else "resnet50_v1")
    net.initialize(mx.init.Xavier())
    net.hybridize()
    trainer = mx.gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-4})
    step = _step(mx, net, trainer, batch, size)
    for _ in range(2):
        step()
    times: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for turn in range(turns):
        for loop in LOOPS:
            number = turn * steps

            def save(loop: str = loop, number: int = number) -> Any:
                wait = loop == "waiting"
                return mx.checkpoint.save(folder, number, net, trainer, keep=1, wait=wait)

            _turn(step, save if loop != "never" else None, steps, times[loop])
    n_bytes = sum(np.prod(shape) for shape, _ in mx.checkpoint.read(folder).arrays.values()) * 4
    return {"saved_MB": round(float(n_bytes) / 1e6, 1), **_summary(times, steps)}


def _step(mx: Any, net: Any, trainer: Any, batch: int, size: int) -> Callable[[], None]:
    data = mx.nd.array(normal("data", (batch, 3, size, size)))
    label = mx.nd.array(indices("label", (batch,), 10))
    loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()

    def step() -> None:
        with mx.autograd.record():
            loss = loss_of(net(data), label)
        loss.backward()
        trainer.step(batch)
        mx.nd.waitall()

    return step


def _turn(
    step: Callable[[], None],
    save: Callable[[], Any] | None,
    steps: int,
    times: dict[str, list[float]],
) -> None:
    began, processor = time.perf_counter(), time.process_time()
    for number in range(steps):
        before = time.perf_counter()
        if number == 0 and save is not None:
            saving = save()
            times["save"].append(time.perf_counter() - before)
        step()
        kind = "step with save" if number == 0 else "step after"
        times[kind].append(time.perf_counter() - before)
        times["step"].append(time.perf_counter() - before)
    if save is not None:
        saving.wait()
    times["turn"].append(time.perf_counter() - began)
    times["processor"].append(time.process_time() - processor)


def _summary(times: dict[str, dict[str, list[float]]], steps: int) -> dict[str, Any]:
    middle = {
        loop: {kind: statistics.median(found) for kind, found in kinds.items()}
        for loop, kinds in times.items()
    }
    least = {loop: min(kinds["processor"]) for loop, kinds in times.items()}
    base = middle["never"]
    summary: dict[str, Any] = {
        "steps_of_a_turn": steps,
        "step_ms": round(1e3 * base["step"], 1),
        "processor_ms_of_a_step": round(1e3 * least["never"] / steps, 1),
    }
    for loop in LOOPS[1:]:
        found = middle[loop]
        summary[loop] = {
            "call_of_save_ms": round(1e3 * found["save"], 1),
            "call_of_save_in_steps": round(found["save"] / base["step"], 4),
            "median_step_ratio": round(found["step"] / base["step"], 4),
            "turn_ratio": round(found["turn"] / base["turn"], 4),
            "processor_ms_of_a_save": round(1e3 * (least[loop] - least["never"]), 1),
        }
    return summary


if __name__ == "__main__":
    typer.run(main)
