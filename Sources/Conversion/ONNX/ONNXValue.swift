import Bytes
import GraphIR

/// A value of an ONNX file while its nodes are imported.
enum ONNXValue {
  /// Computed when the model runs.
  case computed(ValueID)
  /// Known beforehand, with the name that the weight has if some node needs it.
  case constant(String, Tensor)
  /// Extents of values, int64, of which some are known only when the model runs; a list, or a single
  /// one without axes.
  case extents([ONNXExtent], isList: Bool)

  /// The elements, when they are known beforehand.
  var tensor: Tensor? {
    switch self {
    case .constant(_, let tensor): return tensor
    case .computed: return nil
    case .extents(let extents, let isList):
      let known = extents.compactMap(\.number)
      guard known.count == extents.count else { return nil }
      return Tensor(.int64, shape: isList ? [known.count] : [], known.map(Double.init))
    }
  }
}

/// An extent, as `Shape` gives it.
enum ONNXExtent: Hashable {
  case known(Int)
  /// That of an axis of a value.
  case axis(ValueID, Int)

  /// The extent, when it is known beforehand.
  var number: Int? { if case .known(let number) = self { number } else { nil } }

  /// The products of extents and numbers, as long as those that are open stay what they are; `nil`
  /// for other values, and where nothing is open.
  static func product(_ values: [ONNXValue]) -> ONNXValue? {
    guard values.count == 2, values.contains(where: { $0.tensor == nil }),
      let first = values[0].extents, let second = values[1].extents, first.count == second.count
    else { return nil }
    let products = zip(first, second).compactMap { first, second -> ONNXExtent? in
      switch (first, second) {
      case (_, .known(1)): return first
      case (.known(1), _): return second
      case (.known(let one), .known(let other)):
        let (product, overflow) = one.multipliedReportingOverflow(by: other)
        return overflow ? nil : .known(product)
      default: return nil
      }
    }
    return products.count == first.count ? .extents(products, isList: true) : nil
  }
}
