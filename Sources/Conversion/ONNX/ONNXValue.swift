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
}
