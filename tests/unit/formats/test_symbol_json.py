# SPDX-License-Identifier: Apache-2.0
import json
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mxnova as mx
from mxnova.core.base.errors import FormatError
from mxnova.formats import symbol_json
from mxnova.formats.symbol_json import dumps, loads
from mxnova.formats.symbol_record import VERSION, GraphRecord, NodeRecord

UPGRADES = json.loads(
    (Path(__file__).parents[2] / "data/symbols/upgrades.json").read_text(encoding="utf-8")
)
VARIABLE = {"op": "null", "name": "a", "inputs": []}
RELU = {"op": "relu", "name": "r", "inputs": [[0, 0, 0]]}
INPUTS = {
    "FullyConnected": {"data": "", "weight": "", "bias": ""},
    "BatchNorm": {
        "data": "",
        "gamma": "",
        "beta": "",
        "moving_mean": '["zero", {}]',
        "moving_var": '["one", {}]',
    },
    "LeakyReLU": {"data": "", "gamma": '["Constant", {"value": 0.25}]'},
    "elemwise_add": {"lhs": "", "rhs": ""},
}


def inputs_of(op, attrs):
    return INPUTS.get(op, {})


def text_of(*nodes, arg_nodes=(), heads=(), **fields):
    document = {"nodes": nodes, "arg_nodes": arg_nodes, "heads": heads, **fields}
    return json.dumps(document)


@pytest.mark.parametrize("case", UPGRADES)
def test_old_files_become_what_mxnet_makes_of_them(case):
    text, current = UPGRADES[case]["text"], UPGRADES[case]["current"]
    graph = loads(text, inputs_of)
    if graph.node_row_ptr:
        assert dumps(graph) == current
    else:  # takes operators to know
        expected = json.loads(current)
        del expected["node_row_ptr"]
        assert json.loads(dumps(graph)) == expected


@pytest.mark.parametrize("case", UPGRADES)
def test_current_files_are_reproduced_byte_for_byte(case):
    current = UPGRADES[case]["current"]
    assert dumps(loads(current.encode(), inputs_of)) == current


def test_without_operators_their_part_of_the_upgrade_is_left_out():
    graph = loads(UPGRADES["0.8"]["text"])
    by_name = {node.name: node for node in graph.nodes}
    assert len(by_name["bn"].inputs) == 3
    assert by_name["fc"].attrs["weight_lr_mult"] == "1.5"
    assert by_name["fc"].attrs["__wd_mult__"] == "0.3"
    assert graph.attrs["mxnet_version"] == ("int", 10901)


def test_relu_was_all_that_fused_convolutions_could_take_over():
    attrs = {"with_relu": "true", "with_postsum_relu": "true", "with_bn": "true"}
    node = {"op": "_sg_mkldnn_conv", "name": "c", "attrs": attrs, "inputs": []}
    for version, names in ((10500, {"with_act", "with_postsum_act", "with_bn"}), (10901, {*attrs})):
        graph = loads(text_of(node, attrs={"mxnet_version": ["int", version]}))
        assert graph.nodes[0].attrs.keys() == names


def test_records_hold_what_the_text_says():
    text = text_of(
        VARIABLE,
        {**RELU, "attrs": {"k": "v"}, "control_deps": [0], "subgraphs": [json.loads(text_of())]},
        arg_nodes=[0],
        heads=[[1, 2, 3]],
        node_row_ptr=[0, 1, 4],
        attrs={"mxnet_version": ["int", 20000], "n": ["list_str", ["x"]]},
    )
    relu = NodeRecord("relu", "r", {"k": "v"}, [(0, 0, 0)], [0], [GraphRecord()])
    assert symbol_json.parse(text) == GraphRecord(
        nodes=[NodeRecord("null", "a"), relu],
        arg_nodes=[0],
        heads=[(1, 2, 3)],
        node_row_ptr=[0, 1, 4],
        attrs={"mxnet_version": ("int", 20000), "n": ("list_str", ["x"])},
    )


def test_a_newer_version_is_kept():
    graph = loads(text_of(attrs={"mxnet_version": ["int", 20000]}))
    assert graph.attrs == {"mxnet_version": ("int", 20000)}


def test_all_variables_are_arguments_whatever_the_file_lists():
    other = {**VARIABLE, "name": "b"}
    assert loads(text_of(VARIABLE, RELU, other, arg_nodes=[2, 2])).arg_nodes == [0, 2]


@pytest.mark.parametrize("pointers", [[], [0, 1], [1, 1, 2], [0, 2, 1], [0, 1, 2, 3]])
def test_row_pointers_that_do_not_fit_are_dropped(pointers):
    assert loads(text_of(VARIABLE, RELU, node_row_ptr=pointers)).node_row_ptr == []


def test_upgraded_nodes_are_numbered_anew():
    text = text_of(
        VARIABLE,
        {"op": "BatchNorm", "name": "bn", "inputs": [[0, 0]]},
        {"op": "relu", "name": "r", "inputs": [[1, 0]], "control_deps": [0, 1]},
        heads=[[2, 0], [1, 1]],
        node_row_ptr=[0, 1, 4, 5],
    )
    graph = loads(text, inputs_of)
    names = ["a", "bn_gamma", "bn_beta", "bn_moving_mean", "bn_moving_var", "bn", "r"]
    assert [node.name for node in graph.nodes] == names
    assert graph.nodes[6].inputs == [(5, 0, 0)]
    assert graph.nodes[6].control_deps == [0, 5]
    assert graph.heads == [(6, 0, 0), (5, 1, 0)]
    assert graph.arg_nodes == [0, 1, 2, 3, 4]
    assert graph.node_row_ptr == []


def test_the_initializer_reaches_a_variable_only():
    computed = {"op": "LeakyReLU", "name": "p", "inputs": [[0, 0], [1, 0]]}
    graph = loads(text_of(VARIABLE, RELU, computed), inputs_of)
    assert [node.attrs for node in graph.nodes] == [{}, {}, {}]


names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)


@given(
    st.lists(st.tuples(names, st.dictionaries(names, names, max_size=3)), min_size=1, max_size=13)
)
def test_any_strings_survive_writing_and_reading(chain):
    nodes = [
        NodeRecord("relu" if index else "null", name, attrs, [(index - 1, 0, 0)] if index else [])
        for index, (name, attrs) in enumerate(chain)
    ]
    attrs = {"mxnet_version": ("int", VERSION)}
    graph = GraphRecord(nodes, [0], [(len(nodes) - 1, 0, 0)], list(range(len(nodes) + 1)), attrs)
    assert loads(dumps(graph)) == graph


HOSTILE = {
    "": "line 1, column 1",
    "[]": "an object was expected",
    "{}": "'arg_nodes' is missing",
    "{} x": "Extra data",
    "\ufeff{}": "BOM",
    '{"nodes": [}': "line 1, column 12",
    text_of(zzz=1): "unknown field 'zzz'",
    text_of(5): "node 0: 5 where an object",
    text_of({"op": "null", "name": "a"}): r"node 0 \('a'\): the field 'inputs' is missing",
    text_of({**VARIABLE, "zzz": 1}): r"node 0 \('a'\): unknown field 'zzz'",
    text_of({**VARIABLE, "name": 5}): "name: 5 where a string",
    text_of({**VARIABLE, "name": "\0"}): "NUL",
    text_of({**VARIABLE, "name": "\ud800"}): "surrogate",
    text_of({**VARIABLE, "attrs": []}): "attrs: .* an object was expected",
    text_of({**VARIABLE, "attrs": {"k": 1}}): "attrs: k: 1 where a string",
    text_of({**VARIABLE, "attr": None, "attrs": {}}): "attr: None where an object",
    text_of({**VARIABLE, "inputs": {}}): "inputs: {} where an array",
    text_of(VARIABLE, {**VARIABLE, "inputs": [[0, 0, 0]]}): "a variable with inputs",
    text_of({**VARIABLE, "subgraphs": [{}]}): "a variable with inputs or subgraphs",
    text_of(RELU): "node 0 is not among the 0 listed before",
    text_of(VARIABLE, {**RELU, "inputs": [[1, 0, 0]]}): "node 1 is not among the 1 listed before",
    text_of(VARIABLE, {**RELU, "inputs": [[2, 0, 0]]}, VARIABLE): "node 2 is not among the 1",
    text_of(VARIABLE, {**RELU, "inputs": [[-1, 0, 0]]}): r"inputs\[0\]: -1 is not in",
    text_of(VARIABLE, {**RELU, "inputs": [[0, -1, 0]]}): "-1 is not in",
    text_of(VARIABLE, {**RELU, "inputs": [[0, 0, -1]]}): "-1 is not in",
    text_of(VARIABLE, {**RELU, "inputs": [[0, 1, 0]]}): "output 1 of a variable",
    text_of(VARIABLE, {**RELU, "inputs": [[0, 2**31, 0]]}): "2147483648 is not in",
    text_of(VARIABLE, {**RELU, "inputs": [[0]]}): r"inputs\[0\]: \[0\] is not",
    text_of(VARIABLE, {**RELU, "inputs": [[0, 0, 0, 0]]}): "is not",
    text_of(VARIABLE, {**RELU, "inputs": [0]}): "0 is not",
    text_of(VARIABLE, {**RELU, "inputs": [[0.0, 0, 0]]}): "0.0 where an integer",
    text_of(VARIABLE, {**RELU, "inputs": [[False, 0, 0]]}): "False where an integer",
    text_of(VARIABLE, {**RELU, "control_deps": [1]}): "control_deps: node 1",
    text_of(VARIABLE, {**RELU, "control_deps": 0}): "control_deps: 0 where an array",
    text_of(VARIABLE, {**RELU, "subgraphs": [{}]}): r"node 1 \('r'\): subgraph 0: .*missing",
    text_of(VARIABLE, {**RELU, "subgraphs": [json.loads(text_of(RELU))]}): "subgraph 0: node 0",
    text_of(VARIABLE, RELU, arg_nodes=[1]): "node 1 is of 'relu', not a variable",
    text_of(VARIABLE, arg_nodes=[7]): "arg_nodes: node 7",
    text_of(VARIABLE, heads=[[1, 0, 0]]): "heads.0.: node 1",
    text_of(VARIABLE, heads=[[0, float("nan"), 0]]): "nan where an integer",
    text_of(VARIABLE, heads=[[0, float("inf"), 0]]): "inf where an integer",
    text_of(node_row_ptr=["0"]): "node_row_ptr: '0' where an integer",
    text_of(attrs={"n": 1}): "attrs: n: 1 is not a pair",
    text_of(attrs={"n": ["any", 1]}): "known type",
    text_of(attrs={"n": [[], 1]}): "a string was expected",
    text_of(attrs={"n": ["int", "1"]}): "'1' is not of type int",
    text_of(attrs={"n": ["list_int", 1]}): "an array was expected",
    text_of(attrs={"mxnet_version": ["str", "1"]}): "mxnet_version: '1' is not an int",
    text_of(arg_nodes=[int("9" * 300)]): "too large",
    f'{{"nodes": {"9" * 300}': "too large",
}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_refused_with_the_reason(text):
    with pytest.raises(FormatError, match=f"^symbol JSON: .*{HOSTILE[text]}"):
        loads(text)


def test_bytes_that_are_no_utf_8_are_refused():
    with pytest.raises(FormatError, match="byte 1 is not UTF-8"):
        loads(b'"\xff"')


def test_of_a_repeated_key_the_last_counts():
    text = '{"nodes": [], "nodes": [{"op": "x", "op": "null", "name": "a", "inputs": []}],'
    assert loads(text + '"arg_nodes": [], "heads": []}').nodes == [NodeRecord("null", "a")]


def test_subgraphs_nest_as_deep_as_brackets_may():
    def nested(levels):
        graph = json.loads(text_of())
        for _ in range(levels):
            outer = {"op": "_foreach", "name": "f", "inputs": [], "subgraphs": [graph]}
            graph = {"nodes": [outer], "arg_nodes": [], "heads": []}
        return json.dumps(graph)

    assert dumps(loads(nested(24))).count("_foreach") == 24
    with pytest.raises(FormatError, match="brackets nest 102 deep"):
        loads(nested(25))


DEEP = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "[" * DEEP,
        "[" * DEEP + "]" * DEEP,
        '{"nodes":' * DEEP,
        '{"nodes":[{"op":"f","name":"f","inputs":[],"subgraphs":[' * DEEP,
        '"' + r"\"" * DEEP,
        '"' + r"\\" * DEEP,
        '"' * DEEP,
        "[" + "[]," * DEEP,
        "[" + '"",' * DEEP,
        "{" + '"nodes":[],' * DEEP,
        "9" * DEEP,
        "-" * DEEP,
        text_of(*[VARIABLE] * 1000, *[{}] * DEEP),
    ],
)
def test_large_nonsense_is_refused_quickly(text):
    start = time.process_time()
    with pytest.raises(FormatError):
        loads(text)
    assert time.process_time() - start < 5


def test_quotes_and_escapes_do_not_hide_brackets():
    assert loads(text_of({**VARIABLE, "name": '\\"[' * 200})).nodes[0].name == '\\"[' * 200
    with pytest.raises(FormatError, match="brackets nest"):
        loads(json.dumps({"\\": "\\\\", '"': json.loads("[" * 101 + "]" * 101)}))


def test_a_large_graph_loads_quickly():
    nodes = [VARIABLE]
    for index in range(5_000):
        nodes.append({**VARIABLE, "name": f"w{index}", "attrs": {"__shape__": "(3, 4)"}})
        nodes.append({**RELU, "inputs": [[2 * index, 0, 0], [2 * index + 1, 0, 0]]})
    text = text_of(*nodes, heads=[[10_000, 0, 0]])
    start = time.process_time()
    assert len(loads(text).nodes) == 10_001
    assert time.process_time() - start < 5  # 0.1 s where it is linear


# -- Counts and sizes that lie

COUNTED = [
    ("Concat", "num_args"),
    ("add_n", "num_args"),
    ("UpSampling", "num_args"),
    ("amp_multicast", "num_outputs"),
    ("multi_sum_sq", "num_arrays"),
    ("multi_sgd_update", "num_weights"),
    ("_multi_lamb_update", "num_tensors"),
]


@pytest.mark.parametrize("op, count", COUNTED)
@pytest.mark.parametrize("number", ["3", "20000000", "2000000000", "9" * 30, "9" * 5000])
def test_a_node_that_counts_more_inputs_than_it_has_is_refused_at_once(op, count, number):
    nodes = [
        {"op": "null", "name": "a", "inputs": []},
        {"op": op, "name": "c", "attrs": {count: number}, "inputs": [[0, 0, 0], [0, 0, 0]]},
    ]
    text = json.dumps({"nodes": nodes, "arg_nodes": [0], "heads": [[1, 0, 0]]})
    mx.sym.var("imports are over")
    start = time.process_time()
    with pytest.raises(FormatError, match=f"node 'c': {op}: {count}='{number[:20]}.*2 inputs") as e:
        mx.sym.load_json(text)
    assert time.process_time() - start < 1
    assert len(str(e.value)) < 400


@pytest.mark.parametrize("same", [True, False])
def test_nodes_with_more_outputs_than_the_text_can_name_are_refused(same):
    nodes = [{"op": "null", "name": "a", "inputs": []}]
    for i in range(1000):
        attrs = {"num_outputs": str(16000 if same else 15000 + i)}
        nodes.append({"op": "split", "name": f"s{i}", "attrs": attrs, "inputs": [[0, 0, 0]]})
    text = json.dumps({"nodes": nodes, "arg_nodes": [0], "heads": [[1, 0, 0]]})
    mx.sym.var("imports are over")
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="node 's[0-9]+': the nodes have more outputs than"):
            mx.sym.load_json(text)
        assert tracemalloc.get_traced_memory()[1] <= 32 * len(text) + (16 << 20)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("item", ["{}", "[]", "[[]]", '{"a":{}}'])
def test_documents_of_empty_values_are_refused_before_they_are_made(item):
    text = '{"nodes":[' + ",".join([item] * 700_000) + "]}"
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="bytes of memory|where an object"):
            symbol_json.loads(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= symbol_json.FACTOR * len(text) + (16 << 20)


def test_errors_do_not_repeat_the_document():
    for text in (
        '{"nodes":"' + "x" * 10_000_000 + '"}',
        "[" + "1," * 1_000_000 + "1]",
        '{"nodes":[{"op":"' + "y" * 10_000_000 + '"}]}',
    ):
        with pytest.raises(FormatError) as error:
            symbol_json.loads(text)
        assert len(str(error.value)) < 1000
