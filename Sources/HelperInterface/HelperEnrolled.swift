extension HelperEnrolled {
  /// Makes an answer with fingers that are known only by name, or with none.
  package init(source: EnrolledSource, fingers: [String] = [], asleep: Bool = false) {
    self.init(source: source, fingers: fingers, digests: [], asleep: asleep)
  }
}
