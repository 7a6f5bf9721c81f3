import TestSupport
import Testing

/// The real kubectl, with both versions of its interface to helpers.
@Suite(.serialized)
struct KubectlTests {
  /// Whether the installed kubectl has version v1 of the interface, as all since 1.22 have.
  private static func knowsVersion1() throws -> Bool {
    let text = try shell("kubectl version --client -o json 2>/dev/null")
    let minor = try #require(text.firstMatch(of: /"gitVersion": *"v1\.([0-9]+)\./)?.1)
    return try #require(Int(minor)) >= 22
  }

  @Test(.enabled(if: try knowsVersion1(), "kubectl before 1.22 knows v1beta1 only"))
  func itSendsTheTokenToItsCluster() throws {
    try get(version: "v1", "interactiveMode: Never")
  }

  @Test
  func itSendsTheTokenByTheBetaInterfaceToo() throws { try get(version: "v1beta1") }

  private func get(version: String, _ mode: String = "") throws {
    let person = try Person()
    try person.register()
    let server = try ToolServer(as: person)
    let text = try person.shell(
      """
      cat >~/config <<END
      apiVersion: v1
      kind: Config
      current-context: c
      contexts: [{name: c, context: {cluster: k, user: u}}]
      clusters: [{name: k, cluster: {server: https://\(server.host),
        certificate-authority: \(server.authority)}}]
      users:
      - name: u
        user:
          exec:
            apiVersion: client.authentication.k8s.io/\(version)
            command: \(person.programs)/thumblatch
            args: [kube-credential, me]
            \(mode)
      END
      kubectl --kubeconfig ~/config get --raw /api 2>&1
      """
    ).succeeded()
    #expect(text.contains("APIVersions"), "\(text)")
    #expect(try server.log().last == "200 Bearer - /api")
  }
}
