/// One try to use a reader, on the reader's thread; it ends by itself.
protocol ReaderAttempt: AnyObject {
  /// Begins it.
  func begin()
  /// Ends it for a reason, with the reader released.
  func stop(_ reason: ReaderError)
  /// Its result is known: what it still waits for, such as that the finger is lifted, ends now.
  func hurry()
}
