import Glibc
import JSON
import System
import TestSupport
import Testing

/// A headless Chromium, used only by keyboard and screen reader, as a person would.
final class BrowserProcess {
  /// The page that the person sees.
  struct Page {
    let object: JSONObject

    var heading: String { get throws { try object.string("heading") } }
    var text: String { get throws { try object.string("text") } }
    var address: String { get throws { try object.string("address") } }
    /// The focused element, by its label or its text.
    var focus: String { get throws { try object.string("focus") } }
    var status: Int64 { get throws { try object.integer("status") } }
    var alerts: [String] { get throws { try texts("alerts") } }
    var states: [String] { get throws { try texts("states") } }

    /// The content of a field, never of a password field.
    func field(_ name: String) throws -> String { try object.object("fields").string(name) }

    private func texts(_ name: String) throws -> [String] {
      try object.array(name).compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
  }

  private let child: ChildProcess
  private let socket: Descriptor
  private var waiting: [UInt8] = []

  /// Starts a browser whose pages may not run scripts.
  ///
  /// The directory in THUMBLATCH_PICTURES gets pictures of the pages that `look` examines.
  init(in directory: String) throws {
    let (near, far) = try UnixSocket.pair()
    socket = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    try shell("mkdir -p \(directory)")
    let driver = BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers/browser.py"
    let pictures = ThisProcess.environment("THUMBLATCH_PICTURES").map { [$0] } ?? []
    child = try ChildProcess(
      path: "/usr/bin/python3",
      arguments: ["-B", driver, directory] + pictures,
      environment: ["PATH=/usr/bin:/bin", "HOME=\(directory)", "LANG=C.UTF-8"],
      descriptors: [theirs.number, theirs.number, 2]
    )
    _ = try readObject()
    try run("script", ["on": false])
  }

  deinit {
    // The driver exits at the end of its input.
    shutdown(socket.number, Int32(SHUT_WR))
    _ = try? child.wait()
  }

  /// Opens an address.
  func open(_ url: String) throws { try run("open", ["url": .string(url)]) }

  /// Waits at most a minute until a page with this title contains a text.
  @discardableResult
  func sees(_ title: String, _ text: String = "") throws -> Page {
    Page(object: try run("await", ["title": .string(title), "text": .string(text)]))
  }

  /// Waits until a page has this title or the other one.
  ///
  /// The result is true for this one.
  func shows(_ title: String, insteadOf other: String) throws -> Bool {
    try run("await", ["title": .string(title), "other": .string(other)]).string("title")
      .hasPrefix(title)
  }

  /// Types into the focused element.
  func type(_ text: String) throws { try run("type", ["text": .string(text)]) }

  /// Presses a key.
  func press(_ key: String) throws { try run("press", ["key": .string(key)]) }

  /// Goes to the element of this name with only the Tab key, and presses Enter.
  func choose(_ name: String) throws {
    try run("reach", ["name": .string(name)])
    try press("Enter")
  }

  /// All elements that the Tab key reaches, in order.
  func round() throws -> [String] {
    try run("round").array("stops").compactMap {
      if case .string(let text) = $0 { text } else { nil }
    }
  }

  /// Presses the mouse button on a button or a link, and releases it elsewhere.
  ///
  /// The result is whether a focus ring showed.
  func showsRingForTheMouse(_ name: String) throws -> Bool {
    let found = try run("point", ["name": .string(name)])
    #expect(try found.string("focus") == name)
    return try found.boolean("ring")
  }

  /// Examines the page at two sizes, in light and dark, and through the screen reader.
  ///
  /// Nothing may be wrong.
  func look(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let faults = try run("look", ["name": .string(name)]).array("faults")
    #expect(faults.isEmpty, "\(name): \(faults)", sourceLocation: sourceLocation)
  }

  @discardableResult
  private func run(_ name: String, _ given: JSONObject = [:]) throws -> JSONObject {
    let members = [("do", JSONValue.string(name))] + given.members.map { ($0.name, $0.value) }
    try socket.write(try JSONWriter.write(.object(JSONObject(members))) + [UInt8(ascii: "\n")])
    let answer = try readObject()
    if let error = try answer.optionalString("error") {
      throw SystemError("browser", code: ETIMEDOUT, subject: error)
    }
    return answer
  }

  private func readObject() throws -> JSONObject {
    while true {
      if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(waiting[..<end])
        waiting.removeFirst(end + 1)
        guard case .object(let object) = try JSONReader.read(line) else { break }
        return object
      }
      // The driver's own waits end after a minute.
      guard try socket.waitReadable(milliseconds: 300_000) else { break }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = unsafe try chunk.withUnsafeMutableBytes { unsafe try socket.read(into: $0) }
      guard count > 0 else { break }
      waiting += chunk[..<count]
    }
    throw SystemError("browser", code: EPIPE)
  }
}
