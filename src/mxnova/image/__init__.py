# SPDX-License-Identifier: Apache-2.0
"""Images: reading, resizing, cropping, augmentation."""
