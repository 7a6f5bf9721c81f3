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

/// Runs `apply` with what `read` returns now, and again after each change of what `read` has read.
///
/// What `apply` reads is not observed, so that it may make views that track their own models.
/// `read` reads nothing if its views are gone: then it ends.
@MainActor
func track<Value>(
  reading read: @escaping @MainActor () -> Value?,
  apply: @escaping @MainActor (Value) -> Void
) {
  let value = withObservationTracking(read) {
    Task { @MainActor in track(reading: read, apply: apply) }
  }
  if let value { apply(value) }
}
