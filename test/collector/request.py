# SPDX-License-Identifier: BSD-3-Clause
# request.py service SOCKET FILE: a service that refuses the first request that comes. request.py FILE --request=FD: a
# collector that takes its request, and ends. Both leave in FILE what came: bytes, and kinds of descriptors.
import os
import socket
import stat
import struct
import sys


def take(connection, path):
    data, ancillary, _, _ = connection.recvmsg(1 << 20, 64)
    kinds = []
    for _, _, numbers in ancillary:
        for fd in struct.unpack("%di" % (len(numbers) // 4), numbers):
            mode = os.fstat(fd).st_mode
            listens = stat.S_ISSOCK(mode) and socket.socket(fileno=fd).getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
            kinds.append("listener" if listens else "directory" if stat.S_ISDIR(mode) else "neither")
    with open(path + ".new", "wb") as file:
        file.write(data.hex(" ", 8).replace(" ", "\n").encode() + b"\n" + " ".join(kinds).encode() + b"\n")
    os.rename(path + ".new", path)


if sys.argv[1] == "service":
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(sys.argv[2] + ".new")
    listener.listen()
    os.rename(sys.argv[2] + ".new", sys.argv[2])
    connection = listener.accept()[0]
    take(connection, sys.argv[3])
    connection.send(struct.pack("Ii248s", 0x6879626B, -22, b"not today"))
else:
    take(socket.socket(fileno=int(sys.argv[2].split("=")[1])), sys.argv[1])
