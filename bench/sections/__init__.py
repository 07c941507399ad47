# SPDX-License-Identifier: MIT
"""The parts of the benchmark. Each module has `measure(settings)`, which gives reports."""
