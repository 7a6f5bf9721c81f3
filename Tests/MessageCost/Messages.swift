import TestSupport
import Varlink

/// Every message of an interface with one of its members made hostile.
///
/// The members come from the interface's description, so that a new one is covered automatically.
struct Messages {
  let interface: VarlinkInterface
  private let file: InterfaceFile
  private let values: [(name: String, value: Value)]
  private let gauge: Gauge

  /// The text before the hostile value and after it.
  private typealias Frame = (path: String, before: String, after: String)

  init(_ interface: VarlinkInterface, _ gauge: Gauge) throws {
    self.interface = interface
    file = try InterfaceFile(interface.description)
    // The text around it is shorter than that.
    let room = interface.maximumMessage - 3000
    values = Filler.all.map { ($0.name, Value($0, bytes: room)) }
    self.gauge = gauge
  }

  /// The names of the methods.
  var methods: [String] { file.methods.keys.sorted() }

  /// Calls `body` with each call, without its NUL, and the name of its hostile part.
  func calls(_ body: (String, [UInt8]) -> Void) {
    for method in methods {
      let frames = frames(of: file.methods[method]?.parameters ?? [])
      let start = #"{"method":"\#(file.name).\#(method)","parameters":"#
      each(frames, "call \(method)", start, "}", body)
    }
    let parameters = #","parameters":{}}"#
    each([("method", "", "")], "a call", #"{"method":"#, parameters, body)
    each([("a name", "\"a\":", "")], "a call", #"{"method":"a.b","#, parameters, body)
    each(
      [("parameters", "", "")],
      "a call",
      #"{"method":"\#(file.name).Check","parameters":"#,
      "}",
      body
    )
    each([("more", "", "")], "a call", #"{"method":"\#(file.name).Check","more":"#, "}", body)
    each([("all", "", "")], "a message", "", "", body)
  }

  /// Calls `body` with each reply to `method`, and the name of its hostile part.
  func replies(to method: String, _ body: (String, [UInt8]) -> Void) {
    let frames = frames(of: file.methods[method]?.reply ?? [])
    each(frames, "reply to \(method)", #"{"parameters":"#, "}", body)
  }

  /// Calls `body` with each error, and the name of its hostile part.
  func errors(_ body: (String, [UInt8]) -> Void) {
    for (name, members) in file.errors.sorted(by: { $0.key < $1.key }) {
      let start = #"{"error":"\#(file.name).\#(name)","parameters":"#
      each(frames(of: members), "error \(name)", start, "}", body)
    }
    each([("error", "", "")], "a reply", #"{"error":"#, "}", body)
  }

  private func each(
    _ frames: [Frame],
    _ what: String,
    _ start: String,
    _ end: String,
    _ body: (String, [UInt8]) -> Void
  ) {
    for frame in frames {
      let before = Array((start + frame.before).utf8)
      let after = Array((frame.after + end).utf8)
      for (name, value) in values {
        gauge.measure("\(what), \(frame.path): \(name)", value, body) { before + $0 + after }
      }
    }
  }

  /// The record with each of its members in turn, and with an unknown one.
  private func frames(of members: [InterfaceFile.Member]) -> [Frame] {
    let ordinary = members.map { "\"\($0.name)\":\(sample($0.kind))" }
    var frames: [Frame] = [
      (
        "a member of no meaning", #"{"a":"#,
        (ordinary.isEmpty ? "" : "," + ordinary.joined(separator: ",")) + "}"
      ),
      ("all parameters", "", ""),
    ]
    for (index, member) in members.enumerated() {
      let before = "{" + ordinary[..<index].map { $0 + "," }.joined() + "\"\(member.name)\":"
      let after = ordinary[(index + 1)...].map { "," + $0 }.joined() + "}"
      for inner in self.frames(in: member.kind) {
        let path = inner.path.isEmpty ? member.name : "\(member.name).\(inner.path)"
        frames.append((path, before + inner.before, inner.after + after))
      }
    }
    return frames
  }

  private func frames(in kind: InterfaceFile.Kind) -> [Frame] {
    let whole: Frame = ("", "", "")
    switch kind {
    case .maybe(let inner): return frames(in: inner)
    case .named(let name): return frames(in: file.types[name] ?? .record([]))
    case .record(let members): return frames(of: members) + [whole]
    case .list(let inner):
      return [whole]
        + frames(in: inner).map { ("[" + $0.path + "]", "[" + $0.before, $0.after + "]") }
    case .map:
      return [whole, ("(a key)", #"{"kind":"#, "}"), ("(the certificates)", #"{"ca":"#, "}")]
        + [
          "issuer", "client_id", "scope", "resource", "api_hosts", "pins", "proxy", "refresh_path",
        ]
        .map { ("(\($0))", #"{"kind":"oidc","issuer":"https://a","client_id":"a","\#($0)":"#, "}") }
    default: return [whole]
    }
  }

  /// A value that a reader accepts.
  private func sample(_ kind: InterfaceFile.Kind) -> String {
    switch kind {
    case .plain("bool"): "false"
    case .plain("int"), .plain("float"): "1"
    case .plain("object"): "{}"
    case .plain: #""a""#
    case .named(let name): sample(file.types[name] ?? .record([]))
    case .record(let members):
      "{" + members.map { "\"\($0.name)\":\(sample($0.kind))" }.joined(separator: ",") + "}"
    case .oneOf(let values): "\"\(values.first ?? "")\""
    case .list: "[]"
    case .map: #"{"kind":"password-backend","issuer":"https://id.example.com"}"#
    case .maybe: "null"
    }
  }
}
