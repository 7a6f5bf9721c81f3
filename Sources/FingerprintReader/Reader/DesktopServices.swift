/// The services of the system that deal with readers too.
///
/// fprintd has the readers that this user may not open, and logind announces sleep. A function that
/// waits for a service blocks its thread, and ends early when the descriptor `stop` is readable.
package protocol DesktopServices: Sendable {
  /// Lets fprintd verify a finger of a user who has enrolled exactly `fingers`.
  ///
  /// It returns when the reader is released; `tell` gets the result once, a verdict before that. A
  /// reader that takes one print at a time gets that of the finger `first`, if there is one.
  func check(
    _ fingers: Set<Finger>,
    first: Finger?,
    milliseconds: Int,
    stop: Int32,
    report: @escaping (CheckEvent) -> Void,
    tell: (Result<Verdict, ReaderError>) -> Void
  )

  /// The fingers that fprintd has of this user.
  ///
  /// - Throws: `busy` if fprintd is not running, could be started, and `starting` is false.
  func fingers(starting: Bool) throws(ReaderError) -> Set<Finger>

  /// The name of fprintd's first reader; empty if fprintd would have to be started, `nil` if it has
  /// none.
  func readerName() -> String?

  /// Requires a running fprintd with a reader, and that no program uses one through it if `unused`.
  ///
  /// - Throws: `busy` if a program uses one.
  func requireReader(unused: Bool, stop: Int32) throws(ReaderError)

  /// Delays the computer's sleep until the returned function is called.
  ///
  /// It waits for nothing. `asleep` is called on another thread when the computer wants to sleep.
  func delaySleep(_ asleep: @escaping @Sendable () -> Void) -> @Sendable () -> Void
}
