"""Fingers that the desktop's settings have enrolled count for the service as well. The real fprintd
is on the bus of the machine, with the same reader."""
import contextlib
import os
import shutil
import subprocess

import household
from household import ADA, ask_anew, ask_for_finger, brings_token, enroll_finger, status
from people import READER, is_armed, touch
from scenarios import Failure, check, main, run, scenario, until

HELPER = "/opt/virtual/virtual-reader.conf"
FPRINTD = "/run/systemd/system/fprintd.service.d"
WITHOUT_DESKTOP = f"FP_VIRTUAL_DEVICE={READER}\n"
DESKTOP = "BUS=unix:path=/run/dbus/system_bus_socket\nFPRINTD_DIRECTORY=/var/lib/fprint\n"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def enroll(finger, name):
    """Enrolls a finger of Ada, as the desktop's settings do."""
    said = ""
    with subprocess.Popen(["fprintd-enroll", "-f", finger, "ada"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout:
            said += line
            if "Enrolling" in line or "stage-passed" in line:
                touch(name)
    check(process.returncode == 0 and "completed" in said, f"fprintd-enroll said:\n{said}")


def touch_until(command, finger, text):
    """Touches the reader until a text is on the screen.

    Before each check fprintd has the reader for a moment, and nothing else shows whether a program
    uses it. A touch in that moment is lost. After one that was not lost the reader may be free, while the
    text is still on its way."""
    touch(finger)

    def is_shown():
        if command.shows(text, 5):
            return True
        if is_armed():
            with contextlib.suppress(Failure):  # it has become free just now
                touch(finger)
        return False
    until(is_shown, f"there is no {text!r}")


@scenario
def aFingerOfTheDesktopCountsOnceThePasswordHasConfirmedIt():
    write(HELPER, WITHOUT_DESKTOP + DESKTOP)
    write(f"{FPRINTD}/virtual-reader.conf",
          f"[Service]\nEnvironment={WITHOUT_DESKTOP}ReadWritePaths=/run/virtual-reader\n")
    run("systemctl", "daemon-reload")
    enroll("left-index-finger", "adas-left")
    check("left-index" in ADA.thumblatch("fingers", "list").end(), "it is not listed")
    command = ask_anew()
    command.expect("added left-index").expect("System password for").type(ADA.password)
    brings_token(command)


@scenario
def aFingerOfTheDesktopOpensAToken():
    # The reader compares one print at a time, and the vault's own prints come first.
    delete = ADA.thumblatch("fingers", "delete", "right-index")
    delete.expect("System password for").type(ADA.password).end()
    command = ask_for_finger()
    touch_until(command, "a-stranger", "did not match")
    touch_until(command, "adas-left", "at_")
    command.shown = "at_" + command.shown
    brings_token(command)


@scenario
def theVaultDeletesNoFingerOfTheDesktop():
    ADA.thumblatch("fingers", "delete", "left-index").expect("remove it there").end(status=11)
    check(os.path.isdir("/var/lib/fprint/ada"), "the desktop's prints are gone")


@scenario
def whatTheDesktopHasRemovedCountsNoMore():
    run("fprintd-delete", "ada")
    check(status()["enrolled_fingers"] == [], str(status()))
    command = ask_anew()
    check(command.first_of("Touch", "System password for") == "System password for", "a finger is asked for")
    command.type(ADA.password)
    brings_token(command)


def leave():
    run("systemctl", "stop", "fprintd.service")
    shutil.rmtree(FPRINTD, ignore_errors=True)
    shutil.rmtree("/var/lib/fprint/ada", ignore_errors=True)
    write(HELPER, WITHOUT_DESKTOP)
    run("systemctl", "daemon-reload")


@scenario
def theDesktopGoesAndTheVaultHasItsFingerAgain():
    leave()
    enroll_finger()
    check(status()["enrolled_fingers"] == ["right-index"], str(status()))


def begin():
    leave()
    household.begin()


main(begin)
