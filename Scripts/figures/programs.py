"""Programs that a measurement compiles or starts."""

import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def compiled(directory, source, *options):
    """The program of a C file of this project."""
    program = os.path.join(directory, os.path.basename(source).removesuffix(".c"))
    subprocess.run(
        ["cc", "-O2", "-Wall", "-o", program, os.path.join(TOP, source), *options], check=True)
    return program


def output(command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def ready(command, **options):
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)
    assert process.stdout.readline() == "ready\n", command
    return process


class Backend:
    """Scripts/dev-backend, where the accounts are made."""

    def __init__(self, lifetime):
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(TOP, "Scripts/dev-backend"), "--port", "0",
             "--access-lifetime", str(lifetime)], stdout=subprocess.PIPE, text=True)
        self.issuer = self.process.stdout.readline().split()[-1]

    def end(self):
        self.process.terminate()
        self.process.wait()
