# SPDX-License-Identifier: Apache-2.0
import copy
import json
import pickle

import numpy as np
import pytest

import mxnova as mx
from mxnova.core.base.errors import MXNetError


def fully_connected(data="data", name="fc", **attrs):
    return mx.sym.FullyConnected(mx.sym.var(data), num_hidden=3, name=name, **attrs)


def operators(symbol):
    return [n["op"] for n in json.loads(symbol.tojson())["nodes"]]


def test_inputs_that_are_not_given_become_variables_with_the_nodes_attributes():
    net = fully_connected(attr={"wd_mult": "3"})
    assert net.list_arguments() == ["data", "fc_weight", "fc_bias"]
    assert net.list_outputs() == ["fc_output"]
    shown = {"num_hidden": "3", "__wd_mult__": "3", "wd_mult": "3"}
    assert net.attr_dict() == {"fc_weight": shown, "fc_bias": shown, "fc": shown}


def test_batch_norm_lists_its_statistics_as_auxiliary_and_says_how_they_start():
    net = mx.sym.BatchNorm(mx.sym.var("data"), name="bn")
    assert net.list_arguments() == ["data", "bn_gamma", "bn_beta"]
    assert net.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert net.list_inputs() == ["data", "bn_gamma", "bn_beta", "bn_moving_mean", "bn_moving_var"]
    assert net.attr_dict()["bn_moving_var"]["__init__"] == '["one", {}]'
    assert net.list_outputs() == ["bn_output"]


def test_an_optimizer_updates_states_are_auxiliary():
    w, g, m = (mx.sym.var(n) for n in "wgm")
    net = mx.sym.sgd_mom_update(w, g, m, lr=0.1)
    assert (net.list_arguments(), net.list_auxiliary_states()) == (["w", "g"], ["m"])
    with pytest.raises(MXNetError, match="mom"):
        mx.sym.sgd_mom_update(w, g, lr=0.1)


def test_names_of_arithmetic_follow_mxnet():
    a = mx.sym.var("a")
    with mx.name.NameManager():
        made = [a + 1, 1 - a, a * a, a / a, -a, a**2, a == a, a > 1, 2**a, a % 2, abs(a)]
    assert [s.name for s in made] == [
        "_plusscalar0",
        "_rminusscalar0",
        "_mul0",
        "_div0",
        "_mulscalar0",
        "_powerscalar0",
        "_equal0",
        "_greater_scalar0",
        "_rpower_scalar0",
        "_modscalar0",
        "abs0",
    ]
    assert [operators(s)[-1] for s in made] == [
        "_plus_scalar",
        "_rminus_scalar",
        "elemwise_mul",
        "elemwise_div",
        "_mul_scalar",
        "_power_scalar",
        "_equal",
        "_greater_scalar",
        "_rpower_scalar",
        "_mod_scalar",
        "abs",
    ]


def test_variadic_operators_count_their_inputs():
    net = mx.sym.Concat(mx.sym.var("a"), fully_connected(), dim=1, name="cc")
    assert net.attr("num_args") == "2"
    assert net.list_arguments() == ["a", "data", "fc_weight", "fc_bias"]
    assert mx.sym.invoke("Concat", [mx.sym.var("a")] * 2, {}, "c").attr("num_args") == "2"


def test_several_outputs_are_selected_by_number_and_name():
    split = mx.sym.SliceChannel(mx.sym.var("a"), num_outputs=3, name="sc")
    assert len(split) == 3
    assert split[1].list_outputs() == ["sc_output1"]
    assert split["sc_output2"].list_outputs() == ["sc_output2"]
    assert [s.name for s in split] == ["sc"] * 3
    assert mx.sym.Concat(*split, dim=0).list_arguments() == ["a"]
    with pytest.raises(IndexError):
        split[3]
    with pytest.raises(ValueError, match="sc_output9"):
        split["sc_output9"]
    with pytest.raises(MXNetError, match="3 outputs"):
        mx.sym.relu(split)


def test_groups_internals_and_children():
    net = fully_connected()
    group = mx.sym.Group([net, net * 2, mx.sym.var("x")])
    assert group.name is None
    assert len(group) == 3
    assert repr(net) == "<Symbol fc>"
    internals = net.get_internals()
    assert internals.list_outputs() == ["data", "fc_weight", "fc_bias", "fc_output"]
    assert internals["fc_output"].name == "fc"
    assert net.get_children().list_outputs() == ["data", "fc_weight", "fc_bias"]
    assert mx.sym.var("x").get_children() is None
    with pytest.raises(TypeError):
        mx.sym.Group([])


def test_composition_replaces_variables_in_a_copy():
    first, second = fully_connected("x", "n1"), fully_connected("y", "n2")
    both = second(y=first, name="both")
    assert both.list_arguments() == ["x", "n1_weight", "n1_bias", "n2_weight", "n2_bias"]
    assert both.list_outputs() == ["both_output"]
    assert second.list_arguments() == ["y", "n2_weight", "n2_bias"]
    with pytest.raises(MXNetError, match="no variable is named 'z'"):
        second(z=first)
    with pytest.raises(TypeError):
        second(first, y=first)
    with pytest.raises(TypeError):
        second(1)


def test_copies_have_their_own_attributes():
    net = fully_connected()
    for other in (copy.copy(net), copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        other._set_attr(__mark__="1")
        assert other.attr("__mark__") == "1"
        assert net.attr("__mark__") is None


def test_setting_an_operators_attribute_takes_effect():
    net = fully_connected()
    net._set_attr(num_hidden="7")
    assert net.infer_shape(data=(1, 2))[1] == [(1, 7)]
    with pytest.raises(MXNetError, match="foo"):
        net._set_attr(foo="1")


def test_facts_of_nodes():
    parts = mx.sym.split(mx.sym.var("x"), num_outputs=2, name="parts")
    facts = ("name", "op_name", "_value_index", "num_outputs")
    assert [parts[1].attr(key) for key in facts] == ["parts", "SliceChannel", "1", "2"]
    assert parts.attr("_value_index") == "0, 1"
    assert mx.sym.var("x").attr("op_name") == "null"
    of_two = mx.sym.Group([parts[0], mx.sym.var("y")])
    assert [of_two.attr(key) for key in facts] == [None] * 4


def test_attributes_of_variables():
    v = mx.sym.var(
        "v", shape=(0, 4), lr_mult=2, dtype="float16", stype="csr", init="zeros", __foo__="1"
    )
    assert v.list_attr() == {
        "__shape__": "(0, 4)",
        "__lr_mult__": "2",
        "lr_mult": "2",
        "__dtype__": "2",
        "__storage_type__": "2",
        "__init__": "zeros",
        "__foo__": "1",
    }
    with pytest.raises(ValueError, match="__foo__"):
        mx.sym.var("v", foo="1")
    with pytest.raises(TypeError):
        mx.sym.var(3)


def test_the_users_attributes_are_listed_in_one_order():
    keys = ["ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage"]
    v = mx.sym.var("v", attr=dict.fromkeys(reversed(keys), "1"))
    assert list(v.list_attr()) == [*[f"__{key}__" for key in reversed(keys)], *keys]


def test_scopes_reach_new_nodes():
    with mx.AttrScope(ctx_group="dev1"), mx.name.Prefix("p_"):
        net = mx.sym.relu(mx.sym.var("x"))
    assert net.name.startswith("p_relu")
    assert net.attr("ctx_group") == net.attr("__ctx_group__") == "dev1"


@pytest.mark.parametrize(
    "call, error, facts",
    [
        (lambda: mx.sym.relu(data=1), TypeError, "data"),
        (lambda: mx.sym.relu(foo=mx.sym.var("x")), MXNetError, "foo"),
        (lambda: mx.sym.FullyConnected(mx.sym.var("x")), MXNetError, "num_hidden"),
        (lambda: mx.sym.load_json("{}"), MXNetError, "nodes"),
        (lambda: bool(mx.sym.var("x")), MXNetError, "__bool__ .* for arrays"),
    ],
)
def test_errors_name_what_is_wrong(call, error, facts):
    with pytest.raises(error, match=facts):
        call()


def test_inference_errors_name_node_array_and_shapes():
    net = fully_connected()
    with pytest.raises(MXNetError) as error:
        net.infer_shape(data=(3, 4), fc_weight=(3, 5))
    assert all(f in str(error.value) for f in ("'fc'", "weight", "[3,5]", "[3,4]"))
    with pytest.raises(MXNetError, match="no argument is named 'dat'; did you mean 'data'"):
        net.infer_shape(dat=(3, 4))
    assert net.infer_shape_partial()[0] == [(), (), ()]


def test_given_shapes_and_types_replace_declared_ones():
    v = mx.sym.var("v", shape=(2, 3), dtype="float64")
    assert mx.sym.relu(v).infer_shape() == ([(2, 3)], [(2, 3)], [])
    assert mx.sym.relu(v).infer_shape(v=(4,))[1] == [(4,)]
    assert [t.__name__ for t in mx.sym.relu(v).infer_type()[1]] == ["float64"]
    assert [t.__name__ for t in mx.sym.relu(v).infer_type(v="float16")[1]] == ["float16"]
    assert mx.sym.relu(v).infer_type(v="bfloat16")[1] == [mx.nd.ones(1, dtype="bfloat16").dtype]


def test_json_round_trip_keeps_everything():
    net = mx.sym.SoftmaxOutput(fully_connected(attr={"__mark__": 'é"\n'}), name="sm")
    again = mx.sym.load_json(net.tojson())
    assert again.tojson() == net.tojson()
    assert again.attr_dict() == net.attr_dict()


def test_automatic_casts_are_left_out_of_files_on_request():
    cast = mx.sym.amp_cast(mx.sym.var("x"), dtype="float16")
    net = mx.sym.relu(cast)
    assert operators(net) == ["null", "relu"]
    kept = json.loads(net.tojson(remove_amp_cast=False))["nodes"]
    assert [n["op"] for n in kept] == ["null", "amp_cast", "relu"]


def test_automatic_casts_of_outputs_stay():
    cast = mx.sym.amp_cast(mx.sym.var("x"), dtype="float16")
    assert operators(mx.sym.amp_cast(cast, dtype="float32")) == ["null", "amp_cast"]
    both = mx.sym.amp_multicast(cast, mx.sym.var("y"), num_outputs=2)
    assert operators(both[0] + both[1]) == ["null", "null", "elemwise_add"]
    group = mx.sym.Group([both[1], mx.sym.relu(both[0])])
    assert operators(group) == ["null", "null", "amp_multicast", "relu"]


def test_deep_graphs_need_no_recursion():
    net = mx.sym.var("x")
    for _ in range(20_000):
        net = mx.sym.relu(net)
    assert net.list_arguments() == ["x"]
    assert mx.sym.load_json(net.tojson()).list_arguments() == ["x"]


def test_debug_str_lists_nodes():
    text = fully_connected().debug_str()
    assert "Op:FullyConnected, Name=fc" in text
    assert "Variable:fc_weight" in text


@pytest.mark.parametrize(
    "infer, known, what, named",
    [
        ("infer_shape", {}, "shape", ["data: ()", "fc_weight: ()", "fc_bias: ()"]),
        ("infer_shape", {"data": (0, 4)}, "shape", ["data: (0, 4)"]),
        ("infer_type", {}, "type", ["data: None"]),
    ],
)
def test_what_stays_undecided_is_warned_of(infer, known, what, named):
    net = fully_connected()
    with pytest.warns(UserWarning, match=f"not enough is known to decide the {what}") as caught:
        assert getattr(net, infer)(**known) == (None, None, None)
    assert len(caught) == 1
    assert all(text in str(caught[0].message) for text in named)
    assert "fc_output" not in str(caught[0].message)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("shape", [2, "(2,4)", (2, "4")])
def test_shapes_of_other_types_are_refused(shape):
    with pytest.raises(TypeError, match="infer_shape: data=.*a shape is a tuple of integers"):
        fully_connected().infer_shape(data=shape)


def test_a_prefix_is_for_nodes_and_not_for_variables():
    with mx.name.Prefix("net_"):
        x = mx.sym.var("x")
        assert (x + 1).name == "net__plusscalar0"
        assert mx.sym.FullyConnected(x, num_hidden=2).list_arguments() == [
            "x",
            "net_fullyconnected0_weight",
            "net_fullyconnected0_bias",
        ]


@pytest.mark.parametrize(
    "shape, text",
    [((2, 3), "(2, 3)"), ([2, 3], "[2, 3]"), (3, "3"), (np.array([2, 3]), "(2, 3)"),
     ((np.int64(2), np.int32(3)), "(2, 3)"), ((), "()")],
)  # fmt: skip
def test_declared_shapes_as_text(shape, text):
    assert mx.sym.var("x", shape=shape).list_attr() == {"__shape__": text}


# Composition in place ----------------------------------------------------------------------------


def test_an_operator_without_its_inputs():
    atomic = fully_connected()._gen_atomic_symbol()
    assert atomic.list_arguments() == []
    assert atomic.list_outputs() == ["output"]
    assert atomic.name == ""
    assert atomic.list_attr() == {"num_hidden": "3"}
    assert operators(atomic) == ["FullyConnected"]


@pytest.mark.parametrize(
    "given, named, name, arguments",
    [
        ("ywb", {}, "fc2", ["y", "w", "b"]),
        ("y", {}, "fc2", ["y", "fc2_weight", "fc2_bias"]),
        ("y", {}, None, ["y", "weight", "bias"]),
        ("", {"data": "y", "bias": "b"}, "fc2", ["y", "fc2_weight", "b"]),
    ],
)
def test_an_operator_gets_its_inputs(given, named, name, arguments):
    atomic = fully_connected()._gen_atomic_symbol()
    symbols = {key: mx.sym.var(value) for key, value in named.items()}
    called = atomic(*map(mx.sym.var, given), name=name, **symbols)
    assert called.list_arguments() == arguments
    assert atomic.list_arguments() == []
    assert atomic._compose(*map(mx.sym.var, given), name=name, **symbols) is None
    assert atomic.list_arguments() == arguments
    assert atomic.name == (name or "")
    assert atomic.tojson() == called.tojson()


def test_several_outputs_stay_together():
    halves = mx.sym.split(mx.sym.var("x"), num_outputs=2)._gen_atomic_symbol()
    halves._compose(mx.sym.var("y"), name="s")
    assert halves.list_outputs() == ["s_output0", "s_output1"]
    bn = mx.sym.BatchNorm(mx.sym.var("x"))._gen_atomic_symbol()
    bn._compose(mx.sym.var("y"), name="bn")
    assert bn.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]


def test_a_graph_is_composed_in_place():
    net = mx.sym.exp(mx.sym.var("x")) + mx.sym.var("y")
    shared = net
    net._compose(x=mx.sym.sin(mx.sym.var("w")), name="sum")
    assert shared.list_arguments() == ["w", "y"]
    assert shared.name == "sum"
    assert operators(shared) == ["null", "sin", "exp", "null", "elemwise_add"]


@pytest.mark.parametrize(
    "compose, error, text",
    [
        (lambda s, y: s._compose(y, weight=y), TypeError, "by position or by keyword"),
        (lambda s, y: s._compose(3), TypeError, "0 must be a Symbol, not int"),
        (lambda s, y: s._compose(foo=y), KeyError, "there is no input 'foo'"),
        (lambda s, y: s._compose(y, y, y, y), MXNetError, "takes 3 inputs"),
        (lambda s, y: y._gen_atomic_symbol(), MXNetError, "is not the output of one operator"),
        (lambda s, y: mx.sym.Group([s, y])._gen_atomic_symbol(), MXNetError, "of one operator"),
    ],
)
def test_bad_compositions_change_nothing(compose, error, text):
    atomic = fully_connected()._gen_atomic_symbol()
    with pytest.raises(error, match=text):
        compose(atomic, mx.sym.var("y"))
    assert atomic.list_arguments() == []


# Shape semantics in files ------------------------------------------------------------------------


def test_files_say_which_shape_semantics_they_were_written_under():
    assert "is_np_shape" not in json.loads(fully_connected().tojson())["attrs"]
    with mx.np_shape():
        assert json.loads(fully_connected().tojson())["attrs"]["is_np_shape"] == ["int", 1]


@pytest.mark.parametrize(
    "shape, active, wanted",
    [
        ((3, 0), False, "(3, 0)"),
        ((3, 0), True, "[3,-1]"),
        ((), True, "None"),
        ((3, 4), True, "[3,4]"),
    ],
)
def test_what_legacy_files_declare_is_read_under_numpy_semantics(shape, active, wanted):
    x = mx.sym.var("data"), mx.sym.var("weight", shape=shape)
    text = mx.sym.FullyConnected(*x, num_hidden=3).tojson()
    with mx.np_shape(active):
        net = mx.sym.load_json(text)
        assert net.attr_dict()["weight"]["__shape__"] == wanted
        assert net.infer_shape(data=(2, 4))[0] == [(2, 4), (3, 4), (3,)]


def test_numpy_files_are_read_as_they_are():
    with mx.np_shape():
        x = mx.sym.var("x", shape=(2, -1))
        text = (x + 1).tojson()
        assert mx.sym.load_json(text).attr_dict()["x"]["__shape__"] == "(2, -1)"
        zero = (mx.sym.var("x", shape=(2, 0)) + 1).tojson()
        assert mx.sym.load_json(zero).infer_shape()[1] == [(2, 0)]


def test_names_from_files_cannot_steer_a_terminal():
    symbol = mx.sym.relu(mx.sym.var("a\x1b[2J"), name="b\x1b]0;c\x07", attr={"d": "\u202e"})
    texts = [repr(symbol), repr(mx.sym.Group([symbol, mx.sym.var("\x9b")])), symbol.debug_str()]
    assert [t for t in texts if not t.replace("\n", "").replace("\t", "").isprintable()] == []
    assert r"a\x1b[2J" in symbol.debug_str()


@pytest.mark.parametrize(
    "work", [lambda s: s + np.ones(2), lambda s: np.ones(2) * s, lambda s: np.sqrt(s)]
)
def test_arrays_of_numpy_are_no_operands(work):
    with pytest.raises(TypeError):
        work(mx.sym.var("x"))


@pytest.mark.parametrize("number", [np.float32(2), np.float64(2), np.int64(2)])
def test_numbers_of_numpy_are_operands_on_either_side(number):
    x = mx.sym.var("x")
    for made in (number - x, x - number, number**x, number > x):
        assert made.list_arguments() == ["x"]


NO_INPUTS = [
    lambda **k: mx.sym.random.normal(10.0, 0.5, shape=(2,), **k),
    lambda **k: mx.sym.random.uniform(0, 1, shape=(2,), **k),
    lambda **k: mx.sym.random.randint(0, 9, shape=(2,), **k),
    lambda **k: mx.sym.zeros((2,), **k),
    lambda **k: mx.sym.eye(2, **k),
]


@pytest.mark.parametrize("make", NO_INPUTS)
def test_operators_without_inputs_ignore_symbols_by_name(make):
    symbol = make(data=mx.sym.Variable("data"), other=mx.sym.Variable("other"))
    assert symbol.list_arguments() == []
    assert symbol.eval()[0].shape[0] == 2
    with pytest.raises(mx.MXNetError, match="foo"):
        make(foo=3)


@pytest.mark.parametrize("name", ["relu", "shuffle", "sample_multinomial"])
def test_operators_with_inputs_refuse_others(name):
    with pytest.raises(mx.MXNetError, match="'foo' is no array"):
        getattr(mx.sym, name)(mx.sym.Variable("x"), foo=mx.sym.Variable("y"))


# Attributes and versions --------------------------------------------------------------------------


def test_attr_dict_merges_nodes_of_one_name():
    x = mx.sym.var("x")
    with mx.AttrScope(ctx_group="g"):
        first = mx.sym.FullyConnected(x, num_hidden=3, no_bias=True, name="n", attr={"__k__": "1"})
    second = mx.sym.Activation(first, act_type="relu", name="n", attr={"__k__": "2"})
    third = mx.sym.FullyConnected(second, num_hidden=5, no_bias=True, name="n")
    assert third.attr_dict()["n"] == {
        "act_type": "relu", "num_hidden": "5", "no_bias": "True", "__k__": "2",
        "__ctx_group__": "g", "ctx_group": "g",
    }  # fmt: skip
    variables = mx.sym.Group([mx.sym.var("p", lr_mult=2), mx.sym.var("p", lr_mult=4, wd_mult=3)])
    assert variables.attr_dict()["p"]["lr_mult"] == "4"


def _versions(symbol, operator="BatchNorm"):
    nodes = json.loads(symbol.tojson())["nodes"]
    (node,) = (n for n in nodes if n["op"] == operator)
    return [version for _, _, version in node["inputs"]]


def _with_versions(symbol, versions):
    graph = json.loads(symbol.tojson())
    for node in graph["nodes"]:
        if node["op"] == "BatchNorm":
            node["inputs"] = [[i, o, v] for (i, o, _), v in zip(node["inputs"], versions)]
    return mx.sym.load_json(json.dumps(graph))


BEFORE_0_9 = {
    "nodes": [
        {"op": "null", "param": {}, "name": n, "inputs": [], "backward_source_id": -1}
        for n in ("data", "bn_gamma", "bn_beta")
    ]
    + [
        {"op": "BatchNorm", "param": {"eps": "0.001"}, "name": "bn", "inputs": [[0, 0], [1, 0], [2, 0]], "backward_source_id": -1}
    ],
    "arg_nodes": [0, 1, 2],
    "heads": [[3, 0]],
}  # fmt: skip


def test_tojson_writes_the_versions_of_the_file_or_counts_writes():
    data = mx.sym.var("data")
    fresh = mx.sym.BatchNorm(data, name="bn")
    assert _versions(fresh) == [0, 0, 0, 1, 1]
    assert _versions(mx.sym.load_json(json.dumps(BEFORE_0_9))) == [0] * 5
    for versions in ([0] * 5, [0, 0, 0, 1, 1], [0, 0, 0, 7, 0]):
        loaded = _with_versions(fresh, versions)
        for symbol in (loaded, mx.sym.load_json(loaded.tojson()), copy.copy(loaded)):
            assert _versions(symbol) == versions
        assert _versions(mx.sym.relu(loaded)) == versions


def test_composing_counts_the_writes_of_readers_once_more():
    symbol = mx.sym.BatchNorm(mx.sym.var("q"), name="bn")
    assert _versions(symbol(q=mx.sym.var("data"))) == [0, 0, 0, 2, 2]
    assert _versions(mx.sym.relu(symbol)(bn_gamma=mx.sym.var("g"))) == [0, 0, 0, 2, 2]


def test_fused_nodes_keep_the_versions_of_the_file():
    convolution = mx.sym.Convolution(mx.sym.var("data"), num_filter=2, kernel=(1, 1), name="c")
    symbol = mx.sym.BatchNorm(convolution, name="bn")
    fused = _with_versions(symbol, [0] * 5).get_backend_symbol("MKLDNN")
    assert _versions(fused, "_sg_mkldnn_conv") == [0] * 7
    assert _versions(symbol.get_backend_symbol("MKLDNN"), "_sg_mkldnn_conv") == [0] * 5 + [1, 1]
