import Glibc
import HelperInterface
import MachineKey
import SecretMemory
import System
import TestSupport
import Varlink

/// Commands that run where a device of a test is `/dev/tpmrm0`, and `/dev` has little else.
enum DeviceDirectory {
  /// The arguments of unshare(1) for a program with its arguments.
  ///
  /// Without a device `/dev/tpmrm0` is not there. Root needs no namespace of users.
  static func arguments(_ device: String?, _ program: [String]) -> [String] {
    let node = device.map { "touch tpmrm0; mount --bind \($0) tpmrm0;" } ?? ""
    let script = """
      mount -t tmpfs -o mode=755 none /mnt; cd /mnt
      for name in null urandom random; do touch $name; mount --bind /dev/$name $name; done
      \(node)
      mount --move /mnt /dev 2>/dev/null || mount --rbind /mnt /dev
      cd /; exec "$0" "$@"
      """
    return (ThisProcess.user == 0 ? [] : ["--map-root-user"]) + [
      "--mount", "/bin/sh", "-ec", script,
    ]
      + program
  }
}

/// A running `thumblatch-secret`, and the engine's end of its socket.
final class SecretProcess {
  let child: ChildProcess
  private let socket: Descriptor
  private let output: Descriptor
  private var buffer = MessageBuffer(.helper)
  private var hasEnded = false

  /// Starts the program for a device, through other programs if some are named.
  init(
    device: String?,
    through wrapper: [String] = [],
    arguments: [String] = [],
    environment: [String] = []
  ) throws {
    let (near, far) = try UnixSocket.pair()
    let theirs = Descriptor(owning: far)
    let (outputNear, outputFar) = try UnixSocket.pair()
    let theirOutput = Descriptor(owning: outputFar)
    socket = Descriptor(owning: near)
    output = Descriptor(owning: outputNear)
    child = try ChildProcess(
      path: "/usr/bin/unshare",
      arguments: DeviceDirectory.arguments(
        device,
        wrapper + [BuiltPrograms.path("thumblatch-secret")] + arguments
      ),
      environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"] + environment,
      descriptors: [theirs.number, theirOutput.number, theirOutput.number]
    )
  }

  // An ended child that was not waited for blocks the exit tests of the whole run.
  deinit {
    guard !hasEnded else { return }
    child.kill()
    _ = try? child.wait()
  }

  func send(_ call: some VarlinkMethod) throws {
    try socket.send(VarlinkCall(call).encoded(on: .helper))
  }

  func send(_ text: String) throws { try socket.write(Array(text.utf8) + [0]) }

  /// The next reply; `nil` at the end of the conversation.
  func reply() throws -> VarlinkReply? {
    do throws(ConversationError) {
      return try buffer.nextReply(from: socket, until: BootInstant.now.advanced(bySeconds: 60))
    } catch {
      guard error == .ended else { throw error }
      return nil
    }
  }

  /// Sends a call, and returns its reply.
  func ask<Method: VarlinkMethod>(_ call: Method) throws -> Method.Reply? {
    try send(call)
    return try reply()?.result(of: Method.self)
  }

  /// Waits for the end, and returns all output.
  func end() throws -> (ProcessEnd, printed: String) {
    let end = try child.wait()
    hasEnded = true
    return (end, String(decoding: try output.readAll(limit: 1 << 20), as: UTF8.self))
  }
}

extension OpenSecretCall {
  init(_ sealed: TPMSealedSecret, authorization: SharedSecret) {
    self.init(
      parentName: sealed.parentName,
      privatePart: sealed.privatePart,
      publicPart: sealed.publicPart,
      authorization: authorization
    )
  }
}
