"""The Swift files of an interface."""

import re

from .language import Member, Wrong
from .types import EMPTY, documented, first_lower, quoted
from .variants import Variants

# The room of each interface.
FOLDERS = {
    "Vault": "Sources/VaultInterface/Generated",
    "Helper": "Sources/HelperInterface/Generated",
    "Service": "Sources/Varlink/Generated",
}
# The room that answers the calls to the vault.
SERVER = "Sources/VaultServer/Generated"


class Room(Variants):
    """The files of one interface."""

    def types(self):
        for name, (comment, parts) in self.file.types.items():
            if name in self.words:
                continue
            if self.is_enumeration(name):
                yield from self.enumeration(name, comment, parts)
            # A record with a secret in a map is hand-written.
            elif not any(member.secret_key for member in parts):
                swift = self.type_name(name)
                protocols = ["VarlinkRecord", "WireValue"]
                yield from documented(comment) + self.record(swift, name, parts, protocols)

    def messages(self):
        done = {EMPTY}
        for method, (comment, parameters, reply) in self.file.methods.items():
            asks = any(member.name == "ask" for member in parameters)
            extra = [
                f"  {self.access} typealias Reply = {self.replies[method]}",
                f'  {self.access} static let method = "{self.file.name}.{method}"',
            ]
            protocols = ["AskingMethod" if asks else "VarlinkMethod"]
            yield from documented(comment)
            yield from self.record(self.call(method), method, parameters, protocols, extra)
            name = self.replies[method]
            if name in done:
                continue
            done.add(name)
            answered = [f"`{other}`" for other, reply_name in self.replies.items() if reply_name == name]
            yield f"/// What {', '.join(answered)} {'answers' if len(answered) == 1 else 'answer'}."
            rest = [member for member in reply if not member.of]
            if len(rest) == len(reply):
                yield from self.record(name, method, reply, ["VarlinkRecord"])
            elif len(rest) == 1:
                yield from self.variant(name, reply)
            else:
                yield from self.record(name, method, rest, ["VarlinkRecord"])
                yield f"/// What changes from one reply to `{method}` to the next."
                yield from self.variant(self.value(rest[0]), reply)

    def error_types(self):
        yield f"/// The errors of `{self.file.name}`."
        yield f"enum {self.prefix}ErrorName: String, CaseIterable {{"
        for name, (comment, _) in self.file.errors.items():
            yield from documented(comment, "  ")
            yield f'  case {quoted(first_lower(name))} = "{name}"'
        yield from ["}", ""]
        for name, (comment, members) in self.file.errors.items():
            record = self.names.get(f"error {name}")
            twin = next((kind for kind in self.kinds if record and self.type_name(kind) == record), None)
            if twin and [m.shape() for m in self.kinds[twin]] != [m.shape() for m in members]:
                raise Wrong(f"{self.file.name}: {name} and {twin} differ, and have one Swift type")
            if record and not twin:
                yield from documented(comment) + self.record(record, name, members, ["VarlinkRecord"])
        if "errors" in self.names:
            yield from self.errors(self.names["errors"])

    def request(self):
        name = f"{self.prefix}Request"
        calls = [(quoted(first_lower(method)), self.call(method)) for method in self.file.methods]
        asking = [
            quoted(first_lower(method))
            for method, (_, members, _) in self.file.methods.items()
            if any(member.name == "ask" for member in members)
        ]
        yield f"/// A call of `{self.file.name}`, with its parameters."
        yield f"package enum {name}: Sendable {{"
        yield from (f"  case {case}({call})" for case, call in calls)
        yield from ["", "  /// Reads a call; throws the error that answers it if it cannot be read."]
        yield from ["  package init(_ call: VarlinkCall) throws(VarlinkError) {", "    do {"]
        yield "      switch call.method {"
        yield from (f"      case {call}.method: self = .{case}(try call.content())" for case, call in calls)
        yield from ["      default: throw VarlinkError.methodNotFound(call.method)", "      }"]
        yield from ["    } catch let error as VarlinkError {", "      throw error"]
        yield from ["    } catch let error as MessageError {", "      throw VarlinkError(error)"]
        yield from ["    } catch {", '      throw .invalidParameter("")', "    }", "  }"]
        if asking:
            yield from ["", "  /// The members of `AskingMethod`; `nil` if the method is none."]
            yield from ["  package var asking: (ask: Bool?, reason: String?)? {", "    switch self {"]
            yield from (f"    case .{case}(let call): (call.ask, call.reason)" for case in asking)
            yield from ["    default: nil", "    }", "  }"]
        yield from ["", "  /// Every method, for tests that read all messages."]
        yield "  package static let methods: [any VarlinkMethod.Type] = ["
        yield from (f"    {call}.self," for _, call in calls)
        yield from ["  ]", "}", ""]

    def description(self):
        if '"""#' in self.file.text:
            raise Wrong(f"{self.file.name}: the text ends a Swift string")
        name = first_lower(self.prefix)
        if self.prefix != "Service":
            yield "extension VarlinkInterface {"
            yield f"  /// The interface `{self.file.name}`."
            yield f"  package static let {name} = VarlinkInterface("
            yield f'    name: "{self.file.name}",'
            yield f"    description: {name}Description,"
            yield f"    maximumMessage: {self.maximum()},"
            yield ",\n".join(self.secrets())
            yield from ["  )", "}", ""]
        yield f"/// The file `{self.file.name}.varlink`, byte for byte."
        yield f'let {name}Description = #"""'
        yield from (f"  {line}".rstrip() for line in self.file.text.split("\n"))
        yield from ['  """#', ""]

    def maximum(self):
        found = re.search(r"Messages are at most (\d+) bytes with their NUL", " ".join(self.file.comment))
        if not found:
            raise Wrong(f"{self.file.name}: no line says how long a message may be")
        return found[1]

    def secrets(self):
        """The secret names, by direction: the reader of JSON knows only the name of a member."""
        types = [m for parts in self.kinds.values() for m in parts if isinstance(m, Member)]
        calls, replies = list(types), list(types)
        for _, parameters, reply in self.file.methods.values():
            calls += parameters
            replies += reply
        for _, members in self.file.errors.values():
            replies += members
        for direction, members in (("call", calls), ("reply", replies)):
            names = {m.name for m in members if m.secret} | {m.secret_key for m in members if m.secret_key}
            for member in members:
                if member.name in names and not member.secret:
                    raise Wrong(f"{self.file.name}: a member {member.name} is secret, and another one is not")
            yield f"    {direction}Secrets: [" + ", ".join(f'"{name}"' for name in sorted(names)) + "]"

    def service(self):
        calls = [(quoted(first_lower(method)), self.call(method)) for method in self.file.methods]
        turn = "async throws(VaultFailure) ->"
        yield f"/// What answers the calls of `{self.file.name}`: one function for each method."
        yield f"protocol {self.prefix}Service: Sendable {{"
        for case, call in calls:
            yield f"  func {case}(_ call: {call}) {turn} {call}.Reply"
        yield from ["}", "", f"extension {self.prefix}Service {{"]
        yield "  /// Answers a call by the function of its method."
        yield f"  func reply(to request: {self.prefix}Request) {turn} VarlinkReply {{"
        yield "    switch request {"
        for case, _ in calls:
            yield f"    case .{case}(let call): try .made(await {case}(call))"
        yield from ["    }", "  }", "}", ""]

    def imports(self, part, lines):
        text = "\n".join(lines)
        used = {
            "JSON": "JSONObject" in text,
            "SecretMemory": "SharedSecret" in text,
            "Varlink": self.prefix != "Service" and re.search("Varlink[A-Z]|WireValue", text),
            "PlainText": "(named:" in text,
        }
        words = rf"\b({'|'.join(self.words)})\b"
        used["PresenceTerms"] = self.words and re.search(words, text)
        shown = rf"(?m)^  ({self.access} var|case)"
        public = {
            "PlainText": "(?!)",
            "PresenceTerms": rf"{shown} .*{words}",
            "SecretMemory": rf"{shown} .*SharedSecret",
            "Varlink": "Varlink[A-Z]|MessageError",
        }
        for module in used:
            if used[module]:
                access = self.access if re.search(public.get(module, ""), text) else "internal"
                # No other package decodes a call or describes an interface.
                if part in ("Request", "Description"):
                    access = "internal" if module == "PresenceTerms" else "package"
                # Nor does it decode an error, if no error is a record of its own.
                if part == "Errors" and f"{self.access} struct" not in text:
                    access = {"JSON": "internal", "Varlink": "package"}.get(module, access)
                yield f"{access} import {module}"

    def outputs(self):
        def swift(lines, *imports):
            return "\n".join([
                f"// Written by Scripts/interface from {self.file.name}.varlink: change that file instead.",
                "// swift-format-ignore-file",
                *imports, "", *lines,
            ]).rstrip("\n") + "\n"

        result = {}
        parts = [("Methods", self.messages()), ("Description", self.description())]
        if self.prefix != "Service":
            parts += [("Types", self.types()), ("Request", self.request())]
        if self.file.errors:
            parts.append(("Errors", self.error_types()))
        for part, lines in parts:
            lines = list(lines)
            result[f"{FOLDERS[self.prefix]}/{self.prefix}{part}.swift"] = swift(lines, *self.imports(part, lines))
        if self.prefix == "Vault":
            used = ["internal import TokenVault", "internal import VaultInterface", "internal import Varlink"]
            result[f"{SERVER}/{self.prefix}Service.swift"] = swift(self.service(), *used)
        return result
