internal import HelperInterface
internal import PresenceTerms
internal import System
internal import TokenVault
internal import Varlink

/// Asks a helper for the fingers that fprintd has for a caller's user.
struct DesktopQuestion: Sendable {
  private static let timeout: Int64 = 10

  private let caller: Caller
  private let route: HelperRoute

  init(_ caller: Caller, by route: HelperRoute) {
    self.caller = caller
    self.route = route
  }

  /// The fingers, from a helper that is started for this query and then ends.
  func fingers(
    _ start: @escaping @Sendable () throws(HelperError) -> HelperLink
  ) async throws(PresenceFailure) -> DesktopFingers? {
    try await fingers { () throws(HelperError) in
      let helper = try start()
      defer { helper.finish(withinMilliseconds: 500) }
      return try ask(helper, starting: true)
    }
  }

  /// The fingers, from a helper that continues.
  func fingers(of helper: HelperLink) async throws(PresenceFailure) -> DesktopFingers? {
    try await fingers { () throws(HelperError) in try ask(helper, starting: true) }
  }

  /// The fingers that can be listed without starting fprintd.
  func view(
    _ start: @escaping @Sendable () throws(HelperError) -> HelperLink
  ) async throws(PresenceFailure) -> DesktopView {
    let told = await told { () throws(HelperError) in
      let helper = try start()
      defer { helper.finish(withinMilliseconds: 500) }
      return try ask(helper, starting: false)
    }
    do throws(HelperError) {
      let enrolled = try told.get()
      return enrolled.asleep ? .asleep : .seen(try DesktopFingers(enrolled))
    } catch {
      throw .notAvailable(error.reason)
    }
  }

  private func fingers(
    asking ask: @escaping @Sendable () throws(HelperError) -> HelperEnrolled
  ) async throws(PresenceFailure) -> DesktopFingers? {
    let told = await told(ask)
    do throws(HelperError) {
      return try DesktopFingers(told.get())
    } catch {
      throw .notAvailable(error.reason)
    }
  }

  private func told(
    _ ask: @escaping @Sendable () throws(HelperError) -> HelperEnrolled
  ) async -> Result<HelperEnrolled, HelperError> {
    (try? await onThread { Result { () throws(HelperError) in try ask() } })
      ?? .failure(.notStarted("no thread for it"))
  }

  private func ask(_ helper: HelperLink, starting: Bool) throws(HelperError) -> HelperEnrolled {
    // The caller's connection determines whose fingers: the helper asks the kernel for its peer.
    var buffer = MessageBuffer(.helper)
    let connection = route.connection(of: caller)
    try helper.send(HelperListEnrolledCall(start: starting), passing: connection)
    return try helper.receive(
      &buffer,
      to: HelperListEnrolledCall.self,
      until: BootInstant.now.advanced(bySeconds: Self.timeout)
    ).reply
  }
}

extension DesktopFingers {
  /// Makes the value from a helper's answer; `nil` if there are no fingers.
  fileprivate init?(_ enrolled: HelperEnrolled) throws(HelperError) {
    switch enrolled.source {
    case .none: return nil
    case .unknown: throw .unseen
    case .prints:
      guard !enrolled.fingers.isEmpty, enrolled.digests.count == enrolled.fingers.count,
        enrolled.digests.allSatisfy({ $0.count == 32 })
      else { throw .malformed }
      self.init(
        source: .prints,
        fingers: zip(enrolled.fingers, enrolled.digests).map { .init(name: $0, digest: $1) }
      )
    case .names:
      guard !enrolled.fingers.isEmpty, Set(enrolled.fingers).count == enrolled.fingers.count else {
        throw .malformed
      }
      self.init(source: .names, fingers: enrolled.fingers.map { .init(name: $0, digest: nil) })
    }
  }
}
