// The wall of this room: it parses and prints the helper protocols of other tools, and touches
// neither the vault nor the system. The front links it too.

package import JSON

/// An access token for another tool.
package struct ToolToken: Sendable, Equatable {
  /// The token, or a stored secret: printable ASCII.
  package let text: String
  /// When it expires, in seconds since 1970; `nil` if the provider did not say.
  package let expiresAt: Int64?

  package init(_ text: String, expiresAt: Int64?) {
    self.text = text
    self.expiresAt = expiresAt
  }
}

/// Why the request of a tool cannot be understood.
///
/// It has no part of the request, which may include a password.
package struct ToolRequestError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One clause, lower case.
  package let description: String

  package init(description: String) { self.description = description }
}

/// The request that a tool sends, as bytes.
package enum ToolRequest {
  /// The most bytes of a request.
  package static let maximumCount = 1 << 20

  /// The text of a request: UTF-8 without NUL.
  static func text(_ bytes: [UInt8]) throws(ToolRequestError) -> String {
    try check(bytes)
    guard let text = try? UTF8Span(validating: bytes.span) else {
      throw ToolRequestError(description: "the request is not UTF-8")
    }
    return String(copying: text)
  }

  /// Refuses a request that is too long, or has a NUL character.
  static func check(_ bytes: [UInt8]) throws(ToolRequestError) {
    guard bytes.count <= maximumCount else {
      throw ToolRequestError(description: "the request is longer than 1 MiB")
    }
    guard !bytes.contains(0) else {
      throw ToolRequestError(description: "the request holds a NUL character")
    }
  }

  /// The JSON object of a request.
  ///
  /// Later versions of a tool may send members that this reader cannot use. With `keepsRest`, these
  /// are left out, and the others are kept.
  package static func object(
    _ bytes: [UInt8],
    keepsRest: Bool = true
  ) throws(ToolRequestError) -> JSONObject {
    guard bytes.count <= maximumCount else {
      throw ToolRequestError(description: "the request is longer than 1 MiB")
    }
    return try reading { () throws(JSONError) in
      let rules = JSONRules(keepsRest: keepsRest)
      guard case .object(let object) = try JSONReader.read(bytes, rules) else {
        throw .unexpected(offset: 0)
      }
      return object
    }
  }

  /// Reads members of a request.
  package static func reading<Value>(
    _ body: () throws(JSONError) -> Value
  ) throws(ToolRequestError) -> Value {
    do throws(JSONError) { return try body() } catch {
      throw ToolRequestError(description: "the request cannot be used: \(error)")
    }
  }

  /// The bytes of an answer on one line.
  package static func line(_ object: JSONObject) -> [UInt8] {
    // Answers have UTF-8 text without NUL, and little nesting, so writing cannot fail.
    ((try? JSONWriter.write(.object(object))) ?? []) + [UInt8(ascii: "\n")]
  }
}
