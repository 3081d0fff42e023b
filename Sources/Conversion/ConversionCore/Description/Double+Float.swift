extension Double {
  /// The shortest number that is the same in float32, in which files hold it.
  package var asFloat: Double { Double("\(Float(self))") ?? self }
}
