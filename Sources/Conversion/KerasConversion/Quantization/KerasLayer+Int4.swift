import Bytes
import GraphIR
import LayerCatalog

/// Weights of four bits (Keras 3.14 and later): matrices of whole numbers from -8 to 7, of which two
/// that stand beside each other share a byte of the file.
extension KerasLayer {
  /// The numbers of a matrix that is the layer's next weight, two in a byte.
  mutating func int4Matrix(
    _ role: String, rows: Int, columns: Int
  ) throws(WeighbridgeError) -> ValueID {
    let (bytes, isOdd) = columns.quotientAndRemainder(dividingBy: 2)
    let packed = try weight(
      role, shape: [rows, bytes + isOdd], isTrained: false, storedAs: .int8)
    // The first number's bits are the lower ones: of p + 8 modulo 16, 8 too many are left.
    let sixteen = try number("\(role)_sixteen", 16, like: packed)
    var low = try add(Rescaling(scale: [1], offset: [8]), [packed], role: "\(role)_raised")
    low = try add(BinaryMath(.floorModulo), low + [sixteen], role: "\(role)_low_bits")
    low = try add(Rescaling(scale: [1], offset: [-8]), low, role: "\(role)_low")
    var high = try add(
      Rescaling(scale: [1 / 16], offset: [0]), [packed], role: "\(role)_sixteenths")
    high = try add(UnaryMath(.floor), high, role: "\(role)_high")
    var pairs: [ValueID] = []
    for (half, name) in [(low, "low"), (high, "high")] {
      pairs += try add(ExpandDims(axes: [2]), half, role: "\(role)_\(name)_column")
    }
    let joined = try add(Concatenate(axis: 2), pairs, role: "\(role)_pairs")
    let all = try add(
      ReshapeAxes([.fixed(rows), .fixed(2 * (bytes + isOdd))]), joined, role: "\(role)_numbers")
    guard isOdd == 1 else { return all[0] }
    let own = Slice([Slice.Range(axis: 1, start: 0, stop: columns, step: 1)])
    return try add(own, all, role: "\(role)_own_numbers")[0]
  }

  /// What numbers in groups stand for: each less its group's zero, times its group's factor. Both are
  /// the layer's next weights, with the group of each index of the axis behind them.
  ///
  /// - Parameter axis: The axis that the groups part.
  mutating func dequantized(
    _ numbers: ValueID, _ role: String, axis: Int, _ quantization: KerasQuantization
  ) throws(WeighbridgeError) -> ValueID {
    let dimensions = graph.type(of: numbers).shape.compactMap(\.value)
    guard dimensions.count == 2, let size = quantization.groupSize, size >= 1 else {
      throw .malformed("has no groups of numbers")
    }
    var shape = dimensions
    shape[axis] = (dimensions[axis] - 1) / size + 1
    let scale = try weight("\(role)_scale", shape: shape, isTrained: false)
    let zero = try weight("\(role)_zero", shape: shape, isTrained: false, storedAs: .int8)
    let written = try weight("\(role)_groups", shape: [dimensions[axis]], isTrained: false)
    let groups = try cast(written, to: .int32, role: "\(role)_group_indices")
    let gather = Gather(axis: axis)
    let zeros = try add(gather, [zero, groups], role: "\(role)_zeros")
    let scales = try add(gather, [scale, groups], role: "\(role)_scales")
    let moved = try add(Subtract(), [numbers] + zeros, role: "\(role)_moved")
    return try add(Multiply(), moved + scales, role: "\(role)_values")[0]
  }
}
