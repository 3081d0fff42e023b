import Bytes
import GraphIR
import LayerCatalog

/// Layers that treat further axes like the batch.
extension KerasLayer {
  /// Merges a number of axes after the batch into it.
  ///
  /// - Returns: The result, and the values before each axis was merged, from which
  ///   ``unfolded(_:_:)`` restores the sizes.
  mutating func folded(
    _ value: ValueID, _ count: Int
  ) throws(WeighbridgeError) -> (value: ValueID, levels: [ValueID]) {
    var (value, levels) = (value, [ValueID]())
    for _ in 0..<count {
      levels.append(value)
      value = try add(FlattenTime(), [value], role: "fold")[0]
    }
    return (value, levels)
  }

  /// Splits the batch into the axes that ``folded(_:_:)`` merged. The last node has the layer's own
  /// name.
  mutating func unfolded(
    _ value: ValueID, _ levels: [ValueID]
  ) throws(WeighbridgeError) -> ValueID {
    var value = value
    for (index, level) in levels.enumerated().reversed() {
      value = try add(UnflattenTime(), [value, level], role: index == 0 ? "" : "unfold")[0]
    }
    return value
  }
}
