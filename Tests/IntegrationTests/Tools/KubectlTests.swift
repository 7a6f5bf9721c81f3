import TestSupport
import Testing

/// The real kubectl, with the versions of its interface to helpers.
@Suite(.serialized)
struct KubectlTests {
  /// The versions of the interface that the installed kubectl has: the first one since 1.22.
  private static func versions() throws -> [String] {
    let text = try shell("kubectl version --client -o json 2>/dev/null")
    let minor = try #require(text.firstMatch(of: /"gitVersion": *"v1\.([0-9]+)\./)?.1)
    let versions = try #require(Int(minor)) >= 22 ? ["v1", "v1beta1"] : ["v1beta1"]
    print("kubectl 1.\(minor) is tried with \(versions.joined(separator: " and "))")
    return versions
  }

  @Test
  func itSendsTheTokenToItsCluster() throws {
    for version in try Self.versions() {
      try get(version: version, version == "v1" ? "interactiveMode: Never" : "")
    }
  }

  private func get(version: String, _ mode: String) throws {
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
