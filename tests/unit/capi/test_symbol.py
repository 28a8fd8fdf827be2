"""Symbols, what they infer, and NNVM's graphs, through C."""

import ctypes
import json

import pytest

import mxnova as mx

from .c import Handle, UInt, created, handles, ints, out, texts


@pytest.fixture
def atom(call):
    """An operator that waits for its inputs."""

    def atom(name, **attrs):
        operator = created(call, "NNGetOpHandle", name.encode())
        values = texts(*attrs.values())
        return created(
            call, "MXSymbolCreateAtomicSymbol", operator, len(attrs), texts(*attrs), values
        )

    return atom


@pytest.fixture
def network(call, atom):
    """fc(data) and its relu, as one output."""
    data = created(call, "MXSymbolCreateVariable", b"data")
    fc = atom("FullyConnected", num_hidden=3)
    call("MXSymbolCompose", fc, b"fc", 1, texts("data"), handles(data))
    act = atom("Activation", act_type="relu")
    call("MXSymbolCompose", act, b"act", 1, None, handles(fc))
    return act


@pytest.fixture
def names(call):
    """The texts that a function lists."""

    def names(function, *arguments):
        size, where_size = out(UInt)
        listed, where = out(ctypes.POINTER(ctypes.c_char_p))
        call(function, *arguments, where_size, where)
        return [text.decode() for text in listed[: size.value]]

    return names


def text_of(call, function, symbol):
    text, where = out(ctypes.c_char_p)
    call(function, symbol, where)
    return text.value.decode()


def test_names(network, names):
    assert names("MXSymbolListArguments", network) == ["data", "fc_weight", "fc_bias"]
    assert names("MXSymbolListOutputs", network) == ["act_output"]
    assert names("MXSymbolListAuxiliaryStates", network) == []
    assert names("NNSymbolListInputNames", network, 0) == ["data", "fc_weight", "fc_bias"]


def test_the_same_json_as_python(call, network):
    symbol = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    symbol = mx.sym.Activation(symbol, act_type="relu", name="act")
    text = text_of(call, "MXSymbolSaveToJSON", network)
    assert json.loads(text) == json.loads(symbol.tojson())
    again = created(call, "MXSymbolCreateFromJSON", text.encode())
    assert text_of(call, "MXSymbolSaveToJSON", again) == text


def test_saved_and_loaded(call, network, names, tmp_path):
    path = str(tmp_path / "net-symbol.json").encode()
    call("MXSymbolSaveToFile", network, path)
    loaded = created(call, "MXSymbolCreateFromFile", path)
    assert names("MXSymbolListOutputs", loaded) == ["act_output"]
    assert mx.sym.load(path.decode()).list_arguments()[0] == "data"


def test_outputs_and_children(call, network, names):
    internals = created(call, "MXSymbolGetInternals", network)
    assert names("MXSymbolListOutputs", internals)[-2:] == ["fc_output", "act_output"]
    fc = created(call, "MXSymbolGetOutput", internals, 3)
    assert names("MXSymbolListOutputs", fc) == ["fc_output"]
    children = created(call, "MXSymbolGetChildren", network)
    assert names("MXSymbolListOutputs", children) == ["fc_output"]
    count, where = out(UInt)
    call("MXSymbolGetNumOutputs", internals, where)
    assert count.value == 5


def test_attributes(call, network, names):
    call("MXSymbolSetAttr", network, b"lr_mult", b"2")
    value, where = out(ctypes.c_char_p)
    success, where_success = out(ctypes.c_int)
    call("MXSymbolGetAttr", network, b"lr_mult", where, where_success)
    assert (success.value, value.value) == (1, b"2")
    call("MXSymbolGetAttr", network, b"nothing", where, where_success)
    assert success.value == 0
    size, where_size = out(UInt)
    listed, where_listed = out(ctypes.POINTER(ctypes.c_char_p))
    call("MXSymbolListAttr", network, where_size, where_listed)
    pairs = [text.decode() for text in listed[: 2 * size.value]]
    assert dict(zip(pairs[::2], pairs[1::2], strict=True))["fc$num_hidden"] == "3"


@pytest.mark.parametrize("name", ["MXSymbolSetAttr", "NNSymbolSetAttrs"])
def test_attributes_of_a_group(call, network, name):
    other = created(call, "MXSymbolCreateVariable", b"other")
    group = created(call, "MXSymbolCreateGroup", 2, handles(network, other))
    given = (b"__a__", b"1") if name == "MXSymbolSetAttr" else (1, texts("__a__"), texts("1"))
    with pytest.raises(RuntimeError, match="is a group"):
        call(name, group, *given)


def infer_shape(call, function, symbol, integer, unsigned, size, ndim, **shapes):
    starts = [0]
    for shape in shapes.values():
        starts.append(starts[-1] + len(shape))
    sizes = [s for shape in shapes.values() for s in shape]
    found = [out(kind) for _ in range(3) for kind in (size, ctypes.POINTER(ndim),
             ctypes.POINTER(ctypes.POINTER(integer)))]  # fmt: skip
    complete, where = out(ctypes.c_int)
    call(
        function, symbol, len(shapes), texts(*shapes), (unsigned * len(starts))(*starts),
        (integer * len(sizes))(*sizes), *(w for _, w in found), where,
    )  # fmt: skip
    values = [v for v, _ in found]
    lists = [
        [tuple(values[i + 2][j][: values[i + 1][j]]) for j in range(values[i].value)]
        for i in (0, 3, 6)
    ]
    return lists, complete.value


I32, I64, U64 = ctypes.c_int, ctypes.c_int64, ctypes.c_size_t


@pytest.mark.parametrize(
    "form, integer, starts, size, ndim",
    [("", UInt, UInt, UInt, UInt), ("Ex", I32, UInt, UInt, I32), ("Ex64", I64, I64, U64, I32)],
)
def test_shapes(call, network, form, integer, starts, size, ndim):
    args = (network, integer, starts, size, ndim)
    lists, complete = infer_shape(call, f"MXSymbolInferShape{form}", *args, data=(2, 5))
    assert (lists, complete) == ([[(2, 5), (3, 5), (3,)], [(2, 3)], []], 1)
    lists, complete = infer_shape(call, f"MXSymbolInferShape{form}", *args)
    assert complete == 0
    lists, complete = infer_shape(call, f"MXSymbolInferShapePartial{form}", *args)
    assert (lists[0], complete) == ([(), (), ()], 1)


def test_a_contradiction_of_shapes(call, network):
    with pytest.raises(RuntimeError, match="fc"):
        infer_shape(call, "MXSymbolInferShapeEx", network, I32, UInt, UInt, I32,
                    data=(2, 5), fc_weight=(3, 4))  # fmt: skip


def test_types(call, network):
    found = [out(kind) for _ in range(3) for kind in (UInt, ctypes.POINTER(ctypes.c_int))]
    complete, where = out(ctypes.c_int)
    call("MXSymbolInferType", network, 1, texts("data"), ints(1), *(w for _, w in found), where)
    values = [v for v, _ in found]
    assert values[1][: values[0].value] == [1, 1, 1]
    assert values[3][: values[2].value] == [1]
    assert complete.value == 1


def test_errors_name_what_is_wrong(call, atom):
    with pytest.raises(RuntimeError, match="num_hidden"):
        atom("FullyConnected", num_hidden="many")
    with pytest.raises(RuntimeError, match="is not registered; did you mean"):
        created(call, "NNGetOpHandle", b"FullyConected")


def test_a_copy_is_another(call, network, names):
    copy = created(call, "MXSymbolCopy", network)
    call("MXSymbolSetAttr", copy, b"__mine__", b"1")
    _, where = out(ctypes.c_char_p)
    success, where_success = out(ctypes.c_int)
    call("MXSymbolGetAttr", network, b"__mine__", where, where_success)
    assert success.value == 0
    call("MXSymbolFree", copy)
    with pytest.raises(RuntimeError, match="no Symbol that is still there"):
        names("MXSymbolListOutputs", copy)


def test_groups(call, network, names):
    other = created(call, "MXSymbolCreateVariable", b"other")
    group = created(call, "MXSymbolCreateGroup", 2, handles(network, other))
    assert names("MXSymbolListOutputs", group) == ["act_output", "other"]


@pytest.fixture
def passed(call):
    """Attributes of a symbol's graph after passes, from attributes before."""

    def passed(symbol, *passes, **attrs):
        graph = created(call, "NNGraphCreate", symbol)
        for key, value in attrs.items():
            call("NNGraphSetJSONAttr", graph, key.encode(), json.dumps(value).encode())
        graph = created(call, "NNGraphApplyPasses", graph, len(passes), texts(*passes))

        def attribute(key):
            text, where = out(ctypes.c_char_p)
            there, where_there = out(ctypes.c_int)
            call("NNGraphGetJSONAttr", graph, key.encode(), where, where_there)
            return json.loads(text.value) if there.value else None

        return attribute

    return passed


def test_graphs_saved(call, network, passed):
    kind, value = passed(network, "SaveJSON")("json")
    assert kind == "str"
    assert value == text_of(call, "MXSymbolSaveToJSON", network)
    assert passed(network, "LoadJSON", "InferType", json=[kind, value])("dtype")[1] == [-1] * 5
    with pytest.raises(RuntimeError, match="LoadJSON: the graph has no attribute 'json'"):
        passed(network, "LoadJSON")
    with pytest.raises(RuntimeError, match="'json' of the graph must be a str"):
        passed(network, "LoadJSON", json=["list_int", [1]])
    with pytest.raises(RuntimeError, match="there is no pass 'SaveJASON'; did you mean"):
        passed(network, "SaveJASON")


def test_graphs_inferred(network, passed):
    attrs = {"shape_inputs": ["list_shape", [[5, 2]]], "dtype_inputs": ["list_int", [-1, 1]]}
    told = passed(network, "InferShape", "InferType", **attrs)
    shapes = [[5, 2], [3, 2], [3], [5, 3], [5, 3]]
    assert told("shape") == ["list_shape", shapes]
    assert told("shape_num_unknown_nodes") == ["size_t", 0]
    assert told("shape_inputs") is None
    assert told("dtype") == ["list_int", [1] * 5]
    nothing = passed(network, "InferType")
    assert nothing("dtype_num_unknown_nodes") == ["size_t", 5]


def test_graphs_with_too_many_inputs(network, passed):
    with pytest.raises(RuntimeError, match="tells of 4 inputs, and the graph has 3"):
        passed(network, "InferType", dtype_inputs=["list_int", [0] * 4])


def test_a_loop(call, atom, names):
    """The body comes first among what is composed."""
    x, s = (created(call, "MXSymbolCreateVariable", n) for n in (b"x", b"s"))
    body = atom("elemwise_add")
    call("MXSymbolCompose", body, b"sum", 2, None, handles(x, s))
    both = created(call, "MXSymbolCreateGroup", 2, handles(body, body))
    loop = atom(
        "_foreach", num_args=3, num_outputs=2, num_out_data=1, in_state_locs="(1,)",
        in_data_locs="(0,)", remain_locs="()",
    )  # fmt: skip
    data, state = (created(call, "MXSymbolCreateVariable", n) for n in (b"data", b"state"))
    call("MXSymbolCompose", loop, b"loop", 3, None, handles(both, data, state))
    assert names("MXSymbolListArguments", loop) == ["data", "state"]
    lists, complete = infer_shape(call, "MXSymbolInferShapeEx", loop, I32, UInt, UInt, I32,
                                  data=(4, 2), state=(2,))  # fmt: skip
    assert (lists[1], complete) == ([(4, 2), (2,)], 1)


def test_handles_of_python_symbols(names):
    symbol = mx.sym.relu(mx.sym.var("x"), name="r")
    assert names("MXSymbolListOutputs", symbol.handle) == ["r_output"]
    assert isinstance(symbol.handle, Handle)
