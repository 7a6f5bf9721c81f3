import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// The credential plugin of kubectl.
struct KubeVerbTests {
  @Test
  func kubectlGetsTheTokenOfTheAccountThatItNames() throws {
    let play = try Play.run(
      ["kube-credential", "work", "--scope", "k8s"],
      environment: [
        "KUBERNETES_EXEC_INFO":
          #"{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","spec":{}}"#
      ]
    ) { stage in
      let call = try stage.expect(AccessTokenCall.self)
      #expect(call.account == "work" && call.scope == "k8s" && call.helper == true)
      try stage.reply(ToolVerbTests.reply())
    }
    #expect(play.screen == "" && play.code == .done)
    #expect(play.out.contains(#""apiVersion":"client.authentication.k8s.io/v1beta1""#))
    #expect(play.out.contains(#""expirationTimestamp":"2025-11-21T09:30:00Z","token":"at_1""#))
  }

  @Test(arguments: ["https://k8s.example.org:6443", "http://10.0.0.1:8080"])
  func kubectlGetsNoTokenOfAnotherCluster(_ server: String) throws {
    let play = try Play.run(
      ["kube-credential", "git"],
      environment: [
        "KUBERNETES_EXEC_INFO":
          #"{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","#
          + #""spec":{"cluster":{"server":"\#(server)"}}}"#
      ]
    ) { stage in
      try stage.knowTerms()
      try stage.knowAccount(StoredSecretTests.account())
      try stage.expectEnd()
    }
    #expect(play.code == .refused && play.out == "")
  }
}
