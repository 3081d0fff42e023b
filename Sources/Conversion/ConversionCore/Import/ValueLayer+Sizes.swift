package import Bytes
import GraphIR
import LayerCatalog

/// Sizes of values, and computations with them.
extension ValueLayer {
  /// The sizes of a value as integers of a type.
  package func sizes(of input: SourceValue, as elementType: ElementType) -> SourceValue {
    var sizes: [SourceDimension] = []
    for (axis, size) in type(input).shape.enumerated() {
      if let known = size.value {
        sizes.append(.known(known))
      } else if case .computed(let id) = input {
        sizes.append(.axis(id, axis, times: 1))
      }
    }
    return .dimensions(sizes, isList: true, as: elementType)
  }

  /// The product of a list of sizes, some of which are known only when the model runs; `nil` for
  /// another value.
  package func productOfSizes(_ value: SourceValue) -> SourceValue? {
    guard value.tensor == nil, case .dimensions(let sizes, true, let type) = value,
      let product = SourceDimension.product(of: sizes)
    else { return nil }
    return .dimensions([product], isList: false, as: type)
  }

  /// The sizes at constant positions in a list of them; `nil` for another value.
  package func chosenSizes(
    _ value: SourceValue, at indices: SourceValue
  ) throws(WeighbridgeError) -> SourceValue? {
    guard value.tensor == nil, let sizes = value.dimensions, let tensor = indices.tensor else {
      return nil
    }
    let positions = tensor.wholeNumbers
    guard positions.allSatisfy(sizes.indices.contains), tensor.shape.count <= 1 else {
      throw malformed("takes the sizes at \(positions), and there are \(sizes.count)")
    }
    return .dimensions(
      positions.map { sizes[$0] }, isList: tensor.shape.count == 1, as: type(value).elementType)
  }

  /// Sizes in which one of size 1 takes that of the other.
  package func broadcastSizes(
    _ lhs: SourceValue, _ rhs: SourceValue
  ) throws(WeighbridgeError) -> SourceValue {
    guard let first = lhs.dimensions, let second = rhs.dimensions else {
      throw unsupported("combines shapes that are known only when the model runs")
    }
    let count = max(first.count, second.count)
    let lists = [first, second].map {
      [SourceDimension](repeating: .known(1), count: count - $0.count) + $0
    }
    let sizes = zip(lists[0], lists[1]).map { $0 == .known(1) ? $1 : $0 }
    return .dimensions(sizes, isList: true, as: type(lhs).elementType)
  }

  /// Counts from a number to another one in steps.
  package mutating func counted(
    from start: SourceValue, to end: SourceValue, by step: SourceValue, as elementType: ElementType
  ) throws(WeighbridgeError) -> SourceValue {
    if case .dimensions(let sizes, false, let type) = end, sizes[0].number == nil {
      guard start.tensor?.doubles == [0], step.tensor?.doubles == [1] else {
        throw unsupported(
          "counts to a size that is known only when the model runs, and only counting from 0 in "
            + "steps of 1 can be read then")
      }
      let one = Tensor(type, shape: [1], [1])
      let ones = try filled(with: one, .dimensions(sizes, isList: true), role: "ones")
      return try apply(CumSum(axis: 0, isExclusive: true, isReversed: false), to: ones)
    }
    var numbers: [Double] = []
    for value in [start, end, step] {
      guard let tensor = value.tensor, tensor.count == 1 else {
        throw unsupported(
          "counts between numbers that are known only when the model runs, expected constant ones")
      }
      numbers.append(tensor.doubles[0])
    }
    let count = max(0, ((numbers[1] - numbers[0]) / numbers[2]).rounded(.up))
    guard numbers[2] != 0, count <= Double(1 << 24) else {
      throw .limitExceeded(
        "makes a range of \(count) numbers, and 16777216 are the limit")
    }
    let list = (0..<Int(count)).map { numbers[0] + Double($0) * numbers[2] }
    return newConstant(Tensor(elementType, shape: [list.count], list), "range")
  }
}
