// The wall of this room: the engine of a private vault reaches the service by it, and by no other
// room.

package import SecretMemory
internal import System
package import TokenVault
internal import VaultClient
internal import VaultInterface

/// The service of the machine, as the engine of a private vault reaches it.
///
/// The engine sends refresh tokens there. So the socket must have its name, root must have bound
/// it, and it must lie in a directory that only root can change. A program of the user can name a
/// socket, and cannot make one of that kind.
package struct ServiceSocket: ServiceTransfer {
  /// How long a reply may take, in seconds.
  private static let limit: Int64 = 30
  /// The same for a reply that waits for exchanges of the accounts.
  private static let handOverLimit: Int64 = 120
  private static let root: UInt32 = 0

  package init() {}

  package func accountNames(socket: String?) throws(VaultFailure) -> [String] {
    try answered { () throws(VaultClientError) in
      let connection = try open(socket)
      let status = try connection.call(GetStatusCall(), within: Self.limit)
      if let problem = status.problem {
        throw .refused(.vaultUnsafe(message: problem, hint: status.remedy))
      }
      var names: [String] = []
      try connection.stream(GetAccountCall(), within: Self.limit) { reply in
        if let account = reply.account { names.append(account.name) }
      }
      return names
    }
  }

  package func send(
    _ accounts: [UInt8],
    key: SharedSecret,
    transfer: [UInt8],
    socket: String?
  ) throws(TransferFailure) {
    var mayBeTaken = false
    do throws(VaultClientError) {
      let connection = try open(socket)
      for part in SendBackupCall.parts(of: accounts) {
        _ = try connection.call(part, within: Self.limit)
      }
      mayBeTaken = true
      _ = try connection.call(
        TakeOverCall(transfer: transfer, backupKey: key),
        within: Self.limit
      )
    } catch {
      throw TransferFailure(Self.failure(error), mayBeTaken: mayBeTaken)
    }
  }

  package func drop(transfer: [UInt8], socket: String?) throws(VaultFailure) -> Bool {
    try answered { () throws(VaultClientError) in
      try open(socket).call(DropTransferCall(transfer: transfer), within: Self.limit).taken
    }
  }

  package func openHandOver(socket: String?) throws(VaultFailure) -> OpenHandOver? {
    try answered { () throws(VaultClientError) in
      let reply = try open(socket).call(OpenHandOverCall(), within: Self.limit)
      guard let transfer = reply.transfer, let vault = reply.vault else { return nil }
      return OpenHandOver(transfer: transfer, vault: vault)
    }
  }

  package func handOver(
    _ key: SharedSecret,
    vault: [UInt8],
    socket: String?
  ) throws(VaultFailure) -> [UInt8] {
    try answered { () throws(VaultClientError) in
      let call = HandOverCall(backupKey: key, vault: vault)
      var bytes: [UInt8] = []
      try open(socket).stream(call, within: Self.handOverLimit) { bytes += $0.bytes }
      return bytes
    }
  }

  package func endHandOver(
    transfer: [UInt8],
    receipt: SharedSecret?,
    socket: String?
  ) throws(VaultFailure) -> Bool {
    try answered { () throws(VaultClientError) in
      let call = EndHandOverCall(transfer: transfer, receipt: receipt)
      return try open(socket).call(call, within: Self.handOverLimit).ended
    }
  }

  private func answered<Value>(
    _ body: () throws(VaultClientError) -> Value
  ) throws(VaultFailure) -> Value {
    do throws(VaultClientError) {
      return try body()
    } catch {
      throw Self.failure(error)
    }
  }

  private static func failure(_ error: VaultClientError) -> VaultFailure {
    switch error {
    case .refused(.refused(let message, _)), .refused(.invalidArgument(let message)):
      .refused(message)
    case .refused(.vaultUnsafe(let message, let hint)):
      .vaultUnsafe("the vault in the service: \(message)", hint: hint.map { VaultHint($0) })
    case .refused(let error): .refused("the service refuses: \(error.message ?? error.name)")
    case .wrongServer: .refused("\(error); \(error.remedy ?? "it is not the service")")
    default: .providerUnavailable("the service cannot be used: \(error)")
    }
  }

  private func open(_ socket: String?) throws(VaultClientError) -> Connection {
    let path = socket ?? VaultLocation.serviceDirectory + "/" + VaultLocation.serviceSocket
    let name = VaultLocation.serviceSocket
    guard path.hasPrefix("/"), path.hasSuffix("/" + name) else {
      throw .refused(.refused(message: "\(path) is not a service's socket"))
    }
    do {
      let directory = try Directory(path: String(path.dropLast(name.count + 1)))
      let status = try directory.descriptor.status()
      // Refresh tokens go there. So no owner is believed that a sandbox hides.
      guard !FileOwner.isHidden(status.owner) else {
        throw VaultClientError.refused(
          .refused(message: "accounts are not moved in a sandbox, which hides root: leave it first")
        )
      }
      guard status.owner == Self.root, status.mode & 0o022 == 0 else {
        throw VaultClientError.refused(
          .refused(message: "\(path) is not a service's socket: others than root can change it")
        )
      }
      let connection = try Connection(try UnixSocket.connect(in: directory, name: name))
      let user = try connection.peer().user
      guard user == Self.root else { throw VaultClientError.wrongServer(user: user) }
      return connection
    } catch let error as VaultClientError {
      throw error
    } catch let error as SystemError {
      throw .unreachable(place: path, cause: error)
    } catch {
      throw .disconnected
    }
  }
}
