# SPDX-License-Identifier: Apache-2.0
"""Registries of classes by name: what makes an optimizer out of 'sgd'."""
