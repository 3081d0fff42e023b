extension Double {
  /// The shortest number with the same float32 value, the type in which files store it.
  package var asFloat: Double { Double("\(Float(self))") ?? self }
}
