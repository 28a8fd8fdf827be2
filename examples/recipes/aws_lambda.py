# SPDX-License-Identifier: Apache-2.0
"""AWS Lambda: a compiled model behind a function URL, without PyTorch.

The variable MODEL names the .mxnova file in the package or image of the function.
"""

import json
import os

from mxnova.predictor import Predictor

predictor = Predictor.load(os.environ["MODEL"])


def handler(event: dict, context: object) -> dict:
    rows = json.loads(event["body"])
    (scores,) = predictor.predict(data=rows)
    headers = {"Content-Type": "application/json"}
    return {"statusCode": 200, "headers": headers, "body": json.dumps(scores.tolist())}
