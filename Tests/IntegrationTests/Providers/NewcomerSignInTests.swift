import JSON
import System
import TestSupport
import Testing

/// A newcomer at a provider that has no template: each step is one that an output names.
@Suite(.serialized)
struct NewcomerSignInTests {
  @Test
  func theAddressThatIsPrintedIsAllThatMustBeRegistered() throws {
    let newcomer = try Newcomer()
    let added = try newcomer.add().succeeded()
    try newcomer.register(word(after: "register the redirect URI ", in: added))
    let tested = try newcomer.follow("to see what it offers: ", in: added).succeeded()
    #expect(!tested.contains("refuses"), "\(tested)")
    try newcomer.signIn()
  }

  @Test
  func whereEachPortCountsTheTestNamesTheOptionThatHelps() throws {
    let newcomer = try Newcomer(["--exact-redirects"])
    let added = try newcomer.add().succeeded()
    let first = try newcomer.follow("to see what it offers: ", in: added).succeeded()
    #expect(first.contains("refuses a sign-in (HTTP 400)"), "\(first)")
    try newcomer.register(word(after: "register the redirect URI ", in: first))

    let second = try newcomer.follow("to see what it offers: ", in: added).succeeded()
    #expect(second.contains("compares the port of the redirect URI"), "\(second)")
    let fixed = try word(after: "(HTTP 400): register ", in: second)
    try newcomer.register(fixed)
    let remedy = [try word(after: "(provider add ", in: second), fixed]

    // The provider already exists. The refusal names the remedy.
    let refused = try newcomer.add(remedy)
    #expect(refused.end == .exited(2), "\(refused.text)")
    try newcomer.follow(", or: ", in: refused.text).succeeded()
    let again = try newcomer.add(remedy).succeeded()
    #expect(try word(after: "register the redirect URI ", in: again) == fixed)
    let third = try newcomer.follow("to see what it offers: ", in: again).succeeded()
    #expect(!third.contains("refuses"), "\(third)")
    try newcomer.signIn()
  }
}

/// A newcomer signs in, with only the issuer and client ID from the provider's own pages.
private struct Newcomer {
  private let member: Member

  /// A newcomer without a provider, at one where no redirect URI is registered yet.
  init(_ options: [String] = []) throws {
    member = try Member(.toolkit, options)
    try member.run("provider", "remove", "idp").succeeded()
    try member.provider.call("register-redirects", ["uris": []])
  }

  /// Adds the provider.
  func add(_ options: [String] = []) throws -> Someone.Outcome {
    let known = ["--issuer", member.provider.issuer, "--client-id", IdentityProvider.client]
    return try member.run(["provider", "add", "idp"] + known + options)
  }

  /// Registers a redirect URI at the provider, in place of the others.
  func register(_ uri: String) throws {
    try member.provider.call("register-redirects", ["uris": [.string(uri)]])
  }

  /// Runs the command that follows a text in an output.
  @discardableResult
  func follow(_ text: String, in said: String) throws -> Someone.Outcome {
    let command = try rest(after: text + "thumblatch ", in: said).prefix { $0 != "\n" }
    return try member.run(command.split(separator: " ").map(String.init))
  }

  /// Signs in by a browser, and expects tokens that work.
  func signIn() throws {
    try member.login().succeeded()
    #expect(try member.standing() == "ready")
    _ = try member.newerToken()
  }
}

/// The word after a text, without punctuation.
private func word(after text: String, in said: String) throws -> String {
  String(try rest(after: text, in: said).prefix { !" ,;)\n".contains($0) })
}

private func rest(after text: String, in said: String) throws -> Substring {
  let found = try #require(said.firstRange(of: text), "no \(text.debugDescription) in: \(said)")
  return said[found.upperBound...]
}
