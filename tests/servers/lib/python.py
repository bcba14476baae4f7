# SPDX-License-Identifier: MIT
"""Threads, forked processes and a pool draw by every function that python has; TLS between threads.
Prints nothing that is random. python.py KEYFILE CERTFILE"""
import multiprocessing, os, random, secrets, socket, ssl, sys, threading, uuid

EACH = 1500
key, cert = sys.argv[1:3]


def draw(_=None):
    drawn = []
    for _ in range(EACH):
        drawn += [uuid.uuid4().hex, secrets.token_hex(16), os.urandom(16).hex()]
        drawn.append(ssl.RAND_bytes(16).hex())
        assert 0 <= secrets.randbelow(10) < 10
        drawn.append("%032x" % random.SystemRandom().getrandbits(128))
    return drawn


def serve(listener):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    for _ in range(40):
        raw, _ = listener.accept()
        with context.wrap_socket(raw, server_side=True) as connection:
            connection.sendall(connection.recv(100)[::-1])


def talk():
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listener,)).start()
    context = ssl.create_default_context(cafile=cert)
    context.check_hostname = False
    for i in range(40):
        raw = socket.create_connection(listener.getsockname())
        with context.wrap_socket(raw) as connection:
            connection.sendall(b"question %d" % i)
            print(connection.recv(100).decode(), connection.version())


def main():
    everything = draw()
    threads = [threading.Thread(target=lambda: everything.extend(draw())) for _ in range(4)]
    for thread in threads:
        thread.start()
    # Forked while the threads draw.
    with multiprocessing.get_context("fork").Pool(4) as pool:
        for drawn in pool.imap_unordered(draw, range(8)):
            everything += drawn
    for thread in threads:
        thread.join()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(abs, range(-5, 5)))
    print(len(everything), "drawn,", len(set(everything)), "distinct")
    random.seed(5)
    print(random.random(), random.sample(range(1000), 5))
    talk()


if __name__ == "__main__":
    main()
