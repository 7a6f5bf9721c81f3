extension HelperEnrolled {
  /// Fingers that are seen by their names only, or none.
  public init(source: EnrolledSource, fingers: [String] = [], asleep: Bool = false) {
    self.init(source: source, fingers: fingers, digests: [], asleep: asleep)
  }
}
