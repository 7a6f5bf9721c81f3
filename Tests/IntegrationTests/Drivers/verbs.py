"""The verbs of the command line, as `same-time.py` draws them."""
import os
import random
import sys

ISSUER = sys.argv[2]
ACCOUNTS = [f"a{number}" for number in range(8)]
BACKEND_PASSWORD = "backend-password"

# Exit codes after a question to the person: 3 not passed, 7 no terminal to ask at, 10 busy, 130
# Ctrl-C.
ASKED = {3, 7, 10}


def account():
    return random.choice(ACCOUNTS)


def either(*texts):
    return lambda: random.choice(texts)


# Verb -> (weight, arguments, standard input, exit codes that the documents allow). 4 login
# required, 5 try again later, 8 refused by the server, 9 not found, 11 refused by policy, 12 the
# refresh token of a login that has ended here stays valid.
VERBS = {
    "provider add": (1, lambda: [f"p{random.randrange(4)}", "--kind", "password-backend",
                                 "--issuer", ISSUER], None, {0, 2, 11}),
    "provider list": (1, list, None, {0}),
    "provider show": (1, lambda: [f"p{random.randrange(4)}"], None, {0, 9}),
    "provider test": (0.4, lambda: [random.choice(["dev", f"p{random.randrange(4)}"])], None, {0, 5, 9}),
    # No file has changed since its sign-in.
    "provider apply": (1, lambda: ["dev"] + random.choice([[], [account()]]), None, {0, 4, 9}),
    "provider remove": (1, lambda: [f"p{random.randrange(4)}"], None, {0, 9}),
    "setup": (0.5, lambda: random.choice([[], ["--json"]]), None, {0, 5, 7} | ASKED),
    "register": (0.4, lambda: [account(), "--provider", "dev", "--email",
                             f"{random.randrange(10**9)}@example.org", "--password-stdin"],
                 BACKEND_PASSWORD, {0, 5, 8, 10, 11} | ASKED),
    "login": (1, lambda: [(name := account()), "--provider", "dev", "--email",
                          f"{name}@example.org", "--password-stdin", "--yes"],
              BACKEND_PASSWORD, {0, 5, 8, 10, 11, 12} | ASKED),
    "login --exportable": (1, lambda: [(name := account()), "--provider", "dev", "--email",
                                       f"{name}@example.org", "--password-stdin", "--yes"],
                           BACKEND_PASSWORD, {0, 5, 8, 9, 10, 11, 12} | ASKED),
    "store": (0.5, lambda: ["s1", "--host", "s1.org", "--secret-stdin"], "word", {0, 5, 10, 11} | ASKED),
    "import": (0.5, lambda: "--from git-credential-store --yes --keep".split(), None, {0, 5, 11} | ASKED),
    "backup": (0.3, lambda: [f"{os.environ['HOME']}/b{random.randrange(4)}", "--force", "--passphrase-fd",
                             "0"], "correct horse battery", {0, 5} | ASKED),
    "restore": (0.3, lambda: [f"{os.environ['HOME']}/b{random.randrange(4)}", "--passphrase-fd", "0"],
                "correct horse battery", {0, 2, 5, 11} | ASKED),
    # There is no service to move them into.
    "service import": (0.3, lambda: random.choice([[], ["--json"]]), None, {2}),
    "service export": (0.3, lambda: random.choice([[], [account()], ["--cancel"]]), None, {2}),
    "logout": (0.3, lambda: [account()] + random.choice([[], ["--local"]]), None, {0, 5, 9, 12} | ASKED),
    "token": (24, lambda: [account()], None, {0, 4, 5, 9} | ASKED),
    "token --min-ttl 800s": (12, lambda: [account()], None, {0, 4, 5, 9} | ASKED),
    # Standard input is the newest token that a command of this run has received.
    "token --rejected": (16, lambda: [account()], "", {0, 4, 5, 9} | ASKED),
    "env": (2, lambda: [account()] + random.choice([[], ["--shell", "fish"]]), None, {0, 4, 5, 9} | ASKED),
    "headers": (2, lambda: [account()], None, {0, 4, 5, 9} | ASKED),
    "exec": (3, lambda: [account()] + random.choice([[], ["--fd", "3"]]) + ["--", "true"], None,
             {0, 4, 5, 9} | ASKED),
    "request": (3, lambda: [account(), ISSUER + either("/auth/me", "/nowhere")()], None,
                {0, 4, 5, 8, 9} | ASKED),
    "whoami": (3, lambda: [account()], None, {0, 4, 5, 8, 9} | ASKED),
    "status": (4, lambda: random.choice([[], ["--json"], [account()]]), None, {0, 9}),
    "doctor": (1, list, None, {0}),
    "account list": (3, list, None, {0}),
    "account rename": (0.4, lambda: [account(), account()], None, {0, 2, 9, 11} | ASKED),
    "account default": (1, lambda: [account()], None, {0, 9} | ASKED),
    "account remove": (0.3, lambda: [account(), "--yes"], None, {0, 5, 9, 12} | ASKED),
    "host add": (0.4, lambda: [f"h{random.randrange(4)}.example.org", account()], None, {0, 2, 10}),
    "host list": (0.4, list, None, {0}),
    "host remove": (0.4, lambda: [f"h{random.randrange(4)}.example.org"], None, {0, 9, 10}),
    # No host gets an account's token here; each helper says so in the protocol of its tool.
    "git-credential": (0.2, lambda: ["get"], "protocol=https\nhost=a.org\n", {0}),
    "docker-credential": (0.2, lambda: ["get"], "a.org", {1}),
    "kube-credential": (1, lambda: [account()], None, {0, 4, 5, 9} | ASKED),
    "cargo-credential": (0.2, list, "{}", {0}),
    "bazel-credential": (0.2, lambda: ["get"], '{"uri":"https://a.org"}', {9}),
    "terraform-credential": (0.2, lambda: ["get", "a.org"], None, {0}),
    # An agent runs until a signal, and a private vault has no other users.
    "agent": (0.2, list, None, {0}),
    "rule list": (0.2, list, None, {0}),
    "rule test": (0.2, lambda: ["cron.service"], None, {0}),
    "user remove": (0.2, lambda: ["nobody", "--yes"], None, {2}),
    "presence enable": (2, lambda: [account()], None, {0, 9} | ASKED),
    "presence disable": (2, lambda: [account()], None, {0, 5, 9} | ASKED),
    "presence test": (1, list, None, {0} | ASKED),
    "unlock": (2, lambda: random.choice([[], ["--for", "2s"], [account()]]), None, {0, 9} | ASKED),
    "lock": (2, list, None, {0}),
    "fingers list": (2, list, None, {0}),
    "fingers enroll": (1, either(["left-index"], ["left-thumb"]), None, {0, 11} | ASKED),
    "fingers delete": (1, either(["left-index"], ["left-thumb"]), None, {0, 9} | ASKED),
    "keys list": (1, list, None, {0}),
    # No key is plugged in, so none is enrolled.
    "keys enroll": (0.2, lambda: ["blue"], None, ASKED),
    "keys remove": (0.2, lambda: ["blue"], None, {9}),
    "release": (3, lambda: [account()], None, {0, 4, 5, 9, 11} | ASKED),
    "rekey": (1, list, None, {0, 5} | ASKED),
    **{f"device-secret {verb}": (0.3, word.split, None, {0, 2, 10} | ASKED)
       for verb, word in [("status", ""), ("add", "tpm"), ("remove", "0"), ("test", "")]},
    "recover": (0.2, list, None, {0, 11} | ASKED),
    "policy": (1, lambda: random.choice([[], ["window", either("5m", "8m", "default")()]]), None,
               {0} | ASKED),
    "audit": (2, lambda: random.choice([[], ["--since", "1m"], [account()]]), None, {0, 9}),
    "audit verify": (1, list, None, {0}),
}
