package import Bytes
import GraphIR
package import LayerCatalog

/// Parts of values, and values that are put together.
extension ValueLayer {
  /// Takes a number of elements from a start on along each axis; -1 stands for the rest.
  package mutating func slice(
    _ input: SourceValue, starts: [Int], sizes: [Int]
  ) throws(WeighbridgeError) -> SourceValue {
    let type = type(input)
    guard starts.count == type.rank, sizes.count == type.rank, starts.allSatisfy({ $0 >= 0 }),
      sizes.allSatisfy({ $0 >= -1 })
    else {
      throw malformed(
        "takes \(sizes) elements from \(starts) on, and two numbers are expected for each axis of "
          + "\(type)")
    }
    var ranges: [Slice.Range] = []
    for axis in 0..<type.rank where starts[axis] > 0 || sizes[axis] >= 0 {
      let (stop, overflow) = starts[axis].addingReportingOverflow(sizes[axis])
      guard !overflow, sizes[axis] < 0 || type.shape[axis].value.map({ stop <= $0 }) != false
      else {
        throw malformed(
          "takes \(sizes[axis]) elements from \(starts[axis]) on, and axis \(axis) has "
            + "\(type.shape[axis])")
      }
      ranges.append(
        Slice.Range(axis: axis, start: starts[axis], stop: sizes[axis] < 0 ? nil : stop, step: 1))
    }
    return try taken(ranges, of: input)
  }

  /// Takes ranges along axes; without elements, the result is constant.
  package mutating func taken(
    _ ranges: [Slice.Range], of value: SourceValue
  ) throws(WeighbridgeError) -> SourceValue {
    guard var shape = type(value).fixedShape else {
      return ranges.isEmpty ? value : try apply(Slice(ranges), to: value)
    }
    for range in ranges { shape[range.axis] = range.resolved(shape[range.axis]).count }
    if shape.contains(0) {
      return newConstant(Tensor(type(value).elementType, shape: shape, []), "empty")
    }
    return ranges.isEmpty ? value : try apply(Slice(ranges), to: value)
  }

  /// Splits a value; parts without elements become constants.
  package mutating func split(
    _ value: SourceValue, axis: Int, sizes: [Int]
  ) throws(WeighbridgeError) -> [SourceValue] {
    let shape = type(value).shape
    guard sizes.contains(0), let known = type(value).fixedShape, sizes.allSatisfy({ $0 >= 0 })
    else {
      return try apply(Split(axis: axis, sizes: sizes), [value])
    }
    let filled = sizes.filter { $0 > 0 }
    var parts =
      try filled.count == 1 && shape[axis].value == filled[0]
      ? [value][...] : apply(Split(axis: axis, sizes: filled), [value])[...]
    return sizes.map { size in
      if size > 0 { return parts.popFirst() ?? value }
      let empty = Array(known[..<axis]) + [0] + known[(axis + 1)...]
      return newConstant(Tensor(type(value).elementType, shape: empty, []), "empty")
    }
  }

  /// Splits a value into parts of one element each along an axis, which disappears.
  package mutating func unpacked(
    _ value: SourceValue, axis: Int, count: Int
  ) throws(WeighbridgeError) -> [SourceValue] {
    if value.tensor == nil, case .dimensions(let sizes, true, let type) = value,
      sizes.count == count
    {
      return sizes.map { .dimensions([$0], isList: false, as: type) }
    }
    let axis = try self.axis(axis, rank: type(value).rank)
    let sizes = [Int](repeating: 1, count: count)
    let parts =
      count == 1 ? [value] : try apply(Split(axis: axis, sizes: sizes), [value], role: "parts")
    var results: [SourceValue] = []
    for (position, part) in parts.enumerated() {
      let role = count == 1 ? "" : "part_\(position)"
      results.append(try apply(Squeeze(axes: [axis]), to: part, role: role))
    }
    return results
  }

  /// Puts values one after the other along an axis.
  package mutating func concatenated(
    _ values: [SourceValue], axis: Int
  ) throws(WeighbridgeError) -> SourceValue {
    guard let first = values.first else { throw malformed("has no input") }
    let lists = values.compactMap(\.dimensions)
    if lists.count == values.count, values.contains(where: { $0.tensor == nil }) {
      return .dimensions(lists.flatMap { $0 }, isList: true, as: type(first).elementType)
    }
    let axis = try self.axis(axis, rank: type(first).rank)
    guard values.allSatisfy({ type($0).rank == type(first).rank }) else {
      throw malformed("joins values of different ranks: \(values.map { type($0) })")
    }
    let parts = values.filter { type($0).shape[axis].value != 0 }
    return parts.count <= 1
      ? parts.first ?? first : try apply(Concatenate(axis: axis), parts)[0]
  }

  /// Joins values along a new axis.
  package mutating func packed(
    _ values: [SourceValue], axis: Int
  ) throws(WeighbridgeError) -> SourceValue {
    guard let first = values.first else { throw malformed("has no input") }
    let lists = values.compactMap(\.dimensions)
    if lists.count == values.count, values.contains(where: { $0.tensor == nil }),
      !values.contains(where: \.isList)
    {
      return .dimensions(lists.flatMap { $0 }, isList: true, as: type(first).elementType)
    }
    let axis = try self.axis(axis, rank: type(first).rank + 1)
    var parts: [SourceValue] = []
    for (position, value) in values.enumerated() {
      let role = values.count == 1 ? "" : "part_\(position)"
      parts.append(try apply(ExpandDims(axes: [axis]), to: value, role: role))
    }
    return parts.count == 1 ? parts[0] : try apply(Concatenate(axis: axis), parts)[0]
  }

  /// Pads by two numbers for each axis, before it and after it.
  package mutating func padded(
    _ input: SourceValue, _ borders: [Int], _ mode: Pad.Mode, value: Double
  ) throws(WeighbridgeError) -> SourceValue {
    guard borders.count == 2 * type(input).rank, borders.allSatisfy({ $0 >= 0 }) else {
      throw malformed(
        "pads \(type(input)) by \(borders), and two numbers of 0 or more are expected for each axis"
      )
    }
    let padding = Pad(
      before: stride(from: 0, to: borders.count, by: 2).map { borders[$0] },
      after: stride(from: 1, to: borders.count, by: 2).map { borders[$0] }, mode: mode,
      value: value)
    return try apply(padding, to: input)
  }
}
