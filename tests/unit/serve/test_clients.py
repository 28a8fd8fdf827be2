# SPDX-License-Identifier: Apache-2.0
"""Clients of the Open Inference Protocol, unmodified, where they are installed."""

import asyncio

import numpy as np
import pytest

pytest.importorskip("uvicorn")
pytestmark = pytest.mark.filterwarnings("default")

RNG = np.random.default_rng(5)
INPUTS = {
    "dense": {"data": RNG.normal(size=(3, 4)).astype("f")},
    "image": {"data": RNG.normal(size=(2, 3, 8, 8)).astype("f")},
    "pair": {"left": np.float32([[3, 2]]), "right": np.float32([[1, 2]])},
}
each_model = pytest.mark.parametrize("model", INPUTS)
each_form = pytest.mark.parametrize("binary", [False, True], ids=["json", "binary"])


@pytest.fixture
def wanted(model, predictors):
    predictor = predictors[model]
    outputs = predictor.predict(**INPUTS[model])
    return dict(zip(predictor.output_names, outputs))


def test_triton_lists_loads_and_unloads(client):
    triton = pytest.importorskip("tritonclient.http")
    server = triton.InferenceServerClient(f"127.0.0.1:{client.port}")
    assert server.is_server_live()
    assert server.is_server_ready()
    assert server.get_server_metadata()["name"] == "mxnova"
    assert {row["name"] for row in server.get_model_repository_index()} == set(INPUTS)
    server.unload_model("pair")
    assert not server.is_model_ready("pair")
    server.load_model("pair")
    assert server.is_model_ready("pair")
    server.close()


@each_model
@each_form
@pytest.mark.parametrize("coding", [None, "gzip", "deflate"])
def test_triton_infers(client, model, binary, coding, wanted):
    triton = pytest.importorskip("tritonclient.http")
    server = triton.InferenceServerClient(f"127.0.0.1:{client.port}")
    metadata = server.get_model_metadata(model)
    inputs = []
    for told in metadata["inputs"]:
        values = INPUTS[model][told["name"]]
        inputs.append(triton.InferInput(told["name"], values.shape, told["datatype"]))
        inputs[-1].set_data_from_numpy(values, binary_data=binary)
    outputs = [
        triton.InferRequestedOutput(o["name"], binary_data=binary) for o in metadata["outputs"]
    ]
    found = server.infer(
        model, inputs, outputs=outputs, request_id="9", request_compression_algorithm=coding
    )
    assert found.get_response()["id"] == "9"
    for name, values in wanted.items():
        np.testing.assert_allclose(found.as_numpy(name), values, rtol=1e-5)
    with pytest.raises(Exception, match="400.*missing"):
        server.infer(model, [])
    server.close()


@each_model
@each_form
def test_kserve_infers(client, model, binary, wanted):
    kserve = pytest.importorskip("kserve")
    from kserve.protocol.infer_type import RequestedOutput

    base = f"http://127.0.0.1:{client.port}"
    inputs = []
    for name, values in INPUTS[model].items():
        inputs.append(kserve.InferInput(name, list(values.shape), "FP32"))
        inputs[-1].set_data_from_numpy(values, binary_data=binary)
    outputs = [RequestedOutput(name, {"binary_data": binary}) for name in wanted]
    request = kserve.InferRequest(model, inputs, request_outputs=outputs)

    async def ask():
        server = kserve.InferenceRESTClient(kserve.RESTConfig(protocol="v2"))
        try:
            assert await server.is_server_live(base)
            assert await server.is_server_ready(base)
            assert await server.is_model_ready(base, model)
            return await server.infer(base, request, model_name=model)
        finally:
            await server.close()

    found = {output.name: output.as_numpy() for output in asyncio.run(ask()).outputs}
    for name, values in wanted.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-5)
