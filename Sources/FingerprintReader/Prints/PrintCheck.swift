internal import CFprint

/// Reads a serialized print without trusting any of its bytes.
///
/// The format is that of fp_print_serialize: `FP3`, then in little endian the GVariant
/// `(issbymsmsia{sv}v)`: type, driver, device, whether the reader stores it, finger, user,
/// description, Julian date, extensions, payload.
@safe
enum PrintCheck {
  struct Facts: Equatable {
    let finger: UInt8
    let driver: String
    let device: String
    let isOnReader: Bool
    let user: String?
  }

  private static let magic: [UInt8] = [0x46, 0x50, 0x33]
  private static let longestName = 255
  /// MAX_BOZORTH_MINUTIAE of the matcher: its arrays hold no more.
  private static let mostMinutiae: gsize = 200
  private static let mostSamples: gsize = 64

  private enum Kind: Int32 {
    case raw = 1
    case minutiae = 2
  }

  /// The facts of a print that fp_print_deserialize accepts without a failed assertion.
  static func facts(of bytes: UnsafeRawBufferPointer) throws(PrintFlaw) -> Facts {
    guard bytes.count <= StoredPrint.maximumCount else { throw .tooLong }
    guard bytes.count > magic.count, unsafe bytes.prefix(magic.count).elementsEqual(magic) else {
      throw .malformed
    }
    let body = unsafe UnsafeRawBufferPointer(rebasing: bytes[magic.count...])
    // GVariant copies unaligned data, and the copy is not wiped; libfprint makes such copies too.
    // This process is never dumped, and ends with the check.
    let copy = unsafe g_bytes_new(body.baseAddress, gsize(body.count))
    defer { unsafe g_bytes_unref(copy) }
    let value = unsafe g_variant_ref_sink(g_variant_new_from_bytes(cfprint_print_type(), copy, 0))
    guard let value = unsafe value else { throw .malformed }
    defer { unsafe g_variant_unref(value) }
    // A value that is not in normal form misstates its own content. The library would continue with
    // default values instead.
    guard unsafe g_variant_is_normal_form(value) != 0 else { throw .malformed }
    return unsafe try facts(of: value)
  }

  private static func facts(of value: OpaquePointer) throws(PrintFlaw) -> Facts {
    let type = unsafe child(value, 0) { unsafe g_variant_get_int32($0) }
    let driver = unsafe child(value, 1, text)
    let device = unsafe child(value, 2, text)
    let isOnReader = unsafe child(value, 3) { unsafe g_variant_get_boolean($0) != 0 }
    let finger = unsafe child(value, 4) { unsafe g_variant_get_byte($0) }
    let user = unsafe child(value, 5) { maybe in
      unsafe g_variant_n_children(maybe) == 0 ? nil : unsafe child(maybe, 0, text)
    }
    let date = unsafe child(value, 7) { unsafe g_variant_get_int32($0) }
    guard let kind = Kind(rawValue: type), Finger(rawValue: finger) != nil,
      isName(driver), device.utf8.count <= longestName,
      isDate(date)
    else { throw .badValue }
    let isUsable = unsafe child(value, 9) { outer in
      unsafe child(outer, 0) { payload in
        switch kind {
        case .raw: unsafe g_variant_is_of_type(payload, cfprint_raw_type()) != 0
        case .minutiae: unsafe isMinutiae(payload)
        }
      }
    }
    guard isUsable else { throw .badValue }
    return Facts(finger: finger, driver: driver, device: device, isOnReader: isOnReader, user: user)
  }

  /// Whether every sample has equally many x, y and directions, all in the range of a scan.
  private static func isMinutiae(_ payload: OpaquePointer) -> Bool {
    guard unsafe g_variant_is_of_type(payload, cfprint_minutiae_type()) != 0 else { return false }
    return unsafe child(payload, 0) { samples in
      let count = unsafe g_variant_n_children(samples)
      guard count >= 1, count <= mostSamples else { return false }
      for index in 0..<count {
        let isSane = unsafe child(samples, index) { sample in
          let x = unsafe child(sample, 0, numbers)
          let y = unsafe child(sample, 1, numbers)
          let theta = unsafe child(sample, 2, numbers)
          // fp_image_new takes at most 5,000 pixels on each side from the widest driver.
          return x.count == y.count && x.count == theta.count && x.count <= mostMinutiae
            && (x + y).allSatisfy { (-5000...5000).contains($0) }
            && theta.allSatisfy { (-360...360).contains($0) }
        }
        guard isSane else { return false }
      }
      return true
    }
  }

  /// Whether a driver can have this name: it is compared, shown and logged.
  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= longestName
      && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
  }

  /// Whether a Julian day is unset (G_MININT32) or before the year 10000 (GDate).
  private static func isDate(_ day: Int32) -> Bool {
    day == .min || (1...3_652_059).contains(day)
  }

  private static func text(_ value: OpaquePointer) -> String {
    unsafe String(cString: g_variant_get_string(value, nil))
  }

  private static func numbers(_ value: OpaquePointer) -> [Int32] {
    let count = unsafe g_variant_n_children(value)
    guard count <= mostMinutiae else {
      return [Int32](repeating: .max, count: Int(mostMinutiae) + 1)
    }
    return (0..<count).map { index in
      unsafe child(value, index) { unsafe g_variant_get_int32($0) }
    }
  }

  private static func child<Value>(
    _ value: OpaquePointer,
    _ index: gsize,
    _ body: (OpaquePointer) -> Value
  ) -> Value {
    guard let child = unsafe g_variant_get_child_value(value, index) else {
      // The type was checked, and each index here is inside it.
      preconditionFailure("a GVariant without a member that its type has")
    }
    defer { unsafe g_variant_unref(child) }
    return unsafe body(child)
  }
}
