/// Detects file systems on which locks or a write-ahead log may fail, by their magic numbers.
///
/// "WAL does not work over a network filesystem" (sqlite.org/wal.html), and flock(2) may be local
/// to each machine there. Numbers: statfs(2) and the kernel's linux/magic.h.
enum NetworkFileSystem {
  /// The name of the network file system with this magic number; `nil` for other file systems.
  static func name(ofType magic: UInt32) -> String? {
    switch magic {
    case 0x0000_6969: "nfs"
    case 0x0000_517b: "smb"
    case 0xfe53_4d42: "smb2"
    case 0xff53_4d42: "cifs"
    case 0x0102_1997: "9p"
    // sshfs and virtiofs cannot be distinguished from other FUSE file systems.
    case 0x6573_5546: "fuse"
    case 0x5346_414f, 0x6b41_4653: "afs"
    case 0x00c3_6400: "ceph"
    case 0x7375_7245: "coda"
    case 0x0000_564c: "ncp"
    case 0x7461_636f: "ocfs2"
    case 0x0116_1970: "gfs2"
    case 0x0bd0_0bd0: "lustre"
    case 0x4750_4653: "gpfs"
    case 0xaad7_aaea: "panfs"
    case 0x1983_0326: "beegfs"
    case 0x786f_4256: "vboxsf"
    default: nil
    }
  }
}
