import KerasFormat

extension KerasFunction {
  /// The reason why a function is not supported, where there is one other than that it is unknown.
  static func refusal(of name: KerasFunctionName) -> String? {
    switch name {
    case .operation(let text): operationRefusals[text]
    case .tensorFlow(let text): tensorFlowRefusal(KerasFunctionTable.unversioned(text))
    case .graphNode: nil
    }
  }

  private static let random = "it draws random numbers, which no other run repeats"
  private static let program = "its file does not have the function that it applies"
  private static let segments = "how many segments there are depends on the numbers"
  private static let count = "how many elements it gives depends on the numbers"
  private static let lostTensors = "Keras 2 leaves its tensors out of the file"

  private static let operationRefusals: [String: String] = [
    "AssociativeScan": program,
    "Cond": program,
    "ConvTranspose":
      "Keras 3 itself cannot run it: it takes the padding for output_padding and the reverse",
    "Map": program,
    "Nonzero": count,
    "Scan": program,
    "SegmentMax": segments,
    "SegmentSum": segments,
    "Switch": program,
    "VectorizedMap": program,
    "WhileLoop": program,
  ]

  private static func tensorFlowRefusal(_ name: String) -> String? {
    if name.hasPrefix("random.") { return random }
    if name.hasPrefix("math.segment_") || name.hasPrefix("math.unsorted_segment_") {
      return segments
    }
    return tensorFlowRefusals[name]
  }

  private static let tensorFlowRefusals: [String: String] = [
    "boolean_mask": count,
    "cond": program,
    "einsum": lostTensors,
    "foldl": program,
    "foldr": program,
    "map_fn": program,
    "meshgrid": "Keras 2 leaves all but the first of its tensors out of the file",
    "nn.dropout": random,
    "scan": program,
    "unique": count,
    "unique_with_counts": count,
    "while_loop": program,
  ]
}
