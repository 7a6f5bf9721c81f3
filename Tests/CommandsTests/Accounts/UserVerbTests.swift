import JSON
import Testing
import VaultInterface

@testable import Commands

/// `user remove`, without the parts that need root.
struct UserVerbTests {
  @Test
  func whatIsSaidNamesTheTokensThatStayValid() {
    func ended(_ name: String, _ grant: GrantState) -> EndedAccount {
      EndedAccount(account: name, provider: "dev", erased: true, grant: grant)
    }
    let whole = RemoveUserReply(
      user: 1001,
      name: "ada",
      accounts: [ended("me", .valid), ended("old", .none)]
    )
    #expect(
      UserVerbs.sentence(whole, nil)
        == "Removed the vault of ada (uid 1001). Nothing was revoked: refresh tokens stay valid for"
        + " me at dev."
    )
    let one = RemoveUserReply(user: 1001, accounts: [ended("old", .none)])
    #expect(
      UserVerbs.sentence(one, "old")
        == "Removed the account old of uid 1001. No account was signed in."
    )
    #expect(UserVerbs.sentence(RemoveUserReply(user: 1001), nil).contains("could not be read"))
    let left = RemoveUserReply(user: 1001, onReader: "right-index: it is not plugged in")
    #expect(
      UserVerbs.object(left, nil)["on_reader"] == .string("right-index: it is not plugged in")
    )
    #expect(UserVerbs.object(whole, nil)["on_reader"] == .null)
  }

  @Test
  func whatIsSaidNamesTheVaultsThatMayHaveTheSameName() {
    var reply = RemoveUserReply(user: 1001, name: "ada", accounts: [])
    #expect(UserVerbs.unread(reply, "ada") == nil)
    #expect(UserVerbs.object(reply, nil)["unread"] == .array([]))
    reply.unread = [999, 1002]
    #expect(
      UserVerbs.unread(reply, "ada")
        == "A directory that cannot be read may hold another vault of ada: uid 999, uid 1002."
    )
    #expect(UserVerbs.object(reply, nil)["unread"] == .array([.integer(999), .integer(1002)]))
  }
}
