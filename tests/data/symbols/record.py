# SPDX-License-Identifier: Apache-2.0
"""Records in upgrades.json what MXNet 1.9.1 makes of symbol files of many versions.

Run with the Python that has MXNet 1.9.1 installed, without arguments.
"""

import json
from pathlib import Path

import mxnet as mx

FC = {"num_hidden": "3"}
BATCH_NORM_ARGS = ("data", "bn_gamma", "bn_beta")
MODERN = 10901


def node(op, name, inputs=(), **fields):
    return {"op": op, "name": name, "inputs": [list(entry) for entry in inputs], **fields}


def variables(*names, **fields):
    return [node("null", name, **fields) for name in names]


def dense(**fields):
    inputs = [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
    return [*variables("data", "w", "b"), node("FullyConnected", "fc", inputs, **fields)]


def graph(nodes, version=None, heads=None, **fields):
    """The text of a graph of `nodes`, whose last is the head unless `heads` are given."""
    arguments = [index for index, item in enumerate(nodes) if item["op"] == "null"]
    attrs = {} if version is None else {"attrs": {"mxnet_version": ["int", version]}}
    heads = heads or [[len(nodes) - 1, 0]]
    return json.dumps({"nodes": nodes, "arg_nodes": arguments, "heads": heads, **attrs, **fields})


def version_0_8():
    """Parameters and attributes apart, entries of two elements, no auxiliary states."""

    def old(op, name, inputs=(), param=(), **fields):
        param = dict(param)
        return node(op, name, inputs, param=param, backward_source_id=-1, **fields)

    arguments = {"lr_mult": "0.2", "ctx_group": "a"}
    dense_param, dense_attr = (
        {**FC, "no_bias": "False"},
        {"weight_lr_mult": "1.5", "wd_mult": "0.3"},
    )
    nodes = [
        *(old("null", name, attr=arguments) for name in ("data", "fc_weight", "fc_bias")),
        old("FullyConnected", "fc", [(0, 0), (1, 0), (2, 0)], dense_param, attr=dense_attr),
        old("null", "bn_gamma"),
        old("null", "bn_beta"),
        old("BatchNorm", "bn", [(3, 0), (4, 0), (5, 0)], {"eps": "0.001"}, attr={"__mine__": "x"}),
        old("Activation", "relu", [(6, 0)], {"act_type": "relu"}),
    ]
    return graph(nodes, heads=[[7, 0], [3, 0]])


def user_keys():
    own = ("ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage")
    inputs = ("weight_lr_mult", "bias_wd_mult", "data_ctx_group")
    return FC | {key: str(value) for value, key in enumerate((*own, *inputs))}


def sum_with(attrs, version=None, **left):
    nodes = [node("null", "a", attrs=left), node("null", "b")]
    inputs = [(0, 0, 0), (1, 0, 0)]
    return graph([*nodes, node("elemwise_add", "s", inputs, attrs=attrs)], version)


def sum_of_computed_with(attrs):
    nodes = [node("null", "a"), node("tanh", "t", [(0, 0, 0)]), node("null", "b")]
    return graph([*nodes, node("elemwise_add", "s", [(1, 0, 0), (2, 0, 0)], attrs=attrs)])


def batch_norm(version=None, n_inputs=3, **fields):
    names = (*BATCH_NORM_ARGS, "mean", "var")[:n_inputs]
    inputs = [(index, 0, 0) for index in range(n_inputs)]
    return graph([*variables(*names), node("BatchNorm", "bn", inputs, **fields)], version)


def prelu(version=None, **attrs):
    slope = node("null", "slope", attrs=attrs)
    inputs = [(0, 0, 0), (1, 0, 0)]
    activation = node("LeakyReLU", "p", inputs, attrs={"act_type": "prelu"})
    return graph([node("null", "data"), slope, activation], version)


def arg_reduction(op, version, axis):
    return graph([node("null", "a"), node(op, "m", [(0, 0, 0)], attrs={"axis": axis})], version)


def control_flow():
    def step(item, states):
        return mx.sym.tanh(item + states[0], name="out"), [item * states[0]]

    data, state = mx.sym.var("data"), mx.sym.var("state")
    outputs, _ = mx.sym.contrib.foreach(step, data, [state])
    _, counts = mx.sym.contrib.while_loop(
        lambda i, s: i < 3, lambda i, s: ([], [i + 1, s * 2]), [mx.sym.var("i"), state], 5
    )
    return mx.sym.Group([outputs, counts[1]]).tojson()


def written_by_mxnet():
    attr = {"__é日__": 'a "b" \\ 😀\r\x01'}
    strange = mx.sym.var('quote " backslash \\ tab \t line \n', attr=attr)
    many = [mx.sym.var(f"v{index}") for index in range(11)]
    with mx.util.np_shape(True):
        numpy_shapes = mx.sym.var("x").tojson()
    return {
        "strings": strange.tojson(),
        "eleven of everything": mx.sym.Group([mx.sym.add_n(*many, name="sum"), *many]).tojson(),
        "ten inputs": mx.sym.add_n(*many[:10], name="sum").tojson(),
        "multiple outputs": mx.sym.split(many[0], num_outputs=3, name="parts")[2].tojson(),
        "control flow": control_flow(),
        "numpy shapes": numpy_shapes,
    }


CASES = {
    **written_by_mxnet(),
    "empty": '{"nodes": [], "arg_nodes": [], "heads": []}',
    "0.8": version_0_8(),
    "attr of 0.9": graph(dense(attr={**FC, "ctx_group": "g"}), 903),
    "attr above param": graph(dense(param=FC, attr={"num_hidden": "8"}), MODERN),
    "attrs after attr": graph(dense(attr={"num_hidden": "1"}, attrs={"num_hidden": "2"}), MODERN),
    "attr after attrs": graph(dense(attrs={"num_hidden": "1"}, attr={"num_hidden": "2"}), MODERN),
    "user keys of 0.8": graph(dense(attrs=user_keys())),
    "user keys of 1.9.0": graph(dense(attrs=user_keys()), 10900),
    "user keys are kept from 1.9.1": sum_with({"lr_mult": "1", "lhs_lr_mult": "2"}, MODERN),
    "user key of no input": sum_with({"other_lr_mult": "1", "xlhs_lr_mult": "2", "_lr_mult": "3"}),
    "user key above the variable's": sum_with({"lhs_lr_mult": "1"}, lr_mult="2"),
    "user key above its own new spelling": sum_with({"lr_mult": "1", "__lr_mult__": "2"}),
    "user key of a computed input": sum_of_computed_with({"lhs_lr_mult": "1"}),
    "missing states of 0.8": batch_norm(899, attrs={"eps": "0.1", "lr_mult": "3"}),
    "missing states keep an initializer": batch_norm(attrs={"__init__": "x"}),
    "missing weights of 0.8": batch_norm(n_inputs=1),
    "missing states are left alone from 0.9": batch_norm(900),
    "states of 0.8": batch_norm(n_inputs=5),
    "states of 0.9.3": batch_norm(903, n_inputs=5),
    "states of 0.9.4": batch_norm(904, n_inputs=5),
    "unnamed operator": graph([node("null", "x"), node("FullyConnected", "", [(0, 0)], attrs=FC)]),
    "prelu of 0.8": prelu(),
    "prelu of 0.9.3": prelu(903),
    "prelu of 0.9.4": prelu(904),
    "prelu with an initializer": prelu(__init__="x"),
    "argmax of 0.9.4": arg_reduction("argmax", 904, "-1"),
    "argmin of 0.9.4": arg_reduction("argmin", 904, "-1"),
    "argmax of 0.9.5": arg_reduction("argmax", 905, "-1"),
    "argmax along an axis": arg_reduction("argmax", 904, "1"),
    "sum of 0.9.4": arg_reduction("sum", 904, "-1"),
    "control dependency": graph(
        [
            *variables("a", "b"),
            node("tanh", "t", [(0, 0, 0)], control_deps=[1]),
            node("tanh", "u", [(2, 0, 0)], control_deps=[0, 2]),
        ],
        MODERN,
        node_row_ptr=[0, 1, 2, 3, 4],
    ),
    "stale row pointers": graph(dense(attrs=FC), MODERN, node_row_ptr=[0, 5]),
}


def current_form(text):
    with mx.util.np_shape("is_np_shape" in text):
        return mx.sym.load_json(text).tojson()


if __name__ == "__main__":
    cases = {name: {"text": text, "current": current_form(text)} for name, text in CASES.items()}
    target = Path(__file__).with_name("upgrades.json")
    target.write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
