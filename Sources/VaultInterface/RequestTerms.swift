extension RequestTermsReply {
  /// How long a connection may take, in milliseconds, for the helper.
  ///
  /// It is cut to 1 s to 600 s, so that an engine cannot exceed those limits.
  public var connectMilliseconds: Int? { connectTimeout.map { min(max($0, 1), 600) * 1000 } }
}
