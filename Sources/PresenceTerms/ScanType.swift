/// How the person touches a reader (FpScanType).
public enum ScanType: String, Sendable, CaseIterable {
  /// The finger lies on the reader.
  case press
  /// The finger moves over the reader.
  case swipe
}
