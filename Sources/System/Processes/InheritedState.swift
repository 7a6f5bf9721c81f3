internal import CLinux
internal import Glibc

/// The settings of this process that its starter chose, and that execve(2) keeps.
///
/// A program that changes them for itself gives them back to a command that replaces it.
package struct InheritedState: Sendable {
  /// Linux has the signals 1 to 64 (signal(7)).
  private static let signals: ClosedRange<Int32> = 1...64

  /// The file mode mask (umask(2)).
  package let fileMask: UInt32
  private let ignoredSignals: Set<Int32>
  /// The soft limit on core dumps; `nil` if it is not known.
  private let coreLimit: UInt64?

  /// Records the settings, makes the files private that this process creates from here on, and
  /// ends core dumps for now.
  ///
  /// Call it before anything else changes a signal.
  package static func takeOver() -> InheritedState {
    var before: UInt64 = 0
    let isKnown = unsafe clinux_set_core_limit(0, &before) == 0
    return InheritedState(
      fileMask: ThisProcess.makeFilesPrivate(),
      ignoredSignals: Set(signals.filter(isIgnored)),
      coreLimit: isKnown ? before : nil
    )
  }

  /// Restores the settings.
  ///
  /// Handlers of signals are gone then: such a signal ends the process, as the command would end.
  package func restore() {
    umask(fileMask)
    for number in Self.signals {
      // signal(2) fails for the two that cannot be caught, and for the C library's own.
      _ = signal(number, ignoredSignals.contains(number) ? SIG_IGN : SIG_DFL)
    }
    if let coreLimit { _ = clinux_set_core_limit(coreLimit, nil) }
  }

  /// Whether a signal is ignored, as nohup(1) does (sigaction(2)).
  package static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(signal, nil, &action) == 0 else { return false }
    let handler = unsafe action.__sigaction_handler.sa_handler
    return unsafe unsafeBitCast(handler, to: Int.self) == 1
  }
}
