import KeyAgreement
import SecretMemory
import SystemBus
import Testing

@testable import SecretService

/// The service with a store in memory, and the calls of its programs.
final class ServiceBench {
  static let root = "/org/freedesktop/secrets"
  static let collection = root + "/collection/login"
  let store = MemoryStore()
  let service: SecretService
  private(set) var signals: [SecretSignal] = []

  init() { service = SecretService(store: store) }

  /// Makes a call, and does the work that it begins if `passes`.
  @discardableResult
  func call(
    _ path: String,
    _ member: String,
    _ arguments: [BusValue] = [],
    interface: String = "",
    from sender: String = ":1.1",
    passes: Bool = true
  ) throws(SecretServiceError) -> [BusValue] {
    let call = SecretCall(
      sender: sender,
      requester: "a program",
      path: path,
      interface: interface,
      member: member,
      arguments: arguments
    )
    switch try service.handle(call) {
    case .answer(let values): return values
    case .begin(let work), .wait(let work):
      if passes { store.perform(work.action) }
      service.finish(work.number, isDone: passes)
      return []
    }
  }

  /// The name of the error of a call.
  func refusal(
    _ path: String,
    _ member: String,
    _ arguments: [BusValue] = [],
    from sender: String = ":1.1"
  ) -> String? {
    do throws(SecretServiceError) {
      _ = try call(path, member, arguments, from: sender)
      return nil
    } catch {
      return error.name.split(separator: ".").last.map(String.init)
    }
  }

  /// The members of the signals that have come, with where they go.
  func takeSignals() -> [String] {
    signals = service.takeSignals()
    return signals.map { $0.member + ($0.destination.map { " to \($0)" } ?? "") }
  }

  func open(from sender: String = ":1.1") throws -> String {
    let answer = try call(
      Self.root,
      "OpenSession",
      [.text("plain"), .variant(.text(""))],
      from: sender
    )
    return try path(answer[1])
  }

  /// Stores an item; returns its path, and that of the prompt.
  func create(
    _ session: String,
    _ value: String,
    _ attributes: [String: String],
    label: String = "label",
    replaces: Bool = false
  ) throws -> (item: String, prompt: String) {
    let answer = try call(
      Self.collection,
      "CreateItem",
      [
        Self.properties(label, attributes), try secret(session, value), .boolean(replaces),
      ]
    )
    return (try path(answer[0]), try path(answer[1]))
  }

  static func properties(_ label: String, _ attributes: [String: String]) -> BusValue {
    .array(
      "{sv}",
      [
        .entry(.text("org.freedesktop.Secret.Item.Label"), .variant(.text(label))),
        .entry(
          .text("org.freedesktop.Secret.Item.Attributes"),
          .variant(Self.attributes(attributes))
        ),
        .entry(.text("io.example.Other"), .variant(.number(7))),
      ]
    )
  }

  static func attributes(_ attributes: [String: String]) -> BusValue {
    .array("{ss}", attributes.map { .entry(.text($0.key), .text($0.value)) })
  }

  func bytes(_ bytes: [UInt8]) throws -> BusValue {
    .bytes(SharedSecret(try SecretBytes(copying: bytes)))
  }

  func secret(_ session: String, _ value: String) throws -> BusValue {
    .structure([
      .path(session), try bytes([]), try bytes(Array(value.utf8)), .text("text/plain"),
    ])
  }

  func path(_ value: BusValue) throws -> String {
    guard case .path(let path) = value else { throw SecretServiceError.failed("no path") }
    return path
  }

  func paths(_ value: BusValue) throws -> [String] {
    guard case .array("o", let values) = value else { throw SecretServiceError.failed("no paths") }
    return try values.map(path)
  }

  /// The bytes of the value, and of the parameters, of a secret.
  func value(_ structure: BusValue) throws -> (value: [UInt8], parameters: [UInt8]) {
    guard case .structure(let parts) = structure, case .bytes(let parameters) = parts[1],
      case .bytes(let value) = parts[2]
    else { throw SecretServiceError.failed("no secret") }
    return (text(value), text(parameters))
  }

  func text(_ secret: SharedSecret) -> [UInt8] {
    unsafe secret.bytes.withUnsafeBytes { bytes in unsafe [UInt8](bytes) }
  }
}
