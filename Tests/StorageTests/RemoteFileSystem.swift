import Glibc
import System

/// A FUSE file system with only a root directory, mounted by the test and served by its own thread.
///
/// A mount of sshfs looks the same from outside.
///
/// The messages are those of the kernel's linux/fuse.h, version 7.31.
final class RemoteFileSystem: Sendable {
  private let path: String
  private let device: Int32

  init(at path: String) throws {
    device = unsafe open("/dev/fuse", O_RDWR | O_CLOEXEC)
    guard device >= 0 else { throw SystemError("open", code: errno, subject: "/dev/fuse") }
    self.path = path
    let options = "fd=\(device),rootmode=40000,user_id=0,group_id=0"
    guard unsafe mount("test", path, "fuse", 0, options) == 0 else {
      throw SystemError("mount", code: errno, subject: path)
    }
    var thread = pthread_t()
    let argument = unsafe UnsafeMutableRawPointer(bitPattern: Int(device))
    let started = unsafe pthread_create(&thread, nil, { unsafe serve($0) }, argument)
    guard started == 0 else { throw SystemError("pthread_create", code: started) }
    _ = pthread_detach(thread)
  }

  deinit {
    // MNT_DETACH. The kernel ends the connection, so that the thread's read fails.
    _ = unsafe umount2(path, 2)
  }
}

private func serve(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  let device = Descriptor(owning: Int32(truncatingIfNeeded: Int(bitPattern: argument)))
  var request = [UInt8](repeating: 0, count: 1 << 17)
  while true {
    let got = unsafe request.withUnsafeMutableBytes { buffer in
      unsafe (try? device.read(into: buffer)) ?? 0
    }
    guard got >= 40 else { return nil }
    var (payload, failure): ([UInt8], Int32) = ([], 0)
    switch request[4] {
    case 26:  // FUSE_INIT: version 7.31, the rest zero except the size of a write
      payload = word(7) + word(31) + [UInt8](repeating: 0, count: 56)
      payload.replaceSubrange(20..<24, with: word(4096))
    case 3:  // FUSE_GETATTR: inode 1, a directory, 0700, two links
      payload = [UInt8](repeating: 0, count: 104)
      payload[16] = 1
      payload.replaceSubrange(76..<80, with: word(0o040_700))
      payload[80] = 2
    case 17: payload = [UInt8](repeating: 0, count: 80)  // FUSE_STATFS
    case 27: payload = [UInt8](repeating: 0, count: 16)  // FUSE_OPENDIR
    case 2, 42: continue  // FUSE_FORGET, FUSE_BATCH_FORGET: no answer
    default: failure = -ENOSYS
    }
    let header =
      word(UInt32(16 + payload.count)) + word(UInt32(bitPattern: failure)) + request[8..<16]
    try? device.write(header + payload)
  }
}

private func word(_ value: UInt32) -> [UInt8] {
  (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}
