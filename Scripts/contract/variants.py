"""The Swift of the replies and errors that have several cases."""

from dataclasses import dataclass, replace

from .language import Wrong
from .types import Types, camel, documented, first_lower, quoted


@dataclass
class Case:
    """A case of a Swift enumeration. It holds members, or the record that has them."""

    name: str
    comment: list
    members: list
    record: str = ""

    def held(self):
        return [first_lower(self.record)] if self.record else [camel(member.name) for member in self.members]

    def pattern(self, only=None):
        bound = [f"let {name}" if only in (None, name) else "_" for name in self.held()]
        return f".{self.name}" + (f"({', '.join(bound)})" if bound else "")


class Variants(Types):
    """The enumerations of one interface whose cases hold values."""

    def variant(self, name, members):
        """A reply in which one member decides about the others."""
        tag = next(member for member in members if member.variant)
        cases = self.cases(tag, members)
        protocols = "VarlinkRecord" if any(member.secret for member in members) else "VarlinkRecord, Equatable"
        yield f"{self.access} enum {name}: {protocols} {{"
        yield from self.declared(cases)
        yield f"  {self.access} init(decoding object: JSONObject) throws(MessageError) {{"
        yield f'    switch try object.required("{tag.name}") as {tag.kind} {{'
        yield from self.reading(cases)
        yield from ["    }", "  }", "", f"  {self.access} var encoded: JSONObject {{"]
        yield from ["    get throws(MessageError) {", "      switch self {"]
        for case in cases:
            yield f"      case {case.pattern()}: {self.written(case, tag)}"
        yield from ["      }", "    }", "  }", "}", ""]

    def cases(self, tag, members):
        values = self.kinds[tag.kind]
        strange = {name for member in members for name in member.of} - {value.name for value in values}
        if strange:
            raise Wrong(f"{self.file.name}: {tag.kind} has no value {strange.pop()}")
        found = []
        for value in values:
            held = [member for member in members if value.name in member.of]
            held = [replace(member, optional=member.of[value.name]) for member in held]
            found.append(Case(camel(value.name), value.comment, held))
        return found

    def errors(self, name):
        cases = []
        for error, (comment, members) in self.file.errors.items():
            record = self.names.get(f"error {error}", "")
            cases.append(Case(first_lower(error), comment, [] if record else members, record))
        yield f"/// The errors of `{self.file.name}`."
        yield f"{self.access} enum {name}: Error, Equatable, Sendable {{"
        yield from self.declared(cases)
        yield "  /// The error of a reply, or `nil` if it has no error or that of another interface."
        yield "  package init?(decoding reply: VarlinkReply) throws(MessageError) {"
        yield f'    let prefix = "{self.file.name}."'
        yield "    guard let error = reply.error, error.hasPrefix(prefix),"
        yield f"      let name = {name}Name(named: String(error.dropFirst(prefix.count)))"
        yield from ["    else { return nil }", "    let object = reply.parameters", "    switch name {"]
        yield from self.reading(cases)
        yield from ["    }", "  }", "", "  /// The reply that carries this error."]
        yield from ["  package var reply: VarlinkReply {", "    get throws(MessageError) {"]
        yield from ["      let parameters: JSONObject", "      switch self {"]
        yield from (f"      case {case.pattern()}: parameters = {self.written(case)}" for case in cases)
        yield from ["      }", f'      return VarlinkReply(parameters: parameters, error: "{self.file.name}." + name)']
        yield from ["    }", "  }", "", "  /// Its name in the interface."]
        yield from [f"  {self.access} var name: String {{", "    switch self {"]
        yield from (f'    case .{first_lower(error)}: "{error}"' for error in self.file.errors)
        yield from ["    }", "  }", "", "  /// The error's own text, or `nil` if it has none."]
        yield from [f"  {self.access} var message: String? {{", "    switch self {"]
        yield from (f"    case {case.pattern('message')}: message" for case in cases if "message" in case.held())
        yield from ["    default: nil", "    }", "  }", "}", ""]

    def arguments(self, case, record, member_text):
        parts = [record] if case.record else []
        for member in case.members:
            # The case says already what the value is, or its type does.
            plain = member.name == case.name or (not parts and self.is_enumeration(member.word or member.kind))
            parts.append(("" if plain else f"{camel(member.name)}: ") + member_text(member))
        return f"({', '.join(parts)})" if parts else ""

    def declared(self, cases):
        for case in cases:
            yield from documented(case.comment, "  ")
            for member in case.members:
                if member.comment:
                    first, *rest = member.comment
                    yield from documented(["", f"`{camel(member.name)}`: {first}", *rest], "  ")
            values = self.arguments(case, case.record, lambda member: self.value(member) + self.default(member))
            yield f"  case {quoted(case.name)}{values}"
        yield ""

    def reading(self, cases):
        for case in cases:
            record = f"try {case.record}(decoding: object)"
            yield f"    case .{case.name}: self = .{case.name}{self.arguments(case, record, self.read)}"

    def written(self, case, tag=None):
        if case.record:
            return f"try {first_lower(case.record)}.encoded"
        parts = [f'"{tag.name}": {tag.kind}.{case.name}'] if tag else []
        parts += [f'"{member.name}": {self.write(member, camel(member.name))}' for member in case.members]
        return f"try .wire([{', '.join(parts)}])"
