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
