"""A fuzzer, its files, and the result of its run."""

import os
import shutil

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CORPUS = os.path.join(TOP, "Tests/Fuzz/Corpus")
DICTIONARIES = os.path.join(TOP, "Tests/Fuzz/Dictionaries")
BUILD = os.path.join(TOP, ".build/fuzz")
FINDINGS = os.path.join(BUILD, "findings")
ENVIRONMENT = {
    **os.environ,
    # libFuzzer reports a crash; a second reporter would wait for the first.
    "SWIFT_BACKTRACE": "enable=no",
    # A failed assertion of GLib ends the process, where it would only print.
    "G_DEBUG": "fatal-criticals",
    "ASAN_OPTIONS": "detect_stack_use_after_return=0",
}


class Failure(Exception):
    """Nothing was fuzzed."""


class Target:
    """One fuzzer, and the result of its run."""

    def __init__(self, line):
        self.name, maximum, dictionary = line.split()
        self.maximum = int(maximum)
        self.dictionary = dictionary
        self.seeds = os.path.join(CORPUS, self.name)
        self.archive = os.path.join(CORPUS, "found", self.name + ".zip")
        self.findings = os.path.join(FINDINGS, self.name)
        self.found = []
        self.runs = 0
        self.swollen = 0
        self.seconds = 0.0
        self.coverage = "-"
        self.features = "-"
        self.slowest = 0.0

    def options(self):
        """The options of libFuzzer in every run."""
        options = ["--target=" + self.name, f"-max_len={self.maximum}", "-timeout=60",
                   "-rss_limit_mb=2048", "-print_final_stats=1"]
        if self.dictionary != "-":
            options.append(f"-dict={DICTIONARIES}/{self.dictionary}.dict")
        return options

    def find(self, path, why):
        """Records a finding, with its input in the directory of findings."""
        kept = os.path.join(self.findings, os.path.basename(path))
        shutil.copyfile(path, kept)
        self.found.append((kept, why))
