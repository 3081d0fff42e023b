/// Limits on the files that are read.
package struct NumPyLimits: Sendable {
  /// The maximum number of arrays in a `.npz` file.
  package var memberCount = 1 << 16
  /// The maximum memory for arrays that cannot stay in the mapped file, in bytes.
  package var memory = 4 << 30
  /// The maximum size of an array's header in bytes.
  package var headerByteCount = 1 << 16
  /// The maximum number of axes of an array.
  package var axisCount = 64

  /// Creates the default limits.
  package init() {}
}
