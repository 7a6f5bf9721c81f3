/// One try to use a reader, on the reader's thread; it always ends by itself.
protocol ReaderAttempt: AnyObject {
  /// Begins the try.
  func begin()
  /// Ends the try for this reason and releases the reader.
  func stop(_ reason: ReaderError)
  /// Stops waiting, such as for the finger to be lifted, because the result is known.
  func hurry()
}
