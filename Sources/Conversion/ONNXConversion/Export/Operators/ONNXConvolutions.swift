import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Windows with weights.
enum ONNXConvolutions {
  static let rows: [ONNXRow] = [
    ONNXRow(Convolution.self) { (operation, builder) throws(WeighbridgeError) in
      let inputs = builder.allInputs()
      return builder.add(
        "Conv", inputs,
        window: operation.window.onnxAttributes(for: builder.spatialDimensions) + [
          ("group", .integer(operation.groups))
        ])
    },
    ONNXRow(TransposedConvolution.self) { (operation, builder) throws(WeighbridgeError) in
      let window = operation.window
      for (axis, extra) in operation.outputPadding.enumerated()
      where extra >= max(window.strides[axis], window.dilation[axis]) {
        throw WeighbridgeError(
          .unsupported,
          "ONNX adds less than a stride behind an axis, and this adds \(extra) elements")
      }
      let inputs = builder.allInputs()
      return builder.add(
        "ConvTranspose", inputs,
        window: window.onnxAttributes(for: builder.spatialDimensions) + [
          ("group", .integer(operation.groups)),
          ("output_padding", .integers(operation.outputPadding)),
        ])
    },
    ONNXRow(LocallyConnected.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.locallyConnected(operation)
    },
  ]
}

extension Window {
  /// The window as the settings of a node; padding in numbers, where the sizes are known.
  func onnxAttributes(for dimensions: [Dimension]) -> [(name: String, value: ONNXAttribute)] {
    let attributes: [(name: String, value: ONNXAttribute)] = [
      ("kernel_shape", .integers(size)), ("strides", .integers(strides)),
      ("dilations", .integers(dilation)),
    ]
    if padding == .valid { return attributes }
    guard let borders = borders(of: dimensions) else {
      return attributes + [("auto_pad", .text("SAME_UPPER"))]
    }
    return attributes + [("pads", .integers(borders.before + borders.after))]
  }
}

extension ONNXGraphBuilder {
  /// The spatial sizes of the first input, which is channels-first.
  var spatialDimensions: [Dimension] { Array(type().shape.dropFirst(2)) }

  /// Each tap of the windows, cut out of the input, then one product of matrices for each position.
  fileprivate mutating func locallyConnected(
    _ operation: LocallyConnected
  ) throws(WeighbridgeError) -> String {
    let kernel = try tensor(1).shape
    let axes = operation.dimensions.count
    let (positions, window) = (Array(kernel[..<axes]), Array(kernel[(axes + 2)...]))
    let places = (0..<axes).map { axis in
      (positions[axis] - 1) * operation.strides[axis] + window[axis]
    }
    let after = (0..<axes).map { axis in
      max(0, places[axis] - operation.before[axis] - operation.dimensions[axis])
    }
    let padded = pad(
      input(), before: [0, 0] + operation.before, after: [0, 0] + after, mode: "constant",
      number: 0)
    var taps: [[Int]] = [[]]
    for dimension in window { taps = taps.flatMap { tap in (0..<dimension).map { tap + [$0] } } }
    let parts = taps.map { tap in
      let ends = (0..<axes).map {
        tap[$0] + (positions[$0] - 1) * operation.strides[$0] + 1
      }
      let part = slice(
        padded, axes: Array(2..<axes + 2), from: tap, to: ends, steps: operation.strides)
      return unsqueeze(part, [2])
    }
    let count = positions.reduce(1, *)
    let rows = kernel[axes + 1] * taps.count
    let patches = reshape(concatenate(parts, axis: 2), [0, rows, count])
    let turned = transpose(patches, [2, 1, 0])
    let matrices = try weight(1, "matrices", shape: [count, kernel[axes], rows])
    var products = add("MatMul", [matrices, turned])
    if operation.hasBias {
      let bias = try weight(2, "columns", shape: [count, kernel[axes], 1])
      products = add("Add", [products, bias])
    }
    return reshape(transpose(products, [2, 1, 0]), [-1, kernel[axes]] + positions)
  }

  /// Adds a node whose settings are those of a window and others.
  mutating func add(
    _ operation: String, _ inputs: [String], window: [(name: String, value: ONNXAttribute)]
  ) -> String {
    add(operation, inputs, attributes: window, outputCount: 1)[0]
  }
}
