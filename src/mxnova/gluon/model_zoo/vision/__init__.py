# SPDX-License-Identifier: Apache-2.0
"""Networks for image classification.

Inputs are ``(n, 3, height, width)`` in RGB, normalized by mean (0.485, 0.456, 0.406) and standard
deviation (0.229, 0.224, 0.225); `features` of a network is all but its last layer, `output`.

Example::

    net = vision.get_model("resnet50_v1", classes=10)
    net = vision.mobilenet1_0(pretrained=True)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....core.base.doors import door, facade
from ....core.base.errors import ArgumentError, candidates
from ..model_store import _model_sha1
from . import alexnet as _alexnet
from . import densenet, inception, mobilenet, resnet, squeezenet, vgg
from .alexnet import *  # noqa: F403
from .densenet import *  # noqa: F403
from .inception import *  # noqa: F403
from .mobilenet import *  # noqa: F403
from .resnet import *  # noqa: F403
from .squeezenet import *  # noqa: F403
from .vgg import *  # noqa: F403

__all__ = [
    "get_model",
    *(
        name
        for m in (_alexnet, densenet, inception, mobilenet, resnet, squeezenet, vgg)
        for name in m.__all__
    ),
]

_SPELLED = {".": "_", "mobilenetv2": "mobilenet_v2", "inceptionv3": "inception_v3"}


def _function(name: str) -> Callable[..., Any]:
    """The function that makes model `name`, which spells it as a name in Python."""
    for written, spelled in _SPELLED.items():
        name = name.replace(written, spelled)
    function: Callable[..., Any] = globals()[name]
    return function


_MODELS = {name: _function(name) for name in _model_sha1}


@door
def get_model(
    name: str, **kwargs: Any
) -> (
    _alexnet.AlexNet
    | densenet.DenseNet
    | inception.Inception3
    | mobilenet.MobileNet
    | mobilenet.MobileNetV2
    | resnet.ResNetV1
    | resnet.ResNetV2
    | squeezenet.SqueezeNet
    | vgg.VGG
):
    """The network of that name.

    Args:
        name: such as 'resnet50_v1', 'mobilenetv2_0.5', 'vgg16_bn'; case does not matter.
        **kwargs: of the network's function: `pretrained`, `ctx`, `root`, `classes`, ...
    """
    make = _MODELS.get(name.lower())
    if make is None:
        raise ArgumentError(
            f"Model {name} is not supported{candidates(name, _MODELS) or '.'} Available options "
            f"are {', '.join(sorted(_MODELS))}"
        )
    return make(**kwargs)  # type: ignore[no-any-return]


facade(__name__)
