// Written by Scripts/interface from org.varlink.service.varlink: change that file instead.
// swift-format-ignore-file

/// The errors of `org.varlink.service`.
enum ServiceErrorName: String, CaseIterable {
  /// The requested interface was not found.
  case interfaceNotFound = "InterfaceNotFound"
  /// The requested method was not found
  case methodNotFound = "MethodNotFound"
  /// The interface defines the requested method, but the service does not
  /// implement it.
  case methodNotImplemented = "MethodNotImplemented"
  /// One of the passed parameters is invalid.
  case invalidParameter = "InvalidParameter"
  /// Client is denied access
  case permissionDenied = "PermissionDenied"
  /// Method is expected to be called with 'more' set to true, but wasn't
  case expectedMore = "ExpectedMore"
}
