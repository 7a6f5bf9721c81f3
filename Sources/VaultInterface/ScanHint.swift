internal import PlainText

extension ScanHint {
  /// The hint for a word of the interface.
  ///
  /// An unknown word becomes the general hint.
  init(name: String) {
    self = ScanHint(named: name) ?? .general
  }
}
