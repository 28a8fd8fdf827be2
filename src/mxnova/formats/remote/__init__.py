# SPDX-License-Identifier: Apache-2.0
"""Files in stores that fsspec knows, such as S3, Google Cloud Storage, HTTP servers and HDFS.

`source`, `atomic` and `paths` come here with a path that is a URL; nothing is imported before.
"""
