# SPDX-License-Identifier: Apache-2.0
"""Training whose workers come and go: see docs/distributed.md.

Whoever starts the workers, `mxnova launch --min` or torchrun, starts all of them anew when some
have gone or come; `Training` goes on from the last checkpoint, with the records that are left.
"""

from .sampling import sampler
from .training import Training

__all__ = ["Training", "sampler"]
