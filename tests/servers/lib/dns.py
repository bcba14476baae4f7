# SPDX-License-Identifier: MIT
"""Questions for a name server on loopback: dns.py PORT NAMES THREADS. Prints each answer's code and
addresses, sorted."""
import os, socket, struct, sys, threading

port, names, threads = map(int, sys.argv[1:])
answers, lock = [], threading.Lock()


def ask(connection, name):
    number = os.urandom(2)
    question = b"".join(bytes([len(part)]) + part for part in name.split(b".")) + b"\0"
    connection.send(number + struct.pack(">HHHHH", 0x100, 1, 0, 0, 0) + question + b"\0\1\0\1")
    reply = connection.recv(4096)
    while reply[:2] != number:
        reply = connection.recv(4096)
    code, count, at, found = reply[3] & 15, struct.unpack(">H", reply[6:8])[0], 12 + len(question) + 4, []
    for _ in range(count):
        kind, length = struct.unpack(">H", reply[at + 2:at + 4])[0], struct.unpack(">H", reply[at + 10:at + 12])[0]
        found.append(socket.inet_ntoa(reply[at + 12:at + 16]) if kind == 1 else str(kind))
        at += 12 + length
    return f"{name.decode()} {code} {' '.join(sorted(found))}"


def client(first):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.settimeout(10)
        connection.connect(("127.0.0.1", port))
        for i in range(first, names, threads):
            for _ in range(3):  # the second and third from the cache
                said = ask(connection, b"n%d.test" % i)
                with lock:
                    answers.append(said)


workers = [threading.Thread(target=client, args=(i,)) for i in range(threads)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
print("\n".join(sorted(answers)))
