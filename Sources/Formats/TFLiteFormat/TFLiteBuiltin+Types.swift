package import Bytes

extension TFLiteBuiltin {
  /// Whether the interpreter's kernel takes a first input with elements of a type, of those that it
  /// computes with: float32, int32, int64 and booleans. Those of uint8 are moved and converted.
  package func takes(_ type: ElementType) -> Bool {
    if type == .uint8 {
      return [.cast, .concatenation, .expandDims, .gather, .reshape, .squeeze, .stridedSlice]
        .contains(self)
    }
    return switch self {
    case .absolute, .divide, .floorDivide, .power, .sign, .squaredDifference:
      type == .float32 || type == .int32
    case .argMax, .argMin: type != .int64
    case .add, .cumulativeSum, .floorModulo, .greater, .greaterOrEqual, .less, .lessOrEqual,
      .maximum, .minimum, .mirrorPad, .multiply, .negative, .pad, .padWithValue, .splitSizes,
      .subtract, .sum, .topK:
      type != .bool
    case .arcTangent2, .averagePool2D, .batchMatMul, .ceiling, .conv2D, .conv3D, .cosine,
      .depthwiseConv2D, .elu,
      .exponential, .floor, .fullyConnected, .gelu, .leakyReLU, .logarithm,
      .logistic, .logSoftmax, .maxPool2D, .reciprocalSquareRoot, .relu, .relu6, .resizeBilinear,
      .resizeNearest, .round, .sine, .softmax, .squareRoot, .tanh:
      type == .float32
    default: true
    }
  }
}
