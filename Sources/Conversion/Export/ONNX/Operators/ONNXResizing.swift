import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

/// Pictures of another size, and what is done with their brightness.
enum ONNXResizing {
  static let rows: [ONNXRow] = [
    ONNXRow(Upsampling.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsFirst(operation.layout)
      let scales = draft.numbers([1, 1] + operation.factors.map(Double.init), .float32)
      let isNearest = operation.interpolation == .nearest
      let transformation =
        operation.interpolation == .linearHalfPixel ? "half_pixel" : "asymmetric"
      return draft.add(
        "Resize", [draft.input(), "", scales],
        [
          "coordinate_transformation_mode": .text(transformation),
          "mode": .text(isNearest ? "nearest" : "linear"), "nearest_mode": .text("floor"),
        ])
    },
    ONNXRow(Resizing.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsFirst(operation.layout)
      return try draft.resize(draft.input(), operation)
    },
    ONNXRow(CenterCrop.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.requireChannelsFirst(operation.layout)
      let extents = try draft.knownSpatialExtents()
      let rests = zip(extents, operation.extents).map { $0 - $1 }
      guard rests.allSatisfy({ $0 >= 0 }) else {
        let resizing = Resizing(
          extents: operation.extents, interpolation: .bilinear, antialiases: false, fit: .crop,
          layout: .channelsFirst)
        return try draft.resize(draft.input(), resizing)
      }
      let starts = rests.map { $0 / 2 }
      return draft.slice(
        draft.input(), axes: [2, 3], from: starts, to: zip(starts, operation.extents).map(+))
    },
    ONNXRow(LocalEqualization.self, unsupported: "ONNX has no histograms"),
    ONNXRow(AutoContrast.self) { (operation, draft) throws(WeighbridgeError) in
      let x = draft.input()
      let darkest = draft.reduce("ReduceMin", x, [1, 2])
      let span = draft.add("Sub", [draft.reduce("ReduceMax", x, [1, 2]), darkest])
      let factor = draft.add("Div", [draft.number(operation.high - operation.low), span])
      let distance = draft.add("Mul", [draft.add("Sub", [x, darkest]), factor])
      let low = draft.number(operation.low)
      let stretched = draft.add(
        "Clip", [draft.add("Add", [distance, low]), low, draft.number(operation.high)])
      return draft.choose(draft.add("Equal", [span, draft.number(0)]), x, stretched)
    },
  ]
}

extension ONNXDraft {
  /// A node of ONNX' own where it computes the same; otherwise sums with the weights that each
  /// element of the output gives to those of the input.
  fileprivate mutating func resize(
    _ input: String, _ operation: Resizing
  ) throws(WeighbridgeError) -> String {
    let isPlain =
      operation.interpolation == .nearest
      || (operation.interpolation == .bilinear && !operation.antialiases)
    if isPlain, operation.fit == .stretch { return try stretch(input, operation) }
    let known = try knownSpatialExtents()
    let (fitted, extents) = fit(input, known, operation)
    return try weighted(fitted, extents) { axis, old in
      (0..<operation.extents[axis]).map { output in
        let sample = operation.interpolation.sample(
          output, from: old, to: operation.extents[axis], antialiases: operation.antialiases)
        var row = [Double](repeating: 0, count: old)
        for (index, weight) in sample.weights.enumerated() { row[sample.first + index] = weight }
        return row
      }
    }
  }

  private mutating func stretch(
    _ input: String, _ operation: Resizing
  ) throws(WeighbridgeError) -> String {
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
      [extents(input, 0..<2), integers(operation.extents)], axis: 0)
    return add("Resize", [input, "", "", shape], attributes)
  }

  /// The nearest elements along each axis where a `Resize` would take others, because it rounds
  /// coordinates in another order; `nil` where it takes the same, and where the extents are open or
  /// larger than any picture's.
  private func nearestPlaces(_ operation: Resizing) -> [[Int]]? {
    let extents = type().shape.dropFirst(2).compactMap(\.value)
    guard extents.count == operation.extents.count,
      operation.extents.allSatisfy({ $0 <= Resampling.largestExtent })
    else { return nil }
    let resampling = Resampling(
      mode: .nearest, transformation: .halfPixel, rounding: .preferCeiling)
    let pairs = zip(extents, operation.extents)
    if pairs.allSatisfy({ resampling.isNearest(from: $0, to: $1) }) { return nil }
    return pairs.map { old, new in
      (0..<new).map {
        operation.interpolation.sample($0, from: old, to: new, antialiases: false).first
      }
    }
  }

  /// The picture to be stretched.
  private mutating func fit(
    _ input: String, _ known: [Int], _ operation: Resizing
  ) -> (name: String, extents: [Int]) {
    var (result, extents) = (input, known)
    for axis in operation.fit == .stretch ? [] : [0, 1] {
      let part = operation.fit.part(axis, of: known, for: operation.extents)
      switch operation.fit {
      case .stretch: break
      case .crop:
        result = slice(
          result, axes: [axis + 2], from: [part.lowerBound], to: [part.upperBound])
      case .pad(let number):
        var borders = [0, 0, 0, 0]
        borders[axis + 2] = -part.lowerBound
        result = pad(result, before: borders, after: borders, mode: "constant", number: number)
      }
      extents[axis] = part.count
    }
    return (result, extents)
  }
}
