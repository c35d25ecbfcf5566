"""A TCP proxy on the loopback that cuts its connections now and then: some at once, some in the middle of an answer.

With several ports behind it each connection goes to one of them, as with a Service; one that refuses it is passed over.
"""

import random
import selectors
import socket
import threading

BUFFER = 64 * 1024


class CuttingProxy:
    def __init__(self, ports, seed):
        self._ports = ports if isinstance(ports, list) else [ports]
        self._random = random.Random(seed)
        self._pairs = set()
        self._lock = threading.Lock()
        self.cuts = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client):
        server = self._connect()
        if not server:
            client.close()
            return
        pair = (client, server)
        with self._lock:
            self._pairs.add(pair)
        try:
            self._copy(pair)
        except OSError:
            pass
        finally:
            with self._lock:
                self._pairs.discard(pair)
            for end in pair:
                end.close()

    def _connect(self):
        for port in self._random.sample(self._ports, len(self._ports)):
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=5)
            except OSError:
                pass
        return None

    @staticmethod
    def _copy(pair):
        with selectors.DefaultSelector() as selector:
            for number, end in enumerate(pair):
                end.settimeout(30)
                selector.register(end, selectors.EVENT_READ, pair[1 - number])
            while True:
                for key, _ in selector.select(timeout=60):
                    data = key.fileobj.recv(BUFFER)
                    if not data:
                        return
                    key.data.sendall(data)

    def cut(self, share):
        """Cuts that share of the connections that are open."""
        with self._lock:
            chosen = [pair for pair in self._pairs if self._random.random() < share]
        for pair in chosen:
            self.cuts += 1
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def close(self):
        self._listener.close()
        self.cut(1)
