#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Load for memcached: memcached.py PORT THREADS REQUESTS. Every answer is known beforehand, and any
other is an error. Prints what the counters of the server say of it."""
import socket, sys, threading

port, threads, requests = map(int, sys.argv[1:])
failed = []


def client(number):
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        stream = connection.makefile("rwb")

        def ask(line, *expected):
            stream.write(line)
            stream.flush()
            for want in expected:
                got = stream.readline()
                if got != want:
                    failed.append((line, want, got))

        for i in range(requests // 3):
            key, value = b"k%d.%d" % (number, i % 500), b"%d" % (i * number)
            ask(b"set %s 0 0 %d\r\n%s\r\n" % (key, len(value), value), b"STORED\r\n")
            ask(b"get %s\r\n" % key, b"VALUE %s 0 %d\r\n" % (key, len(value)), value + b"\r\n", b"END\r\n")
            ask(b"incr %s 5\r\n" % key, b"%d\r\n" % (i * number + 5))


workers = [threading.Thread(target=client, args=(i,)) for i in range(threads)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
for line, want, got in failed[:5]:
    print(f"{line} was answered {got}, not {want}")
with socket.create_connection(("127.0.0.1", port), 10) as last:
    last.sendall(b"stats\r\nquit\r\n")
    for line in list(last.makefile())[:-1]:
        if line.split()[1] in ("cmd_get", "cmd_set", "get_hits", "incr_hits", "curr_items", "threads"):
            print(line.strip())
sys.exit(bool(failed))
