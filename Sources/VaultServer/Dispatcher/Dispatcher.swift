internal import Configuration
internal import Presence
internal import SecretMemory
internal import System
internal import TokenVault
internal import Varlink
internal import VaultInterface

/// The data that comes with a call beside its parameters.
struct CallContext: Sendable {
  /// Whether the caller wants several replies.
  let more: Bool
  var caller: Caller
  let recognition: Recognition
  /// Takes each reply of a stream except the last.
  let reply: @Sendable (VarlinkReply) -> Void
  /// Waits until the replies are sent to the caller.
  ///
  /// Returns false if the caller is gone.
  let whenSent: @Sendable () async -> Bool

  /// Sends a reply before the last to a caller that wants several.
  func send(_ content: some VarlinkRecord) {
    guard more, let part = try? VarlinkReply(content, continues: true) else { return }
    reply(part)
  }
}

/// Answers a call: translates the interface's types to the vault's, and back.
struct Dispatcher: VaultService {
  let vault: Vault
  let form: VaultForm
  /// The vaults of all users, for calls about another user's vault.
  let vaults: Vaults
  let context: CallContext
  var caller: Caller { context.caller }

  /// The call's last reply, or the only one.
  func answer(_ request: Result<VaultRequest, VarlinkError>) async -> VarlinkReply {
    do throws(VarlinkError) {
      let request = try request.get()
      do throws(VaultFailure) {
        if request.usesStore {
          try await vault.demandUsable(forTransfer: request.endsTransfer)
        }
        return try await reply(to: request)
      } catch {
        await vault.note(error, by: caller)
        return Self.failure(error)
      }
    } catch {
      return error.reply
    }
  }

  static func failure(_ failure: VaultFailure) -> VarlinkReply {
    (try? VaultError(failure).reply) ?? VarlinkError.invalidParameter("parameters").reply
  }

  // The project has no address.
  private static let info = VarlinkServiceInfo(
    product: "thumblatchd",
    version: thumblatchVersion,
    interfaces: [.vault]
  )

  /// Answers the methods that every Varlink service has.
  static func service(_ call: VarlinkCall) -> VarlinkReply? {
    guard call.interface == VarlinkServiceInfo.serviceName else { return nil }
    return try? info.reply(to: call)
  }

  func getStatus(_ call: GetStatusCall) async throws(VaultFailure) -> VaultStatus {
    let facts = try await vault.facts(for: caller)
    let fingers = try await vault.fingers(of: caller)
    let memory: SecretMemoryKind =
      switch try? SecretBytes.protection {
      case .secretMemory: .secret
      case .locked: .locked
      case .ordinary, nil: .ordinary
      }
    return VaultStatus(
      form: form,
      version: thumblatchVersion,
      process: Int(ThisProcess.identifier),
      deviceSecret: facts.isUnderMachineKey ? vaults.hardwareTier.rawValue : "file",
      memory: memory,
      unlocked: facts.unlockedFor != nil,
      unlockedFor: facts.unlockedFor.map { Int(clamping: $0) },
      unlockedAccounts: facts.unlockedAccounts,
      enrolledFingers: facts.fingers,
      fingerprintLockedOut: facts.isFingerprintLockedOut,
      problem: facts.problem?.message,
      remedy: facts.problem?.remedy,
      desktopFingers: fingers.desktop,
      fingerSource: FingerSource(fingers.source),
      fingerReason: fingers.reason,
      enrolledKeys: facts.keys,
      counter: facts.counter.map { CounterCheck($0) }
    )
  }

  static func provider(_ given: VaultProvider) throws(VaultFailure) -> Provider {
    do throws(ConfigurationError) {
      return try Provider(
        name: try ProviderName(given.name),
        settings: given.settings,
        clientSecret: try given.clientSecret.map(ClientSecret.init)
      )
    } catch {
      throw .invalidArgument("\(error)")
    }
  }
}

extension VarlinkReply {
  static func made(
    _ content: some VarlinkRecord,
    continues: Bool = false
  ) throws(VaultFailure) -> VarlinkReply {
    do throws(MessageError) {
      return try VarlinkReply(content, continues: continues)
    } catch {
      throw .unexpected("the reply cannot be written: \(error)")
    }
  }
}
