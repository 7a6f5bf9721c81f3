internal import CFprint

/// libfprint's list of readers, used on the reader's thread only.
///
/// Making the list probes: several drivers open, reset and claim a reader to learn its name, also
/// while another program uses that reader. So a process makes the list once, after a look that
/// disturbs nothing (`PluggedReaders`). Another process looks for a reader that is missing here.
@safe
final class ReaderList: @unchecked Sendable {
  private let drivers: AllowedDrivers
  /// Never let go: after an unplugged reader, idle sources of libfprint still name the context, and
  /// its end crashed the process.
  private var context: UnsafeMutablePointer<FpContext>?
  /// How many readers the system showed then.
  private var plugged = 0

  init(_ drivers: AllowedDrivers) {
    self.drivers = drivers
  }

  /// Whether the list was made; a reader that another program held then is missing from it.
  var isMade: Bool { unsafe context != nil }

  /// Whether a reader that was plugged in when the list was made is not any longer, as far as the
  /// system shows it.
  var isAnyMissing: Bool { (PluggedReaders.look(drivers)?.count ?? 0) < plugged }

  /// The readers that may be used; the context owns them (fp_context_get_devices).
  func readers() -> [UnsafeMutablePointer<FpDevice>] {
    if unsafe context == nil {
      plugged = PluggedReaders.look(drivers)?.count ?? 0
      unsafe context = fp_context_new()
    }
    guard let devices = unsafe fp_context_get_devices(context) else { return unsafe [] }
    var readers: [UnsafeMutablePointer<FpDevice>] = unsafe []
    for index in 0..<Int(unsafe devices.pointee.len) {
      guard let entry = unsafe devices.pointee.pdata[index] else { continue }
      let reader = unsafe entry.assumingMemoryBound(to: FpDevice.self)
      guard drivers.permit(unsafe text(fp_device_get_driver(reader))) else { continue }
      unsafe readers.append(reader)
    }
    return unsafe readers
  }
}
