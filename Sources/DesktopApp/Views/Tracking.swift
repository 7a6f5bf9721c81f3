internal import Observation

/// Runs `apply` now, and again after each change of what it has read.
///
/// `apply` holds its views weakly, and reads nothing if they are gone: then it ends.
@MainActor
func track(_ apply: @escaping @MainActor () -> Void) {
  withObservationTracking(apply) {
    Task { @MainActor in track(apply) }
  }
}
