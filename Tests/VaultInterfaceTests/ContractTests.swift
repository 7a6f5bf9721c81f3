import JSON
import TestSupport
import Testing
import Varlink
import VarlinkMethods
import VaultInterface

/// The messages against the installed interface files.
@Suite
struct ContractTests {
  private func file(_ interface: VarlinkInterface) throws -> InterfaceFile {
    try InterfaceFile(interface.description)
  }

  private func declared(_ sample: Sample) throws -> [InterfaceFile.Member] {
    let file = try file(sample.interface)
    switch sample.direction {
    case .call: return try #require(file.methods[sample.name]).parameters
    case .reply: return try #require(file.methods[sample.name]).reply
    case .error: return try #require(file.errors[sample.name])
    }
  }

  @Test(arguments: VarlinkMethods.interfaces)
  func theDescriptionIsTheInstalledFile(_ interface: VarlinkInterface) throws {
    let path = "Sources/Installed/usr/share/thumblatch/\(interface.name).varlink"
    #expect(Array(interface.description.utf8) == (try InterfaceFile.read(path)))
  }

  @Test(arguments: VarlinkMethods.interfaces)
  func theInterfaceIsWellFormed(_ interface: VarlinkInterface) throws {
    let file = try file(interface)
    #expect(file.name == interface.name)
    func check(_ kind: InterfaceFile.Kind) {
      switch kind {
      case .named(let name): #expect(file.types[name] != nil, "\(name)")
      case .list(let inner), .map(let inner), .maybe(let inner): check(inner)
      case .record(let members): for member in members { check(member.kind) }
      case .plain, .oneOf: break
      }
    }
    for kind in file.types.values { check(kind) }
    for (parameters, reply) in file.methods.values { check(.record(parameters + reply)) }
    for members in file.errors.values { check(.record(members)) }
  }

  @Test(arguments: VarlinkMethods.interfaces)
  func everyMethodAndErrorHasItsMessage(_ interface: VarlinkInterface) throws {
    let file = try file(interface)
    func names(_ direction: Sample.Direction) -> Set<String> {
      Set(samples.filter { $0.interface === interface && $0.direction == direction }.map(\.name))
    }
    #expect(names(.call) == Set(file.methods.keys))
    #expect(names(.reply) == Set(file.methods.keys))
    #expect(names(.error) == Set(file.errors.keys))
  }

  @Test(arguments: VarlinkMethods.interfaces)
  func everyMethodOfTheFileIsGenerated(_ interface: VarlinkInterface) throws {
    let listed = VarlinkMethods.all.map { $0.method }.filter { $0.hasPrefix(interface.name + ".") }
    let declared = try file(interface).methods.keys.map { "\(interface.name).\($0)" }
    #expect(listed.sorted() == declared.sorted())
  }

  @Test
  func allMembersOfTheInterfaceAreSent() throws {
    var sent: [String: Set<String>] = [:]
    for sample in samples {
      sent[sample.description, default: []].formUnion(sample.parameters.members.map(\.name))
    }
    for sample in samples {
      #expect(sent[sample.description] == Set(try declared(sample).map(\.name)), "\(sample)")
    }
  }

  @Test(arguments: samples.indices)
  func aMissingMemberIsNamed(_ index: Int) throws {
    let sample = samples[index]
    for member in try declared(sample) where sample.parameters[member.name] != nil {
      for absent in [nil, JSONValue.null] {
        var parameters = sample.parameters
        parameters[member.name] = absent
        let result = Result { try sample.again(sample.received(parameters)) }
        switch result {
        case .success(let again):
          #expect(member.isOptional, "\(sample) \(member.name)")
          parameters[member.name] = nil as JSONValue?
          if !sample.isVariant { #expect(again == parameters) }
        case .failure(let error):
          #expect(error as? MessageError == .missing(member.name), "\(sample)")
          #expect(!member.isOptional || sample.isVariant, "\(sample) \(member.name)")
        }
      }
    }
  }

  @Test(arguments: samples.indices)
  func aMemberOfTheWrongTypeIsNamed(_ index: Int) throws {
    let sample = samples[index]
    let declared = try declared(sample)
    for member in sample.parameters.members {
      let others: [JSONValue] = [["a"], [[]], ["a": [1]], "a", 1, 0.5, true, ["a": "b"]]
      for other in others where !fits(other, declared, member.name) {
        var parameters = sample.parameters
        parameters[member.name] = other
        #expect("\(sample) \(member.name) \(other)") {
          _ = try sample.again(sample.received(parameters))
        } throws: { error in
          guard let name = (error as? MessageError)?.member else { return false }
          return name == member.name || name.hasPrefix(member.name + ".")
        }
      }
    }
  }

  /// Whether a value is valid for a member: by its type, or because the member is free text.
  private func fits(
    _ value: JSONValue,
    _ members: [InterfaceFile.Member],
    _ name: String
  ) -> Bool {
    guard let kind = members.first(where: { $0.name == name })?.kind else { return true }
    func fits(_ kind: InterfaceFile.Kind) -> Bool {
      switch (kind, value) {
      case (.maybe(let inner), _): fits(inner)
      // An unknown hint of a newer engine becomes a general one. Other text is checked by its own
      // test.
      case (.plain("string"), .string), (.plain("bool"), .boolean), (.plain("int"), .integer),
        (.plain("object"), .object):
        true
      case (.list(.plain("string")), .array(["a"])), (.map, .object(["a": "b"])): true
      default: false
      }
    }
    return fits(kind)
  }

  @Test(arguments: samples.indices)
  func theValuesOfAnEnumerationAreThoseOfTheInterface(_ index: Int) throws {
    let sample = samples[index]
    guard !sample.isVariant else { return }
    let file = try file(sample.interface)
    for member in try declared(sample) {
      var kind = file.resolved(member.kind)
      if case .maybe(let inner) = kind { kind = inner }
      var isList = false
      if case .list(let inner) = kind {
        kind = inner
        isList = true
      }
      guard case .oneOf(let values) = kind else { continue }
      for value in values + ["bogus", "", values[0].uppercased()] {
        var parameters = sample.parameters
        parameters[member.name] = isList ? [.string(value)] : .string(value)
        let result = Result { try sample.again(sample.received(parameters)) }
        if values.contains(value) {
          #expect(try result.get() == parameters, "\(sample) \(value)")
        } else {
          #expect(throws: MessageError.badValue(member.name)) { try result.get() }
        }
      }
    }
  }

  @Test
  func theEventsOfVariantsAreThoseOfTheInterface() throws {
    var sent: [String: Set<String>] = [:]
    for sample in samples where sample.isVariant {
      for name in ["event", "outcome"] {
        guard case .string(let value)? = sample.parameters[name] else { continue }
        sent["\(sample.interface.name).\(sample.name) \(name)", default: []].insert(value)
        var parameters = sample.parameters
        parameters[name] = "bogus"
        #expect(throws: MessageError.badValue(name)) { try sample.again(parameters) }
      }
    }
    for interface in VarlinkMethods.interfaces {
      let file = try file(interface)
      for (method, parts) in file.methods {
        for member in parts.reply {
          // Respond has the same events as Check, which has them all.
          guard case .oneOf(let values) = file.resolved(member.kind), method != "Respond" else {
            continue
          }
          guard let sent = sent["\(interface.name).\(method) \(member.name)"] else { continue }
          #expect(sent == Set(values), "\(method)")
        }
      }
    }
  }

  @Test
  func typesOfTheInterfaceAreSentWhole() throws {
    let file = try file(.vault)
    for (sample, member, type) in [
      ("GetAccount", "account", "Account"), ("GetReader", "reader", "Reader"),
      ("Audit", "record", "AuditRecord"),
    ] {
      let found = try #require(samples.first { $0.name == sample && $0.direction == .reply })
      guard case .record(let members)? = file.types[type] else {
        Issue.record("no \(type)")
        continue
      }
      let object = try found.parameters.object(member)
      #expect(object.members.map(\.name) == members.map(\.name))
      for inner in members {
        var without = object
        without[inner.name] = nil as JSONValue?
        var parameters = found.parameters
        parameters[member] = .object(without)
        let result = Result { try found.again(parameters) }
        if inner.isOptional {
          #expect(try result.get() == parameters)
        } else {
          #expect(throws: MessageError.missing("\(member).\(inner.name)")) { try result.get() }
        }
      }
    }
  }
}
