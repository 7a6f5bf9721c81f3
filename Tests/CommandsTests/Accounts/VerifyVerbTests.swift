import JSON
import Testing
import VaultInterface

@testable import Commands

/// `whoami --verify`, and refusals of input that a person typed.
struct VerifyVerbTests {
  @Test(arguments: [true, false])
  func whetherTheTokenIsAcceptedIsToldByTextExitStatusAndJSON(_ isAccepted: Bool) throws {
    for isJSON in [true, false] {
      let play = try Play.run(["whoami", "me", "--verify"] + (isJSON ? ["--json"] : [])) { stage in
        #expect(try stage.expect(VerifyTokenCall.self).account == "me")
        try stage.reply(
          VerifyTokenReply(
            account: VerbTests.account,
            accepted: isAccepted,
            expiresAt: isAccepted ? 1_900_000_000 : nil
          )
        )
      }
      #expect(play.code == (isAccepted ? .done : .serverError))
      guard isJSON else {
        let words = isAccepted ? "accepts the access token of me" : "no longer accepts"
        #expect(play.talk.contains(words))
        continue
      }
      let object = try VerbTests.object(play.out)
      #expect(try object.boolean("accepted") == isAccepted)
      #expect(try object.optionalString("expires_at")?.hasPrefix("2030-") ?? !isAccepted)
      if !isAccepted { #expect(try object.object("error").string("code") == "server-error") }
    }
  }

  @Test(arguments: [
    (VaultRefusalReason.wrongCredentials, "wrong-credentials"), (.addressTaken, "address-taken"),
    (.invalidInput, "invalid-input"),
  ])
  func aRefusalAsJSONSaysWhyAndWhatOfWhichField(
    _ reason: VaultRefusalReason,
    _ name: String
  ) throws {
    let play = try Play.run(["token", "me", "--json"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(
        .providerRefused(
          status: 422,
          message: "no",
          reason: reason,
          fields: [VaultFieldProblem(field: "email", message: "is taken")]
        )
      )
    }
    #expect(play.code == .serverError)
    let error = try VerbTests.object(play.out).object("error")
    #expect(try error.string("reason") == name)
    #expect(try error.integer("status") == 422)
    let fields = try error.array("fields")
    #expect(fields == [.object(["field": "email", "message": "is taken"])])
  }
}
