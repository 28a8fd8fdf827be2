# SPDX-License-Identifier: Apache-2.0
import gzip
import json
import re
import zlib

import numpy as np
import pytest

pytest.importorskip("uvicorn")
X = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.float32)
INFER = "/v2/models/dense/infer"


def tensor(values=X, name="data", datatype="FP32", **changed):
    told = {"name": name, "shape": list(values.shape), "datatype": datatype}
    return {**told, "data": values.ravel().tolist(), **changed}


def binary(head, *parts):
    """Body and headers of a request with bytes behind the JSON object."""
    text = json.dumps(head).encode()
    return b"".join((text, *parts)), {"Inference-Header-Content-Length": str(len(text))}


def outputs_of(headers, body):
    """Arrays of a response, in either form."""
    size = int(headers.get("inference-header-content-length", len(body)))
    head, rest = json.loads(body[:size]), body[size:]
    arrays = {}
    for told in head["outputs"]:
        assert told["datatype"] == "FP32"
        n = told.get("parameters", {}).get("binary_data_size")
        flat = told["data"] if n is None else np.frombuffer(rest[:n], np.float32)
        rest = rest[n or 0 :]
        arrays[told["name"]] = np.array(flat, np.float32).reshape(told["shape"])
    assert not rest
    return arrays


def test_the_server_and_its_models_describe_themselves(client):
    status, told = client.json("GET", "/v2")
    assert (status, told["name"]) == (200, "mxnova")
    assert "binary_tensor_data" in told["extensions"]
    assert client.json("GET", "/v2/health/live") == (200, {"live": True})
    assert client.json("GET", "/v2/health/ready") == (200, {"ready": True})
    assert client.json("GET", "/v2/models/dense/ready")[0] == 200
    status, told = client.json("GET", "/v2/models/pair")
    assert told["inputs"] == [
        {"name": "left", "datatype": "FP32", "shape": [-1, 2]},
        {"name": "right", "datatype": "FP32", "shape": [-1, 2]},
    ]
    assert [o["name"] for o in told["outputs"]] == ["sum_output", "log_output"]
    assert client.json("GET", "/v2/models/dense/versions/1")[1]["versions"] == ["1"]
    assert client.json("POST", "/v2/repository/index")[1][0] == {
        "name": "dense", "version": "1", "state": "READY", "reason": "",
    }  # fmt: skip


@pytest.mark.parametrize("rows", [1, 2, 7, 20])
def test_any_size_of_a_batch_is_answered_as_by_the_predictor(client, predictors, rows):
    x = np.random.default_rng(rows).normal(size=(rows, 4)).astype("f")
    status, told = client.json("POST", INFER, {"id": "7", "inputs": [tensor(x)]})
    assert (status, told["id"], told["model_name"]) == (200, "7", "dense")
    (output,) = told["outputs"]
    assert output["shape"] == [rows, 3]
    found = np.array(output["data"], np.float32).reshape(rows, 3)
    np.testing.assert_allclose(found, predictors["dense"].predict(data=x)[0], rtol=1e-5)


def test_an_id_of_null_is_none(client):
    status, told = client.json("POST", INFER, {"id": None, "inputs": [tensor()], "outputs": None})
    assert status == 200
    assert "id" not in told


@pytest.mark.parametrize("asks", ["request", "output", "json"])
def test_bytes_go_in_and_out(client, predictors, asks):
    head = {"inputs": [{**tensor(), "parameters": {"binary_data_size": X.nbytes}}]}
    del head["inputs"][0]["data"]
    if asks == "request":
        head["parameters"] = {"binary_data_output": True}
    if asks == "output":
        head["outputs"] = [{"name": "softmax_output", "parameters": {"binary_data": True}}]
    body, headers = binary(head, X.tobytes())
    status, found, content = client("POST", INFER, body, **headers)
    assert status == 200
    assert ("inference-header-content-length" in found) == (asks != "json")
    wanted = predictors["dense"].predict(data=X)[0]
    np.testing.assert_allclose(outputs_of(found, content)["softmax_output"], wanted, rtol=1e-5)


def test_requests_with_the_same_json_part_have_their_own_bytes_and_errors(client, predictors):
    head = {"inputs": [tensor(parameters={"binary_data_size": X.nbytes})]}
    del head["inputs"][0]["data"]
    head["parameters"] = {"binary_data_output": True}
    for values in (X, X + 1, X):
        body, sent = binary(head, values.tobytes())
        status, headers, answer = client("POST", INFER, body, **sent)
        expected = predictors["dense"].predict(data=values)[0]
        assert status == 200
        np.testing.assert_array_equal(outputs_of(headers, answer)["softmax_output"], expected)
        client.refused(400, "POST", INFER, body[:-1], **sent)
    for id_ in ("first", "second"):
        body, sent = binary({**head, "id": id_}, X.tobytes())
        _, headers, answer = client("POST", INFER, body, **sent)
        size = int(headers["inference-header-content-length"])
        assert json.loads(answer[:size])["id"] == id_


def test_a_request_of_bytes_alone_is_for_the_only_input(client, predictors):
    raw = {"Inference_Header_Content_Length": "0"}
    status, found, content = client("POST", INFER, X.tobytes(), **raw)
    assert status == 200
    wanted = predictors["dense"].predict(data=X)[0]
    np.testing.assert_allclose(outputs_of(found, content)["softmax_output"], wanted, rtol=1e-5)
    sentence = client.refused(400, "POST", INFER, X.tobytes()[:-1], **raw)
    assert "has 31 bytes, and a row of 'data' 16" in sentence
    assert "expected [-1, 4]" in client.refused(400, "POST", INFER, b"", **raw)
    assert "one input" in client.refused(400, "POST", "/v2/models/pair/infer", b"1234", **raw)
    bomb = bytes(4 * 4096 + 16)
    assert "elements" in client.refused(413, "POST", INFER, bomb, **raw)


@pytest.mark.parametrize("shape", [(0,), (-1, 0)])
def test_bytes_alone_for_an_input_of_no_elements_are_refused(shape):
    from mxnova.serve.errors import Refused
    from mxnova.serve.loading import Tensor
    from mxnova.serve.v2 import _of_raw

    with pytest.raises(Refused, match="0 bytes, and a row of 'data' 0") as refused:
        _of_raw((Tensor("data", shape, np.dtype("f4")),), 0)
    assert refused.value.status == 400


@pytest.mark.parametrize("coding, encode", [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_bodies_may_be_compressed(client, coding, encode):
    body = encode(json.dumps({"inputs": [tensor()]}).encode())
    assert client("POST", INFER, body, Content_Encoding=coding)[0] == 200
    assert "cut off" in client.refused(400, "POST", INFER, body[:-9], Content_Encoding=coding)
    assert client.refused(400, "POST", INFER, b"no " * 9, Content_Encoding=coding)
    bomb = encode(bytes(1 << 22))
    assert "more than" in client.refused(413, "POST", INFER, bomb, Content_Encoding=coding)


def test_several_inputs_and_outputs_of_which_some_are_asked_for(client):
    one, two = np.float32([[3, 1]]), np.float32([[1, 1]])
    inputs = [tensor(two, "right"), tensor(one, "left")]
    body = {"inputs": inputs, "outputs": [{"name": "log_output"}, {"name": "sum_output"}]}
    status, told = client.json("POST", "/v2/models/pair/infer", body)
    assert status == 200
    assert [o["name"] for o in told["outputs"]] == ["log_output", "sum_output"]
    assert told["outputs"][0]["data"] == [pytest.approx(np.log(2)), "-Infinity"]
    assert told["outputs"][1]["data"] == [4, 2]


def test_element_types_are_converted_where_they_keep_their_meaning(client):
    for datatype, values in {"FP64": X, "FP16": X, "INT8": X.astype(int)}.items():
        body = {"inputs": [tensor(values, datatype=datatype)]}
        assert client("POST", INFER, body)[0] == 200


GOOD = {"inputs": [tensor()]}
BAD = [
    (b"", 400, "JSON"),
    (b"{", 400, "column"),
    (b"\xff", 400, "UTF-8"),
    (b"[]", 400, "no JSON object"),
    (b"[" * 1000, 400, "nest 1000 deep"),
    (b'{"inputs": 1, "inputs": 2}', 400, "twice"),
    (b'{"inputs": [' + b"9" * 9999 + b"]}", 400, "too large"),
    ({}, 400, "'inputs' must be a list"),
    ({"inputs": {}}, 400, "'inputs' must be a list"),
    ({"inputs": [7]}, 400, "'inputs' must be a list"),
    ({"inputs": []}, 400, "'data' of model 'dense' is missing"),
    ({"inputs": [tensor(name=7)]}, 400, "expected a string"),
    ({"inputs": [tensor(name="dta")]}, 400, "did you mean 'data'"),
    ({"inputs": [tensor(), tensor()]}, 400, "given twice"),
    ({"inputs": [tensor(datatype="BYTES")]}, 400, "BYTES"),
    ({"inputs": [tensor(shape=[2, 3])]}, 400, "8 elements, and its shape 6"),
    ({"inputs": [tensor(shape=[8])]}, 400, r"has shape \[8\], expected \[-1, 4\]"),
    ({"inputs": [tensor(shape=[0, 4], data=[])]}, 400, "no size of 0"),
    ({"inputs": [tensor(shape=[-2, -4])]}, 400, "expected a list of sizes"),
    ({"inputs": [tensor(shape=[2.0, 4])]}, 400, "expected a list of sizes"),
    ({"inputs": [tensor(shape=[True, 8])]}, 400, "expected a list of sizes"),
    ({"inputs": [tensor(shape=[1] * 33)]}, 400, "expected a list of sizes"),
    ({"inputs": [tensor(shape=[1 << 40, 1 << 40])]}, 413, "more than 4,096 elements"),
    ({"inputs": [tensor(datatype="BF16")]}, 400, "BF16 must be binary data"),
    ({**GOOD, "id": 7}, 400, "'id' is 7, expected a string"),
    ({"inputs": [tensor(parameters=[])]}, 400, "expected an object"),
    ({"inputs": [tensor(parameters={"binary_data_size": 32})]}, 400, "0 bytes are left"),
    ({"inputs": [tensor(parameters={"binary_data_size": -1})]}, 400, "bytes are left"),
    ({**GOOD, "parameters": {"binary_data_output": 1}}, 400, "expected a boolean"),
    ({**GOOD, "outputs": [{"name": "softmax"}]}, 400, "did you mean 'softmax_output'"),
    ({**GOOD, "outputs": [{"name": "softmax_output", "parameters": {"classification": 3}}]}, 400, "classification"),
]  # fmt: skip


@pytest.mark.parametrize("body, status, reason", BAD)
def test_bad_requests_are_refused_with_a_sentence(client, body, status, reason):
    sentence = client.refused(status, "POST", INFER, body)
    assert re.search(reason, sentence), sentence


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_lacks_are_refused_and_their_words_are_taken(client, word):
    text = json.dumps({"inputs": [tensor(X[:1], data=[1, 2, 3, "WORD"])]})
    assert "binary data" in client.refused(400, "POST", INFER, text.replace('"WORD"', word))
    assert client("POST", INFER, text.replace("WORD", word))[0] == 200


def test_the_length_of_the_json_part_must_be_true(client):
    head = {"inputs": [{**tensor(), "parameters": {"binary_data_size": X.nbytes}}]}
    body, headers = binary(head, X.tobytes())
    for text in ("-1", "x", "9" * 30, str(len(body) + 1)):
        headers["Inference-Header-Content-Length"] = text
        assert "the body has" in client.refused(400, "POST", INFER, body, **headers)
    body, headers = binary(head, X.tobytes() + b"more")
    assert "4 bytes stand behind" in client.refused(400, "POST", INFER, body, **headers)


def test_inputs_must_agree_about_the_batch(client):
    inputs = [tensor(X[:, :2], "left"), tensor(X[:1, :2], "right")]
    sentence = client.refused(400, "POST", "/v2/models/pair/infer", {"inputs": inputs})
    assert "disagree" in sentence


def test_models_and_versions_that_are_not_there(client):
    assert "loaded are: dense" in client.refused(404, "GET", "/v2/models/other")
    assert client.refused(404, "POST", "/v2/models/other/infer", GOOD)
    version = "/v2/models/dense/versions/2"
    assert "no version" in client.refused(404, "POST", f"{version}/infer", GOOD)
    assert "no version" in client.refused(404, "GET", version)
    assert "no version" in client.refused(404, "GET", f"{version}/ready")


def test_models_are_unloaded_and_loaded_again(client):
    act = "/v2/repository/models/pair"
    assert client.json("POST", f"{act}/unload")[0] == 200
    assert client.refused(404, "GET", "/v2/models/pair")
    index = client.json("POST", "/v2/repository/index")[1]
    assert {"name": "pair", "state": "UNAVAILABLE", "reason": "unloaded"} in index
    assert "pair" not in str(client.json("POST", "/v2/repository/index", {"ready": True})[1])
    assert client.json("POST", f"{act}/load")[0] == 200
    assert client.json("GET", "/v2/models/pair")[0] == 200
    assert "--model-root" in client.refused(403, "POST", "/v2/repository/models/other/load")
    assert "parameters" in client.refused(
        400, "POST", f"{act}/load", {"parameters": {"config": ""}}
    )
    assert client.refused(404, "POST", "/v2/repository/models/other/unload")
