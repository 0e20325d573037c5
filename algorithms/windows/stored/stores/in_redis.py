"""Redis: a server of its own, or a cluster of them. A commit is one pipeline, which the server carries out as one.

All keys of a window have its name in braces, so that a cluster keeps them on one server, where they can be written as
one; windows of different names are spread over the servers. A commit survives the end of this process; how much of it
survives the end of the server is the server's to say (`appendonly yes`).
"""

import itertools
from collections.abc import Iterable
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from algorithms.windows.stored.stores import StoreError
from safeguards.secrets import without_secrets

ANSWER_WITHIN = 5.0
"""Seconds that a server has to answer."""
FAILURES = (redis.RedisError, redis.exceptions.RedisClusterException, OSError)
AT_ONCE = 1024
"""Keys removed by one command."""


class InRedis:
    """The documents of one server or cluster."""

    def __init__(self, url: str) -> None:
        self.url = without_secrets(url)
        try:
            self.client = connected(url)
            self.client.ping()
        except ValueError:  # whose text may be a part of the password
            raise StoreError(
                f"{self.url} is no address of a Redis: redis://USER:PASSWORD@HOST:PORT/DB with a whole number as PORT; "
                "in a password / is %2F, @ is %40 and : is %3A"
            ) from None
        except FAILURES as error:
            raise StoreError(
                f"no Redis answers at {self.url}: {error}; is it running? (redis-server --port PORT)"
            ) from error

    def read(self, keys: list[bytes]) -> list[bytes | None]:
        try:
            values: Any = self.client.mget(keys) if keys else []  # bytes, as nothing decodes them
            return values
        except FAILURES as error:
            raise StoreError(f"Redis at {self.url} does not answer: {error}") from error

    def commit(self, documents: list[tuple[bytes, bytes]], dead: Iterable[bytes]) -> None:
        keys = iter(dead)
        try:
            with self.client.pipeline(transaction=True) as pipeline:
                for key, document in documents:
                    pipeline.set(key, document)
                pipeline.execute()
            while batch := list(itertools.islice(keys, AT_ONCE)):
                self.client.unlink(*batch)
        except FAILURES as error:
            raise StoreError(f"Redis at {self.url} does not take what is written: {error}") from error

    def close(self) -> None:
        self.client.close()


def connected(url: str) -> "redis.Redis | redis.RedisCluster":
    """A client that asks once and reports; asking again is for `persistently`."""
    options: dict[str, Any] = {"socket_timeout": ANSWER_WITHIN, "socket_connect_timeout": ANSWER_WITHIN, "protocol": 2}
    options["retry"] = Retry(NoBackoff(), 0)
    if url.startswith("redis+cluster:"):
        return redis.RedisCluster.from_url(url.replace("redis+cluster:", "redis:", 1), **options)
    return redis.Redis.from_url(url, **options)


def opened(url: str) -> InRedis:
    """The server of redis://HOST:PORT/DB (rediss: encrypted), or the cluster that redis+cluster://HOST:PORT is in."""
    return InRedis(url)
