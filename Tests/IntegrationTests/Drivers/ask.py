#!/usr/bin/python3
"""One HTTP request of any shape to this machine: prints its answer as JSON.

    ask.py PORT METHOD PATH [NAME:VALUE]... [--body TEXT | --length NUMBER]

Without a `Host` header the usual one is sent.
"""
import http.client
import json
import sys

port, method, path, *rest = sys.argv[1:]
body = None
if len(rest) > 1 and rest[-2] == "--body":
    body, rest = rest[-1].encode(), rest[:-2]
elif len(rest) > 1 and rest[-2] == "--length":
    body, rest = b"x" * int(rest[-1]), rest[:-2]
headers = [one.split(":", 1) for one in rest]
connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
if not any(name.lower() == "host" for name, _ in headers):
    connection.putheader("Host", f"127.0.0.1:{port}")
for name, value in headers:
    connection.putheader(name, value)
if body is not None:
    connection.putheader("Content-Length", str(len(body)))
    connection.putheader("Content-Type", "application/x-www-form-urlencoded")
connection.endheaders(body)
answer = connection.getresponse()
print(json.dumps({
    "status": answer.status,
    "headers": {name.lower(): value for name, value in answer.getheaders()},
    "body": answer.read().decode()}))
