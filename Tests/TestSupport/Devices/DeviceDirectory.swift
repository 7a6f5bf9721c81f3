import Glibc
import System

/// Commands that run with a test's device as `/dev/tpmrm0`, and little else in `/dev`.
package enum DeviceDirectory {
  /// The arguments of unshare(1) for a program with its arguments.
  ///
  /// Without a device `/dev/tpmrm0` is not there. Root needs no namespace of users.
  package static func arguments(_ device: String?, _ program: [String]) -> [String] {
    let script = """
      mount -t tmpfs -o mode=755 none /mnt; cd /mnt
      for name in null zero full urandom random tty; do
        touch $name; mount --bind /dev/$name $name
      done
      mkdir pts shm; mount --rbind /dev/pts pts; mount -t tmpfs -o mode=1777 none shm
      ln -s /proc/self/fd fd
      \(plugging(device, in: "."))
      mount --move /mnt /dev 2>/dev/null || mount --rbind /mnt /dev
      cd /; exec "$0" "$@"
      """
    return (ThisProcess.user == 0 ? [] : ["--map-root-user"]) + [
      "--mount", "/bin/sh", "-ec", script,
    ]
      + program
  }

  /// The shell commands that put a device into the directory.
  fileprivate static func plugging(_ device: String?, in directory: String) -> String {
    let node = directory + "/tpmrm0"
    return device.map { "touch \(node); mount --bind \($0) \(node);" } ?? ""
  }
}

/// A test's machine, in whose `/dev` a TPM appears and disappears.
///
/// It is a mount namespace that a process keeps. Only root can enter it.
package final class MachineWithTPM {
  private let keeper: ChildProcess
  private var input: LinePipe
  /// The TPM in it.
  private var tpm: SoftwareTPM?

  /// Makes a machine without a TPM.
  package init() throws {
    let (near, far) = try UnixSocket.pair()
    input = LinePipe(Descriptor(owning: near))
    let theirs = Descriptor(owning: far)
    keeper = try ChildProcess(
      path: "/usr/bin/unshare",
      arguments: DeviceDirectory.arguments(nil, ["/bin/sh", "-c", "echo ready; exec cat"]),
      environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"],
      descriptors: [theirs.number, theirs.number, 2]
    )
    _ = try input.readLine()
  }

  deinit {
    keeper.kill()
    _ = try? keeper.wait()
  }

  /// The first words of a command line that runs in the machine.
  package var entering: [String] {
    ["/usr/bin/nsenter", "--target", "\(keeper.identifier)", "--mount", "--"]
  }

  /// Replaces the machine's TPM, and gives a user access to it; `nil` removes it.
  package func plug(_ next: SoftwareTPM?, for user: UInt32) throws {
    try next?.give(to: user)
    let removing = tpm == nil ? "" : "umount /dev/tpmrm0; rm /dev/tpmrm0;"
    let words =
      entering + [
        "/bin/sh", "-ec", removing + DeviceDirectory.plugging(next?.device, in: "/dev"),
      ]
    let change = try ChildProcess(
      path: words[0],
      arguments: Array(words.dropFirst()),
      environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"],
      descriptors: [-1, -1, 2]
    )
    guard try change.wait() == .exited(0) else {
      throw SystemError("mount", code: ECHILD, subject: "/dev/tpmrm0")
    }
    tpm = next
  }
}
