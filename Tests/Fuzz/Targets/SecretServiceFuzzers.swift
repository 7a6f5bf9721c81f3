internal import SecretMemory
internal import SecretService
internal import SystemBus

extension Fuzzer {
  /// Calls of two programs at the Secret Service.
  ///
  /// A call is a byte for the program and for the end of its waiting work, and four lines: path,
  /// interface, member and signature. Its values follow: a byte for a number and for a count, and a
  /// line for a text, a path, bytes, and the signature of a variant.
  static let secretService = Fuzzer(
    "secret-service",
    maximum: 64 * 1024,
    dictionary: "secrets"
  ) { input in
    let bus = SecretBus()
    // A key agreement takes a millisecond, so an input makes few calls.
    for _ in 0..<24 where !input.isEmpty { try? bus.call(&input) }
  }
}

/// The service with items in memory, and the programs that call it.
private final class SecretBus {
  private static let senders = [":1.1", ":1.2"]

  private let store = FuzzedSecrets()
  private let service: SecretService
  /// The sessions that each program has opened.
  private var sessions: [String: Set<String>] = [:]
  private var waiting: [SecretWork] = []

  init() { service = SecretService(store: store) }

  func call(_ input: inout Input) throws {
    let choice = input.byte()
    let sender = Self.senders[Int(choice & 1)]
    let call = SecretCall(
      sender: sender,
      requester: "a program",
      path: input.text(),
      interface: input.text(),
      member: input.text(),
      arguments: try input.values()
    )
    defer { end(choice >> 1) }
    switch try service.handle(call) {
    case .answer(let values):
      if call.member == "OpenSession", case .path(let path)? = values.last {
        sessions[sender, default: []].insert(path)
      }
      for value in values { look(at: value, of: sender) }
    case .begin(let work), .wait(let work):
      demand(work.owner == sender, "a program begins the work of another one")
      waiting.append(work)
    }
  }

  /// Ends waiting work: none, all with success, all with failure, or together with its program.
  private func end(_ choice: UInt8) {
    switch choice % 4 {
    case 1, 2:
      for work in waiting {
        if choice % 4 == 1 { store.perform(work.action) }
        service.finish(work.number, isDone: choice % 4 == 1)
      }
      waiting = []
    case 3:
      let sender = Self.senders[Int(choice >> 2 & 1)]
      service.forget(sender)
      sessions[sender] = nil
    default: break
    }
    let known = Set(waiting.map(\.number))
    for number in service.takeCancelled() where known.contains(number) {
      service.finish(number, isDone: false)
      waiting.removeAll { $0.number == number }
    }
    for signal in service.takeSignals() {
      demand(signal.member != "Completed" || signal.destination != nil, "all hear of a prompt")
      for value in signal.values { look(at: value, of: nil) }
    }
  }

  /// A secret is returned only for an unlocked item, and in the reader's own session.
  private func look(at value: BusValue, of sender: String?) {
    switch value {
    case .structure(let parts):
      guard case .path(let session)? = parts.first, let sender else {
        demand(false, "a secret is in a signal")
        return
      }
      demand(!store.isLocked, "a locked item is read")
      demand(sessions[sender]?.contains(session) == true, "a secret in another program's session")
    case .array(_, let values): for value in values { look(at: value, of: sender) }
    case .entry(_, let value), .variant(let value): look(at: value, of: sender)
    case .dictionary(let entries): for entry in entries { look(at: entry.1, of: sender) }
    case .text(let text): demand(text.utf8.count <= 64 * 1024, "an answer is longer than its limit")
    default: break
    }
  }
}

/// Items in memory, which are locked until a prompt has ended well.
private final class FuzzedSecrets: SecretStore {
  private var kept: [(item: SecretItem, content: SecretContent?)] = []
  private var last = 0
  private(set) var isLocked = true

  func items() throws(SecretServiceError) -> [SecretItem] {
    kept.map { SecretItem($0.item, isLocked: isLocked) }
  }

  func item(_ id: String) throws(SecretServiceError) -> SecretItem? {
    try items().first { $0.id == id }
  }

  func secret(of id: String, requester: String) throws(SecretServiceError) -> SharedSecret {
    guard !isLocked else { throw .isLocked }
    guard let content = kept.first(where: { $0.item.id == id })?.content else { throw .damaged }
    return content.secret
  }

  func add(_ change: SecretChange) throws(SecretServiceError) -> String {
    last += 1
    keep(change, as: "i\(last)")
    return "i\(last)"
  }

  func lock() throws(SecretServiceError) { isLocked = true }

  func perform(_ action: SecretWork.Action) {
    switch action {
    case .unlock: isLocked = false
    case .remove(let id): kept.removeAll { $0.item.id == id }
    case .change(let id, let change): keep(change, as: id)
    }
  }

  private func keep(_ change: SecretChange, as id: String) {
    let present = kept.first { $0.item.id == id }
    kept.removeAll { $0.item.id == id }
    let item = SecretItem(
      id: id,
      label: change.label ?? present?.item.label ?? "",
      attributes: change.attributes ?? present?.item.attributes ?? [:],
      contentType: change.content?.type ?? present?.item.contentType ?? "",
      created: 1,
      modified: 2,
      isLocked: true
    )
    kept.append((item, change.content ?? present?.content))
  }
}

extension SecretItem {
  fileprivate init(_ item: SecretItem, isLocked: Bool) {
    self.init(
      id: item.id,
      label: item.label,
      attributes: item.attributes,
      contentType: item.contentType,
      created: item.created,
      modified: item.modified,
      isLocked: isLocked
    )
  }
}

// The values of a call, as `BusMessage.values()` reads them from the bus.
extension Input {
  private struct Malformed: Error {}

  /// The most containers in each other that a bus passes on (D-Bus specification, "Valid
  /// Signatures").
  private static let deepest = 64

  /// A text without NUL, as each one on a bus is.
  mutating func text() -> String { String(decoding: line().filter { $0 > 0 }, as: UTF8.self) }

  mutating func values() throws -> [BusValue] {
    var values = 4096
    var signature = line()[...]
    var found: [BusValue] = []
    while !signature.isEmpty {
      found.append(try value(Self.takeType(&signature), Self.deepest, &values))
    }
    return found
  }

  /// The first complete type of a signature, which is removed there.
  private static func takeType(_ signature: inout ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
    var depth = 0
    for (count, letter) in signature.enumerated() {
      if "({".utf8.contains(letter) { depth += 1 }
      if ")}".utf8.contains(letter) { depth -= 1 }
      guard depth == 0, letter != UInt8(ascii: "a") else { continue }
      defer { signature = signature.dropFirst(count + 1) }
      return signature.prefix(count + 1)
    }
    throw Malformed()
  }

  private mutating func value(
    _ type: ArraySlice<UInt8>,
    _ depth: Int,
    _ values: inout Int
  ) throws -> BusValue {
    values -= 1
    guard depth > 0, values > 0, let first = type.first else { throw Malformed() }
    switch UnicodeScalar(first) {
    case "s": return .text(text())
    case "o": return .path(text())
    case "y": return .byte(byte())
    case "u": return .number(UInt32(byte()))
    case "i": return .signed(Int32(byte()))
    case "t": return .wide(UInt64(byte()))
    case "b": return .boolean(byte() & 1 == 1)
    case "v":
      var inner = line()[...]
      let complete = try Self.takeType(&inner)
      guard inner.isEmpty else { throw Malformed() }
      return .variant(try value(complete, depth - 1, &values))
    case "a" where type.dropFirst().elementsEqual("y".utf8):
      return .bytes(SharedSecret(try SecretBytes(copying: line())))
    case "a":
      var contents: [BusValue] = []
      for _ in 0..<byte() where !isEmpty {
        contents.append(try value(type.dropFirst(), depth - 1, &values))
      }
      return .array(String(decoding: type.dropFirst(), as: UTF8.self), contents)
    case "(", "{":
      var inner = type.dropFirst().dropLast()
      var parts: [BusValue] = []
      while !inner.isEmpty { parts.append(try value(Self.takeType(&inner), depth - 1, &values)) }
      guard first == UInt8(ascii: "{") else { return .structure(parts) }
      guard parts.count == 2 else { throw Malformed() }
      return .entry(parts[0], parts[1])
    default: throw Malformed()
    }
  }
}
