# SPDX-License-Identifier: Apache-2.0
"""Records what MXNet 1.9.1's `contrib` and `visualization` do: ``python contrib.py OUT``.

Converted and quantized symbols node by node, ranges that calibration finds, loss scales, vectors of
tokens, tables of layers, steps of SVRG, batches of DataLoaderIter. MXNET_SUBGRAPH_BACKEND=NONE
keeps MXNet from renaming layers while it calibrates. With ``contrib`` replayed, `mx` is mxnova.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

os.environ["MXNET_SUBGRAPH_BACKEND"] = "NONE"


def _module(mx: Any, name: str) -> Any:
    return importlib.import_module(f"{mx.__name__}.{name}")


def lines(symbol: Any, *keys: str) -> list[str]:
    """The nodes of a symbol: name, operator, inputs, and some attributes."""
    graph = json.loads(symbol.tojson(remove_amp_cast=False))
    nodes, found = graph["nodes"], []

    def shown(entry: list[int]) -> str:
        return nodes[entry[0]]["name"] + (f":{entry[1]}" if entry[1] else "")

    for node in nodes:
        attrs = node.get("attrs", {})
        own = [f"{k}={attrs[k]}" for k in keys if k in attrs]
        inputs = ", ".join(map(shown, node["inputs"]))
        found.append(" ".join([f"{node['name']} = {node['op']}({inputs})", *own]))
    return [*found, " ".join(map(shown, graph["heads"]))]


# Mixed precision ----------------------------------------------------------------------------------


def precision_symbols(mx: Any) -> dict[str, Any]:
    """Symbols to convert, each with an input `x`."""
    s = mx.sym
    x, y, z = s.var("x"), s.var("y"), s.var("z")

    def fc(data: Any, name: str) -> Any:
        return s.FullyConnected(data, num_hidden=4, no_bias=True, name=name)

    exp = s.exp(x, name="e")
    split = s.SliceChannel(fc(x, "f"), num_outputs=2, name="s")
    batch_norm = s.BatchNorm(s.relu(fc(x, "f"), name="r"), name="bn")
    convolution = s.Convolution(x, kernel=(3, 3), num_filter=2, name="conv")
    return {
        "low and variable": fc(x, "f") + x,
        "low and single": s.elemwise_add(fc(x, "f"), exp, name="p"),
        "low, then single": s.exp(s.relu(fc(x, "f"), name="r"), name="e"),
        "unknown, then low": fc(s.relu(x, name="r"), "f"),
        "several outputs": s.Group([fc(x, "g"), s.exp(split[0], name="e"), split[1]]),
        "three kinds": s.concat(fc(x, "f"), exp, x, name="c"),
        "head of a variable": s.Group([x, fc(x, "f")]),
        "batch norm": fc(batch_norm, "g"),
        "batch norm of unknown": s.BatchNorm(x, name="bn") + s.exp(x, name="e"),
        "layer norm": s.LayerNorm(s.Dropout(fc(x, "f"), name="d"), name="ln"),
        "conditional": s.Group(
            [
                s.Activation(convolution, act_type="softrelu", name="a"),
                s.LeakyReLU(convolution, act_type="elu", name="l"),
                s.LeakyReLU(convolution, name="k"),
            ]
        ),
        "one of two heads": s.SliceChannel(fc(x, "f"), num_outputs=2, name="s")[1],
        "loss": s.SoftmaxOutput(fc(x, "f"), s.var("label"), name="softmax"),
        "one hot": s.one_hot(fc(x, "f"), depth=3, name="o") + fc(x, "g"),
        "embedding": fc(s.Embedding(x, s.var("w"), input_dim=3, output_dim=2, name="em"), "f"),
        "unknown twice": s.exp(s.relu(x, name="r"), name="e") + fc(s.relu(x, name="q"), "f"),
        "scalars": fc(fc(x, "f") * 2 + 1, "g"),
        "both are there": s.elemwise_add(s.exp(fc(x, "f"), name="e"), fc(x, "g"), name="p"),
        "only variables": s.Group([s.elemwise_add(y, z, name="p"), fc(x, "f")]),
    }


def conversions(mx: Any) -> dict[str, list[str]]:
    """By symbol, type and arguments; those that MXNet refuses are left out."""
    convert = _module(mx, "contrib.amp").convert_symbol
    ways = {dtype: {"target_dtype": dtype} for dtype in ("float16", "bfloat16")}
    ways["excluded"] = {"excluded_sym_names": ["f", "conv"]}
    for dtype in ("float16", "bfloat16"):
        own = {"target_dtype": dtype, "data_names": ["x"], "cast_optional_params": True}
        ways[f"{dtype}, parameters"] = own
    with mx.name.NameManager():
        symbols = precision_symbols(mx)
    found = {}
    for name, symbol in symbols.items():
        for way, kwargs in ways.items():
            if name == "only variables" and "parameters" in way:
                continue  # MXNet takes some for low that gain nothing
            with contextlib.suppress(mx.MXNetError):
                made = convert(symbol, **kwargs)
                found[f"{name}, {way}"] = lines(made, "dtype", "num_outputs", "__dtype__")
    return found


def operator_lists(mx: Any) -> dict[str, Any]:
    amp = _module(mx, "contrib.amp")
    brain = np.dtype([("bfloat16", np.uint16)])
    return {
        f"{name} {key}": json.loads(json.dumps(getattr(amp, f"list_{name}")(dtype)))
        for name in (
            "lp16_ops",
            "fp32_ops",
            "lp16_fp32_ops",
            "conditional_fp32_ops",
            "widest_type_cast",
            "loss_output_functions",
            "lp16_use_fp32_params",
        )
        for key, dtype in (("float16", "float16"), ("bfloat16", brain))
    }


class _Parameter:
    """What a loss scaler sees of a parameter."""

    grad_req = "write"

    def __init__(self, gradient: Any) -> None:
        self._gradient = gradient
        self._grad = [gradient]

    def list_grad(self) -> list[Any]:
        return self._grad

    def grad(self) -> Any:
        return self._gradient


def loss_scales(mx: Any) -> list[list[Any]]:
    scaler = _module(mx, "contrib.amp.loss_scaler").LossScaler()
    scaler._scale_seq_len = 3
    finite = [_Parameter(mx.nd.ones(2)), _Parameter(mx.nd.zeros(3))]
    found = []
    for step in "ooooooo!oo!!oooooooooooooooooooooooooooooooooo":
        bad = [_Parameter(mx.nd.array([1, np.inf]))] if step == "!" else []
        overflow = scaler.has_overflow(finite + bad)
        found.append([overflow, scaler.loss_scale, scaler._unskipped])
    return found


# Quantization -------------------------------------------------------------------------------------


def integer_symbols(mx: Any) -> dict[str, Any]:
    """Symbols to quantize, each with an input `data` of shape (2, 4, 6, 6)."""
    s = mx.sym
    data = s.var("data")

    def conv(x: Any, name: str, **kwargs: Any) -> Any:
        return s.Convolution(x, kernel=(1, 1), num_filter=4, name=name, **kwargs)

    def relu(x: Any, name: str) -> Any:
        return s.Activation(x, act_type="relu", name=name)

    def fc(x: Any, name: str) -> Any:
        return s.FullyConnected(x, num_hidden=4, name=name)

    both = s.elemwise_add(conv(data, "c"), conv(data, "d"), name="add")
    pooled = s.Pooling(relu(both, "r"), kernel=(2, 2), pool_type="max", name="p")
    return {
        "residual": fc(s.Flatten(pooled, name="fl"), "f"),
        "no bias": conv(data, "c", no_bias=True),
        "mixed sum": s.elemwise_add(conv(data, "c"), s.exp(data, name="e"), name="add"),
        "concat": s.concat(conv(data, "c"), s.exp(data, name="e"), name="cc"),
        "average": s.Pooling(conv(data, "c"), global_pool=True, pool_type="avg", name="p"),
        "tanh": s.Activation(conv(data, "c"), act_type="tanh", name="t"),
        "dropout": fc(s.Dropout(conv(data, "c"), name="d"), "f"),
        "alone": relu(s.exp(data, name="e"), "r"),
        "before": fc(relu(s.exp(data, name="e"), "r"), "f"),
        "between": fc(relu(relu(conv(data, "c"), "r"), "q"), "f"),
        "product": s.elemwise_mul(conv(data, "c"), conv(data, "d"), name="m"),
        "slices": fc(s.SliceChannel(conv(data, "c"), num_outputs=2, name="l")[1], "f"),
        "batch norm": relu(s.BatchNorm(conv(data, "c"), name="bn"), "r"),
    }


def _values(mx: Any, symbol: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    random = np.random.RandomState(0)
    arguments, _, states = symbol.infer_shape(data=(2, 4, 6, 6))
    names = zip(symbol.list_arguments(), arguments, strict=True)
    args = {n: mx.nd.array(random.uniform(-1, 1, s)) for n, s in names if n != "data"}
    others = zip(symbol.list_auxiliary_states(), states, strict=True)
    return args, {n: mx.nd.array(random.uniform(0.5, 1, s)) for n, s in others}


def quantized(mx: Any) -> dict[str, Any]:
    quantization = _module(mx, "contrib.quantization")
    data = np.random.RandomState(1).uniform(-1, 1, (6, 4, 6, 6))
    found = {}
    for name, symbol in integer_symbols(mx).items():
        args, aux = _values(mx, symbol)
        for mode in ("full", "smart"):
            batches = mx.io.NDArrayIter(data, batch_size=2)
            made, new_args, _ = quantization.quantize_model(
                symbol,
                args,
                aux,
                label_names=None,
                ctx=mx.cpu(),
                calib_mode="naive",
                calib_data=batches,
                quantize_mode=mode,
            )
            numbers = [
                [float(a.get(k, "nan")) for k in ("min_calib_range", "max_calib_range")]
                for a in (n.get("attrs", {}) for n in json.loads(made.tojson())["nodes"])
                if "min_calib_range" in a
            ]
            sums = {n: float(a.asnumpy().astype("float64").sum()) for n, a in new_args.items()}
            found[f"{name}, {mode}"] = [lines(made, "out_type"), numbers, sums]
    return found


def histograms(mx: Any) -> list[Any]:
    quantization = _module(mx, "contrib.quantization")
    random, found = np.random.RandomState(0), []
    for old, new, n_bins in ((1.0, 2.0, 2001), (1.0, 0.5, 2001), (1.0, 1.0, 101), (2.0, 3.3, 8001)):
        first = random.uniform(-old, old, 1000).astype("float32")
        counts, borders = np.histogram(first, n_bins, range=(-old, old))
        more = random.uniform(-new, new, 1000).astype("float32")
        total, ends, low, high, threshold = quantization.combine_histogram(
            (counts, borders, first.min(), first.max(), old), more, more.min(), more.max(), new
        )
        weighted = int((total * np.arange(len(total))).sum())
        found.append([len(total), weighted, *map(float, (ends[0], ends[-1], low, high, threshold))])
    return found


# The rest -----------------------------------------------------------------------------------------


def layers(mx: Any) -> Any:
    s = mx.sym
    x = s.Convolution(s.var("data"), kernel=(3, 3), num_filter=4, name="conv")
    x = s.Activation(s.BatchNorm(x, name="bn"), act_type="relu", name="relu")
    y = s.Convolution(x, kernel=(1, 1), num_filter=4, num_group=2, no_bias=True, name="conv2")
    y = s.Pooling(s.elemwise_add(x, y, name="sum"), kernel=(2, 2), pool_type="max", name="pool")
    y = s.Deconvolution(y, kernel=(2, 2), num_filter=3, name="deconv")
    name = "fc_with_a_name_that_is_too_long_for_the_column_that_it_stands_in"
    y = s.FullyConnected(s.Flatten(y, name="flat"), num_hidden=5, name=name)
    y = s.LayerNorm(s.Embedding(y, input_dim=7, output_dim=3, name="em"), name="ln")
    return s.SoftmaxOutput(s.FullyConnected(y, num_hidden=2, name="fc2"), name="softmax")


def tables(mx: Any) -> list[str]:
    found = []
    for kwargs in (
        {},
        {"shape": {"data": (2, 3, 8, 8)}},
        {"shape": {"data": (2, 3, 8, 8)}, "line_length": 60, "positions": [20, 30, 40, 60]},
    ):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            mx.viz.print_summary(layers(mx), **kwargs)
        found.append(text.getvalue())
    return found


FILES = {
    "plain": "a 0.1 0.2\nb 0.4 0.5\nc 0.7 0.8\n",
    "twice": "a 1 2\na 3 4\nb 5 6\n",
    "unknown": "<unk> 9 9\na 1 2\n",
    "heading": "2 2\na 1 2\nb 3 4\n",
    "blanks at the end": "a 1 2 \nb 3 4 \n",
}


def vectors(mx: Any) -> dict[str, Any]:
    text = _module(mx, "contrib.text")
    vocabulary = text.vocab.Vocabulary(Counter("aabbx"), reserved_tokens=["<pad>"])
    made = {}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of headings and of tokens that are there twice
        path = Path(folder) / "vectors.txt"
        for name, content in FILES.items():
            path.write_text(content)
            made[name] = text.embedding.CustomEmbedding(str(path))
            made[f"{name}, ones"] = text.embedding.CustomEmbedding(
                str(path), init_unknown_vec=mx.nd.ones, vocabulary=vocabulary
            )
    made["composed"] = text.embedding.CompositeEmbedding(
        vocabulary, [made["plain"], made["unknown"]]
    )
    found = {
        name: [e.idx_to_token, np.round(e.idx_to_vec.asnumpy().astype("float64"), 6).tolist()]
        for name, e in made.items()
    }
    asked = made["plain"].get_vecs_by_tokens(["A", "b", "zz"], lower_case_backup=True)
    found["asked"] = np.round(asked.asnumpy().astype("float64"), 6).tolist()
    names = text.embedding.get_pretrained_file_names()
    found["names"] = {kind: sorted(files) for kind, files in names.items()}
    return found


def reduced_variance(mx: Any) -> dict[str, Any]:
    """Weights after each epoch with one snapshot."""
    svrg = _module(mx, "contrib.svrg_optimization.svrg_module")
    s, random = mx.sym, np.random.RandomState(0)
    data = random.uniform(-1, 1, (20, 3)).astype("float32")
    target = data @ np.array([1, 2, 3], "float32") + 0.5
    output = s.FullyConnected(s.var("data"), num_hidden=1, name="fc")
    loss = s.LinearRegressionOutput(output, s.var("lin_label"), name="lro")
    found = {}
    for optimizer, options in (("sgd", {"momentum": 0.9, "wd": 0.01}), ("adam", {})):
        module = svrg.SVRGModule(loss, label_names=["lin_label"], update_freq=9)
        batches = mx.io.NDArrayIter({"data": data}, {"lin_label": target}, batch_size=5)
        weights: list[Any] = []
        module.fit(
            batches,
            num_epoch=3,
            eval_metric="mse",
            initializer=mx.init.One(),
            optimizer=optimizer,
            optimizer_params={"learning_rate": 0.1, **options},
            epoch_end_callback=lambda _, __, args, ___, to=weights: to.append(
                args["fc_weight"].asnumpy().ravel().tolist()
            ),
        )
        found[optimizer] = weights
    return found


def loaded(mx: Any) -> list[Any]:
    """Batches of a DataLoader, of which MXNet leaves the end of the last one uninitialized."""
    data = np.arange(14, dtype="float32").reshape(7, 2)
    loader = mx.gluon.data.DataLoader(
        mx.gluon.data.ArrayDataset(data, np.arange(7, dtype="float32")), batch_size=3
    )
    batches, found = _module(mx, "contrib.io").DataLoaderIter(loader), []
    for _ in range(2):
        for batch in batches:
            stop = 3 - batch.pad
            arrays = [a[:stop].asnumpy().tolist() for a in (batch.data[0], batch.label[0])]
            found.append([*arrays, batch.pad, batch.index])
        batches.reset()
    shapes = [[d.name, list(d.shape)] for d in (*batches.provide_data, *batches.provide_label)]
    return [batches.batch_size, shapes, found]


RECORDED = {
    "lists": operator_lists,
    "conversions": conversions,
    "loss scales": loss_scales,
    "quantized": quantized,
    "histograms": histograms,
    "tables": tables,
    "vectors": vectors,
    "reduced variance": reduced_variance,
    "loaded": loaded,
}


def main() -> None:
    mx = importlib.import_module("mxnet")
    found = {name: record(mx) for name, record in RECORDED.items()}
    Path(sys.argv[1]).write_text(json.dumps(found, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
