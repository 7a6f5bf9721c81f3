enum SignInWay: String, CaseIterable {
  /// In a browser of this machine, which returns the answer by itself.
  case browser
  /// In a browser of any machine, by a code.
  case device
  /// In a browser of any machine, whose last address is pasted here.
  case paste
  /// By e-mail and password.
  case password

  var option: String { "--\(rawValue)" }

  /// The way that the options ask for; `nil` for none.
  static func asked(_ arguments: Arguments) throws(CommandError) -> SignInWay? {
    let ways = allCases.filter { arguments.has($0.option) }
    guard ways.count > 1 else { return ways.first }
    let names = ways.map(\.option).joined(separator: ", ")
    throw .usage("only one of \(names) can be used")
  }
}
