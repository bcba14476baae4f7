#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints a DNS server's answers, a line each: dns-answers.py PORT FILE

FILE has a "name type" on each line, as dnsperf wants it. What differs from run to run is left out:
the number of the message and how long a record may still be kept. Must not judge the answers.
"""
import socket
import struct
import sys

TYPES = {"A": 1, "TXT": 16}
TRIES, SECONDS = 5, 2


def question(number, name, kind):
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    return struct.pack(">6H", number, 0x0100, 1, 0, 0, 0) + labels + struct.pack(">BHH", 0, TYPES[kind], 1)


def after_name(data, at):
    while data[at]:
        if data[at] >= 0xc0:
            return at + 2
        at += data[at] + 1
    return at + 1


def described(data):
    _, flags, questions, *counts = struct.unpack(">6H", data[:12])
    at, words = 12, [f"{flags:04x}", *map(str, counts)]
    for _ in range(questions):
        at = after_name(data, at) + 4
    for _ in range(sum(counts)):
        begun, at = at, after_name(data, at)
        kind, group, _, size = struct.unpack(">HHIH", data[at:at + 10])
        words.append(f"{data[begun:at].hex()}/{kind}/{group}/{data[at + 10:at + 10 + size].hex()}")
        at += 10 + size
    return " ".join(words)


def ask(port, number, name, kind):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(SECONDS)
        s.connect(("127.0.0.1", port))
        for _ in range(TRIES):
            s.send(question(number, name, kind))
            try:
                data = s.recv(4096)
            except TimeoutError:
                continue
            if data[:2] == number.to_bytes(2, "big"):
                return data
    sys.exit(f"dns-answers.py: no answer for {name} {kind}")


def main():
    port, path = int(sys.argv[1]), sys.argv[2]
    with open(path, encoding="ascii") as lines:
        for number, line in enumerate(lines):
            name, kind = line.split()
            print(name, kind, described(ask(port, number % 65536, name, kind)))


if __name__ == "__main__":
    main()
