"""The runtime's own tests, against the copy in a generated package."""

from __future__ import annotations

import os
import subprocess
import sys

from examples import EXAMPLES, ROOT


def test_the_copy_in_a_package_passes_the_tests_of_the_runtime() -> None:
    example = EXAMPLES[0]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/runtime"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={
            **os.environ,
            "MCPGEN_RUNTIME": f"{example.package}._runtime",
            "PYTHONPATH": str(example.directory),
        },
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert f"the runtime that was tested is {example.package}._runtime.session" in done.stdout
