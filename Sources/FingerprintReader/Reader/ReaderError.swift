internal import CFprint
package import SecretMemory
internal import System

/// Why an operation gave no decision or no print.
package enum ReaderError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No permitted reader was found: there is none, or another program holds it.
  case noReader
  /// None of the prints belongs to this reader.
  case notEnrolled
  /// The reader stores its prints itself, and another program removed these.
  case lostPrints
  /// Another program, or another operation of this one, holds the reader.
  case busy(LibraryFault?)
  /// A reader is plugged in that this process cannot see.
  ///
  /// Another program used it when the list of readers was made. A new process may see it.
  case vanished
  /// This user may not open the reader.
  case noPermission(LibraryFault)
  /// The reader was unplugged.
  case removed
  /// The reader is too hot at the moment.
  case tooHot
  /// The reader does not support the request.
  case unsupported
  /// The time has passed.
  case timedOut
  /// The operation was cancelled.
  case cancelled
  /// The computer is going to sleep, so the reader was released.
  case sleeping
  /// The reader already knows this finger; the case names the finger if it is among the given
  /// prints.
  case duplicate(Finger?)
  /// The reader has no room for another print.
  case storageFull
  /// A print that must not be given to libfprint.
  case badPrint(PrintFlaw)
  /// There was no memory for the print.
  case memory(SecretMemoryError)
  /// Any other error, with the library's own text.
  case failed(LibraryFault)

  /// The text for a person.
  package var description: String {
    switch self {
    case .noReader: "no fingerprint reader was found"
    case .notEnrolled: "no finger is enrolled on this reader"
    case .lostPrints: "the reader no longer has your finger: enroll it again"
    case .busy(let fault): Self.text("reader busy: another program has it", fault)
    case .vanished: "reader busy: another program has it"
    case .noPermission(let fault):
      Self.text("this user may not open the fingerprint reader", fault)
    case .removed: "the fingerprint reader was unplugged"
    case .tooHot: "the fingerprint reader is too hot, wait a little"
    case .unsupported: "the fingerprint reader cannot do this"
    case .timedOut: "the fingerprint reader was not touched in time"
    case .cancelled: "cancelled"
    case .sleeping: "cancelled: the computer goes to sleep"
    case .duplicate(let finger?):
      "the fingerprint reader knows this finger already: it is enrolled as \(finger.name)"
    case .duplicate(nil):
      "the fingerprint reader knows this finger already, and it was not enrolled here: remove it in"
        + " the desktop's settings, or with fprintd-delete"
    case .storageFull: "the fingerprint reader has no room for another finger"
    case .badPrint(let flaw): "the stored print cannot be used: \(flaw)"
    case .memory(let error): "\(error)"
    case .failed(let fault): Self.text("the fingerprint reader failed", fault)
    }
  }

  /// Whether fprintd's answer would be the same at the next try.
  ///
  /// It would be if there is no fprintd, if it refuses this user, or if it has a finger that has no
  /// name here.
  package var isLasting: Bool {
    switch self {
    case .noReader, .noPermission, .unsupported: true
    default: false
    }
  }

  private static func text(_ text: String, _ fault: LibraryFault?) -> String {
    guard let fault else { return text }
    return "\(text) (\(fault))"
  }
}

/// An error of libfprint or a library below it.
package struct LibraryFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// The library's name of the error domain, such as `fp-device-error-quark`.
  package let domain: String
  /// The error number within the domain.
  package let code: Int32
  /// The library's text, without control characters, at most 200 bytes long.
  package let message: String

  package init(domain: String, code: Int32, message: String) {
    self.domain = domain
    self.code = code
    self.message = message
  }

  package var description: String { "\(message), \(domain) \(code)" }
}

extension ReaderError {
  /// A failed call of this program's own.
  init(_ error: SystemError) {
    self = .failed(LibraryFault(domain: error.call, code: error.code, message: "\(error)"))
  }

  /// Translates the error of an operation, and frees it.
  init(consuming error: UnsafeMutablePointer<GError>) {
    let fault = unsafe LibraryFault(error.pointee)
    let domain = unsafe error.pointee.domain
    unsafe g_error_free(error)
    if domain == fp_device_error_quark() {
      self = Self.device(fault)
    } else if domain == g_io_error_quark(), fault.code == G_IO_ERROR_CANCELLED.rawValue {
      self = .cancelled
    } else if domain == g_io_error_quark(), fault.code == G_IO_ERROR_BUSY.rawValue {
      self = .busy(fault)
    } else if domain == g_io_error_quark(), fault.code == G_IO_ERROR_PERMISSION_DENIED.rawValue {
      self = .noPermission(fault)
    } else if fault.domain == "g-usb-device-error-quark" {
      self = Self.usb(fault)
    } else {
      self = .failed(fault)
    }
  }

  private static func device(_ fault: LibraryFault) -> ReaderError {
    switch FpDeviceError(UInt32(bitPattern: fault.code)) {
    case FP_DEVICE_ERROR_BUSY, FP_DEVICE_ERROR_ALREADY_OPEN: .busy(fault)
    case FP_DEVICE_ERROR_REMOVED: .removed
    case FP_DEVICE_ERROR_TOO_HOT: .tooHot
    case FP_DEVICE_ERROR_NOT_SUPPORTED: .unsupported
    case FP_DEVICE_ERROR_DATA_NOT_FOUND: .notEnrolled
    case FP_DEVICE_ERROR_DATA_DUPLICATE: .duplicate(nil)
    case FP_DEVICE_ERROR_DATA_FULL: .storageFull
    default: .failed(fault)
    }
  }

  /// Translates an error of GUsb.
  ///
  /// libusb's own number stands only in the text: -6 is LIBUSB_ERROR_BUSY, -3 is
  /// LIBUSB_ERROR_ACCESS, -4 is LIBUSB_ERROR_NO_DEVICE (libusb.h). A transfer that fails because
  /// the device is gone has no such number. It has the code G_USB_DEVICE_ERROR_NO_DEVICE, which
  /// GUsb also uses for busy devices.
  private static func usb(_ fault: LibraryFault) -> ReaderError {
    if fault.isUSBBusy { return .busy(fault) }
    if fault.message.contains("[-3]") { return .noPermission(fault) }
    return fault.code == 4 || fault.message.contains("[-4]") ? .removed : .failed(fault)
  }
}

extension LibraryFault {
  /// Whether libusb reports that another program holds the device.
  package var isUSBBusy: Bool { message.contains("[-6]") }

  init(_ error: GError) {
    code = unsafe error.code
    domain = unsafe g_quark_to_string(error.domain).map { unsafe String(cString: $0) } ?? "?"
    let words = unsafe error.message.map { unsafe String(cString: $0) } ?? ""
    message = Self.plain(words)
  }

  /// Text without control characters, at most 200 bytes long.
  package static func plain(_ words: String) -> String {
    var text = ""
    for scalar in words.unicodeScalars {
      let isPlain = scalar.value >= 0x20 && scalar.value < 0x7f
      text.unicodeScalars.append(isPlain ? scalar : "?")
      if text.utf8.count == 200 { break }
    }
    return text
  }
}
