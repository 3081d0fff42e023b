extension Double {
  /// The shortest decimal number with the same float32 value, in which files store it.
  package var shortestFloat32: Double { Double("\(Float(self))") ?? self }
}
