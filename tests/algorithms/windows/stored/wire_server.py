"""A server that speaks as much of Redis's protocol as a window needs, in a thread: for tests where there is no Redis.

It keeps byte strings by key. MULTI and EXEC carry out what is between them as one.
"""

import contextlib
import socket
import socketserver
import threading


class Connection(socketserver.StreamRequestHandler):
    """One client: arrays of bulk strings come in, replies go out."""

    def handle(self) -> None:
        self.server.open.add(self.connection)
        queued: list[list[bytes]] | None = None
        while (command := self.command()) is not None:
            name = command[0].upper()
            if name == b"MULTI":
                queued, reply = [], b"+OK\r\n"
            elif name == b"EXEC":
                with self.server.turn:
                    replies = [self.server.carry_out(each) for each in queued]
                queued, reply = None, b"*%d\r\n%s" % (len(replies), b"".join(replies))
            elif queued is not None:
                queued.append(command)
                reply = b"+QUEUED\r\n"
            else:
                with self.server.turn:
                    reply = self.server.carry_out(command)
            self.wfile.write(reply)

    def command(self) -> list[bytes] | None:
        try:
            first = self.rfile.readline()
            return [self.bulk() for _ in range(int(first[1:]))] if first else None
        except (OSError, ValueError):
            return None

    def bulk(self) -> bytes:
        length = int(self.rfile.readline()[1:])
        return self.rfile.read(length + 2)[:-2]


class WireServer(socketserver.ThreadingTCPServer):
    """Listens on a port of this machine; `documents` outlive it."""

    allow_reuse_address, daemon_threads = True, True

    def __init__(self, documents: dict[bytes, bytes], port: int = 0):
        super().__init__(("127.0.0.1", port), Connection)
        self.documents, self.turn, self.open = documents, threading.Lock(), set()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def port(self) -> int:
        return self.server_address[1]

    def carry_out(self, command: list[bytes]) -> bytes:
        name, *arguments = command
        match name.upper():
            case b"PING":
                return b"+PONG\r\n"
            case b"SET":
                self.documents[arguments[0]] = arguments[1]
                return b"+OK\r\n"
            case b"MGET":
                found = [self.documents.get(key) for key in arguments]
                bulks = [b"$-1\r\n" if one is None else b"$%d\r\n%s\r\n" % (len(one), one) for one in found]
                return b"*%d\r\n%s" % (len(found), b"".join(bulks))
            case b"UNLINK":
                return b":%d\r\n" % sum(self.documents.pop(key, None) is not None for key in arguments)
            case _:
                return b"-ERR unknown command '%s'\r\n" % name

    def stop(self) -> None:
        self.shutdown()
        self.server_close()
        for connection in self.open:
            with contextlib.suppress(OSError):  # its client may have gone first
                connection.shutdown(socket.SHUT_RDWR)
