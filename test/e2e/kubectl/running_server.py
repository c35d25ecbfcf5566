"""The binary under test as a server. Everything of it is in one folder: data/ and server.log."""

import re
import select
import subprocess


class Server:
    """`muster up` on a data directory. start() returns when it is ready; the port stays the same over restarts."""

    def __init__(self, muster, folder, flags=()):
        self.muster, self.folder, self.flags = muster, folder, flags
        self.port, self.process = 0, None

    def start(self, more=()):
        """`more` are flags for this time only."""
        with open(self.folder / "server.log", "ab") as log:
            self.process = subprocess.Popen(
                [self.muster, "up", "--data-dir", self.folder / "data", "--listen", f"127.0.0.1:{self.port}",
                 *self.flags, *more],
                stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL)
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
