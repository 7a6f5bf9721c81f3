internal import Glibc
internal import System

/// Whether a condition comes true within a minute.
///
/// It is checked repeatedly until it does.
///
/// A file that is closed here may still be open for a moment in a child that another test has
/// forked and that has not reached its execve(2): a lock, a listener, the other end of a pair. The
/// length of that moment depends on the machine's other work.
public func eventually(_ isTrue: () throws -> Bool) rethrows -> Bool {
  let deadline = BootInstant.now.advanced(bySeconds: 60)
  while BootInstant.now < deadline {
    if try isTrue() { return true }
    pauseBriefly()
  }
  return try isTrue()
}

/// Waits for a millisecond, because the processes that a test waits for need the processor.
public func pauseBriefly() { _ = poll(nil, 0, 1) }

/// Stops a process with SIGSTOP, and waits until it has stopped.
///
/// A process that was waiting when the signal was sent stops only after it has run once.
///
/// - Returns: whether it has stopped.
@discardableResult
public func halt(_ process: Int32) -> Bool {
  kill(process, SIGSTOP)
  return eventually { ProcessFacts(process: process)?.isStopped ?? true }
}
