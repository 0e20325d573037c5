"""Files of a sink, on any file system that PyArrow knows: written under a temporary name first, then renamed."""

import json
import uuid
from typing import Any

import pyarrow as pa
from pyarrow import fs


def opened(folder: str) -> tuple[fs.FileSystem, str]:
    """The file system and path of a folder given as an absolute path or a URI. Raises ValueError for anything else.

    What follows file:// is the path as it is, as Spark reads it: a blank is a blank, and %20 is three characters.
    """
    if isinstance(folder, str) and (path := folder.removeprefix("file://")).startswith("/"):
        return fs.LocalFileSystem(), path
    try:
        return fs.FileSystem.from_uri(folder)
    except Exception as error:  # ArrowInvalid, or what a client of a store raises
        allowed = "an absolute path or a URI such as s3://bucket/path"
        raise ValueError(f"folder must be {allowed}, not {folder!r}: {error}") from error


def write(folder: str, name: str, content: bytes | pa.Buffer) -> None:
    """Write a file, replacing an existing one. Readers see either the old or the new file."""
    system, path = opened(folder)
    target = f"{path}/{name}"
    parent, _, base = target.rpartition("/")
    system.create_dir(parent)
    temporary = f"{parent}/.{base}.{uuid.uuid4().hex}.tmp"
    try:
        with system.open_output_stream(temporary) as file:
            file.write(content)
        system.move(temporary, target)
    except BaseException:
        if system.get_file_info(temporary).type == fs.FileType.File:
            system.delete_file(temporary)
        raise


def read(folder: str, name: str) -> bytes | None:
    """The content of a file; None if there is none."""
    system, path = opened(folder)
    if system.get_file_info(f"{path}/{name}").type != fs.FileType.File:
        return None
    with system.open_input_stream(f"{path}/{name}") as file:
        return file.read()


def read_json(folder: str, name: str) -> Any:
    """The content of a JSON file; None if there is none."""
    content = read(folder, name)
    return None if content is None else json.loads(content)


def names(folder: str, inner: str, hidden: bool = False) -> list[str]:
    """Names in a folder, in no order; none if there is no such folder.

    Files being written, or left half written by a killed process, begin with a dot and are listed only if `hidden`.
    """
    system, path = opened(folder)
    entries = system.get_file_info(fs.FileSelector(f"{path}/{inner}", allow_not_found=True))
    return [entry.base_name for entry in entries if hidden or not entry.base_name.startswith(".")]


def remove(folder: str, inner: str) -> None:
    """Remove a file, or a folder with its content."""
    system, path = opened(folder)
    entry = system.get_file_info(f"{path}/{inner}")
    if entry.type == fs.FileType.Directory:
        system.delete_dir(entry.path)
    else:
        system.delete_file(entry.path)
