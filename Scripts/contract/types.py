"""The Swift of the records and enumerations of an interface."""

from .language import Member, Value, Wrong

# Swift names that do not follow from the file.
NAMES = {
    "Vault": {
        "type DesktopPrompt": "PresenceRequest",
        "type DesktopNotice": "DesktopNotice",
        "type EndedAccount": "EndedAccount",
        "type PolicyRule": "VaultRule",
        "reply GetStatus": "VaultStatus",
        "reply Register": "AccountReply",
        "reply Check": "CheckEvent",
        "reply Respond": "CheckEvent",
        "error PresenceNeeded": "PresenceRequest",
        "errors": "VaultError",
        "UnavailableReason.certificate_authority": "authority",
        "UnavailableReason.certificate_expired": "expired",
        "UnavailableReason.certificate_not_yet_valid": "notYetValid",
        "UnavailableReason.certificate_name": "name",
        "Check.method": "presenceMethod",
    },
    "Helper": {
        "call Exchange": "ExchangeCall",
        "call LoadPrint": "LoadPrintCall",
        "reply Exchange": "ExchangeReply",
        "event HelperEnrollStep": "HelperEnrollEvent",
        "reply Check": "HelperCheckEvent",
        "reply Respond": "HelperCheckEvent",
        "reply DeletePrints": "HelperDeletions",
        "reply GetReader": "HelperReader",
        "reply ListEnrolled": "HelperEnrolled",
        "call GetTPM": "GetTPMCall",
        "reply GetTPM": "TPMFactsReply",
        "call SealSecret": "SealSecretCall",
        "reply SealSecret": "SealedSecretReply",
        "call OpenSecret": "OpenSecretCall",
        "reply OpenSecret": "OpenedSecretReply",
        "call DefineCounter": "DefineCounterCall",
        "reply DefineCounter": "CounterReply",
        "call ReadCounter": "ReadCounterCall",
        "reply ReadCounter": "CounterReply",
        "call IncrementCounter": "IncrementCounterCall",
        "reply IncrementCounter": "CounterReply",
        "call ConfirmCounter": "ConfirmCounterCall",
        "reply ConfirmCounter": "CounterReply",
        "call RemoveCounter": "RemoveCounterCall",
        "reply RemoveCounter": "RemovedCounterReply",
        "call GetKey": "GetKeyCall",
        "reply GetKey": "KeyFactsReply",
        "call MakeKeySecret": "MakeKeySecretCall",
        "reply MakeKeySecret": "MadeKeySecretReply",
        "call OpenKeySecret": "OpenKeySecretCall",
        "reply OpenKeySecret": "OpenedKeySecretReply",
        "Check.method": "presenceMethod",
        "Exchange.method": "httpMethod",
        "Request.method": "httpMethod",
    },
}
# A reply of no members, which is hand-written.
EMPTY = "EmptyReply"
ACRONYMS = {"uri": "URI", "tpm": "TPM"}
PLAIN = {"string": "String", "int": "Int", "bool": "Bool", "object": "JSONObject"}
KEYWORDS = {"private", "internal", "public", "default", "case", "in", "is", "as", "for", "repeat"}


def first_lower(name):
    return name[0].lower() + name[1:]


def camel(name):
    first, *rest = name.split("_")
    return first + "".join(ACRONYMS.get(part, part[0].upper() + part[1:]) for part in rest)


def quoted(name):
    return f"`{name}`" if name in KEYWORDS else name


def documented(comment, indent=""):
    return [f"{indent}/// {line}".rstrip() for line in comment]


def innermost(kind):
    return innermost(kind[1]) if isinstance(kind, tuple) else kind


class Types:
    """The names and types of one interface."""

    def __init__(self, interface, words=()):
        self.file = interface
        # The names of the enumerations that PresenceTerms declares.
        self.words = words
        self.prefix = interface.short
        # A client in another package makes the calls of the vault, and no others.
        self.access = "public" if self.prefix == "Vault" else "package"
        self.names = NAMES.get(interface.short, {})
        self.kinds = {name: parts for name, (_, parts) in interface.types.items()}
        self.replies = {}
        shapes = {}
        for method, (_, _, reply) in interface.methods.items():
            if not reply:
                self.replies[method] = EMPTY
                continue
            # Replies of the same members are one type, which has the name of the first.
            shape = tuple(member.shape() for member in reply)
            name = self.names.get(f"reply {method}") or shapes.get(shape)
            self.replies[method] = shapes[shape] = name or self.method_prefix + method + "Reply"

        for member in self.all_members():
            self.check(member)

    def check(self, member):
        """Checks that a mark fits its member. Otherwise it would have no effect."""
        texts = ["string", ("list", "string")] if member.base64 else ["string"]
        may_be_absent = isinstance(member.kind, tuple) if member.absent == "[]" else member.kind == "bool"
        fits = {
            "secret": not member.secret or member.kind in texts,
            "secret KEY": not member.secret_key or member.kind == ("map", "string"),
            "base64": not member.base64 or member.kind in texts,
            "if absent": not member.absent or (may_be_absent and member.optional),
            "always sent": not member.sent or member.absent,
            "of": not member.of or member.optional,
            "word of": not member.word or (member.kind == "string" and self.is_enumeration(member.word)),
            "word of, without or": not member.word or member.other or member.optional,
            "variant": not member.variant or (self.is_enumeration(member.kind) and not member.optional),
        }
        for mark, fit in fits.items():
            if not fit:
                raise Wrong(f"{self.file.name}: {member.name} cannot be marked [{mark}]")

    @property
    def method_prefix(self):
        return "Helper" if self.prefix == "Helper" else ""

    def call(self, method):
        return self.names.get(f"call {method}", self.method_prefix + method + "Call")

    def is_enumeration(self, name):
        return isinstance(next(iter(self.kinds.get(name, [])), None), Value)

    def type_name(self, name):
        if name in PLAIN:
            return PLAIN[name]
        if name not in self.kinds:
            raise Wrong(f"{self.file.name}: there is no type {name}")
        # Other rooms have records of the plain name.
        return name if self.is_enumeration(name) else self.names.get(f"type {name}", self.prefix + name)

    def swift(self, kind):
        if isinstance(kind, str):
            return self.type_name(kind)
        if kind[0] == "map" and kind[1] != "string":
            raise Wrong(f"{self.file.name}: a map of {kind[1]}")
        return f"[{self.swift(kind[1])}]" if kind[0] == "list" else "[String: String]"

    def wire(self, member):
        """The type that reads a member."""
        if member.base64:
            single = "WireSecret" if member.secret else "WireBytes"
            return f"[{single}]" if member.kind == ("list", "string") else single
        return "SharedSecret" if member.secret else self.swift(member.kind)

    def value(self, member):
        """The type of a member of a Swift record."""
        if member.variant:
            return self.names[f"event {member.kind}"]
        wire = member.word or self.wire(member)
        plain = wire.replace("WireSecret", "SharedSecret").replace("WireBytes", "[UInt8]")
        return plain + ("?" if member.optional and not member.absent else "")

    def swift_name(self, place, member):
        return self.names.get(f"{place}.{member.name}", camel(member.name))

    def default(self, member):
        return f" = {member.absent}" if member.absent else " = nil" if member.optional else ""

    def read(self, member):
        if member.variant:
            return f"try {self.value(member)}(decoding: object)"
        if member.absent:
            return f'try object.optional("{member.name}") ?? {member.absent}'
        which = "optional" if member.optional else "required"
        text = f'try object.{which}("{member.name}")'
        mark = "?" if member.optional else ""
        if member.base64:
            part = "secret" if member.secret else "bytes"
            rest = f".map(\\.{part})" if isinstance(member.kind, tuple) else f".{part}"
            return f"({text} as {self.wire(member)}{mark}){mark}{rest}"
        if member.word and not member.other:
            return f"{text}.flatMap({member.word}.init(named:))"
        if member.word and member.optional:
            return f"{text}.map {{ {member.word}(named: $0) ?? .{camel(member.other)} }}"
        if member.word:
            return f'{member.word}(named: try object.optional("{member.name}") ?? "") ?? .{camel(member.other)}'
        return text

    def write(self, member, name):
        if member.absent and not member.sent:
            kept = {"true": "nil : false", "false": "true : nil", "[]": f"nil : {name}"}[member.absent]
            return f"{name}{'.isEmpty' if member.absent == '[]' else ''} ? {kept}"
        if member.base64:
            make = "WireSecret.init(secret:)" if member.secret else "WireBytes.init(bytes:)"
            if isinstance(member.kind, tuple):
                return f"{name}{'?' if member.optional else ''}.map({make})"
            if member.optional:
                return f"{name}.map({make})"
            return f"WireSecret(secret: {name})" if member.secret else f"WireBytes(bytes: {name})"
        return name

    def record(self, name, place, members, protocols, extra=()):
        if not any(member.secret or member.variant for member in members):
            protocols = protocols + ["Equatable"]
        named = [(member, self.swift_name(place, member)) for member in members]
        lines = [f"{self.access} struct {name}: {', '.join(protocols)} {{", *extra]
        if not members:
            lines += ["", f"  {self.access} init() {{}}", ""]
            lines += [f"  {self.access} init(decoding object: JSONObject) throws(MessageError) {{}}", ""]
            lines.append(f"  {self.access} var encoded: JSONObject {{")
            return lines + ["    get throws(MessageError) { JSONObject() }", "  }", "}", ""]
        lines += [""] if extra else []
        for member, swift in named:
            lines += documented(member.comment, "  ") + [f"  {self.access} var {swift}: {self.value(member)}"]
        given = [f"    {swift}: {self.value(member)}{self.default(member)}" for member, swift in named]
        lines += ["", f"  {self.access} init(", ",\n".join(given), "  ) {"]
        lines += [f"    self.{swift} = {swift}" for _, swift in named]
        lines += ["  }", "", f"  {self.access} init(decoding object: JSONObject) throws(MessageError) {{"]
        lines += [f"    {swift} = {self.read(member)}" for member, swift in named]
        lines += ["  }", "", f"  {self.access} var encoded: JSONObject {{", "    get throws(MessageError) {"]
        lines.append("      try .wire([")
        plain = [(member, swift) for member, swift in named if not member.variant]
        lines += [f'        "{member.name}": {self.write(member, swift)},' for member, swift in plain]
        first = "".join(f", after: {swift}.encoded" for member, swift in named if member.variant)
        return lines + [f"      ]{first})", "    }", "  }", "}", ""]

    def enumeration(self, name, comment, values):
        # Nothing but a variant uses the enumeration of its cases.
        used = any(name in (m.word, innermost(m.kind)) for m in self.all_members() if not m.variant)
        access = f"{self.access} " if used else ""
        lines = documented(comment)
        lines.append(f"{access}enum {name}: String, Sendable, CaseIterable, WireValue {{")
        for value in values:
            swift = self.names.get(f"{name}.{value.name}", camel(value.name))
            raw = "" if swift == value.name else f' = "{value.name}"'
            lines += documented(value.comment, "  ") + [f"  case {quoted(swift)}{raw}"]
        return lines + ["}", ""]

    def all_members(self):
        for parts in self.kinds.values():
            yield from (part for part in parts if isinstance(part, Member))
        for _, parameters, reply in self.file.methods.values():
            yield from parameters + reply
        for _, members in self.file.errors.values():
            yield from members
