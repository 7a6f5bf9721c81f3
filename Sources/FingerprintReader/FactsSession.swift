internal import CFprint

/// Asks a reader about itself.
@safe
final class FactsSession: ReaderSession, @unchecked Sendable {
  private let opening: Bool
  private let done: (Result<ReaderFacts, ReaderError>) -> Void
  private var facts: ReaderFacts?

  init(
    _ drivers: AllowedDrivers,
    opening: Bool,
    milliseconds: Int,
    done: @escaping (Result<ReaderFacts, ReaderError>) -> Void
  ) {
    self.opening = opening
    self.done = done
    super.init(drivers, milliseconds: milliseconds)
  }

  /// Without opening, no reader is taken: the first that is seen has told enough.
  override func accepts(_ device: UnsafeMutablePointer<FpDevice>) -> Bool {
    if facts == nil { facts = unsafe Self.facts(device) }
    return opening
  }

  override func opened(_ device: UnsafeMutablePointer<FpDevice>) { close() }

  override func ended(_ failure: ReaderError?) {
    if let facts, !opening || failure == nil {
      done(.success(facts))
    } else {
      done(.failure(failure ?? .noReader))
    }
  }

  private static func facts(_ device: UnsafeMutablePointer<FpDevice>) -> ReaderFacts {
    ReaderFacts(
      name: unsafe text(fp_device_get_name(device)),
      driver: unsafe text(fp_device_get_driver(device)),
      device: unsafe text(fp_device_get_device_id(device)),
      stages: Int(unsafe fp_device_get_nr_enroll_stages(device)),
      identifies: unsafe fp_device_has_feature(device, FP_DEVICE_FEATURE_IDENTIFY) != 0
    )
  }
}
