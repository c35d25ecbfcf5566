"""Credentials of Muster's service account that are replaced while they are used.

The first replica has a token in a file, the second one a certificate. Both are replaced every --rotate seconds, and the
earlier ones stop working: the certificate is valid for two periods, and the Secret that the token is bound to is deleted
when its successor has been in place for a period.
"""

import datetime
import json
import os
import pathlib
import subprocess
import threading
import urllib.error

USER = "system:serviceaccount:muster-system:muster"
SECRETS = "/api/v1/namespaces/muster-system/secrets"
TOKENS = "/api/v1/namespaces/muster-system/serviceaccounts/muster/token"
AUTHORITY = """[ca]
default_ca = signer
[signer]
database = {0}/index
new_certs_dir = {0}
default_md = sha256
policy = any
rand_serial = yes
unique_subject = no
[any]
commonName = supplied
"""


def replace(path, text):
    """Readers see the earlier file or this one, whole."""
    beside = path.with_suffix(".new")
    beside.write_text(text)
    os.replace(beside, path)


class Rotation:
    def __init__(self, cluster, port, directory, seconds):
        self._cluster, self._seconds = cluster, seconds
        self._directory = pathlib.Path(directory)
        self._directory.mkdir()
        (self._directory / "index").touch()
        (self._directory / "authority.cnf").write_text(AUTHORITY.format(self._directory))
        self._token, self._pair = self._directory / "token", self._directory / "pair.pem"
        self._bound = []  # the Secrets of tokens that may still be used
        self.replaced = 0
        self.kubeconfigs = [self._kubeconfig("token", port, {"tokenFile": str(self._token)}),
                            self._kubeconfig("certificate", port, {"client-certificate": str(self._pair),
                                                                   "client-key": str(self._pair)})]
        self._replace_token()
        self._replace_certificate()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _kubeconfig(self, name, port, user):
        path = self._directory / f"{name}.kubeconfig"
        server = {"server": f"https://127.0.0.1:{port}", "certificate-authority": str(self._cluster.directory / "ca.crt")}
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": server}], "users": [{"name": "c", "user": user}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}]}))
        return str(path)

    def _replace_token(self):
        name = f"bound-{self.replaced}"
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}
        try:
            uid = self._cluster.ask(SECRETS, secret)["metadata"]["uid"]
        except urllib.error.HTTPError as error:
            if error.code != 409:  # 409: made by a try whose token did not come
                raise
            uid = self._cluster.ask(f"{SECRETS}/{name}")["metadata"]["uid"]
        bound = {"apiVersion": "v1", "kind": "Secret", "name": name, "uid": uid}
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                   "spec": {"audiences": ["https://kubernetes.default.svc"], "boundObjectRef": bound}}
        replace(self._token, self._cluster.ask(TOKENS, request)["status"]["token"])
        if name not in self._bound:
            self._bound.append(name)
        while len(self._bound) > 2:
            self._cluster.ask(f"{SECRETS}/{self._bound[0]}", method="DELETE")
            self._bound.pop(0)

    def _openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self._directory, check=True, capture_output=True)

    def _replace_certificate(self):
        # A clock that is a little behind is no reason to refuse it.
        now = datetime.datetime.now(datetime.timezone.utc)
        begin, end = (f"{now + datetime.timedelta(seconds=s):%Y%m%d%H%M%SZ}" for s in (-30, 2 * self._seconds))
        peers = self._cluster.directory.resolve()
        self._openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                      "/CN=" + USER, "-keyout", "key.pem", "-out", "request.pem")
        self._openssl("ca", "-batch", "-notext", "-config", "authority.cnf", "-cert", str(peers / "ca.crt"), "-keyfile",
                      str(peers / "ca.key"), "-startdate", begin, "-enddate", end, "-in", "request.pem", "-out",
                      "certificate.pem")
        replace(self._pair, (self._directory / "certificate.pem").read_text() + (self._directory / "key.pem").read_text())

    def _run(self):
        while not self._ended.wait(self._seconds):
            self._replace_certificate()
            while not self._ended.is_set():
                try:
                    self._replace_token()
                    self.replaced += 1
                    break
                except OSError:  # the API server is away
                    self._ended.wait(1)

    def close(self):
        self._ended.set()
        self._thread.join()
