extension RequestTermsReply {
  /// How long a connection may take, in milliseconds, for the helper: between 1 s and 600 s, which an
  /// engine cannot exceed.
  public var connectMilliseconds: Int? { connectTimeout.map { min(max($0, 1), 600) * 1000 } }
}
