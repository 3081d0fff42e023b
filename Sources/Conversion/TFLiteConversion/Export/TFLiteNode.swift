import Bytes
import ConversionCore
import GraphIR
import TFLiteFormat

/// An operator under construction, which refers to tensors by name. An absent input has no name.
struct TFLiteNode: ExportNode, Sendable {
  let builtin: TFLiteBuiltin
  let version: Int
  var inputs: [String]
  var outputs: [String]
  let options: TFLiteBuiltinOptions?
}

extension TFLiteBuiltin {
  /// The lowest version of the operator that takes inputs of these types.
  func version(_ inputs: [TensorType], _ minimum: Int) -> Int {
    guard let first = inputs.first else { return minimum }
    let rank = inputs.map(\.rank).max() ?? 0
    let isBroadcast = Set(inputs.map(\.shape)).count > 1
    let needed =
      switch self {
      case .add: first.elementType == .int64 ? 4 : 1
      case .multiply: first.elementType == .int64 ? 5 : 1
      case .subtract: first.elementType == .int64 ? 4 : isBroadcast && rank > 4 ? 3 : 1
      case .divide: isBroadcast && rank > 4 ? 2 : 1
      case .maximum, .minimum: isBroadcast && rank > 4 ? 3 : 1
      case .absolute: first.elementType == .int32 ? 5 : 1
      case .sign: first.elementType == .int32 ? 2 : 1
      case .broadcastTo: 2
      case .floorDivide: first.elementType == .float32 ? 2 : 1
      case .gather: first.elementType == .bool ? 3 : 1
      case .reverse: first.elementType == .bool ? 2 : 1
      case .stridedSlice: first.rank > 4 ? 4 : first.elementType == .bool ? 3 : 1
      case .transpose:
        first.rank > 5 ? 6 : first.rank > 4 ? 4 : first.elementType == .bool ? 3 : 1
      default: 1
      }
    return max(minimum, needed)
  }
}
