import System
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(10)))
struct NetworkFileSystemTests {
  @Test
  func aStateDirectoryOnARemoteFileSystemIsRefused() throws {
    let scratch = try Scratch()
    try Files.mkdir(scratch.path, 0o700)
    let remote = try RemoteFileSystem(at: scratch.path)
    #expect(throws: StorageError.networkFileSystem("fuse")) { _ = try scratch.open() }
    #expect(StorageError.networkFileSystem("fuse").remedy != nil)
    _ = remote
  }

  @Test(
    arguments: [
      (0x6969, "nfs"), (0xff53_4d42, "cifs"), (0xfe53_4d42, "smb2"), (0x517b, "smb"),
      (0x0102_1997, "9p"), (0x5346_414f, "afs"), (0x00c3_6400, "ceph"),
    ] as [(UInt32, String)]
  )
  func everyNetworkFileSystemIsNamed(_ magic: UInt32, _ name: String) {
    #expect(NetworkFileSystem.name(ofType: magic) == name)
  }

  @Test(
    arguments: [
      0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0xf2f5_2010, 0x2fc1_2fc1,
    ] as [UInt32]
  )
  func aLocalDiskIsNot(_ magic: UInt32) {
    #expect(NetworkFileSystem.name(ofType: magic) == nil)
  }

  @Test
  func aFileSystemInMemoryIsAccepted() throws {
    let scratch = try Scratch()
    try Files.mountSmall(scratch.base, pages: 100)
    _ = try scratch.open()
  }
}
