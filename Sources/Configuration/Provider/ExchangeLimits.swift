/// The time limits of a request to a provider, in whole seconds.
///
/// A refresh answer that comes too late is lost. If the provider rotates, the account must sign in
/// again. So the default is long. A shorter limit suits a provider that is known to answer soon, a
/// longer one a provider behind a slow line.
public struct ExchangeLimits: Sendable, Hashable {
  /// The allowed values for a whole request.
  public static let totals = 1...60
  /// The allowed values for the connection.
  public static let connections = 1...30
  /// The defaults.
  public static let standard = ExchangeLimits(total: 28, connection: 10)

  static let totalKey = "timeout"
  static let connectionKey = "connect_timeout"

  /// From the resolution of the name to the last byte of the answer.
  public let total: Int
  /// From the resolution of the name to the end of the TLS handshake.
  public let connection: Int

  /// Takes the keys `timeout` and `connect_timeout`, each as `20s`.
  ///
  /// A connection may not take longer than the whole request: a default is reduced, a setting is
  /// refused.
  static func take(
    from reader: inout ProviderSettings
  ) throws(ConfigurationError) -> ExchangeLimits {
    let total = try reader.takeOptional(totalKey, seconds(totals))
    let connection = try reader.takeOptional(connectionKey, seconds(connections))
    let whole = total ?? standard.total
    if let connection, connection > whole {
      let rule = "at most the \(whole)s of \(totalKey)"
      throw ConfigurationError(.badValue(text: "\(connection)s", rule: rule), key: connectionKey)
    }
    return ExchangeLimits(total: whole, connection: connection ?? min(standard.connection, whole))
  }

  /// The settings that are not the default; a canonical form omits defaults.
  var settings: [String: String] {
    var settings: [String: String] = [:]
    if total != Self.standard.total { settings[Self.totalKey] = "\(total)s" }
    if connection != min(Self.standard.connection, total) {
      settings[Self.connectionKey] = "\(connection)s"
    }
    return settings
  }

  /// A number of seconds with its unit: a number without a unit could be meant as minutes.
  private static func seconds(
    _ range: ClosedRange<Int>
  ) -> (String) throws(ConfigurationError) -> Int {
    { text throws(ConfigurationError) in
      let digits = text.utf8.dropLast()
      guard text.utf8.last == UInt8(ascii: "s"), !digits.isEmpty, digits.count <= 3,
        digits.first != UInt8(ascii: "0"),
        digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let number = Int(text.dropLast()), range.contains(number)
      else {
        let rule = "seconds from \(range.lowerBound)s to \(range.upperBound)s"
        throw ConfigurationError(.badValue(text: text, rule: rule))
      }
      return number
    }
  }
}
