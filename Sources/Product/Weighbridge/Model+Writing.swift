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
  ///   - replacing: Whether an existing file may be replaced.
  ///   - cancellation: May stop the work; then nothing is left behind.
  /// - Returns: The weights with NaN or infinite elements; they are written as they are.
  /// - Throws: ``WeighbridgeError/Code/outputFailed`` (any existing file is then untouched),
  ///   ``WeighbridgeError/Code/cancelled``.
  /// - Complexity: Reads and writes each weight once; keeps about a megabyte in memory.
  @discardableResult
  public func write(
    to path: String, replacing: Bool = true, cancellation: Cancellation? = nil
  ) throws(WeighbridgeError) -> [WeightWarning] {
    var content = content
    content.provenance.converter = "weighbridge \(weighbridgeVersion)"
    let counts = try WBMExporter.write(
      content, sources: origin.source.files, to: path, replacing: replacing,
      cancellation: cancellation)
    return counts.map { WeightWarning(weight: $0.name, nonFiniteCount: $0.count) }
  }
}

/// The version of this package.
public let weighbridgeVersion = "0.2.0"
