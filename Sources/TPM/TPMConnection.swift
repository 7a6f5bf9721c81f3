internal import CTSS
internal import Glibc
internal import MachineKey
internal import System

/// An open device, and the library's context.
///
/// The context keeps copies of secrets until this object is destroyed, and some even longer.
/// Therefore the process must end after each conversation.
@safe
final class TPMConnection {
  let context: OpaquePointer
  private let device: OpaquePointer

  /// An opening that fails after this time is repeated, in nanoseconds: slightly less than the
  /// library's time limit.
  private static let slowAnswer: Int64 = 900_000_000
  /// The major number of memory devices such as /dev/null, which sandboxes put in place of a node
  /// (devices.txt of the kernel).
  private static let memoryDevices: dev_t = 1
  /// The maximum number of openings.
  private static let tries = 4

  /// Opens a device.
  init(_ path: String) throws(TPMFailure) {
    try Self.probe(path)
    let device = unsafe try Self.opened(path)
    var context: OpaquePointer?
    let code = unsafe Esys_Initialize(&context, device, nil)
    guard code == 0, let context = unsafe context else {
      unsafe ctss_close(device)
      try check(code, .parent)
      throw .absent
    }
    unsafe self.device = device
    unsafe self.context = context
  }

  deinit {
    var context: OpaquePointer? = unsafe context
    unsafe Esys_Finalize(&context)
    unsafe ctss_close(device)
  }

  /// Opens the device for the library (Tss2_Tcti_Device_Init(3)).
  ///
  /// The library asks for random bytes, and treats a second without an answer as an error. A TPM
  /// that makes a key for another program takes longer.
  private static func opened(_ path: String) throws(TPMFailure) -> OpaquePointer {
    for _ in 0..<tries {
      let start = BootInstant.now.nanoseconds
      var device: OpaquePointer?
      let code = unsafe ctss_open(path, &device)
      if let device = unsafe device { return unsafe device }
      let isSlow = BootInstant.now.nanoseconds - start >= slowAnswer
      if !isSlow { try check(code, .parent) }
    }
    throw .busy
  }

  /// Opens and closes the device, since the library does not say why it cannot (open(2)).
  private static func probe(_ path: String) throws(TPMFailure) {
    let number = unsafe open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard number >= 0 else {
      switch errno {
      case EACCES, EPERM: throw .notPermitted
      case EBUSY: throw .busy
      case ENOENT, ENOTDIR, ENODEV, ENXIO, EISDIR: throw .absent
      case let code: throw .unexpected("open: errno \(code)")
      }
    }
    defer { _ = close(number) }
    var status = stat()
    guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFCHR,
      status.st_rdev >> 8 != memoryDevices
    else { throw .absent }
  }
}

/// A handle of the library: an object, a session or an index.
///
/// It is flushed from the TPM when its owner is destroyed, also after an error. After a forged
/// answer the library does nothing more. Then the kernel's resource manager flushes it when the
/// device is closed.
struct TPMHandle: ~Copyable {
  enum Kind {
    /// Loaded by this conversation: it is flushed.
    case loaded
    /// Kept by the TPM: only the library forgets it.
    case kept
  }

  let number: ESYS_TR
  private let kind: Kind
  private let connection: TPMConnection

  init(_ number: ESYS_TR, _ kind: Kind, of connection: TPMConnection) {
    self.number = number
    self.kind = kind
    self.connection = connection
  }

  deinit {
    switch kind {
    case .loaded: _ = unsafe Esys_FlushContext(connection.context, number)
    case .kept:
      var handle = number
      _ = unsafe Esys_TR_Close(connection.context, &handle)
    }
  }
}
