/// Limits on the files that are read.
package struct NumPyLimits: Sendable {
  /// The largest number of arrays in a `.npz` file.
  package var memberCount = 1 << 16
  /// The most memory for arrays that cannot stay in the mapped file, in bytes.
  package var memory = 4 << 30
  /// The largest size of an array's header in bytes.
  package var headerByteCount = 1 << 16
  /// The largest number of axes of an array.
  package var axisCount = 64

  /// The default limits.
  package init() {}
}
