"""Python's `kubernetes` and plain WebSockets against the binary: commands, ports, watches and logs. Part of suite.py."""

import base64
import contextlib
import json
import os
import pathlib
import signal
import socket as socketlib
import sys
import tempfile
import time
import unittest
import uuid

import kubernetes
import websocket
from kubernetes import client
from kubernetes.stream import portforward, stream

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "test" / "e2e" / "kubectl"))
from running_server import Server  # noqa: E402


@contextlib.contextmanager
def unused_port():
    """A port that stays bound, and refuses connections because none listens on it."""
    with socketlib.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


class Streams(unittest.TestCase):
    """What goes over WebSockets, with pods that run."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="muster-conformance-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.server = Server(os.environ["MUSTER"], cls.folder)
        cls.server.start()
        cls.addClassCleanup(lambda: cls.server.stop(signal.SIGTERM))

    def setUp(self):
        # Streams change the client that they are made with, so each test has its own.
        self.api = kubernetes.config.new_client_from_config(str(self.server.folder / "data" / "kubeconfig"))
        self.addCleanup(self.api.close)
        self.core = client.CoreV1Api(self.api)

    def start_pod(self, *command, **container):
        name = "p-" + uuid.uuid4().hex[:8]
        self.core.create_namespaced_pod("default", {
            "metadata": {"name": name},
            "spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0, "containers": [
                {"name": "main", "image": "busybox", "command": list(command), **container}]}})
        self.await_that(lambda: self.core.read_namespaced_pod(name, "default").status.phase != "Pending")
        return name

    def await_that(self, holds):
        end = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), end, "not within a minute")
            time.sleep(0.02)

    def websocket(self, path, protocols=None):
        """A plain WebSocket to the server, as the administrator."""
        configuration = self.api.configuration
        return websocket.create_connection(
            configuration.host.replace("https://", "wss://") + path, timeout=30, subprotocols=protocols,
            sslopt={"ca_certs": configuration.ssl_ca_cert, "certfile": configuration.cert_file,
                    "keyfile": configuration.key_file})

    def exec(self, name, *command, **more):
        return stream(self.core.connect_get_namespaced_pod_exec, name, "default", command=list(command),
                      stdin=True, stdout=True, stderr=True, tty=False, _preload_content=False, **more)

    def test_a_command_gives_its_output_and_its_exit_code(self):
        session = self.exec(self.start_pod("sleep", "300"), "sh", "-c", "echo out; echo err >&2; exit 3")
        session.run_forever(timeout=30)
        self.assertEqual((session.read_stdout(), session.read_stderr(), session.returncode), ("out\n", "err\n", 3))

    def test_closing_delivers_what_was_sent_before_the_command_ends(self):
        name = self.start_pod("sleep", "300")
        for size in (10, 100_000):
            written = self.folder / f"written-{size}"
            session = self.exec(name, "sh", "-c", f"sleep 0.3; cat > {written}; echo end >> {written}")
            session.write_stdin("x" * (size - 1) + "\n")
            session.close()
            self.await_that(lambda: written.exists() and written.read_text().endswith("end\n"))
            self.assertEqual(len(written.read_text()), size + 4)

    def test_a_port_is_forwarded(self):
        name = self.start_pod("python3", "-c", "\n".join((
            "import socket",
            "s = socket.socket()",
            "s.bind(('', 0))",
            "s.listen()",
            "print(s.getsockname()[1], flush=True)",
            "while True:",
            "    c, _ = s.accept()",
            "    c.sendall(b'echo ' + c.recv(100))",
            "    c.close()")))
        self.await_that(lambda: self.core.read_namespaced_pod_log(name, "default").endswith("\n"))
        port = int(self.core.read_namespaced_pod_log(name, "default"))
        for word in (b"one", b"two"):
            forward = portforward(self.core.connect_get_namespaced_pod_portforward, name, "default", ports=str(port))
            socket = forward.socket(port)
            socket.settimeout(30)
            socket.sendall(word)
            received = b""
            while piece := socket.recv(100):
                received += piece
            socket.close()
            self.assertEqual(received, b"echo " + word)
            self.assertIsNone(forward.error(port))

    def test_a_port_that_none_listens_on_is_an_error(self):
        name = self.start_pod("sleep", "300")
        with unused_port() as port:
            forward = portforward(self.core.connect_get_namespaced_pod_portforward, name, "default", ports=str(port))
            socket = forward.socket(port)
            socket.settimeout(30)
            self.assertEqual(socket.recv(100), b"")
            self.await_that(lambda: forward.error(port))
            self.assertIn(f"error forwarding port {port}", forward.error(port))

    def test_a_watch_over_a_websocket_is_one_event_in_each_message(self):
        peer = self.websocket("/api/v1/namespaces/default/configmaps?watch=true")
        self.addCleanup(peer.close)
        name = "m-" + uuid.uuid4().hex[:8]
        self.core.create_namespaced_config_map("default", {"metadata": {"name": name}})
        self.core.delete_namespaced_config_map(name, "default")
        seen = []
        while ("DELETED", name) not in seen:
            event = json.loads(peer.recv())
            seen.append((event["type"], event["object"]["metadata"]["name"]))
        self.assertIn(("ADDED", name), seen)
        peer.ping("there?")

    def test_a_log_goes_over_a_websocket(self):
        name = self.start_pod("sh", "-c", "echo hello; echo again")
        self.await_that(lambda: self.core.read_namespaced_pod(name, "default").status.phase == "Succeeded")
        for protocols in (None, ["binary.k8s.io"], ["base64.binary.k8s.io"]):
            with self.subTest(protocols):
                peer = self.websocket(f"/api/v1/namespaces/default/pods/{name}/log?follow=true", protocols)
                received = b""
                while True:
                    opcode, data = peer.recv_data()
                    if opcode == websocket.ABNF.OPCODE_CLOSE:
                        break
                    received += base64.b64decode(data) if protocols == ["base64.binary.k8s.io"] else data
                self.assertEqual(received, b"hello\nagain\n")

    def test_every_protocol_of_exec_is_spoken(self):
        name = self.start_pod("sleep", "300")
        path = f"/api/v1/namespaces/default/pods/{name}/exec?command=echo&command=hi&stdout=true&stderr=true"
        for protocols in (None, ["channel.k8s.io"], ["base64.channel.k8s.io"], ["v4.channel.k8s.io"],
                          ["v4.base64.channel.k8s.io"], ["v5.channel.k8s.io"]):
            with self.subTest(protocols):
                peer = self.websocket(path, protocols)
                self.assertEqual(peer.getsubprotocol(), protocols and protocols[0])
                received = b""
                while True:
                    opcode, data = peer.recv_data()
                    if opcode == websocket.ABNF.OPCODE_CLOSE:
                        break
                    if data[:1] in (b"\x01", b"1"):
                        received += base64.b64decode(data[1:]) if data[:1] == b"1" else data[1:]
                self.assertEqual(received, b"hi\n")
