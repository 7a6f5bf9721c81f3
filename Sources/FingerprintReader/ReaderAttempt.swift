/// One try to use a reader, on the reader's thread; it ends by itself.
protocol ReaderAttempt: AnyObject {
  /// Begins it.
  func begin()
  /// Ends it for a reason, with the reader released.
  func stop(_ reason: ReaderError)
}
