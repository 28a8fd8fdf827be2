# SPDX-License-Identifier: Apache-2.0
"""CPU kernels where ATen's are slow: functions of tensors, which know no operators.

`core.runtime.tuning` says from which size on each of them is used.
"""
