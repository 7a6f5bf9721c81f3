/// How the person touches a reader (FpScanType).
public enum ScanType: String, Sendable, CaseIterable {
  /// The finger is placed on the reader.
  case press
  /// The finger moves over the reader.
  case swipe
}
