/// Bounds on the files that are read.
package struct NumPyLimits: Sendable {
  /// How many arrays a `.npz` file may hold.
  package var memberCount = 1 << 16
  /// How much memory the arrays may take that cannot stay in the mapped file, in bytes.
  package var memory = 4 << 30
  /// How long the header of an array may be, in bytes.
  package var headerByteCount = 1 << 16
  /// How many axes an array may have.
  package var axisCount = 64

  /// The default limits.
  package init() {}
}
