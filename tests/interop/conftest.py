# SPDX-License-Identifier: MIT
"""The command-line tool as a Python object; every other file of this folder gets it as the fixture `tool`."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest


class Tool:
    """Runs `zarrlite`; a failing run is an AssertionError that shows its message."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder

    def run(self, *arguments):
        command = [self.program, *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert result.returncode == 0, f"{' '.join(command)}\n{result.stderr}"
        return result.stdout

    def create(self, store, document):
        """An array like the one that the metadata document describes, by the tool's options."""
        arguments = [
            "create", store,
            "--shape", ",".join(map(str, document["shape"])),
            "--chunks", ",".join(map(str, document["chunk_grid"]["configuration"]["chunk_shape"])),
            "--dtype", document["data_type"],
            "--fill", json.dumps(document["fill_value"]),
            "--codec", json.dumps(document["codecs"]),
        ]  # fmt: skip
        if "dimension_names" in document:
            arguments += ["--dims", ",".join(document["dimension_names"])]
        self.run(*arguments)

    def put(self, array, values):
        file = self.folder / "put.npy"
        np.save(file, values)
        self.run("put", array, file)

    def get(self, array, *arguments):
        file = self.folder / "get.npy"
        self.run("get", array, "--format", "npy", "-o", file, *arguments)
        return np.load(file)


def _find_program():
    default = Path(__file__).parents[2] / "build" / "test" / "cli" / "zarrlite"
    program = Path(os.environ.get("ZARRLITE", default))
    if not program.is_file():
        pytest.exit(f"{program} is not there: run script/test, or set ZARRLITE to the tool's path", returncode=2)
    return str(program)


@pytest.fixture
def tool(tmp_path):
    return Tool(_find_program(), tmp_path)
