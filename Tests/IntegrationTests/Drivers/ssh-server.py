"""Another machine, to which OpenSSH's client connects: it runs commands, and forwards sockets (ssh -R).

usage: ssh-server.py DIRECTORY

The directory gets `key`, with which a client signs in, and `known_hosts`. Then the port is printed.
"""
import asyncio
import os
import subprocess
import sys
import warnings

# asyncssh knows ciphers that its library calls outdated. None of them is used.
warnings.simplefilter("ignore")

import asyncssh  # noqa: E402


class Machine(asyncssh.SSHServer):
    """Forwards each socket that a client wants to have here."""

    def unix_server_requested(self, listen_path):
        return True


async def run(process):
    """Runs the command of a client."""
    child = await asyncio.create_subprocess_shell(
        process.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output, _ = await child.communicate()
    process.stdout.write(output)
    process.exit(child.returncode)


async def main(directory):
    host, client = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    public = client.export_public_key().decode()
    server = await asyncssh.create_server(
        Machine, "127.0.0.1", 0, server_host_keys=[host], process_factory=run, encoding=None,
        authorized_client_keys=asyncssh.import_authorized_keys(public))
    port = server.sockets[0].getsockname()[1]
    key = os.open(os.path.join(directory, "key"), os.O_CREAT | os.O_WRONLY, 0o600)
    os.write(key, client.export_private_key())
    with open(os.path.join(directory, "known_hosts"), "w", encoding="utf-8") as hosts:
        hosts.write(f"[127.0.0.1]:{port} {host.export_public_key().decode()}")
    print(port, flush=True)
    await asyncio.Event().wait()


asyncio.run(main(sys.argv[1]))
