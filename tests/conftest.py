# SPDX-License-Identifier: Apache-2.0
"""What all tests have in common."""

from hypothesis import HealthCheck, settings

# A machine that is busy is no mistake of what is tested.
settings.register_profile("mxnova", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("mxnova")
