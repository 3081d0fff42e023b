import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Images of another size, and what is done with their brightness.
enum ONNXResizing {
  static let rows: [ONNXRow] = [
    ONNXRow(Upsampling.self) { (operation, builder) throws(WeighbridgeError) in
      let scales = builder.numbers([1, 1] + operation.factors.map(Double.init), .float32)
      let isNearest = operation.interpolation == .nearest
      let transformation =
        operation.interpolation == .linearHalfPixel ? "half_pixel" : "asymmetric"
      return builder.add(
        "Resize", [builder.input(), "", scales],
        [
          "coordinate_transformation_mode": .text(transformation),
          "mode": .text(isNearest ? "nearest" : "linear"), "nearest_mode": .text("floor"),
        ])
    },
    ONNXRow(native: Resizing.self) { (operation, builder) throws(WeighbridgeError) in
      let isPlain =
        operation.interpolation == .nearest
        || (operation.interpolation == .bilinear && !operation.antialiases)
      return isPlain && operation.fit == .stretch
        ? builder.stretch(builder.input(), operation) : nil
    },
    ONNXRow(composite: CenterCrop.self),
    ONNXRow(CLAHE.self, unsupported: "ONNX has no histograms"),
    ONNXRow(AutoContrast.self) { (operation, builder) throws(WeighbridgeError) in
      let x = builder.input()
      let darkest = builder.reduce("ReduceMin", x, [1, 2])
      let span = builder.add("Sub", [builder.reduce("ReduceMax", x, [1, 2]), darkest])
      let factor = builder.add("Div", [builder.number(operation.high - operation.low), span])
      let distance = builder.add("Mul", [builder.add("Sub", [x, darkest]), factor])
      let low = builder.number(operation.low)
      let stretched = builder.add(
        "Clip", [builder.add("Add", [distance, low]), low, builder.number(operation.high)])
      return builder.choose(builder.add("Equal", [span, builder.number(0)]), x, stretched)
    },
  ]
}

extension ONNXGraphBuilder {
  /// A node of ONNX' own; elements by their positions where it would take others.
  fileprivate mutating func stretch(_ input: String, _ operation: Resizing) -> String {
    let isNearest = operation.interpolation == .nearest
    if isNearest, let places = nearestPlaces(operation) {
      var result = input
      for (axis, indices) in places.enumerated() {
        result = add("Gather", [result, integers(indices)], ["axis": .integer(axis + 2)])
      }
      return result
    }
    // As nearest as in TensorFlow: of two neighbours the one behind.
    let attributes: KeyValuePairs<String, ONNXAttribute> = [
      "coordinate_transformation_mode": .text("half_pixel"),
      "mode": .text(isNearest ? "nearest" : "linear"), "nearest_mode": .text("round_prefer_ceil"),
    ]
    let shape = concatenate(
      [dimensions(input, 0..<2), integers(operation.dimensions)], axis: 0)
    return add("Resize", [input, "", "", shape], attributes)
  }

  /// The nearest elements along each axis where a `Resize` would take others, because it rounds
  /// coordinates in another order; `nil` where it takes the same, and where the sizes are open or
  /// larger than any image's.
  private func nearestPlaces(_ operation: Resizing) -> [[Int]]? {
    let dimensions = type().shape.dropFirst(2).compactMap(\.value)
    guard dimensions.count == operation.dimensions.count,
      operation.dimensions.allSatisfy({ $0 <= Resampling.largestDimension })
    else { return nil }
    let resampling = Resampling(
      mode: .nearest, transformation: .halfPixel, rounding: .preferCeiling)
    let pairs = zip(dimensions, operation.dimensions)
    if pairs.allSatisfy({ resampling.isNearest(from: $0, to: $1) }) { return nil }
    return pairs.map { old, new in
      (0..<new).map {
        operation.interpolation.sample($0, from: old, to: new, antialiases: false).first
      }
    }
  }
}
