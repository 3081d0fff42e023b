import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Operators that choose among the integers of a quantized tensor, as onnxruntime's QOperator networks contain
/// them.
extension ONNXLayer {
  /// The operators whose outputs have elements of the first input, in ascending or any other order.
  private static let choosingOperators: Set<String> = [
    "DepthToSpace", "Expand", "Flatten", "Gather", "Identity", "MaxPool", "Resize", "Reshape",
    "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "Transpose", "Unsqueeze",
  ]

  /// Builds a node. One that chooses among integers chooses among the numbers that they stand for instead, and
  /// rounds these to the same integers again, so that the graph is that of a QDQ network.
  mutating func builtOnNumbers(
    by build: Build
  ) throws(WeighbridgeError) -> [ONNXValue] {
    guard Self.choosingOperators.contains(node.operation), isNearest,
      case .computed(let id)? = try optional(0), let parameters = network.context.quantizations[id]
    else { return try build(&self) }
    replacement = try dequantized(.computed(id), parameters, role: "numbers")
    let keptNames = keepsNames
    keepsNames = false
    let outputs = try build(&self)
    (keepsNames, replacement) = (keptNames, nil)
    var integers: [ONNXValue] = []
    for (position, output) in outputs.enumerated() {
      let isChosen = type(output).elementType == .float32
      integers.append(
        isChosen
          ? try quantized(output, parameters, role: position == 0 ? "" : "output_\(position)")
          : output)
    }
    return integers
  }

  /// Whether it does not compute new elements.
  private var isNearest: Bool {
    node.operation != "Resize"
      || (!has("mode") || has("mode", equalTo: "nearest"))
        && !has("coordinate_transformation_mode", equalTo: "tf_crop_and_resize")
  }
}

extension QuantizationParameters {
  /// Whether integers of a type, as numbers and rounded again, are the same, in the same order.
  func areReversible(_ type: ElementType) -> Bool {
    // Without a zero point, what is rounded becomes uint8.
    guard type == .uint8 || type == .int8 && zeroPoint != nil else { return false }
    guard let scale = scale.tensor, scale.elementType == .float32, scale.count == 1 else {
      return false
    }
    let number = scale.doubles[0]
    return narrowType == nil && number > 0x1p-100 && number < 0x1p100
      && (zeroPoint == nil || zeroPoint?.tensor?.count == 1)
  }
}
