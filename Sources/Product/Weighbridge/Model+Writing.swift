public import Bytes
public import GraphIR
import WBMConversion

extension Model {
  /// A weight with elements that no trained model should have.
  public struct WeightWarning: Hashable, Sendable {
    /// The weight's name: `layer/role`.
    public let weight: String
    /// The number of its elements that are NaN or infinite.
    public let nonFiniteCount: Int
  }

  /// Writes the model as a `.wbm` file, which appears only when it is complete.
  ///
  /// - Parameters:
  ///   - path: The file to write.
  ///   - options: Whether an existing file may be replaced, and what may stop the work.
  /// - Returns: The weights with NaN or infinite elements; they are written as they are.
  /// - Throws: ``WeighbridgeError/Code/outputFailed`` (any existing file is then untouched),
  ///   ``WeighbridgeError/Code/cancelled``.
  /// - Complexity: Reads and writes each weight once; keeps about a megabyte in memory.
  @discardableResult
  public func write(
    to path: String, options: WriteOptions = WriteOptions()
  ) throws(WeighbridgeError) -> [WeightWarning] {
    var content = content
    content.provenance.converter = "weighbridge \(weighbridgeVersion)"
    let counts = try WBMExporter.write(
      content, sources: origin.source.files, to: path, replacing: !options.noClobber,
      cancellation: options.cancellation)
    return counts.map { WeightWarning(weight: $0.name, nonFiniteCount: $0.count) }
  }

  /// The function of version 0.2.
  @available(*, deprecated, message: "use write(to:options:)")
  @discardableResult
  public func write(
    to path: String, replacing: Bool, cancellation: Cancellation? = nil
  ) throws(WeighbridgeError) -> [WeightWarning] {
    var options = WriteOptions()
    (options.noClobber, options.cancellation) = (!replacing, cancellation)
    return try write(to: path, options: options)
  }
}
