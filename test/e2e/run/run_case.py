"""What tests of `muster run` stand on: the real binary in a folder of its own, with a data directory beside it."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

MUSTER = os.environ.get("MUSTER", "build/muster")
ROOT = pathlib.Path(__file__).resolve().parents[3]
SECONDS = 120


class Ended:
    """How a run ended."""

    def __init__(self, process, out, err):
        self.code, self.out, self.err = process.returncode, out, err


def has_namespaces():
    """Whether pods can have mounts of their own: not so in many containers."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return subprocess.run(["unshare", *user, "--mount", "--uts", "true"], capture_output=True).returncode == 0


class RunCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-run-"))
        self.data = self.folder / "data"
        self.work = self.folder / "work"
        self.work.mkdir()
        self.started = []

    def tearDown(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.wait()
        self.end_keeper()
        shutil.rmtree(self.folder, ignore_errors=True)

    def end_keeper(self):
        """Nothing that a test started outlives it: neither the keeper of processes nor what it keeps."""
        for pid in self.processes_of_node():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def processes_of_node(self):
        """The keeper's number, and those of what runs below it, by the folder that all of them name."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                told = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
                place = os.readlink(entry / "cwd")
            except OSError:
                continue
            if str(self.folder).encode() in told or place.startswith(str(self.folder)):
                found.append(int(entry.name))
        return found

    def begin(self, *arguments, verb="run", stdin=subprocess.DEVNULL, **more):
        command = [MUSTER, verb, "--data-dir", str(self.data), *map(str, arguments)]
        process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   cwd=more.pop("cwd", self.work), **more)
        self.started.append(process)
        return process

    def finish(self, process, stdin=None):
        try:
            out, err = process.communicate(input=stdin, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail(f"it did not end within {SECONDS} seconds:\n{out}\n{err}")
        return Ended(process, out, err)

    def run_muster(self, *arguments, **more):
        return self.finish(self.begin(*arguments, **more))

    def write(self, name, text):
        path = self.work / name
        path.write_text(text)
        return path

    def lines(self, name):
        path = self.work / name
        return path.read_text().splitlines() if path.exists() else []

    def wait_until(self, what, condition):
        deadline = time.monotonic() + SECONDS
        while not condition():
            if time.monotonic() > deadline:
                self.fail(f"waited in vain until {what}")
            time.sleep(0.01)

    def start_server(self, *flags):
        process = self.begin("--listen", "127.0.0.1:0", *flags, verb="up")
        self.assertIn("muster is ready", process.stdout.readline())
        return process

    def ask(self, *arguments):
        """A client verb of a server that runs on our data directory."""
        return subprocess.run([MUSTER, *arguments, "--kubeconfig", str(self.data / "kubeconfig")], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)

    def events(self, ended, type_):
        return [event for event in map(json.loads, ended.out.splitlines()) if event["type"] == type_]
