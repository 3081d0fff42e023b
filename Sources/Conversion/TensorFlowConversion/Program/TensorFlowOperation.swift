import TensorFlowFormat

/// An operation of a program, in which functions are put in place of their calls.
struct TensorFlowOperation {
  /// Its name; unique in the program.
  let name: String
  /// The operator, such as `Conv2D`.
  let kind: String
  let attributes: [String: TensorFlowAttribute]
  /// The values that it reads, by ``value(_:)``.
  var inputs: [String] = []

  /// The name of one of its results.
  func value(_ output: Int) -> String { Self.value(name, output) }

  /// The name of a result of an operation.
  static func value(_ name: String, _ output: Int) -> String {
    output == 0 ? name : "\(name):\(output)"
  }
}

extension TensorFlowOperation {
  /// The names of results, for operators that have several of different meanings; all others have
  /// one, or a list.
  private static let resultNames: [String: [String]] = [
    "BatchNormWithGlobalNormalization": ["result"],
    "FusedBatchNorm": normalization, "FusedBatchNormV2": normalization,
    "FusedBatchNormV3": normalization, "TopKV2": ["values", "indices"],
    "Unique": ["y", "idx"], "RaggedRange": ["rt_nested_splits", "rt_dense_values"],
  ]
  private static let normalization = [
    "y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2", "reserve_space_3",
  ]

  /// The position of a result in a function, which names it and counts from there.
  static func output(_ name: String, _ index: Int, of kind: String) -> Int {
    (resultNames[kind]?.firstIndex(of: name) ?? 0) + index
  }
}
