"""What listing the tools costs, told before anything is made."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from conftest import Run
from mcpgen import tokens
from test_exposure import document


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "zoo.json"
    path.write_text(json.dumps(document()), "utf-8")
    return path


def test_a_large_list_is_priced_in_each_mode(large: Path, mcpgen: Run) -> None:
    told = mcpgen("inspect", str(large), cwd=large.parent).stdout
    prices = [int(one) for one in re.findall(r" (\d+) tokens  ", told)]
    assert len(prices) == 1_000
    total = re.search(r"^1000 tools, about ([\d,]+) tokens to list them all", told, re.MULTILINE)
    assert total and int(total[1].replace(",", "")) == sum(prices)
    dearest = re.search(r"^the dearest: \S+ (\d+)", told, re.MULTILINE)
    assert dearest and int(dearest[1]) == max(prices)
    behind = re.search(r"--mode namespace ([\d,]+), --mode single (\d+), --mode search (\d+)", told)
    assert behind and all(int(one.replace(",", "")) < sum(prices) / 10 for one in behind.groups())


@pytest.mark.parametrize(("budget", "status"), [("1000000", 0), ("1000", 1)])
def test_a_list_beyond_the_budget_fails(budget: str, status: int, large: Path, mcpgen: Run) -> None:
    done = mcpgen("inspect", str(large), "--budget", budget, cwd=large.parent)
    assert done.returncode == status
    assert ("--mode single keeps to it" in done.stderr) is (status == 1)


def test_without_a_vocabulary_tokens_are_estimated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    counter = tokens.counter()
    assert (counter.count("größer"), counter.how) == (2, "4 bytes each")
