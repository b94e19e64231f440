"""Writing packages: what is kept, merged, refused, and what a run that is killed leaves."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgen import journal
from mcpgen import write as writing
from mcpgen.diagnostics import Diagnostics
from mcpgen.files import Files, GeneratedFile, Owner
from mcpgen.report import Report

HANDLER = "shop/tools/pet.py"
OLD_TEXT = """\
class Pet:
    def list(self):
        return 1

    def find(self):
        return 0

    def get(self):
        return 2
"""
NEW_TEXT = OLD_TEXT.replace("return 2", "return 3").replace(
    "class Pet:\n", "class Pet:\n    def new(self):\n        return 4\n\n"
)


def package(**changes: str | None) -> Files:
    """A small package; `changes` by the last part of the path."""
    texts: dict[str, str | None] = {
        "README.md": "# Shop\n",
        "shop/__init__.py": "",
        HANDLER: OLD_TEXT,
        "shop/tools/store.py": "class Store: ...\n",
        ".mcpgen/record.json": '{"tools": []}\n',
    }
    for path in list(texts):
        name = Path(path).stem
        if name in changes:
            texts[path] = changes[name]
    files = {path: GeneratedFile(text) for path, text in texts.items() if text is not None}
    files["shop/custom/__init__.py"] = GeneratedFile("# yours\n", Owner.PERSON)
    return files


def run(files: Files, directory: Path, *, force: bool = False) -> Report:
    """A run without complaint."""
    report, complaints = try_run(files, directory, force=force)
    assert complaints == []
    return report


def try_run(files: Files, directory: Path, *, force: bool = False) -> tuple[Report, list[str]]:
    diagnostics = Diagnostics()
    report = writing.write(files, directory, force=force, diagnostics=diagnostics)
    return report, [str(one).replace(f"{directory}", "DIR") for one in diagnostics]


def tree(directory: Path) -> dict[str, bytes]:
    files = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A package as the first run leaves it."""
    directory = tmp_path / "shop-mcp"
    run(package(), directory)
    return directory


def test_a_new_package_holds_every_file(tmp_path: Path) -> None:
    directory = tmp_path / "deep" / "shop-mcp"
    report = run(package(), directory)
    assert report.is_new and report.changed
    assert report.summary() == "5 files created"
    found = tree(directory)
    assert {path: found[path].decode() for path in package()} == {
        path: file.text for path, file in package().items()
    }


def test_a_second_run_touches_nothing(shop: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in shop.rglob("*")}
    report = run(package(), shop)
    assert not report.changed and report.summary() == "nothing to do"
    assert {path: path.stat().st_mtime_ns for path in shop.rglob("*")} == before


def test_a_run_that_changes_nothing_but_its_notes_says_so(shop: Path) -> None:
    diagnostics = Diagnostics()
    report = writing.compare(
        package(), shop, force=False, diagnostics=diagnostics, source_hash="another"
    )
    assert report.changed and report.summary() == "only the notes in .mcpgen change"


def test_the_same_files_give_the_same_bytes_everywhere(shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    run(package(pet=NEW_TEXT), other)
    run(package(), other)
    assert tree(other) == tree(shop)


def test_an_unedited_file_follows(shop: Path) -> None:
    report = run(package(pet=NEW_TEXT), shop)
    assert report.updated == (HANDLER,)
    assert (shop / HANDLER).read_text() == NEW_TEXT


def test_an_edit_survives_a_change_elsewhere_in_the_file(shop: Path) -> None:
    edit(shop / HANDLER, "return 1", "return mine()")
    report = run(package(pet=NEW_TEXT), shop)
    assert report.merged == (HANDLER,)
    assert (shop / HANDLER).read_text() == NEW_TEXT.replace("return 1", "return mine()")
    assert not run(package(pet=NEW_TEXT), shop).changed


def test_a_conflict_leaves_the_file_and_puts_the_new_text_beside(shop: Path) -> None:
    edit(shop / HANDLER, "return 2", "return mine()")
    mine = (shop / HANDLER).read_text()
    report, complaints = try_run(package(pet=NEW_TEXT, README="# Shop 2\n"), shop)
    assert complaints == [
        f"DIR/{HANDLER}:9:1: error[conflict]: your edit of line 9 does not go together with what mcpgen changes there\n"
        f"    hint: the new text is in {HANDLER}.new: put both together in your file and delete that one;"
        " or run with --force"
    ]
    assert report.conflicts == (HANDLER,)
    assert (shop / HANDLER).read_text() == mine
    assert (shop / f"{HANDLER}.new").read_text() == NEW_TEXT
    assert (shop / "README.md").read_text() == "# Shop 2\n"


@pytest.fixture
def torn(shop: Path) -> Path:
    """A package with a conflict."""
    edit(shop / HANDLER, "return 2", "return mine()")
    try_run(package(pet=NEW_TEXT), shop)
    return shop


def test_a_conflict_nobody_mended_is_told_again_and_changes_nothing(torn: Path) -> None:
    before = tree(torn)
    report, complaints = try_run(package(pet=NEW_TEXT), torn)
    assert len(complaints) == 1 and not report.changed
    assert tree(torn) == before


def test_an_edit_elsewhere_does_not_mend_a_conflict(torn: Path) -> None:
    edit(torn / HANDLER, "class Pet:", "import mine\n\n\nclass Pet:")
    complaints = try_run(package(pet=NEW_TEXT), torn)[1]
    assert [one.splitlines()[0] for one in complaints] == [
        f"DIR/{HANDLER}:12:1: error[conflict]: your edit of line 12 does not go together with what mcpgen changes there"
    ]


def test_a_conflict_mended_by_hand_is_over(torn: Path) -> None:
    edit(torn / HANDLER, "return mine()", "return mine(3)")
    run(package(pet=NEW_TEXT), torn)
    assert (torn / HANDLER).read_text() == NEW_TEXT.replace("return 3", "return mine(3)")
    assert not (torn / f"{HANDLER}.new").exists()
    assert not [path for path in tree(torn) if "conflict" in path]
    assert not run(package(pet=NEW_TEXT), torn).changed


def test_taking_the_new_text_mends_a_conflict(torn: Path) -> None:
    (torn / f"{HANDLER}.new").replace(torn / HANDLER)
    run(package(pet=NEW_TEXT), torn)
    assert (torn / HANDLER).read_text() == NEW_TEXT


def test_deleting_the_new_text_keeps_your_lines(torn: Path) -> None:
    (torn / f"{HANDLER}.new").unlink()
    run(package(pet=NEW_TEXT), torn)
    assert (torn / HANDLER).read_text() == NEW_TEXT.replace("return 3", "return mine()")
    assert not run(package(pet=NEW_TEXT), torn).changed


def test_a_mended_file_takes_part_in_the_next_merge(torn: Path) -> None:
    edit(torn / HANDLER, "return mine()", "return mine(3)")
    newer = NEW_TEXT.replace("return 1", "return 10")
    run(package(pet=newer), torn)
    assert (torn / HANDLER).read_text() == newer.replace("return 3", "return mine(3)")


def test_a_conflict_goes_when_the_change_is_taken_back(torn: Path) -> None:
    run(package(), torn)
    assert (torn / HANDLER).read_text() == OLD_TEXT.replace("return 2", "return mine()")
    assert not (torn / f"{HANDLER}.new").exists()


def test_force_takes_the_new_text_and_keeps_the_old(shop: Path) -> None:
    edit(shop / HANDLER, "return 2", "return mine()")
    report = run(package(pet=NEW_TEXT), shop, force=True)
    assert report.updated == (HANDLER,) and report.originals == (f"{HANDLER}.orig",)
    assert (shop / HANDLER).read_text() == NEW_TEXT
    assert (shop / f"{HANDLER}.orig").read_text() == OLD_TEXT.replace("return 2", "return mine()")
    assert not run(package(pet=NEW_TEXT), shop).changed


def test_force_ends_an_open_conflict(torn: Path) -> None:
    run(package(pet=NEW_TEXT), torn, force=True)
    assert (torn / HANDLER).read_text() == NEW_TEXT
    assert (torn / f"{HANDLER}.orig").exists() and not (torn / f"{HANDLER}.new").exists()


def test_force_still_merges_what_can_be_merged(shop: Path) -> None:
    edit(shop / HANDLER, "return 1", "return mine()")
    assert run(package(pet=NEW_TEXT), shop, force=True).merged == (HANDLER,)


def test_no_earlier_file_beside_is_overwritten(shop: Path) -> None:
    edit(shop / HANDLER, "return 2", "return mine()")
    for suffix in (".new", ".orig"):
        (shop / f"{HANDLER}{suffix}").write_text("a person's\n")
    try_run(package(pet=NEW_TEXT), shop)
    run(package(pet=NEW_TEXT), shop, force=True)
    texts = {path.read_text() for path in (shop / HANDLER).parent.glob("pet.py.*")}
    assert texts == {"a person's\n", OLD_TEXT.replace("return 2", "return mine()")}


def test_a_persons_files_are_made_once(shop: Path) -> None:
    custom = shop / "shop/custom/__init__.py"
    custom.write_text("mine\n")
    run({**package(), "shop/custom/__init__.py": GeneratedFile("v2\n", Owner.PERSON)}, shop)
    assert custom.read_text() == "mine\n"


def test_a_deleted_file_is_made_again(shop: Path) -> None:
    (shop / HANDLER).unlink()
    assert run(package(), shop).created == (HANDLER,)


def test_a_file_no_longer_made_goes_with_its_folder(shop: Path) -> None:
    cache = shop / "shop/tools/__pycache__"
    cache.mkdir()
    (cache / "pet.cpython-311.pyc").write_bytes(b"x")
    report = run(package(pet=None, store=None), shop)
    assert report.removed == (HANDLER, "shop/tools/store.py")
    assert not (shop / "shop/tools").exists() and (shop / "shop/__init__.py").exists()
    assert not (shop / ".mcpgen/pristine" / HANDLER).exists()


def test_a_file_no_longer_made_stays_where_it_was_edited(shop: Path) -> None:
    edit(shop / HANDLER, "return 2", "return mine()")
    for _ in range(2):
        report, complaints = try_run(package(pet=None), shop)
        assert report.kept == (HANDLER,)
        assert complaints == [
            f"DIR/{HANDLER}: warning[edited-leftover]: mcpgen no longer makes this file, but it was edited, so it stays\n"
            "    hint: delete it, or move what is needed to custom/"
        ]
    assert "mine()" in (shop / HANDLER).read_text()
    assert run(package(pet=NEW_TEXT.replace("return 3", "return 2")), shop).merged == (HANDLER,)


def test_a_new_file_does_not_overwrite_one_of_a_persons_own(shop: Path) -> None:
    (shop / "shop/tools/user.py").write_text("mine\n")
    report, complaints = try_run({**package(), "shop/tools/user.py": GeneratedFile("new\n")}, shop)
    assert report.conflicts == ("shop/tools/user.py",) and len(complaints) == 1
    assert (shop / "shop/tools/user.py").read_text() == "mine\n"


def test_a_folder_of_somebody_elses_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine\n")
    report, complaints = try_run(package(), tmp_path)
    assert complaints == [
        "DIR: error[folder-taken]: the folder is not empty and holds no package of mcpgen; nothing was written\n"
        "    hint: choose another folder with --output"
    ]
    assert tree(tmp_path) == {"notes.txt": b"mine\n"} and not report.changed


def test_a_folder_with_only_hidden_entries_is_fine(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("ref\n")
    assert run(package(), tmp_path).is_new


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    assert try_run(package(), tmp_path / "x")[1] == [
        "DIR: error[not-a-folder]: this is a file, not a folder"
    ]


def test_a_package_that_lost_its_notes_overwrites_nothing(shop: Path) -> None:
    shutil.rmtree(shop / ".mcpgen")
    (shop / "mcpgen.yaml").write_text("source: x\n")
    edit(shop / HANDLER, "return 2", "return mine()")
    report, complaints = try_run(package(pet=NEW_TEXT), shop)
    assert report.conflicts == (HANDLER,) and len(complaints) == 1
    assert "README.md" in report.unchanged
    assert "mine()" in (shop / HANDLER).read_text()


def test_without_pristine_texts_an_unedited_file_still_follows(shop: Path) -> None:
    shutil.rmtree(shop / ".mcpgen/pristine")
    assert run(package(pet=NEW_TEXT), shop).updated == (HANDLER,)


def test_a_windows_checkout_is_no_edit(shop: Path) -> None:
    for path in shop.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    before = tree(shop)
    assert not run(package(), shop).changed
    assert tree(shop) == before
    edit(shop / HANDLER, "return 1", "return mine()")
    run(package(pet=NEW_TEXT), shop)
    wanted = NEW_TEXT.replace("return 1", "return mine()").replace("\n", "\r\n")
    assert (shop / HANDLER).read_bytes() == wanted.encode()


def test_a_byte_order_mark_stays_and_is_no_edit(shop: Path) -> None:
    (shop / HANDLER).write_bytes(b"\xef\xbb\xbf" + OLD_TEXT.encode())
    assert run(package(pet=NEW_TEXT), shop).updated == (HANDLER,)
    assert (shop / HANDLER).read_bytes() == b"\xef\xbb\xbf" + NEW_TEXT.encode()


def test_a_file_that_is_no_text_any_more_is_a_conflict(shop: Path) -> None:
    (shop / HANDLER).write_bytes(b"\xff\xfe\x00")
    report, complaints = try_run(package(), shop)
    assert report.conflicts == (HANDLER,)
    assert "not UTF-8" in complaints[0]
    (shop / HANDLER).write_text(OLD_TEXT)
    run(package(), shop)
    assert not (shop / f"{HANDLER}.new").exists()


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_the_mode_of_a_file_is_kept(shop: Path) -> None:
    (shop / HANDLER).chmod(0o755)
    run(package(pet=NEW_TEXT), shop)
    assert (shop / HANDLER).stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("link", ["shop/tools", HANDLER, ".mcpgen"])
def test_no_symlink_is_followed_out_of_the_package(tmp_path: Path, shop: Path, link: str) -> None:
    outside = tmp_path / "outside"
    shutil.move(shop / link, outside)
    (shop / link).symlink_to(outside)
    before = tree(outside) if outside.is_dir() else outside.read_bytes()
    complaints = try_run(package(pet=NEW_TEXT, README="2\n"), shop)[1]
    assert "error[outside-package]" in complaints[0] and "by a symbolic link" in complaints[0]
    assert (tree(outside) if outside.is_dir() else outside.read_bytes()) == before
    assert (shop / "README.md").read_text() == "# Shop\n"


def test_a_person_may_link_their_own_files_elsewhere(tmp_path: Path, shop: Path) -> None:
    shutil.move(shop / "shop/custom", tmp_path / "mine")
    (shop / "shop/custom").symlink_to(tmp_path / "mine")
    run(package(pet=NEW_TEXT), shop)


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "a\\..\\x", "", "a/./b"])
def test_a_plan_cannot_leave_the_package(tmp_path: Path, path: str) -> None:
    directory = tmp_path / "p"
    complaints = try_run({**package(), path: GeneratedFile("x")}, directory)[1]
    assert "is not a path within a package; nothing was written" in complaints[0]
    assert not directory.exists()


def test_a_lock_that_names_files_outside_is_refused(tmp_path: Path, shop: Path) -> None:
    lock = shop / ".mcpgen/lock.json"
    lock.write_text(lock.read_text().replace('"README.md"', '"../precious"'))
    (tmp_path / "precious").write_text("# Shop\n")
    assert "error[outside-package]" in try_run(package(), shop)[1][0]
    assert (tmp_path / "precious").exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": 3}', '{"conflicts": {"a": 1}}', "\x00"])
def test_a_broken_lock_is_mended(shop: Path, text: str) -> None:
    good = tree(shop)
    (shop / ".mcpgen/lock.json").write_text(text)
    run(package(), shop)
    assert tree(shop) == good


def test_compare_decides_the_same_and_touches_nothing(shop: Path) -> None:
    edit(shop / HANDLER, "return 1", "return mine()")
    before = tree(shop)
    diagnostics = Diagnostics()
    files = package(pet=NEW_TEXT, store=None, README="# Shop 2")
    report = writing.compare(files, shop, force=False, diagnostics=diagnostics)
    assert tree(shop) == before and diagnostics.found == []
    assert report == run(files, shop)
    assert "".join(report.diffs) == DIFF


DIFF = """\
--- a/README.md
+++ b/README.md
@@ -1 +1 @@
-# Shop
+# Shop 2
\\ No newline at end of file
--- a/shop/tools/pet.py
+++ b/shop/tools/pet.py
@@ -1,4 +1,7 @@
 class Pet:
+    def new(self):
+        return 4
+
     def list(self):
         return mine()
 
@@ -6,4 +9,4 @@
         return 0
 
     def get(self):
-        return 2
+        return 3
--- a/shop/tools/store.py
+++ /dev/null
@@ -1 +0,0 @@
-class Store: ...
"""


def test_a_disk_that_refuses_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    complaints = try_run(package(), tmp_path / "file" / "shop-mcp")[1]
    assert len(complaints) == 1 and "error[cannot-write]: Not a directory" in complaints[0]


class Killed(BaseException):
    """Nothing in our code catches it, so the disk stays as a killed process leaves it."""


def killer(at: int) -> Callable[[], None]:
    steps = iter(range(at))

    def step() -> None:
        if next(steps, None) is None:
            raise Killed

    return step


def kill_at_each_step(files: Files, before: Path, work: Path) -> Iterator[Path]:
    """The package as a run leaves it that ends at its first touch of the disk, at its second, and so on."""
    for at in range(10_000):
        shutil.rmtree(work, ignore_errors=True)
        if before.exists():
            shutil.copytree(before, work)
        try:
            writing.write(files, work, force=False, diagnostics=Diagnostics(), step=killer(at))
        except Killed:
            yield work
        else:
            assert at > 15
            return


def seen(directory: Path) -> Mapping[str, bytes]:
    """Everything but what is only prepared."""
    return {
        path: text for path, text in tree(directory).items() if not path.startswith(".mcpgen/next/")
    }


NEXT = package(pet=NEW_TEXT, store=None, README="# Shop 2\n", record='{"tools": [1]}\n')


def test_a_run_killed_at_any_step_leaves_the_old_package_or_the_new(
    shop: Path, tmp_path: Path
) -> None:
    edit(shop / HANDLER, "return 1", "return mine()")
    old = tree(shop)
    shutil.copytree(shop, tmp_path / "new")
    run(NEXT, tmp_path / "new")
    new = tree(tmp_path / "new")
    outcomes = []
    for work in kill_at_each_step(NEXT, shop, tmp_path / "work"):
        writing.recover(work, Diagnostics())
        assert tree(work) in (old, new)
        outcomes.append(tree(work) == new)
    assert outcomes == sorted(outcomes) and {*outcomes} == {False, True}


def add(directory: Path, section: str, step: Callable[[], None] = lambda: None) -> list[str]:
    """A run that changes the package and adds a section to its change log."""
    diagnostics = Diagnostics()
    additions = {"CHANGELOG.md": section}
    writing.write(
        NEXT, directory, force=False, diagnostics=diagnostics, additions=additions, step=step
    )
    return list(map(str, diagnostics))


def test_a_section_is_added_once_to_a_file_of_a_persons(shop: Path) -> None:
    log = shop / "CHANGELOG.md"
    assert add(shop, "## One\n\n- a\n") == []
    assert log.read_text() == "# Changes\n\n## One\n\n- a\n"
    log.write_bytes(b"# Ours\r\n\r\n## One\r\n\r\n- a\r\n")
    assert add(shop, "## One\n\n- a\n") == []
    assert log.read_bytes() == b"# Ours\r\n\r\n## One\r\n\r\n- a\r\n"
    assert add(shop, "## Two\n") == []
    assert log.read_bytes() == b"# Ours\r\n\r\n## One\r\n\r\n- a\r\n\r\n## Two\r\n"
    run(NEXT, shop)
    assert log.exists()


def test_a_section_is_not_added_to_what_is_no_text(shop: Path) -> None:
    (shop / "CHANGELOG.md").write_bytes(b"\xff\xfe")
    assert add(shop, "## One\n") == [
        f"{shop / 'CHANGELOG.md'}: warning[not-text]: this is not UTF-8 text, so nothing was added to it"
    ]
    assert (shop / "CHANGELOG.md").read_bytes() == b"\xff\xfe"


def test_a_section_is_there_where_the_package_is_new_and_nowhere_else(
    shop: Path, tmp_path: Path
) -> None:
    old, work = tree(shop), tmp_path / "work"
    shutil.copytree(shop, tmp_path / "new")
    add(tmp_path / "new", "## One\n")
    for at in range(10_000):
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(shop, work)
        try:
            add(work, "## One\n", killer(at))
        except Killed:
            writing.recover(work, Diagnostics())
            assert tree(work) in (old, tree(tmp_path / "new"))
        else:
            return


def test_a_first_run_killed_at_any_step_is_made_good_by_the_next(tmp_path: Path) -> None:
    run(package(), tmp_path / "new")
    for work in kill_at_each_step(package(), tmp_path / "nothing", tmp_path / "work"):
        if not journal.pending(work):
            assert seen(work) in ({}, tree(tmp_path / "new"))
        run(package(), work)
        assert tree(work) == tree(tmp_path / "new")


def test_a_recovery_may_be_killed_too(shop: Path, tmp_path: Path) -> None:
    shutil.copytree(shop, tmp_path / "new")
    run(NEXT, tmp_path / "new")
    half = tmp_path / "half"
    for number, work in enumerate(kill_at_each_step(NEXT, shop, tmp_path / "work")):
        if not journal.pending(work) or number % 3:
            continue
        for at in range(10_000):
            shutil.rmtree(half, ignore_errors=True)
            shutil.copytree(work, half)
            try:
                journal.finish(half, step=killer(at))
            except Killed:
                run(NEXT, half)
                assert tree(half) == tree(tmp_path / "new")
            else:
                break


def test_an_edit_between_a_kill_and_the_next_run_is_kept(shop: Path, tmp_path: Path) -> None:
    for work in kill_at_each_step(NEXT, shop, tmp_path / "work"):
        with (work / HANDLER).open("a") as file:
            file.write("# mine\n")
        complaints = try_run(NEXT, work)[1]
        text = (work / HANDLER).read_text()
        assert "# mine\n" in text
        assert complaints or text == NEW_TEXT + "# mine\n"


def test_compare_does_not_judge_a_half_written_package(shop: Path, tmp_path: Path) -> None:
    for work in kill_at_each_step(NEXT, shop, tmp_path / "work"):
        if journal.pending(work):
            diagnostics = Diagnostics()
            before = tree(work)
            writing.compare(NEXT, work, force=False, diagnostics=diagnostics)
            assert [one.code for one in diagnostics] == ["interrupted"]
            assert tree(work) == before


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
def test_a_process_killed_for_good_at_any_step_leaves_no_mix(shop: Path, tmp_path: Path) -> None:
    old, work = tree(shop), tmp_path / "work"
    shutil.copytree(shop, tmp_path / "new")
    run(NEXT, tmp_path / "new")
    new = tree(tmp_path / "new")
    outcomes: list[bool] = []
    while True:
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(shop, work)
        child = os.fork()
        if not child:
            steps = iter(range(len(outcomes)))

            def step() -> None:
                if next(steps, None) is None:
                    os.kill(os.getpid(), signal.SIGKILL)

            writing.write(NEXT, work, force=False, diagnostics=Diagnostics(), step=step)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if os.WIFEXITED(status):
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
        writing.recover(work, Diagnostics())
        assert tree(work) in (old, new)
        outcomes.append(tree(work) == new)
    assert len(outcomes) > 15 and outcomes == sorted(outcomes) and {*outcomes} == {False, True}
    assert tree(work) == new


LINES = st.lists(st.sampled_from("abcdef"), max_size=8)
ROUNDS = st.lists(
    st.tuples(LINES, st.integers(0, 8), st.booleans(), st.booleans()), min_size=1, max_size=5
)


@given(LINES, ROUNDS)
@hypothesis.settings(max_examples=60, deadline=None)
def test_whatever_happens_no_line_of_a_persons_disappears(
    start: list[str], rounds: list[tuple[list[str], int, bool, bool]]
) -> None:
    """Rounds of an edit, a new text, and a run, now and then with --force or with what conflicted declared mended."""
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder, "p")
        file = directory / "a.txt"
        run({"a.txt": GeneratedFile("".join(f"{line}\n" for line in start))}, directory)
        mine: set[str] = set()
        for number, (new, at, forced, declared) in enumerate(rounds):
            lines = file.read_text().splitlines()
            replaced = lines[at : at + 1]
            lines[at : at + 1] = [f"mine {number}"]
            mine = {*mine - set(replaced), f"mine {number}"}
            file.write_text("".join(f"{line}\n" for line in lines))
            if declared:
                (directory / "a.txt.new").unlink(missing_ok=True)
            files = {"a.txt": GeneratedFile("".join(f"{line}\n" for line in new))}
            report, complaints = try_run(files, directory, force=forced)
            assert bool(complaints) == bool(report.conflicts)
            texts = [path.read_text() for path in directory.glob("a.txt*")]
            assert not mine - {line for text in texts for line in text.splitlines()}
            if report.originals:
                mine = set(file.read_text().splitlines()) & mine
            if not report.conflicts:
                assert not run(files, directory).changed


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_bytes().decode()
    assert text.count(before) == 1
    path.write_bytes(text.replace(before, after).encode())
