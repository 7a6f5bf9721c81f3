internal import CSQLite

/// A value bound to a statement, never part of its text.
package enum Value {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])

  static func optional(_ text: String?) -> Value { text.map(Value.text) ?? .null }
  static func optional(_ bytes: [UInt8]?) -> Value { bytes.map(Value.blob) ?? .null }
  static func optional(_ integer: Int64?) -> Value { integer.map(Value.integer) ?? .null }
}

/// A prepared statement, kept by its connection and finalised before the connection closes.
@safe
final class Statement {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) {
    unsafe self.handle = handle
  }

  deinit {
    unsafe sqlite3_finalize(handle)
  }

  func bind(_ values: [Value]) throws(StorageError) {
    guard values.count == Int(unsafe sqlite3_bind_parameter_count(handle)) else {
      throw .database(SQLITE_RANGE)
    }
    for (offset, value) in values.enumerated() {
      let index = Int32(offset + 1)
      let code: Int32
      switch value {
      case .null: code = unsafe sqlite3_bind_null(handle, index)
      case .integer(let integer): code = unsafe sqlite3_bind_int64(handle, index, integer)
      case .text(let text):
        var text = text
        code = text.withUTF8 { bytes in
          unsafe csqlite_bind_text(handle, index, bytes.baseAddress, UInt64(bytes.count))
        }
      case .blob(let bytes):
        code = unsafe bytes.withUnsafeBytes { bytes in
          unsafe csqlite_bind_blob(handle, index, bytes.baseAddress, UInt64(bytes.count))
        }
      }
      guard code == SQLITE_OK else { throw .database(code) }
    }
  }

  /// One step: SQLITE_ROW, SQLITE_DONE, or an extended error code.
  func step() -> Int32 { unsafe sqlite3_step(handle) }

  /// The current row.
  var columns: Columns { unsafe Columns(handle) }

  /// Makes the statement ready to run again and releases the bound values.
  func reset() {
    // sqlite3_reset repeats the error of the last step, which has already been reported.
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }
}

/// The current row of a statement, read with the types that the schema demands.
///
/// A database file may hold anything: a value of another type or length is damage.
@safe
package struct Columns {
  private let handle: OpaquePointer

  fileprivate init(_ handle: OpaquePointer) {
    unsafe self.handle = handle
  }

  func integer(_ index: Int32) throws(StorageError) -> Int64 {
    guard unsafe sqlite3_column_type(handle, index) == SQLITE_INTEGER else { throw damage(index) }
    return unsafe sqlite3_column_int64(handle, index)
  }

  /// An integer that fits into an unsigned type of fewer bits.
  func small<Small: FixedWidthInteger>(_ index: Int32) throws(StorageError) -> Small {
    guard let value = Small(exactly: try integer(index)) else { throw damage(index) }
    return value
  }

  /// 0 or 1.
  func boolean(_ index: Int32) throws(StorageError) -> Bool {
    switch try integer(index) {
    case 0: return false
    case 1: return true
    default: throw damage(index)
    }
  }

  /// Valid UTF-8.
  package func text(_ index: Int32) throws(StorageError) -> String {
    guard unsafe sqlite3_column_type(handle, index) == SQLITE_TEXT else { throw damage(index) }
    guard let text = String(validating: copy(index), as: UTF8.self) else { throw damage(index) }
    return text
  }

  /// Text, or a number as text: the answer of a PRAGMA.
  func anyText(_ index: Int32) throws(StorageError) -> String {
    unsafe sqlite3_column_type(handle, index) == SQLITE_INTEGER
      ? String(try integer(index)) : try text(index)
  }

  /// Bytes; exactly `count` of them if `count` is given.
  func blob(_ index: Int32, count: Int? = nil) throws(StorageError) -> [UInt8] {
    guard unsafe sqlite3_column_type(handle, index) == SQLITE_BLOB else { throw damage(index) }
    let bytes = copy(index)
    guard count == nil || bytes.count == count else { throw damage(index) }
    return bytes
  }

  /// A value of an enumeration.
  func choice<Choice: RawRepresentable<String>>(_ index: Int32) throws(StorageError) -> Choice {
    guard let choice = Choice(rawValue: try text(index)) else { throw damage(index) }
    return choice
  }

  func optionalInteger(_ index: Int32) throws(StorageError) -> Int64? {
    isNull(index) ? nil : try integer(index)
  }

  func optionalText(_ index: Int32) throws(StorageError) -> String? {
    isNull(index) ? nil : try text(index)
  }

  func optionalBlob(_ index: Int32, count: Int? = nil) throws(StorageError) -> [UInt8]? {
    isNull(index) ? nil : try blob(index, count: count)
  }

  private func isNull(_ index: Int32) -> Bool {
    unsafe sqlite3_column_type(handle, index) == SQLITE_NULL
  }

  /// sqlite.org/c3ref/column_blob.html: call the pointer function first, then the byte count.
  private func copy(_ index: Int32) -> [UInt8] {
    guard let bytes = unsafe sqlite3_column_blob(handle, index) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, index))
    return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
  }

  private func damage(_ index: Int32) -> StorageError {
    guard let name = unsafe sqlite3_column_name(handle, index) else { return .damaged("vault.db") }
    return .damaged("vault.db, column \(unsafe String(cString: name))")
  }
}
