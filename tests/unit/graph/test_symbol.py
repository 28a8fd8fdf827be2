# SPDX-License-Identifier: Apache-2.0
import copy
import json
import pickle

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
