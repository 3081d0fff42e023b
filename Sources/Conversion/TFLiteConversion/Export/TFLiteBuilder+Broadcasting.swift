import Bytes
import ConversionCore
import GraphIR
import TFLiteFormat

/// Elementwise operators of values that are broadcast.
extension TFLiteBuilder {
  /// The largest number of axes in which the kernels of all runtimes broadcast; those of 2.14 end the
  /// process with more.
  private static var maximumBroadcastRank: Int { 4 }

  /// Adds an elementwise operator. Where there are too many axes, neighbors that are broadcast alike
  /// become one.
  ///
  /// - Parameters:
  ///   - values: Its inputs, of one rank.
  ///   - type: The type of its output.
  mutating func elementwise(
    _ builtin: TFLiteBuiltin, _ values: [ExportOperand], as type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand {
    let shapes = values.map(\.type.shape)
    guard type.rank > Self.maximumBroadcastRank, Set(shapes).count > 1,
      let groups = Self.axesBroadcastAlike(shapes),
      type.shape.count(where: { $0.value == nil }) <= 1
    else { return try add(builtin, values, .arithmetic(builtin), types: [type])[0] }
    var merged: [ExportOperand] = []
    for value in values {
      let shape = Self.merged(value.type.shape, groups)
      if let tensor = value.constant {
        merged.append(.weight(tensor.reshaped(shape.compactMap(\.value)), named: value.name))
      } else {
        merged.append(try reshaped(value, as: value.type.with(shape: shape)))
      }
    }
    let result = try add(
      builtin, merged, .arithmetic(builtin),
      types: [type.with(shape: Self.merged(type.shape, groups))])[0]
    return try reshaped(result, as: type)
  }

  /// Ranges of axes of which each value has all or has 1 along all; `nil` if these are too many, or
  /// sizes may differ when the model runs.
  private static func axesBroadcastAlike(_ shapes: [[Dimension]]) -> [Range<Int>]? {
    var (groups, pattern) = ([Range<Int>](), [Bool]())
    for axis in shapes[0].indices {
      let sizes = shapes.map { $0[axis].value }
      let others = Set(sizes.filter { $0 != 1 })
      guard others.count <= 1 else { return nil }
      let ones = sizes.map { $0 == 1 }
      if let last = groups.last, ones == pattern || others.isEmpty {
        groups[groups.count - 1] = last.lowerBound..<axis + 1
      } else {
        groups.append(axis..<axis + 1)
        pattern = ones
      }
    }
    return groups.count <= maximumBroadcastRank ? groups : nil
  }

  /// A shape with each range of axes as one axis.
  private static func merged(_ shape: [Dimension], _ groups: [Range<Int>]) -> [Dimension] {
    groups.map { group in
      let known = shape[group].compactMap(\.value)
      return known.count == group.count ? .fixed(known.reduce(1, *)) : .unknown
    }
  }
}
