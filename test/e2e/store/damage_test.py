"""Every file of a data directory, missing, empty, cut short and with one bit turned over: the server goes on with all
objects there, having said what it repaired, or does not start, names the file and tells the way out. It never starts
silently with less."""

import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import ssl
import subprocess
import tempfile
import unittest

MUSTER = os.environ["MUSTER"]
KINDS = ("/api/v1/configmaps", "/api/v1/namespaces", "/api/v1/serviceaccounts", "/api/v1/events",
         "/apis/rbac.authorization.k8s.io/v1/clusterroles")

# What RocksDB keeps for people, what is made at every start, and locks: nothing depends on what they hold.
OF_NO_MATTER = re.compile(r"db/(LOG.*|LOCK|IDENTITY|OPTIONS-\d+)|kubeconfig|lock")
# Made again when it is missing.
MADE_AGAIN = re.compile(r"closed|pki/(server|admin)\.pem")
# Made again when it is missing, which the server says.
REPLACED = re.compile(r"pki/(ca|service-accounts)\.pem")
# Made again whatever is wrong with it, which the server says unless it is just missing.
ISSUED = re.compile(r"pki/(server|admin)\.pem")
# Two slots: what one of them says is enough.
SLOTS = re.compile(r"durable")
WAY_OUT = re.compile(r"restore (a|it from a) backup|remove it|put it back|replace its content")


class Server:
    def __init__(self, directory):
        self.directory = directory
        self.errors = open(f"{directory}.stderr", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [MUSTER, "up", "--data-dir", directory, "--listen", "127.0.0.1:0", "--node", "none", "--controllers", "none"],
            stdout=subprocess.PIPE, stderr=self.errors, stdin=subprocess.DEVNULL, text=True)
        self.address = re.search(r"ready: https://([^:]+):(\d+)", self.process.stdout.readline())

    def end(self, by=signal.SIGTERM):
        """Gives the exit code and what was said."""
        if self.address:
            self.process.send_signal(by)
        code = self.process.wait(60)
        self.process.stdout.close()
        self.errors.seek(0)
        said = self.errors.read()
        self.errors.close()
        return code, said

    def ask(self, method, path, body=None):
        tls = ssl.create_default_context()
        tls.check_hostname = False
        tls.verify_mode = ssl.CERT_NONE
        tls.load_cert_chain(self.directory / "pki" / "admin.pem")
        connection = http.client.HTTPSConnection(self.address[1], int(self.address[2]), context=tls, timeout=60)
        connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    def objects(self):
        found = {}
        for kind in KINDS:
            for one in self.ask("GET", kind)["items"]:
                meta = one["metadata"]
                found[kind, meta.get("namespace"), meta["name"]] = (meta["uid"], one.get("data"), one.get("message"))
        return found


def turn_over_a_bit(content, chance):
    at = chance.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1:]


DAMAGES = {
    "missing": lambda content, chance: None,
    "empty": lambda content, chance: b"",
    "cut short": lambda content, chance: content[:chance.randrange(1, len(content) * 9 // 10)],
    "one bit turned over": turn_over_a_bit,
}


class Damage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp(prefix="muster-damage-"))
        cls.seed = int(os.environ.get("SEED", 1))  # other damages: SEED=N

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def fill(self, name, last_signal):
        """A directory with tables and a log, and what is in it."""
        directory = self.work / name
        for life in range(2):
            server = Server(directory)
            self.assertTrue(server.address, "the first start")
            for i in range(20):
                server.ask("POST", "/api/v1/namespaces/default/configmaps",
                           {"metadata": {"name": f"kept-{life}-{i}"}, "data": {"text": f"{i}" * 300}})
                server.ask("POST", "/api/v1/namespaces/default/events",
                           {"metadata": {"name": f"told-{life}-{i}"}, "involvedObject": {"namespace": "default"},
                            "message": "told"})
            objects = server.objects()
            server.end(last_signal if life == 1 else signal.SIGTERM)
        self.assertGreater(len(objects), 80)
        return directory, objects

    def judge(self, file, damage, objects, directory):
        server = Server(directory)
        now = server.objects() if server.address else None
        code, said = server.end()
        if now is None:
            self.assertEqual(code, 1, said)
            self.assertIn(str(directory), said)
            self.assertRegex(said, WAY_OUT)
            self.assertFalse(OF_NO_MATTER.fullmatch(file), said)
            return
        self.assertEqual(code, 0, said)
        self.assertEqual(now, objects)
        if OF_NO_MATTER.fullmatch(file) or SLOTS.fullmatch(file):
            return
        if damage == "one bit turned over" and not ISSUED.fullmatch(file):
            return  # a bit that says nothing, such as one behind the last that base64 needs: nothing is lost
        if damage == "missing" and MADE_AGAIN.fullmatch(file):
            return
        self.assertTrue(ISSUED.fullmatch(file) or (damage == "missing" and REPLACED.fullmatch(file)),
                        "it starts as if nothing had happened")
        if damage != "one bit turned over":
            self.assertIn(f"{directory / file} is ", said)

    def damage_all(self, name, last_signal, only=""):
        whole, objects = self.fill(name, last_signal)
        files = sorted(str(path.relative_to(whole)) for path in whole.rglob("*")
                       if path.is_file() and re.match(only, str(path.relative_to(whole))))
        self.assertIn("durable", files)
        chance = random.Random(self.seed)
        for file in files:
            content = (whole / file).read_bytes()
            for damage, change in DAMAGES.items():
                if len(content) < 10 and not OF_NO_MATTER.fullmatch(file):
                    continue  # a log to which nothing has been written
                if OF_NO_MATTER.fullmatch(file) and damage != "empty":
                    continue
                with self.subTest(file=file, damage=damage, last_signal=last_signal.name, seed=self.seed):
                    damaged = self.work / "damaged"
                    shutil.rmtree(damaged, ignore_errors=True)
                    shutil.copytree(whole, damaged)
                    changed = change(content, chance)
                    if changed is None:
                        (damaged / file).unlink()
                    else:
                        (damaged / file).write_bytes(changed)
                    self.judge(file, damage, objects, damaged)

    def test_after_an_orderly_end(self):
        self.damage_all("ended", signal.SIGTERM)

    def test_after_it_was_killed(self):
        self.damage_all("killed", signal.SIGKILL, only="db/|durable|format")


if __name__ == "__main__":
    unittest.main()
