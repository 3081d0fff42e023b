import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// A value of an ONNX file while its nodes are imported.
enum ONNXValue {
  /// Computed when the model runs.
  case computed(ValueID)
  /// Constant, with the name of the weight that is added if a node needs it.
  case constant(String, Tensor)
  /// Dimensions of values, as int64 or int32, some of which may be known only when the model runs:
  /// a list, or a scalar.
  case dimensions([ONNXDimension], isList: Bool, as: ElementType = .int64)

  /// The elements, if they are constant.
  var tensor: Tensor? {
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

/// A dimension as returned by `Shape`.
enum ONNXDimension: Hashable {
  case known(Int)
  /// The size of an axis of a value, times a number.
  case axis(ValueID, Int, times: Int)

  /// The size, if it is constant.
  var number: Int? { if case .known(let number) = self { number } else { nil } }

  /// Returns the elementwise product of two values that are dimensions or integers; `nil` for other
  /// values, for products of two unknown dimensions, and if all dimensions are known.
  static func product(_ values: [ONNXValue]) -> ONNXValue? {
    guard values.count == 2, values.contains(where: { $0.tensor == nil }),
      let lhs = values[0].dimensions, let rhs = values[1].dimensions,
      lhs.count == rhs.count
    else { return nil }
    let products = zip(lhs, rhs).compactMap { lhs, rhs in
      lhs.number.map { rhs.multiplied(by: $0) }
        ?? rhs.number.map { lhs.multiplied(by: $0) } ?? nil
    }
    guard products.count == lhs.count else { return nil }
    let type = values.lazy.compactMap(\.dimensionType).first ?? .int64
    return .dimensions(products, isList: values.contains(where: \.isList), as: type)
  }

  /// Returns the product of all dimensions; `nil` if several are unknown or the product overflows.
  static func product(of dimensions: [ONNXDimension]) -> ONNXDimension? {
    var result = ONNXDimension.known(1)
    for dimension in dimensions {
      guard
        let product = dimension.number.flatMap({ result.multiplied(by: $0) })
          ?? result.number.flatMap({ dimension.multiplied(by: $0) })
      else { return nil }
      result = product
    }
    return result
  }

  private func multiplied(by number: Int) -> ONNXDimension? {
    switch self {
    case .known(let value):
      let (product, overflow) = number.multipliedReportingOverflow(by: value)
      return overflow ? nil : .known(product)
    case .axis(let id, let axis, let times):
      let (product, overflow) = number.multipliedReportingOverflow(by: times)
      return overflow || number < 1 ? nil : .axis(id, axis, times: product)
    }
  }
}
