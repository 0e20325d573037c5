"""Folders for what is imported or unpickled: of this user alone."""

import os
import tempfile

import pytest

from safeguards.files import private_folder


@pytest.fixture(autouse=True)
def _temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_the_folder_lasts_and_is_for_this_user_alone():
    folder = private_folder("things")
    assert folder == private_folder("things") and folder.stat().st_mode & 0o777 == 0o700


def writable(folder):
    folder.mkdir()
    folder.chmod(0o777)


def elsewhere(folder):
    (folder.parent / "elsewhere").mkdir()
    folder.symlink_to(folder.parent / "elsewhere")


def of_another(folder):
    folder.mkdir(mode=0o700)
    os.chown(folder, 12345, 12345)


@pytest.mark.parametrize(
    "prepared",
    [
        writable,
        elsewhere,
        pytest.param(of_another, marks=pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")),
    ],
)
def test_a_folder_that_others_may_fill_is_not_used(tmp_path, prepared):
    trap = tmp_path / f"things-{os.getuid()}"
    prepared(trap)
    folder = private_folder("things")
    assert folder != trap and folder.stat().st_mode & 0o777 == 0o700 and folder.stat().st_uid == os.getuid()
