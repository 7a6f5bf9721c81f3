"""A separate machine: a Debian tree that systemd-nspawn boots, with only a loopback network.

Nothing is registered, and the tree is not written to: changes go to a directory that is removed
afterwards. The caller is in its own mount namespace, which removes all mounts when it ends.
"""
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import uuid

BOOT_LIMIT = 300  # seconds
BRIDGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                      "TPMTests/Bridge/bridge.py")

KEY = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                   "SecurityKeys/software-key.py")


def keep(lines, path):
    """Keeps the lines of a program in a file, each as soon as it comes."""
    with open(path, "w", encoding="utf-8") as file:
        for line in lines:
            file.write(line)
            file.flush()


class Failure(Exception):
    """The machine failed."""


class Machine:
    def __init__(self, tree, name="thumblatch-test"):
        self.name, self.tree = name, tree
        self.directory = tempfile.mkdtemp(prefix="thumblatch-system-")
        self.process, self.leader = None, None
        self.shared, self.tpm, self.keys, self.plugged = [], None, [], []
        upper, work, self.root = (os.path.join(self.directory, name)
                                  for name in ("upper", "work", "root"))
        for path in (upper, work, self.root):
            os.mkdir(path, 0o755)
        subprocess.run(
            ["mount", "-t", "overlay", "overlay", "-o",
             f"lowerdir={tree},upperdir={upper},workdir={work}", self.root], check=True)

    def path(self, inside):
        return self.root + inside

    def write(self, inside, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(inside)), exist_ok=True)
        with open(self.path(inside), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(inside), mode)

    def copy(self, source, inside):
        os.makedirs(os.path.dirname(self.path(inside)), exist_ok=True)
        if os.path.isdir(source):
            shutil.copytree(source, self.path(inside), dirs_exist_ok=True)
        else:
            shutil.copy(source, self.path(inside))

    def share(self, directory, inside):
        """Lets the machine read a directory of this host, from the next boot on."""
        os.makedirs(self.path(inside), exist_ok=True)
        self.shared.append(f"--bind-ro={directory}:{inside}")

    def add_tpm(self):
        """Gives the machine a TPM in software, from the next boot on.

        Its bridge makes a terminal at /dev/tpmrm0, with the mode that udev would give the
        device."""
        state = os.path.join(self.directory, "tpm")
        os.mkdir(state)
        self.tpm = subprocess.Popen(["python3", "-B", BRIDGE, state], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, text=True)
        device = self.tpm.stdout.readline().strip()
        if not device:
            raise Failure("there is no TPM in software: run Scripts/setup")
        with open(self.path("/etc/group"), encoding="utf-8") as groups:
            numbers = [int(line.split(":")[2]) for line in groups if line.startswith("tss:")]
        os.chown(device, 0, numbers[0])
        os.chmod(device, 0o660)
        self.shared.append(f"--bind={device}:/dev/tpmrm0")

    def add_key(self, number, *options, pin=None):
        """Gives the machine a security key in software, for its next boot.

        It is at /dev/hidraw<number>. The scenario acts as its person: it writes lines to the pipe
        `say` in /opt/keys/<number>, and reads the key's reports in the file `told` there."""
        place = self.path(f"/opt/keys/{number}")
        os.makedirs(place)
        os.mkfifo(f"{place}/say")
        # Open for both, so that no scenario's close is the end of the input.
        say = os.open(f"{place}/say", os.O_RDWR)
        key = subprocess.Popen(["python3", "-B", KEY, os.path.join(self.directory, f"key-{number}"), *options],
                               stdin=say, stdout=subprocess.PIPE, text=True,
                               env={**os.environ, **({"KEY_PIN": pin} if pin else {})})
        os.close(say)
        self.keys.append(key)
        device = key.stdout.readline().strip()
        if not device:
            raise Failure("there is no security key in software: run Scripts/setup")
        threading.Thread(target=keep, args=(key.stdout, f"{place}/told"), daemon=True).start()
        os.chmod(device, 0o600)
        self.plugged.append(f"--bind={device}:/dev/hidraw{number}")

    def boot(self, beside=None):
        """Starts the machine, and waits until its systemd reports that it is up.

        `beside` is a running machine, with which it shares the loopback network."""
        network = (f"--network-namespace-path=/proc/{beside.leader}/ns/net" if beside
                   else "--private-network")
        notices = os.path.join(self.directory, "notices")
        # A key that a scenario has unplugged is missing after the next boot.
        keys, self.plugged = self.plugged, []
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            told.bind(notices)
            with open(os.path.join(self.directory, "console"), "ab") as console:
                self.process = subprocess.Popen(
                    ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--boot",
                     "--notify-ready=yes", network, "--console=pipe",
                     "--link-journal=no", f"--machine={self.name}",
                     # Locked memory, and memory that even root cannot read: nspawn disables both.
                     "--system-call-filter=@memlock memfd_secret",
                     *self.shared, *keys, "--directory", self.root],
                    stdin=subprocess.DEVNULL, stdout=console, stderr=console,
                    env={**os.environ, "NOTIFY_SOCKET": notices})
            self._wait_until_up(told)
        os.unlink(notices)

    def _wait_until_up(self, told):
        deadline, ready, self.leader = time.monotonic() + BOOT_LIMIT, False, None
        while not (ready and self.leader):
            left = deadline - time.monotonic()
            if left <= 0 or self.process.poll() is not None:
                raise Failure("it did not come up:\n" + self.console())
            if select.select([told], [], [], min(left, 1))[0]:
                for line in told.recv(65536).decode().splitlines():
                    name, _, value = line.partition("=")
                    if name == "X_NSPAWN_LEADER_PID":
                        self.leader = int(value)
                    ready = ready or line == "READY=1"

    def console(self):
        """The end of the console's output."""
        with open(os.path.join(self.directory, "console"), errors="replace") as file:
            return file.read()[-4000:]

    def enter(self, *command):
        """The command line that runs a program in the machine as a service of its systemd."""
        return ["nsenter", f"--target={self.leader}", "--mount", "--uts", "--ipc", "--net", "--pid",
                "systemd-run", "--quiet", "--collect", "--wait", "--pipe", "--service-type=exec",
                "--property=LimitCORE=0", "--", *command]

    def run(self, *command, limit=900):
        """Runs a program in the machine to its end, and returns its result."""
        return subprocess.run(self.enter(*command), stdin=subprocess.DEVNULL, timeout=limit,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def reboot(self):
        """Shuts it down in order, as for a reboot, and starts it again."""
        self.run("systemctl", "reboot")
        self._wait_for_end()
        self.boot()

    def change_identity(self):
        """Gives the machine another identity (machine-id(5)) from its next boot on.

        The file /opt/machine-id has the present one, for a scenario."""
        self.write("/opt/machine-id", self.run("systemd-id128", "machine-id").stdout)
        self.write("/etc/machine-id", uuid.uuid4().hex + "\n", 0o444)

    def _wait_for_end(self):
        try:
            self.process.wait(BOOT_LIMIT)
        except subprocess.TimeoutExpired as error:
            raise Failure("it did not shut down:\n" + self.console()) from error

    def close(self):
        """Ends the machine, and removes its files."""
        if self.process and self.process.poll() is None:
            # Its systemd shuts down in order (SIGRTMIN+3). If it cannot, it ends together with
            # nspawn.
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for key in self.keys:
            key.kill()
            key.wait()
        if self.tpm:
            self.tpm.stdin.close()
            self.tpm.wait()
        subprocess.run(["umount", "--recursive", self.root], check=False)
        shutil.rmtree(self.directory, ignore_errors=True)
