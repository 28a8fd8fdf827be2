# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet 1.9.1's metrics give: ``python scripts/record/metric.py OUT``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mxnet as mx

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "unit"))
import metric_cases as cases


def arrays(values: list | None) -> list | None:
    return values and [mx.nd.array(v, dtype=v.dtype) for v in values]


def told(metric: object) -> list:
    """What a metric gives, with plain numbers."""
    return [
        [[name, None if value != value else float(value)] for name, value in pairs]
        for pairs in (metric.get_name_value(), metric.get_global_name_value())
    ]


def stretches(metric: object, batches: list) -> list:
    """What it gives after each batch; a new stretch begins after the first batch."""
    found = []
    for at, (labels, preds) in enumerate(batches):
        metric.update(arrays(labels), arrays(preds))
        found.append(told(metric))
        if at == 0:
            metric.reset_local()
            found.append(told(metric))
    metric.reset()
    return [*found, told(metric)]


def error(name: str, kwargs: dict, labels: list, preds: list) -> list[str]:
    metric = getattr(mx.metric, name)(**kwargs)
    try:
        metric.update(arrays(labels), arrays(preds))
    except Exception as caught:  # noqa: BLE001 - that is what is recorded
        return [kind.__name__ for kind in type(caught).__mro__]
    raise RuntimeError(f"{name} takes it")


def micro_pearson() -> list:
    metric = mx.metric.PearsonCorrelation(average="micro")
    found = []
    for labels, preds in cases.MICRO_PEARSON:
        metric.update(arrays(labels), arrays(preds))
        found.append(metric.get()[1])
    return found


def configured() -> dict:
    made = {n: getattr(mx.metric, m)(**k) for n, (m, k, _) in cases.CASES.items()}
    return {name: metric.get_config() for name, metric in made.items()}


def main() -> None:
    made = {n: getattr(mx.metric, m)(**k) for n, (m, k, _) in cases.CASES.items()}
    recorded = {
        "told": {name: stretches(made[name], case[2]) for name, case in cases.CASES.items()},
        "errors": {name: error(*case) for name, case in cases.REFUSED.items()},
        "configured": configured(),
        "micro_pearson": micro_pearson(),
        "registered": {
            name: kind.__name__
            for name, kind in mx.registry.get_registry(mx.metric.EvalMetric).items()
        },
    }
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        json.dump(recorded, out, separators=(",", ":"), sort_keys=True)


if __name__ == "__main__":
    main()
