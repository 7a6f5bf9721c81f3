"""The helpers that AI tools, git, docker and other tools run for a valid token, compared with
`thumblatch token` in the same run: in the private form by Scripts/measure, in the service form in
the booted tree.

usage, in the tree: tools.py ACCOUNT RUNS

AI tools and kubectl call again after a 401. Only an engine can recognize that, so each of their
calls reaches the engine.
"""
import json
import os
import subprocess
import sys

# How much longer a tool's helper may take than `thumblatch token`, as a factor.
LIMIT = 1.5
BEYOND = "beyond the limit"
HOST = "tools.example.org"
# The request of kubectl, as it writes it.
KUBECTL = ('{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",'
           '"spec":{"interactive":false}}')


def commands(account):
    """The name of each command, its words and its standard input; the first is the floor."""
    url = f"https://{HOST}/x"
    cargo = {"v": 1, "kind": "get", "operation": "read", "registry": {"index-url": "sparse+" + url}}
    return [
        ("thumblatch token", ["thumblatch", "token", account], b""),
        ("thumblatch token --helper", ["thumblatch", "token", account, "--helper"], b""),
        ("thumblatch headers --helper", ["thumblatch", "headers", account, "--helper"], b""),
        ("git-credential", ["git-credential-thumblatch", "get"],
         f"protocol=https\nhost={HOST}\n\n".encode()),
        ("docker-credential", ["docker-credential-thumblatch", "get"], HOST.encode()),
        ("cargo-credential", ["cargo-credential-thumblatch", "--cargo-plugin"],
         json.dumps(cargo).encode() + b"\n"),
        ("bazel-credential", ["bazel-credential-thumblatch", "get"],
         json.dumps({"uri": url}).encode()),
        ("terraform-credentials", ["terraform-credentials-thumblatch", "get", HOST], b""),
        ("kube-credential", ["thumblatch", "kube-credential", account], b""),
    ]


def measure(paired, report, programs, environment, runs, account="me"):
    """Prints the ratio of each helper, and returns those that exceed the limit."""
    thumblatch = os.path.join(programs, "thumblatch")
    subprocess.run([thumblatch, "host", "add", HOST, account], env=environment, check=True,
                   capture_output=True)
    tools = commands(account)
    words = [[os.path.join(programs, first), *rest] for _, (first, *rest), _ in tools]
    variables = dict(environment, KUBERNETES_EXEC_INFO=KUBECTL)
    try:
        times = paired(words, runs, inputs=[content for *_, content in tools], env=variables)
    finally:
        subprocess.run([thumblatch, "host", "remove", HOST], env=environment, check=True,
                       capture_output=True)
    print(f"tools, {runs} paired runs, medians (limit {LIMIT}):")
    broken = []
    for (name, *_), own in zip(tools, times):
        ratio = report(name, own, times[0])
        if ratio > LIMIT:
            broken.append(f"{name}: {ratio:.2f} times thumblatch token, allowed are {LIMIT}")
    return broken


def main():
    # The tree has it next to this file.
    from pairs import paired, report
    account, runs = sys.argv[1:]
    for line in measure(paired, report, "/usr/bin", dict(os.environ), int(runs), account):
        print(f"{BEYOND}: {line}")


if __name__ == "__main__":
    main()
