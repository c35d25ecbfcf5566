"""The binary under test as a server. Everything of it is in one folder: data/ and server.log."""

import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import time
import urllib.request


class Server:
    """`muster up` on a data directory. start() returns when it is ready; the port stays the same over restarts."""

    def __init__(self, muster, folder, flags=(), environment=None):
        """`environment` is added to ours."""
        self.muster, self.folder, self.flags = muster, folder, flags
        self.environment = {**os.environ, **(environment or {})}
        self.port, self.process = 0, None

    def start(self, more=()):
        """`more` are flags for this time only."""
        self.spawn(more)
        self.wait_until_ready()

    def spawn(self, more=()):
        with open(self.folder / "server.log", "ab") as log:
            self.process = subprocess.Popen(
                [self.muster, "up", "--data-dir", self.folder / "data", "--listen", f"127.0.0.1:{self.port}",
                 *self.flags, *more],
                stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, env=self.environment)

    def wait_until_ready(self):
        ready, _, _ = select.select([self.process.stdout], [], [], 20)
        line = self.process.stdout.readline().decode() if ready else ""
        address = re.search(r"ready: https://127\.0\.0\.1:(\d+)", line)
        if not address:
            raise RuntimeError(f"the server did not get ready: {line}{(self.folder / 'server.log').read_text()}")
        self.port = int(address[1])

    def stop(self, how):
        """Sends the signal and waits. Returns a complaint when it had to be killed."""
        complaint = ""
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                complaint = "the server did not stop within 20 seconds\n"
        if self.process:
            self.process.stdout.close()
        return complaint


class Beside(Server):
    """`muster controllers` beside an API server that is not ours, in place of its controllers of Jobs. `port` is the API
    server's."""

    def __init__(self, muster, folder, kubeconfig):
        super().__init__(muster, folder, [
            "--kubeconfig", kubeconfig, "--controllers=job,cron-job,ttl,pod-ttl", "--job-mode=all", "--leader-elect=false",
            "--metrics-bind-address=0"])
        self.port = int(re.search(r"server: \"?https://[^:]+:(\d+)", kubeconfig.read_text())[1])

    def spawn(self, more=()):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.health = probe.getsockname()[1]
        with open(self.folder / "server.log", "ab") as log:
            self.process = subprocess.Popen(
                [self.muster, "controllers", f"--health-bind-address=127.0.0.1:{self.health}", *self.flags, *more],
                stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, env=self.environment)

    def wait_until_ready(self):
        deadline = time.monotonic() + 20
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.health}/readyz", timeout=5):
                    return
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise RuntimeError(f"it did not get ready: {(self.folder / 'server.log').read_text()}") from None
            time.sleep(0.05)  # between two questions to another program


def end_node(data):
    """Kills the node helper of a data directory, its guardian and what they run, once the server is gone."""
    name = str(data / "node").encode() + b"\0"
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            environment = (process / "environ").read_bytes()
        except OSError:
            continue  # it has ended, or is another user's
        if name in command or b"MUSTER_NODE=" + name in environment:
            found.append(int(process.name))
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def node_helper(data):
    """The number of the helper's process, 0 when there is none: it is a child of its guardian, which holds the lock."""
    try:
        guardian = int((data / "node" / "keeper.lock").read_text())
        children = [it for task in pathlib.Path(f"/proc/{guardian}/task").iterdir()
                    for it in (task / "children").read_text().split()]
        name = str(data / "node").encode()
        return next((int(it) for it in children if name in pathlib.Path(f"/proc/{it}/cmdline").read_bytes()), 0)
    except (OSError, ValueError):
        return 0
