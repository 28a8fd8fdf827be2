# SPDX-License-Identifier: Apache-2.0
"""Extensions of Sphinx for this site: pages of the API, pages as plain text."""
