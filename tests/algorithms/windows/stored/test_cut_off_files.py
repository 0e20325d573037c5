"""A file of LMDB that has lost its end is refused before LMDB maps it, and no other is."""

import os
import random
import re
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from algorithms import StoreError, window
from algorithms.windows.stored.stores import lmdb_file, open_store
from algorithms.windows.stored.stores.lmdb_file import META, metas_of, must_be_whole
from tests.algorithms.windows.stored.crashing import begun, step
from tests.scripts import PLAIN, environment, run

ENVIRONMENT = environment(**PLAIN)


def last_page_ends(file: Path) -> int:
    """How long the file would be if every page of it had been written."""
    with file.open("rb") as opened:
        newest = max(metas_of(opened.fileno()), key=lambda meta: meta.transaction)
    return (newest.last_page + 1) * newest.page_size


def test_a_window_whose_file_is_cut_off_is_refused_or_right_and_never_ends_the_process(tmp_path):
    told = run(["-m", "tests.algorithms.windows.stored.cutting", str(tmp_path)], PLAIN)
    whole = last_page_ends(tmp_path / "whole" / "data.mdb")
    assert told.pop(str(whole)) == "right"
    assert len(told) > 20
    for length, said in told.items():
        size = int(length)
        should_be = f"{whole:,}" if size >= META.size else r"at least [\d,]+ \(if it never held anything, remove it\)"
        wrong = (
            f"{size}/data.mdb is {'cut off' if size else 'empty'}: it has {size:,} bytes and should have {should_be}"
        )
        refused = re.fullmatch(f"StoreError: LMDB cannot open the folder .*{wrong}", said)
        assert refused or (said == "right" and size > whole // 2), f"{length} bytes: {said}"


def test_what_somebody_sees_who_opens_a_window_whose_file_is_cut_off(tmp_path):
    asked = {"name": "kvs_amta", "capacity": 10_000, "store": f"lmdb:{tmp_path}", "stored_as": "calls"}
    w = window(**asked)
    w.insert_many(range(5000), [1.0] * 5000)
    w.storage.close()
    file = tmp_path / "data.mdb"
    whole = file.stat().st_size
    os.truncate(file, 20_000)
    message = (
        f"LMDB cannot open the folder '{tmp_path}': {file} is cut off: it has 20,000 bytes and should have {whole:,}"
    )
    with pytest.raises(StoreError, match=f"^{re.escape(message)}$"):
        window(**asked)
    assert file.stat().st_size == 20_000, "it is as it was"


def test_a_file_that_was_emptied_is_not_an_empty_window(tmp_path, monkeypatch):
    monkeypatch.setattr(lmdb_file, "FIRST_WAIT", 0.0)
    begun("kvs_amta", f"lmdb:{tmp_path}").storage.close()
    os.truncate(tmp_path / "data.mdb", 0)
    with pytest.raises(StoreError, match=r"data.mdb is empty: it has 0 bytes and should have at least .* remove it\)$"):
        begun("kvs_amta", f"lmdb:{tmp_path}")
    assert (tmp_path / "data.mdb").stat().st_size == 0


@pytest.mark.parametrize("page", [0, 1])
def test_a_meta_page_that_is_overwritten_is_said(tmp_path, page):
    begun("kvs_amta", f"lmdb:{tmp_path}").storage.close()
    with (tmp_path / "data.mdb").open("r+b") as file:
        file.seek(page * metas_of(file.fileno())[0].page_size + 16)
        file.write(struct.pack("=I", 0xDEADBEEF))
    with pytest.raises(StoreError, match="LMDB cannot open the folder .*not an LMDB file"):
        begun("kvs_amta", f"lmdb:{tmp_path}")


KILLED = """
import os, signal, sys
from algorithms.windows.stored.stores import open_store
store = open_store(f"lmdb:{sys.argv[1]}")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_folder_whose_maker_was_killed_before_its_first_commit_is_a_new_one(tmp_path):
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], env=ENVIRONMENT, check=False)
    assert killed.returncode == -signal.SIGKILL
    w = begun("kvs_amta", f"lmdb:{tmp_path}")
    step(w, 0)
    w.storage.close()
    assert len(begun("kvs_amta", f"lmdb:{tmp_path}")) == 1


def some_commits(store, chance):
    """Commits that write and remove, some of them much that they have just written."""
    documents = [(b"%d" % chance.randrange(4000), bytes(chance.choice([10, 1000, 9000]))) for _ in range(300)]
    written = [key for key, _ in documents]
    store.commit(documents, written[chance.randrange(len(written)) :])
    store.commit([], [b"%d" % chance.randrange(4000) for _ in range(chance.choice([0, 3, 900]))])


def test_a_file_whose_last_pages_were_never_written_is_whole(tmp_path):
    chance, file, shorter = random.Random(1), tmp_path / "data.mdb", 0
    store = open_store(f"lmdb:{tmp_path}")
    for _ in range(100):
        some_commits(store, chance)
        must_be_whole(file)
        shorter += file.stat().st_size < last_page_ends(file)
    store.close()
    assert shorter, "LMDB has left no file shorter than its header says, so this has tried nothing"


WRITING = """
import random, sys
from tests.algorithms.windows.stored.test_cut_off_files import some_commits
from algorithms.windows.stored.stores import open_store
store, chance = open_store(f"lmdb:{sys.argv[1]}"), random.Random(1)
print("begun", flush=True)
for _ in range(100):
    some_commits(store, chance)
"""


def test_a_file_that_another_process_writes_to_is_whole_at_every_moment(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", WRITING, str(tmp_path)], env=ENVIRONMENT, stdout=subprocess.PIPE
    ) as writing:
        assert writing.stdout.readline() == b"begun\n"
        looked = 0
        while writing.poll() is None:
            must_be_whole(tmp_path / "data.mdb")
            looked += 1
    assert writing.returncode == 0
    assert looked
