"""A service of the vault that gives notices to agents, and records all other calls.

usage: false-engine.py DIRECTORY

It listens at DIRECTORY/socket, and calls agents in DIRECTORY/agents. Each line of standard input is a
reply to the next NextPrompt. Each call of another method is written to DIRECTORY/calls as one line of
JSON, and refused.
"""
import json
import os
import queue
import socket
import sys
import threading

DIRECTORY = sys.argv[1]
AGENTS = DIRECTORY + "/agents"
waiting = queue.Queue()


def serve(connection):
    received = b""
    while data := connection.recv(65536):
        received += data
        *messages, received = received.split(b"\0")
        for message in messages:
            call = json.loads(message)
            if call["method"] == "io.thumblatch.Vault.NextPrompt":
                waiting.put(connection)
                continue
            with open(DIRECTORY + "/calls", "a") as file:
                file.write(json.dumps(call) + "\n")
            error = {"error": "io.thumblatch.Vault.Internal", "parameters": {"message": "a test"}}
            connection.sendall(json.dumps(error).encode() + b"\0")


def accept(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=[connection], daemon=True).start()


os.mkdir(AGENTS)
listener = socket.socket(socket.AF_UNIX)
listener.bind(DIRECTORY + "/socket")
listener.listen()
threading.Thread(target=accept, args=[listener], daemon=True).start()
print("ready", flush=True)
for line in sys.stdin:
    while True:
        with open(f"{AGENTS}/{os.getuid()}", "w") as file:
            file.write("x")
        try:
            agent = waiting.get(timeout=1)
            agent.sendall(line.strip().encode() + b"\0")
            break
        except (queue.Empty, OSError):
            continue
