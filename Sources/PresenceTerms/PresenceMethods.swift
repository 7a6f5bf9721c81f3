// The words of several devices that are armed together.
extension [PresenceMethod] {
  /// The methods that are used together with one of them: all devices, or only a typed method.
  public func armed(for method: PresenceMethod) -> [PresenceMethod] {
    method.isDevice ? [method] + filter { $0.isDevice && $0 != method } : [method]
  }

  /// The request to the person, which "to use account 'me'" completes.
  public func request(_ scan: ScanType) -> String { joined(map { $0.request(scan) }) }

  /// The request after a try by a method that did not pass.
  public func request(_ scan: ScanType, after method: PresenceMethod) -> String {
    joined(map { $0 == method ? $0.nextRequest(scan) : $0.request(scan) })
  }

  /// One sentence of several, which say their common verb once.
  private func joined(_ requests: [String]) -> String {
    let verb = "Touch "
    guard let first = requests.first else { return "" }
    let isOneVerb = requests.allSatisfy { $0.hasPrefix(verb) }
    return requests.dropFirst().reduce(first) { text, request in
      isOneVerb
        ? text + " or " + request.dropFirst(verb.count)
        : text + ", or " + request.prefix(1).lowercased() + request.dropFirst()
    }
  }
}
