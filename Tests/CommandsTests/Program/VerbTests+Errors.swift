import JSON
import SecretMemory
import System
import Testing
import VaultClient
import VaultInterface

@testable import Commands

/// The errors of the verbs.
extension VerbTests {
  @Test
  func errorsAsJSONStandOnStandardOutputWithTheirCode() throws {
    let play = try Play.run(["token", "me", "--json"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(
        .providerUnavailable(message: "connection refused", retryAfter: 90, status: 503)
      )
    }
    #expect(play.code == .unavailable)
    let error = try Self.object(play.out).object("error")
    #expect(try error.string("code") == "unavailable")
    #expect(try error.string("message") == "connection refused")
    #expect(try error.string("hint").contains("1m 30s"))
    #expect(try error.integer("status") == 503)
    #expect(play.talk.isEmpty)
  }

  /// The engine has no part in this error.
  @Test
  func aCallThatIsLongerThanAMessageIsNotSent() throws {
    let (client, engine) = try UnixSocket.pair()
    let other = Descriptor(owning: engine)
    let connection = try Connection(Descriptor(owning: client))
    let token = String(repeating: "x", count: 65_500)
    do throws(VaultClientError) {
      try connection.send(AccessTokenCall(account: "me", rejected: token))
      Issue.record("it was sent")
    } catch {
      guard case .callTooLong(65_536) = error else { throw error }
      #expect(ExitCode(error) == .usage)
    }
    #expect(try !other.waitReadable(milliseconds: 0))
  }

  /// Each reason has its remedy, and "nothing is lost" only if that is known.
  @Test(arguments: [
    (UnavailableReason.notAnswering, "not-answering", "nothing is lost; try again in 1m 30s"),
    (.authority, "certificate-authority", "--ca FILE"), (.expired, "certificate-expired", "clock"),
    (.notYetValid, "certificate-not-yet-valid", "clock"),
    (.name, "certificate-name", "--ca and --pin do not replace"),
    (.certificate, "certificate", "TLS"),
    (.pin, "pin", "--pin"), (.listener, "listener", "loopback_users"),
    (.uncertain, "uncertain", "the provider may have received the request; try again in 1m 30s"),
    (.refusedOnce, "refused-once", "requires a login"),
  ])
  func aReasonForWhichAProviderIsUnavailableHasAHintOfItsOwn(
    _ reason: UnavailableReason,
    _ word: String,
    _ part: String
  ) throws {
    let play = try Play.run(["token", "me", "--json"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.providerUnavailable(message: "m", retryAfter: 90, reason: reason))
    }
    #expect(play.code == .unavailable)
    let error = try Self.object(play.out).object("error")
    #expect(try error.string("reason") == word)
    let hint = try error.string("hint")
    #expect(hint.contains(part), "\(hint)")
    let mayHelp = [.notAnswering, .uncertain, .refusedOnce].contains(reason)
    #expect(hint.contains("try again") == mayHelp, "\(hint)")
    #expect(hint.contains("nothing is lost") == (reason == .notAnswering), "\(hint)")
  }

  @Test
  func withoutANetworkAnEarlierRequestMayHaveBeenTaken() throws {
    let play = try Play.run(["token", "me", "--json"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(
        .providerUnavailable(message: "m", retryAfter: 90, offline: true, reason: .uncertain)
      )
    }
    let error = try Self.object(play.out).object("error")
    #expect(try error.string("reason") == "offline")
    #expect(
      try error.string("hint")
        == "the provider may have received the request; try again in 1m 30s"
    )
  }

  @Test(arguments: [
    (VaultError.busy(message: "x"), ExitCode.busy), (.noSuchAccount(account: "a"), .notFound),
    (.noSuchFinger(finger: "f"), .notFound), (.noSuchKey(key: "k"), .notFound),
    (.invalidArgument(message: "x"), .usage),
    (.loginRequired(account: "a", message: "x"), .loginRequired),
    (.providerUnavailable(message: "x", retryAfter: nil), .unavailable),
    (.providerRefused(status: 409, message: "x"), .serverError),
    (.misconfigured(message: "x"), .usage), (.vaultUnsafe(message: "x", hint: nil), .unsafeVault),
    (.refused(message: "x"), .refused), (.internal(message: "x"), .bug),
  ])
  func everyErrorOfTheInterfaceHasItsExitStatus(_ error: VaultError, _ code: ExitCode) throws {
    let play = try Play.run(["token"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(error)
    }
    #expect(play.code == code)
    #expect(play.talk.hasPrefix("thumblatch: error: "))
    #expect(play.out.isEmpty)
  }

  @Test
  func aMessageOfTheProviderCannotForgeALine() throws {
    let play = try Play.run(["token"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.providerRefused(status: 400, message: "no\nhint: run rm -rf\u{1B}[2K"))
    }
    #expect(play.talk.split(separator: "\n").count == 1)
    #expect(!play.talk.contains("\u{1B}"))
  }
}
