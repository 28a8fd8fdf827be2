# SPDX-License-Identifier: Apache-2.0
import colorsys

import numpy as np
import pytest
import torch

import mxnova.core.op.image.color
import mxnova.core.op.image.geometry
import mxnova.core.op.image.opencv
import mxnova.core.op.image.resize  # noqa: F401
from mxnova.core.base.errors import ArgumentError, MXNetError
from mxnova.core.base.shapes import UNKNOWN
from mxnova.core.op.schema import find
from tests.unit.op.samples import Sample

_ = UNKNOWN
BYTES = np.random.default_rng(1).integers(0, 256, (4, 6, 3)).astype("uint8")
FLOATS = BYTES.astype("float32")
GREY = np.array([0.299, 0.587, 0.114])


def fixed(factor):
    return {"min_factor": factor, "max_factor": factor}


def cut(x):
    """Numbers as pixels: within 0 and 255, without their fraction."""
    return np.clip(x, 0, 255).astype("uint8")


def turned(x, turn):
    """The hue turned, by the standard library's HLS."""
    out = np.zeros_like(x)
    for at in np.ndindex(*x.shape[:2]):
        h, lightness, saturation = colorsys.rgb_to_hls(*(x[at] / 255))
        out[at] = np.multiply(colorsys.hls_to_rgb((h + turn) % 1, lightness, saturation), 255)
    return out


def grey_blue(x, factor):
    """MXNet's saturation: the grey value is that of blue alone."""
    return x * factor + 0.114 * x[..., 2:] * (1 - factor)


def lit(x, alpha=(0.1, 0.2, -0.3)):
    vectors = [[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]]
    return x + np.array(vectors) @ (np.array([55.46, 4.794, 1.148]) * alpha)


def block_means(x):
    return x.reshape(2, 2, 3, 2, 3).mean((1, 3))


CROP = {"x": 1, "y": 2, "width": 3, "height": 2}
NORMAL = {"mean": "(0.5, 0.25, 0)", "std": "(0.5, 2, 1)"}
CHW = (3, 4, 5)


def normal(x):
    shape = (3, 1, 1)
    return (x - np.reshape([0.5, 0.25, 0], shape)) / np.reshape([0.5, 2, 1], shape)


def _linear(n, m):
    """Where each of `m` pixels lies among `n`, as rows of weights."""
    weights = np.zeros((m, n))
    for i in range(m):
        at = np.clip((i + 0.5) * n / m - 0.5, 0, n - 1)
        low = min(int(at), n - 2)
        weights[i, low : low + 2] = 1 - (at - low), at - low
    return weights


def linear(height, width):
    return lambda x: np.einsum(
        "iy,yxc,jx->ijc", _linear(x.shape[0], height), x, _linear(x.shape[1], width)
    )


# fmt: off
SAMPLES = [
    Sample("_image_crop", [(5, 6, 3)], CROP, lambda x: x[2:4, 1:4]),
    Sample("_image_crop", [(2, 5, 6, 3)], CROP, lambda x: x[:, 2:4, 1:4]),
    Sample("_image_flip_left_right", [(2, 3, 3)], {}, lambda x: x[:, ::-1]),
    Sample("_image_flip_top_bottom", [BYTES], {}, BYTES[::-1], gradient=False),
    Sample("_image_to_tensor", [BYTES], {}, BYTES.transpose(2, 0, 1) / 255.0, gradient=False),
    Sample("_image_to_tensor", [BYTES[None]], {}, BYTES[None].transpose(0, 3, 1, 2) / 255.0, gradient=False),
    Sample("_image_normalize", [CHW], NORMAL, normal),
    Sample("_image_normalize", [(2, *CHW)], {"mean": "(2,)", "std": "(0.5,)"}, lambda x: (x - 2) * 2),
    Sample("_image_normalize", [np.array([[[0, 100, 200]]], "uint8")], {"mean": "(1,)", "std": "(0.5,)"}, np.array([[[254, 198, 142]]]), gradient=False, note=" wraps"),
    Sample("_image_random_brightness", [FLOATS], fixed(1.5), lambda x: x * 1.5, gradient=False),
    Sample("_image_random_brightness", [BYTES], fixed(1.5), cut(FLOATS * 1.5), gradient=False),
    Sample("_image_random_contrast", [FLOATS], fixed(1.5), lambda x: x * 1.5 - (x @ GREY).mean() / 2, gradient=False),
    Sample("_image_random_contrast", [BYTES[..., :1]], fixed(0.5), cut(FLOATS[..., :1] / 2 + FLOATS[..., 0].mean() / 2), gradient=False),
    Sample("_image_random_saturation", [FLOATS], fixed(0.5), lambda x: grey_blue(x, 0.5), gradient=False),
    Sample("_image_random_saturation", [BYTES[..., :1]], fixed(0.5), BYTES[..., :1], gradient=False),
    Sample("_image_random_hue", [FLOATS], fixed(0.3), lambda x: turned(x, 0.3), gradient=False, tol=1e-3),
    Sample("_image_random_hue", [np.full((1, 2, 3), 77, "float32")], fixed(0.3), np.full((1, 2, 3), 77.0), gradient=False, note=" of grey"),
    Sample("_image_adjust_lighting", [FLOATS], {"alpha": "(0.1, 0.2, -0.3)"}, lit, gradient=False),
    Sample("_image_adjust_lighting", [BYTES], {"alpha": "(0.1, 0.2, -0.3)"}, cut(lit(FLOATS)), gradient=False),
    Sample("_image_resize", [BYTES], {"size": "(3, 2)", "interp": 0}, BYTES[::2, ::2], gradient=False),
    Sample("_image_resize", [FLOATS], {"size": "(3, 2)"}, block_means, gradient=False),
    Sample("_image_resize", [FLOATS], {"size": "(9, 5)"}, linear(5, 9), gradient=False),
    Sample("_image_resize", [FLOATS], {"size": "(3, 2)", "interp": 3}, block_means, gradient=False),
    Sample("_image_resize", [FLOATS[None]], {"size": "(6, 4)", "interp": 2}, FLOATS[None], gradient=False),
    Sample("_image_resize", [FLOATS[None]], {"size": "(6, 4)", "interp": 4}, FLOATS[None], gradient=False),
    Sample("_cvimresize", [BYTES], {"w": 3, "h": 2, "interp": 0}, BYTES[::2, ::2], gradient=False),
    Sample("_cvcopyMakeBorder", [BYTES], {"top": 1, "bot": 2, "left": 0, "right": 1, "value": 7}, np.pad(BYTES, [(1, 2), (0, 1), (0, 0)], constant_values=7), gradient=False),
    Sample("_cvcopyMakeBorder", [BYTES[..., :1]], {"top": 1, "bot": 1, "left": 1, "right": 1, "type": 1}, np.pad(BYTES[..., :1], [(1, 1), (1, 1), (0, 0)], mode="edge"), gradient=False),
]

INFERRED = [
    ("_image_crop", CROP, [(_, 5, 6, 3)], None, "[?,5,6,3] -> [?,2,3,3]"),
    ("_image_to_tensor", {}, [(_, 4, 5, 3)], None, "[?,4,5,3] -> [?,3,4,5]"),
    ("_image_resize", {"size": "(2, 3)"}, [(_, _, 3)], None, "[?,?,3] -> [3,2,3]"),
    ("_image_resize", {"size": 3, "keep_ratio": True}, [(6, 4, 3)], None, "[6,4,3] -> [4,3,3]"),
    ("_image_resize", {"size": 3, "keep_ratio": True}, [(3, 7, 1)], None, "[3,7,1] -> [3,7,1]"),
    ("_cvimdecode", {}, [(20,)], None, "[20] -> unknown"),
]
REFUSED = [
    ("_image_crop", {**CROP, "x": 4}, [(5, 6, 3)], "x=4, width=3: ", "[5,6,3]"),
    ("_image_crop", {**CROP, "height": 0}, [(5, 6, 3)], "y=2, height=0"),
    ("_image_flip_left_right", {}, [(2, 5, 6, 3)], "data has shape [2,5,6,3]: it must have 3"),
    ("_image_random_hue", fixed(0), [(5, 6, 2)], "data has shape [5,6,2]: it must have 1 or 3 channels"),
    ("_image_normalize", {}, [CHW], "mean=", "1 number, or one for each of the 3 channels"),
    ("_image_normalize", {"mean": "(0,)", "std": "(1, 1)"}, [CHW], "std="),
    ("_image_resize", {"size": "(0, 0)"}, [(4, 4, 3)], "size=(0, 0)"),
    ("_image_resize", {}, [(4, 4, 3)], "size=()"),
    ("_image_resize", {"size": 2, "interp": 9}, [(4, 4, 3)], "interp=9"),
    ("_image_adjust_lighting", {"alpha": "(1, 2)"}, [(4, 4, 3)], "alpha="),
    ("_cvcopyMakeBorder", {"top": -1, "bot": 0, "left": 0, "right": 0}, [(4, 4, 3)], "top=-1"),
    ("_cvimresize", {"w": 2, "h": 2}, [(4, 4)], "src has shape [4,4]"),
]
# fmt: on


def test_factors_are_not_negative():
    with pytest.raises(ArgumentError, match="min_factor='-1': must be >= 0"):
        find("_image_random_brightness").of({"min_factor": "-1", "max_factor": "1"})


@pytest.mark.parametrize("interp", range(6))
@pytest.mark.parametrize("size", [(3, 2), (9, 7), (5, 4), (4, 9)])
def test_resize_is_opencv_s(interp, size):
    cv2 = pytest.importorskip("cv2")
    op = find("_image_resize").of({"size": str(size), "interp": interp})
    ours = op.forward(torch.from_numpy(FLOATS)).numpy()
    np.testing.assert_allclose(ours, cv2.resize(FLOATS, size, interpolation=interp), atol=0.05)


# Randomness ---------------------------------------------------------------------------------------


def drawn(name, attrs, image, n=200):
    """`n` results of a random operator."""
    op, rng = find(name).of(attrs), torch.Generator().manual_seed(2)
    return [op.forward(torch.from_numpy(image), rng=rng).numpy() for _ in range(n)]


@pytest.mark.parametrize(
    "name, axis", [("_image_random_flip_left_right", 1), ("_image_random_flip_top_bottom", 0)]
)
def test_random_flips_are_one_of_two(name, axis):
    flipped = [np.array_equal(x, np.flip(BYTES, axis)) for x in drawn(name, {}, BYTES)]
    same = [np.array_equal(x, BYTES) for x in drawn(name, {}, BYTES)]
    assert [not f for f in flipped] == same
    assert 70 < sum(flipped) < 130


def test_the_factor_is_within_its_range():
    image = np.full((1, 1, 3), 100, "float32")
    attrs = {"min_factor": 0.5, "max_factor": 2}
    values = np.array([x[0, 0, 0] for x in drawn("_image_random_brightness", attrs, image)]) / 100
    assert 0.5 <= values.min() < 0.6
    assert 1.9 < values.max() <= 2


@pytest.mark.parametrize("bounds", [(1.5, 0.5), (0, 1e38), (float("inf"), 1), (0, float("nan"))])
def test_factors_of_any_size(bounds):
    attrs = dict(zip(("min_factor", "max_factor"), bounds))
    image = np.full((2, 2, 3), 100, "float32")
    found = find("_image_random_brightness").of(attrs).forward(torch.tensor(image), rng=None)
    assert 50 <= found.min() <= found.max() <= 150 or bounds != (1.5, 0.5)


def test_jitter_without_width_changes_nothing():
    attrs = {"brightness": 0, "contrast": 0, "saturation": 0, "hue": 0}
    (image,) = drawn("_image_random_color_jitter", attrs, BYTES, 1)
    np.testing.assert_array_equal(image, BYTES)


def test_jitter_of_brightness():
    image = np.full((1, 1, 3), 100, "float32")
    attrs = {"brightness": 0.5, "contrast": 0, "saturation": 0, "hue": 0}
    values = np.array([x[0, 0, 0] for x in drawn("_image_random_color_jitter", attrs, image)]) / 100
    assert 0.5 <= values.min() < 0.6
    assert 1.4 < values.max() <= 1.5


def test_random_lighting_moves_along_the_components():
    moves = np.array([x[0, 0] - FLOATS[0, 0] for x in drawn("_image_random_lighting", {}, FLOATS)])
    expected = np.abs(lit(np.zeros(3), (0.05, 0, 0)))  # by far the longest of the components
    np.testing.assert_allclose(moves.std(0), expected, rtol=0.2)


# Files --------------------------------------------------------------------------------------------


@pytest.fixture
def png(tmp_path):
    cv2 = pytest.importorskip("cv2")
    path = tmp_path / "image.png"
    path.write_bytes(cv2.imencode(".png", BYTES[..., ::-1])[1].tobytes())
    return path


def test_decode(png):
    data = torch.frombuffer(bytearray(png.read_bytes()), dtype=torch.uint8)
    decode = find("_cvimdecode")
    np.testing.assert_array_equal(decode.of({}).forward(data).numpy(), BYTES)
    np.testing.assert_array_equal(decode.of({"to_rgb": 0}).forward(data).numpy(), BYTES[..., ::-1])
    assert decode.of({"flag": 0}).forward(data).shape == (4, 6, 1)
    read = find("_cvimread").of({"filename": str(png)})
    np.testing.assert_array_equal(read.forward().numpy(), BYTES)


def test_what_is_no_image(tmp_path):
    decode = find("_cvimdecode").of({}).forward
    with pytest.raises(MXNetError, match="_cvimdecode: buf is empty"):
        decode(torch.zeros(0, dtype=torch.uint8))
    with pytest.raises(MXNetError, match="_cvimdecode: cannot decode image"):
        decode(torch.zeros(50, dtype=torch.uint8))
    with pytest.raises(MXNetError, match="nothing.png.*No such file"):
        find("_cvimread").of({"filename": str(tmp_path / "nothing.png")}).forward()


def test_opencv_s_errors_are_ours():
    op = find("_cvimresize").of({"w": 2, "h": 2, "interp": 99})
    with pytest.raises(MXNetError, match="_cvimresize: "):
        op.forward(torch.from_numpy(BYTES))
