/// A name that is not taken: the wanted one, or that with the first free number behind it.
enum FreeName {
  /// How much of a wanted name remains before a number: names have at most 64 bytes.
  private static let longest = 56

  static func near(_ wanted: String, isTaken: (String) -> Bool) -> String {
    var name = wanted
    var number = 2
    while isTaken(name) {
      name = "\(wanted.prefix(longest))-\(number)"
      number += 1
    }
    return name
  }
}
