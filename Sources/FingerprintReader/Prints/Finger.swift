/// A finger of a person, with libfprint's number for it (FpFinger).
package enum Finger: UInt8, Sendable, CaseIterable {
  case leftThumb = 1
  case leftIndex
  case leftMiddle
  case leftRing
  case leftLittle
  case rightThumb
  case rightIndex
  case rightMiddle
  case rightRing
  case rightLittle

  /// The finger with a name such as `right-index`; `nil` for any other text.
  package init?(name: String) {
    guard let finger = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = finger
  }

  /// The finger with fprintd's name, such as `right-index-finger`; `nil` for any other text.
  init?(desktopName name: String) {
    let suffix = "-finger"
    let short = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
    // Only the names of thumbs have no suffix there.
    guard let finger = Finger(name: short), name.hasSuffix("-thumb") || name.hasSuffix(suffix)
    else { return nil }
    self = finger
  }

  /// fprintd's name, such as `right-index-finger`.
  var desktopName: String {
    self == .leftThumb || self == .rightThumb ? name : name + "-finger"
  }

  /// The name, such as `right-index`.
  package var name: String {
    switch self {
    case .leftThumb: "left-thumb"
    case .leftIndex: "left-index"
    case .leftMiddle: "left-middle"
    case .leftRing: "left-ring"
    case .leftLittle: "left-little"
    case .rightThumb: "right-thumb"
    case .rightIndex: "right-index"
    case .rightMiddle: "right-middle"
    case .rightRing: "right-ring"
    case .rightLittle: "right-little"
    }
  }
}
