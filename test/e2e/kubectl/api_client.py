"""JSON over HTTPS to a server under test: one connection, one request at a time."""

import base64
import http.client
import json
import pathlib
import re
import ssl
import tempfile

# Certificates that are kept with a test expire; who signed them is what counts. OpenSSL's X509_V_FLAG_NO_CHECK_TIME,
# which Python has no name for.
NO_CHECK_TIME = 0x200000


def in_kubeconfig(path, field):
    """The bytes of a field of a kubeconfig that ends in -data."""
    return base64.b64decode(re.search(rf"{field}: (\S+)", pathlib.Path(path).read_text())[1])


def tls_of_kubeconfig(path, check_time=True, as_administrator=True):
    """Trusts the kubeconfig's authority, and is its administrator unless it is to be without a certificate."""
    context = ssl.create_default_context(cadata=in_kubeconfig(path, "certificate-authority-data").decode())
    if not check_time:
        context.verify_flags |= NO_CHECK_TIME
    if as_administrator:
        with tempfile.NamedTemporaryFile() as pair:
            pair.write(in_kubeconfig(path, "client-certificate-data") + in_kubeconfig(path, "client-key-data"))
            pair.flush()
            context.load_cert_chain(pair.name)
    return context


class Refused(Exception):
    def __init__(self, code, content):
        super().__init__(f"{code}: {content[:500]}")
        self.code = code


class ApiClient:
    def __init__(self, port, tls, token=None, timeout=20):
        self.connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=timeout, context=tls)
        self.headers = {"Accept": "application/json"}
        if token:
            self.headers["Authorization"] = "Bearer " + token

    def close(self):
        self.connection.close()

    def ask(self, method, target, body=None, content_type="application/json"):
        """The decoded answer. Refused when it is no success; OSError or HTTPException when there is none."""
        headers = {**self.headers, "Content-Type": content_type} if body is not None else self.headers
        try:
            self.connection.request(method, target, None if body is None else json.dumps(body), headers)
            answer = self.connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            raise
        if answer.status >= 300:
            raise Refused(answer.status, content.decode(errors="replace"))
        return json.loads(content) if "json" in answer.headers.get("Content-Type", "") else content.decode()

    def get(self, target):
        return self.ask("GET", target)

    def post(self, target, body):
        return self.ask("POST", target, body)

    def put(self, target, body):
        return self.ask("PUT", target, body)

    def patch(self, target, body):
        return self.ask("PATCH", target, body, "application/merge-patch+json")

    def delete(self, target, options=None):
        return self.ask("DELETE", target, options)

    def watch(self, target):
        """Yields (type, object) until the server ends the watch."""
        self.connection.request("GET", target, None, self.headers)
        with self.connection.getresponse() as answer:
            if answer.status >= 300:
                raise Refused(answer.status, answer.read().decode(errors="replace"))
            for line in answer:
                event = json.loads(line)
                yield event["type"], event["object"]
