/// How somebody signs in.
enum SignInWay: String, CaseIterable {
  /// In a browser here, which brings the answer back by itself.
  case browser
  /// In a browser anywhere, by a code.
  case device
  /// In a browser anywhere, whose last address is pasted here.
  case paste
  /// By e-mail and password, here.
  case password

  /// The option that asks for it.
  var option: String { "--\(rawValue)" }

  /// The one that the options ask for; nil for none.
  static func asked(_ arguments: Arguments) throws(CommandError) -> SignInWay? {
    let ways = allCases.filter { arguments.has($0.option) }
    guard ways.count > 1 else { return ways.first }
    let names = ways.map(\.option).joined(separator: ", ")
    throw CommandError(.usage, "only one of \(names) can be used")
  }
}
