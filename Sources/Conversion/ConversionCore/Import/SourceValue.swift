package import Bytes
package import GraphIR

/// A value of a source while its nodes are imported.
package enum SourceValue {
  /// Computed when the model runs.
  case computed(ValueID)
  /// Constant, with the name of the weight that is added if a node needs it.
  case constant(String, Tensor)
  /// Dimensions of values, as int64 or int32, some of which may be known only when the model runs:
  /// a list, or a scalar.
  case dimensions([SourceDimension], isList: Bool, as: ElementType = .int64)

  /// The elements, if they are constant.
  package var tensor: Tensor? {
    switch self {
    case .constant(_, let tensor): return tensor
    case .computed: return nil
    case .dimensions(let dimensions, let isList, let type):
      let known = dimensions.compactMap(\.number)
      guard known.count == dimensions.count else { return nil }
      return Tensor(type, shape: isList ? [known.count] : [], known.map(Double.init))
    }
  }
}

/// A size, as a source's shape operator returns it.
package enum SourceDimension: Hashable {
  case known(Int)
  /// The size of an axis of a value, times a number.
  case axis(ValueID, Int, times: Int)
  /// A size that nodes compute, as a list of one int64.
  case computed(ValueID)

  /// The size, if it is constant.
  package var number: Int? { if case .known(let number) = self { number } else { nil } }

  /// Whether nodes compute the size.
  package var isComputed: Bool { if case .computed = self { true } else { false } }

  /// Whether the size, which is 0 or more, equals a number; `nil` if only the model's run tells.
  package func equals(_ number: Int) -> Bool? {
    self.number.map { $0 == number } ?? (number < 0 && !isComputed ? false : nil)
  }

  /// Returns the elementwise product of two values that are dimensions or integers, one of which may
  /// be a single one; `nil` for other values, for products of two unknown dimensions, and if all
  /// dimensions are known.
  package static func product(_ values: [SourceValue]) -> SourceValue? {
    guard values.count == 2, values.contains(where: { $0.tensor == nil }),
      let lhs = values[0].dimensions, let rhs = values[1].dimensions,
      lhs.count == rhs.count || lhs.count == 1 || rhs.count == 1
    else { return nil }
    let count = lhs.count == 1 ? rhs.count : lhs.count
    let products = (0..<count).compactMap { index in
      let (lhs, rhs) = (lhs[lhs.count == 1 ? 0 : index], rhs[rhs.count == 1 ? 0 : index])
      return lhs.number.map { rhs.multiplied(by: $0) }
        ?? rhs.number.map { lhs.multiplied(by: $0) } ?? nil
    }
    guard products.count == count else { return nil }
    let type = values.lazy.compactMap(\.dimensionType).first ?? .int64
    return .dimensions(products, isList: values.contains(where: \.isList), as: type)
  }

  /// Returns the product of all dimensions; `nil` if several are unknown or the product overflows.
  package static func product(of dimensions: [SourceDimension]) -> SourceDimension? {
    var result = SourceDimension.known(1)
    for dimension in dimensions {
      guard
        let product = dimension.number.flatMap({ result.multiplied(by: $0) })
          ?? result.number.flatMap({ dimension.multiplied(by: $0) })
      else { return nil }
      result = product
    }
    return result
  }

  private func multiplied(by number: Int) -> SourceDimension? {
    switch self {
    case .known(let value):
      let (product, overflow) = number.multipliedReportingOverflow(by: value)
      return overflow ? nil : .known(product)
    case .axis(let id, let axis, let times):
      let (product, overflow) = number.multipliedReportingOverflow(by: times)
      return overflow || number < 1 ? nil : .axis(id, axis, times: product)
    case .computed: return number == 1 ? self : nil
    }
  }
}

extension SourceValue {
  /// The dimensions in the list, or the only one.
  package var dimensions: [SourceDimension]? {
    switch self {
    case .dimensions(let dimensions, _, _): return dimensions
    case .constant(_, let tensor):
      guard [.int32, .int64].contains(tensor.elementType), tensor.shape.count <= 1 else {
        return nil
      }
      return tensor.wholeNumbers.map(SourceDimension.known)
    case .computed: return nil
    }
  }

  /// The element type, if the value consists of dimensions that are not all known.
  package var dimensionType: ElementType? {
    guard case .dimensions(_, _, let type) = self, tensor == nil else { return nil }
    return type
  }

  /// Whether the value is a list rather than a scalar.
  package var isList: Bool {
    switch self {
    case .dimensions(_, let isList, _): isList
    case .constant(_, let tensor): tensor.shape.count == 1
    case .computed: false
    }
  }
}

extension Tensor {
  /// The elements as integers; fractions are truncated, and values out of range are clamped.
  package var wholeNumbers: [Int] {
    guard elementType == .int64 else {
      return doubles.map { number in
        Int(exactly: number.rounded(.towardZero)) ?? (number > 0 ? .max : .min)
      }
    }
    let bytes = contiguousBytes()
    return (0..<count).map { index in
      (0..<8).reduce(0) { $0 | Int(bytes[index * 8 + $1]) << (8 * $1) }
    }
  }
}
