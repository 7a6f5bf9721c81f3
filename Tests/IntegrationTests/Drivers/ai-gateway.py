"""A gateway that AI tools reach with a token: just enough of three protocols on one loopback port.

/v1/messages       the Messages API that Claude Code uses
/v1/responses      the Responses API that Codex uses
/mcp               an MCP server (streamable HTTP) with one tool, `add`

usage: ai-gateway.py DIRECTORY. Prints its port. DIRECTORY/log has the status, the path and the last
characters of each token; tokens in DIRECTORY/rejected are refused.

If DIRECTORY/calls names the tool as the model does, mcp__NAME__add, the model calls it once. It thinks until
six seconds after the MCP server got its first token: a helper that runs again is suspicious from the fifth
second on, for a minute. The MCP server refuses the token of that call from then on.
"""

import http.server
import json
import os
import sys
import threading
import time

directory = sys.argv[1]
THOUGHT = 6
# The moments when the MCP server got a token.
reached = []
# Set when a client has listed the tools.
listed = threading.Event()
# The tokens that only the MCP server refuses.
ended = set()


def tool_name():
    """The name of the tool that the model calls; empty if it calls none."""
    path = directory + "/calls"
    return open(path).read().strip() if os.path.exists(path) else ""


def think():
    if not listed.wait(60):
        raise TimeoutError("no client has listed the tools")
    time.sleep(max(0, reached[0] + THOUGHT - time.monotonic()))


def parts(message):
    return message["content"] if isinstance(message["content"], list) else []


def answer(said):
    """The answer of the model, with the results of the tool."""
    return "the gateway answers" + "".join(f", the tool {json.dumps(one)}" for one in said)


class Gateway(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *ignored):
        pass

    def answer(self, status, body, kind="application/json", headers=()):
        path = self.path.split("?")[0]
        with open(directory + "/log", "a") as log:
            log.write(f"{status} {path} {self.token()[-6:]}\n")
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def token(self):
        words = self.headers.get("Authorization", "").split(" ")
        return words[1] if words[0] == "Bearer" and len(words) == 2 else ""

    def is_refused(self):
        rejected = ""
        if os.path.exists(directory + "/rejected"):
            rejected = open(directory + "/rejected").read()
        if self.path == "/mcp" and self.token() in ended:
            return True
        return not self.token().startswith("at_") or self.token() in rejected

    def do_GET(self):
        # MCP: no stream of its own. Codex: no list of models.
        self.answer(401 if self.is_refused() else 405, {"error": "not allowed"})

    do_DELETE = do_GET
    do_HEAD = do_GET

    def do_POST(self):
        length = int(self.headers.get("Content-Length", "0"))
        body = self.rfile.read(length)
        if self.path == "/mcp" and self.token():
            reached.append(time.monotonic())
        # Only the first call ends a token.
        if self.path == "/mcp" and b'"tools/call"' in body and tool_name() and not ended:
            ended.add(self.token())
        if self.is_refused():
            error = {"type": "error", "error": {"type": "authentication_error", "message": "refused"}}
            return self.answer(401, error, headers=[("WWW-Authenticate", "Bearer")])
        request = json.loads(body or b"{}")
        path = self.path.split("?")[0]
        if path == "/v1/messages":
            return self.model_message(request)
        if path == "/v1/responses":
            return self.model_response(request)
        if path == "/mcp":
            return self.mcp(request)
        self.answer(200, {})

    def events(self, events):
        text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        self.answer(200, text.encode(), "text/event-stream")

    def model_message(self, request):
        said = [part for message in request.get("messages", []) for part in parts(message)
                if part.get("type") == "tool_result"]
        text = answer(said)
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {
            "id": "msg_1", "type": "message", "role": "assistant", "model": request.get("model", "m"),
            "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage,
        }
        if not request.get("stream"):
            content = [{"type": "text", "text": text}]
            return self.answer(200, message | {"content": content, "stop_reason": "end_turn"})
        block, change = {"type": "text", "text": ""}, {"type": "text_delta", "text": text}
        delta = {"stop_reason": "end_turn", "stop_sequence": None}
        # The tool also asks a model without tools, for a title.
        if tool_name() and not said and request.get("tools"):
            think()
            block = {"type": "tool_use", "id": "toolu_1", "name": tool_name(), "input": {}}
            change = {"type": "input_json_delta", "partial_json": '{"a": 1}'}
            delta["stop_reason"] = "tool_use"
        self.events([
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": change},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        ])

    def model_response(self, request):
        said = [item for item in request.get("input", []) if item.get("type") == "function_call_output"]
        item = {
            "id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": answer(said), "annotations": []}],
        }
        if tool_name() and not said:
            think()
            space, _, name = tool_name().rpartition("__")
            item = {"id": "fc_1", "type": "function_call", "call_id": "call_1", "status": "completed",
                    "namespace": space, "name": name, "arguments": '{"a": 1}'}
        usage = {
            "input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
        response = {"id": "resp_1", "object": "response", "status": "completed", "output": [item]}
        self.events([
            {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response | {"usage": usage}},
        ])

    def mcp(self, request):
        if "id" not in request:
            return self.answer(202, b"")
        schema = {"type": "object", "properties": {"a": {"type": "number"}}}
        # Codex asks nobody about a tool that only reads.
        add = {"name": "add", "description": "adds", "inputSchema": schema,
               "annotations": {"readOnlyHint": True}}
        results = {
            "initialize": {
                "protocolVersion": request.get("params", {}).get("protocolVersion", "2025-06-18"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "gateway", "version": "1"},
            },
            "tools/list": {"tools": [add]},
            "tools/call": {"content": [{"type": "text", "text": "42"}]},
        }
        method = request.get("method")
        reply = {"jsonrpc": "2.0", "id": request["id"]}
        if method == "tools/list":
            listed.set()
        if method in results:
            return self.answer(200, reply | {"result": results[method]})
        self.answer(200, reply | {"error": {"code": -32601, "message": "no such method"}})


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
print(server.server_address[1], flush=True)
server.serve_forever()
