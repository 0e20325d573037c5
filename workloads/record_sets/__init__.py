"""Record sets: large streams made in chunks that depend on nothing but their parameters, kept as Parquet files.

A record set is cut into chunks, and a chunk is a function of (parameters, seed, chunk number) and of nothing else (of a
file, its hash is one of them), so any number of workers may make them in any order and the files come out the same,
byte for byte. A folder has one record set, and its name is the hash of the parameters:

    results/records/debs12-0123456789abcdef/
      000000-5d41402abc4b2a76.parquet     a chunk: its number and the SHA-256 of the file (first digits)
      manifest.json                       parameters, rows, code, versions and the chunks; written last

    manifest = make(record_set, "results/records")            # keeps the good chunks of a run that was stopped
    columns = read(find(record_set, "results/records"), ["ts", "mf01"])
"""

from workloads.record_sets.chunks import Chunk, RecordsError
from workloads.record_sets.making import Manifest, any_of, find, make, read
from workloads.record_sets.record_set import RecordSet, stream

__all__ = ["Chunk", "Manifest", "RecordSet", "RecordsError", "any_of", "find", "make", "read", "stream"]
