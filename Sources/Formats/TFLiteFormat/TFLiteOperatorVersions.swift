import Bytes

extension TFLiteBuiltin {
  /// The lowest version of the operator that takes inputs of these types and shapes, as
  /// TensorFlow's own converter chooses it.
  ///
  /// - Parameters:
  ///   - inputs: `nil` for one that is absent.
  ///   - minimum: The lowest version that has the options.
  package func version(_ inputs: [TFLiteTensor?], minimum: Int) -> Int {
    guard let first = inputs.lazy.compactMap({ $0 }).first else { return minimum }
    let rank = inputs.compactMap { $0?.shape.count }.max() ?? 0
    let ofRank = Set(inputs.map { $0?.shape }).count > 1 || !broadcasts ? versionOfRank(rank) : 1
    let deciding = self == .fill ? inputs.last.flatMap { $0 } ?? first : first
    let ofScales = self == .dequantize && first.quantization?.isPerChannel == true ? 5 : 1
    return max(minimum, ofRank, ofScales, version(of: deciding.type))
  }

  /// Whether the number of axes matters only where inputs differ in shape.
  private var broadcasts: Bool { [.subtract, .divide, .maximum, .minimum].contains(self) }

  private func versionOfRank(_ rank: Int) -> Int {
    switch self {
    case .subtract, .maximum, .minimum: rank > 4 ? 3 : 1
    case .divide: rank > 4 ? 2 : 1
    case .stridedSlice, .pad, .padWithValue: rank > 4 ? 4 : 1
    case .transpose: rank > 5 ? 6 : rank > 4 ? 4 : 1
    default: 1
    }
  }

  private func version(of type: ElementType) -> Int {
    switch (self, type) {
    case (.broadcastTo, _): 2
    case (.add, .int64), (.subtract, .int64): 4
    case (.multiply, .int64): 5
    case (.absolute, .int32): 5
    case (.sign, .int32), (.floorDivide, .float32), (.reverse, .bool), (.fill, .bool): 2
    case (.gather, .bool), (.stridedSlice, .bool), (.transpose, .bool): 3
    case (.argMax, .bool), (.argMin, .bool), (.dequantize, .float16), (.dequantize, .int16):
      3
    case (.conv2D, .int8): 3
    case (.dequantize, .int8), (.maxPool2D, .int8), (.transpose, .int8), (.pad, .int8): 2
    default: 1
    }
  }
}
