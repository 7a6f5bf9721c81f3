internal import PlainText

extension ScanHint {
  /// The hint of a word from the wire: one that is not known here is a general one.
  init(name: String) {
    self = ScanHint(named: name) ?? .general
  }
}
