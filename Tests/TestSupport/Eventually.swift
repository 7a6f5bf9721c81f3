internal import Glibc
internal import System

/// Whether something comes true within a minute; asked again and again until it does.
///
/// What is closed here may for a moment still be open in a child that another test has forked and
/// that has not reached its execve(2): a lock, a listener, the other end of a pair. How long that
/// moment is depends on what else the machine has to do.
public func eventually(_ isTrue: () throws -> Bool) rethrows -> Bool {
  let deadline = BootInstant.now.advanced(bySeconds: 60)
  while BootInstant.now < deadline {
    if try isTrue() { return true }
    pauseBriefly()
  }
  return try isTrue()
}

/// Waits for a millisecond: the processes that a test waits for need the processor.
public func pauseBriefly() { _ = poll(nil, 0, 1) }
