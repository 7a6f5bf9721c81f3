internal import Glibc
internal import System

/// Certificates of a private authority, made by the openssl command in a directory that is removed
/// with its owner.
///
/// Files: `ca.pem`; `leaf.pem`, `expired.pem` and `wrong.pem` (another host's name) with
/// `leaf.key`; `next.pem` with `next.key`, the successors; `other-ca.pem`, of an authority that
/// signed none of them; `trusted/`, a hashed directory that holds `ca.pem`.
public final class DevBackendCertificates: Sendable {
  /// The directory's path.
  public var directory: String { scratch.path }
  /// The pin of `leaf.key`: `sha256//` and base64.
  public let pin: String
  /// The pin of `next.key`.
  public let nextPin: String

  private static let script = """
    key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc"
    for name in ca other-ca; do
      openssl req -x509 $key -keyout $name.key -out $name.pem -days 2 -subj "/CN=$name" \\
        -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
    done
    openssl req $key -keyout leaf.key -out leaf.csr -subj /CN=backend
    echo 'subjectAltName=IP:127.0.0.1,IP:::1,DNS:localhost' > right.ext
    echo 'subjectAltName=DNS:elsewhere.example' > wrong.ext
    sign="openssl x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key"
    $sign -extfile right.ext -days 2 -out leaf.pem
    $sign -extfile wrong.ext -days 2 -out wrong.pem
    $sign -extfile right.ext -days -1 -out expired.pem
    openssl req $key -keyout next.key -out next.csr -subj /CN=backend
    openssl x509 -req -in next.csr -CA ca.pem -CAkey ca.key -extfile right.ext -days 2 -out next.pem
    mkdir trusted
    cp ca.pem trusted
    openssl rehash trusted
    for name in leaf next; do
      openssl pkey -in $name.key -pubout -outform der | openssl dgst -sha256 -binary |
        openssl base64 > $name.pin
    done
    """

  private let scratch: ScratchDirectory

  /// Makes all of them.
  public init() throws {
    let scratch = try ScratchDirectory()
    try Self.run("cd \(scratch.path)\n{ \(Self.script)\n} 2>log")
    let opened = try scratch.open()
    func pin(_ name: String) throws -> String {
      let text = try opened.openForReading(name).readAll(limit: 100)
      return "sha256//" + String(decoding: text.dropLast(), as: UTF8.self)
    }
    self.pin = try pin("leaf.pin")
    nextPin = try pin("next.pin")
    self.scratch = scratch
  }

  /// The path of one of the files.
  public func path(_ name: String) -> String { directory + "/" + name }

  /// The text of one of the files.
  public func text(_ name: String) throws -> String {
    let bytes = try Directory(path: directory).openForReading(name).readAll(limit: 16 * 1024)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func run(_ script: String) throws(SystemError) {
    let shell = try ChildProcess(
      path: "/bin/sh",
      arguments: ["-e", "-c", script],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, -1, 2]
    )
    guard try shell.wait() == .exited(0) else { throw SystemError("openssl", code: EINVAL) }
  }
}
