import TestSupport
import Testing

/// The real docker, whose commands for registries need no daemon.
@Suite(.serialized)
struct DockerClientTests {
  /// A copy of docker that a person may run.
  private func docker(for person: Someone) throws -> String {
    let found = try shell("\(BuiltPrograms.sourceDirectory)/Tests/Providers/docker").dropLast()
    try shell("install -m 755 \(found) \(person.base)/docker")
    return person.base + "/docker"
  }

  @Test
  func dockerGetsStoresAndErasesByItsHelper() throws {
    let person = try Person()
    try person.register()
    let server = try ToolServer(as: person)
    try person.run("host", "add", server.host, "me").succeeded()
    let docker = try docker(for: person)
    func run(_ script: String) throws -> String {
      try person.shell(
        """
        set -eu; exec 2>&1
        export PATH=\(person.programs):$PATH SSL_CERT_FILE=\(server.authority)
        export DOCKER_HOST="unix://$HOME/no-daemon"
        docker() { \(docker) "$@"; }
        \(script)
        """
      ).succeeded()
    }
    let look = "docker manifest inspect \(server.host)/app:latest"
    let shown = try run(
      """
      mkdir ~/.docker
      echo '{"credHelpers": {"\(server.host)": "thumblatch"}}' >~/.docker/config.json
      \(look)
      """
    )
    #expect(shown.contains("schemaVersion"), "\(shown)")
    #expect(try server.log().contains("200 Basic oauth2accesstoken /v2/app/manifests/latest"))
    let stored = try run(
      """
      thumblatch host remove \(server.host)
      echo at_stored | docker login --username ann --password-stdin \(server.host)
      cat ~/.docker/config.json
      thumblatch account list
      \(look)
      """
    )
    #expect(stored.contains("Login Succeeded") && !stored.contains("at_stored"), "\(stored)")
    #expect(stored.contains("ann") && stored.contains("schemaVersion"), "\(stored)")
    #expect(try server.log().contains("200 Basic ann /v2/app/manifests/latest"))
    let left = try run(
      "docker logout \(server.host); thumblatch account list; thumblatch host list"
    )
    #expect(left.contains("no hosts yet") && !left.contains("ann"), "\(left)")
  }
}
