/// Text from outside as a key, compared and hashed by its bytes.
///
/// `String` compares and hashes the normalized form. That takes time quadratic in a run of
/// combining marks. It also merges two names that a peer distinguishes.
package struct ByteText: Sendable, Hashable, ExpressibleByStringLiteral {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  package init(stringLiteral text: String) {
    self.text = text
  }

  package static func == (left: ByteText, right: ByteText) -> Bool {
    left.text.isByteEqual(to: right.text)
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
  }
}

extension String {
  /// Whether both have the same UTF-8 bytes, without normalization.
  package func isByteEqual(to other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
  /// The case with a name from outside, compared by its bytes; `nil` if there is none.
  ///
  /// `init(rawValue:)` compares as `String`, so a name with many combining marks costs seconds.
  package init?(named name: String) {
    guard let known = Self.allCases.first(where: { $0.rawValue.isByteEqual(to: name) }) else {
      return nil
    }
    self = known
  }
}
