/// The first version of the runtime for each operator, in the versions that are written.
enum TFLiteRuntimeVersions {
  /// The first version that has an operator.
  static func first(of code: TFLiteOperatorCode) -> [Int] {
    let versions = table[code.builtin] ?? [[1, 14, 0]]
    return versions[min(code.version, versions.count) - 1]
  }

  /// By the version of the operator, beginning with 1. Those that are not here came with 1.14.0 or
  /// before.
  private static let table: [TFLiteBuiltin: [[Int]]] = [
    .add: [[1, 5, 0], [1, 14, 0], [2, 4, 0], [2, 6, 0]],
    .arcTangent2: [[2, 10, 0]],
    .absolute: [[1, 13, 0], [2, 4, 0], [2, 5, 0], [2, 6, 0], [2, 12, 0]],
    .batchMatMul: [[2, 3, 0]],
    .broadcastTo: [[2, 5, 0], [2, 5, 0]],
    .conv2D: [[1, 5, 0], [1, 14, 0], [1, 14, 0], [2, 3, 0], [2, 4, 0], [2, 9, 0]],
    .conv3D: [[2, 5, 0]],
    .conv3DTranspose: [[2, 6, 0]],
    .cumulativeSum: [[2, 4, 0]],
    .depthToSpace: [[2, 1, 0]],
    .divide: [[1, 6, 0], [2, 3, 0]],
    .fullyConnected: [
      [1, 5, 0], [1, 10, 0], [1, 14, 0], [1, 14, 0], [2, 0, 0], [2, 1, 0],
    ],
    .gather: [[1, 6, 0], [1, 14, 0], [1, 15, 0], [2, 4, 0], [2, 5, 0]],
    .gelu: [[2, 9, 0]],
    .maximum: [[1, 14, 0], [1, 14, 0], [2, 3, 0]],
    .minimum: [[1, 14, 0], [1, 14, 0], [2, 3, 0]],
    .multiply: [[1, 5, 0], [1, 14, 0], [1, 15, 0], [2, 3, 0], [2, 6, 0]],
    .reduceAll: [[2, 6, 0]],
    .resizeBilinear: [[1, 7, 0], [1, 14, 0], [2, 2, 0]],
    .resizeNearest: [[1, 13, 1], [1, 14, 0], [2, 3, 0]],
    .select: [[2, 2, 0]],
    .sign: [[2, 11, 0], [2, 12, 0]],
    .subtract: [[1, 6, 0], [1, 14, 0], [2, 3, 0], [2, 4, 0]],
    .stridedSlice: [[1, 6, 0], [1, 14, 0], [2, 1, 0], [2, 2, 0]],
    .transpose: [
      [1, 6, 0], [1, 14, 0], [1, 15, 0], [2, 3, 0], [2, 4, 0], [2, 12, 0],
    ],
    .transposeConv: [[1, 9, 0], [2, 2, 0], [2, 3, 0]],
    .dequantize: [[1, 13, 1], [1, 14, 0], [1, 15, 0]],
  ]
}
