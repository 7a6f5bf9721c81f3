internal import CCurl
internal import Glibc
internal import System

/// Decides which addresses one request may use.
///
/// Each address is checked before the connection, and again before the first byte is sent.
final class Route {
  /// Why a request was not sent.
  enum Obstacle: Equatable {
    /// The address belongs to this machine or its link.
    case local
    /// A program of another user listens there in plain text; that user, if known.
    case listener(user: UInt32?)
  }

  private let mayReachThisMachine: Bool
  /// Whether the user of the listening program is the only proof of the other side's identity.
  private let isPlain: Bool
  /// Whether the request itself is plain text, which must not leave this machine.
  private let isRequestPlain: Bool
  private let users: Set<UInt32>
  private var servers: [LoopbackAddress: LoopbackServer] = [:]
  private(set) var obstacle: Obstacle?

  init(_ request: HTTPRequest, to target: Target) {
    mayReachThisMachine = request.mayReachThisMachine
    isRequestPlain = target.scheme == "http"
    let relay = request.proxy.flatMap { Target($0, anyScheme: true) }
    isPlain = isRequestPlain || (relay.map { $0.scheme != "https" } ?? false)
    users = request.loopbackUsers
  }

  /// Whether an address may be connected to.
  ///
  /// An address may belong to this machine although no interface has it. Then `isOwn` is true: the
  /// connection would come from the address itself.
  func admits(
    _ bytes: ArraySlice<UInt8>,
    port: UInt16,
    isOwn: @autoclosure () -> Bool
  ) -> Bool {
    guard mayReachThisMachine || !isHere(bytes) && !isOwn() else { return refuse(.local) }
    guard isPlain, let address = LoopbackAddress(bytes, port: port), address.isLoopback else {
      return true
    }
    do throws(SystemError) {
      let server = try LoopbackServer(at: address, for: users)
      servers[address] = server
      return server.stranger.map { refuse(Obstacle($0)) } ?? true
    } catch {
      return refuse(.listener(user: nil))
    }
  }

  /// Whether the request may be sent over a connection that has been made.
  func admits(_ peer: LoopbackAddress, from own: LoopbackAddress) -> Bool {
    // The routes may have changed since the first check.
    guard mayReachThisMachine || !peer.hasSameHost(as: own) else { return refuse(.local) }
    guard peer.isLoopback else { return isRequestPlain ? refuse(.listener(user: nil)) : true }
    guard isPlain else { return true }
    do throws(SystemError) {
      guard let server = servers[peer] else { return refuse(.listener(user: nil)) }
      return try server.objection(to: own).map { refuse(Obstacle($0)) } ?? true
    } catch {
      return refuse(.listener(user: nil))
    }
  }

  private func isHere(_ bytes: ArraySlice<UInt8>) -> Bool {
    if LocalAddress.contains(bytes) { return true }
    guard let interfaces = try? InterfaceAddresses.all() else { return true }
    return LocalAddress.contains(bytes, of: interfaces)
  }

  private func refuse(_ obstacle: Obstacle) -> Bool {
    self.obstacle = obstacle
    return false
  }
}

extension Route.Obstacle {
  init(_ objection: LoopbackServer.Objection) {
    switch objection {
    case .user(let user): self = .listener(user: user)
    case .unknown: self = .listener(user: nil)
    }
  }
}
