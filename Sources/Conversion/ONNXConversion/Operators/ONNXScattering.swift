import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Elements at positions that several indices give, gathered and scattered.
enum ONNXScattering: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(native: ScatterElements.self) { (operation, builder) throws(WeighbridgeError) in
      // Before opset 18 ONNX has no extremes, and before 16 no reduction at all.
      let opset =
        switch operation.reduction {
        case .none: 11
        case .add, .multiply: 16
        case .maximum, .minimum: 18
        }
      guard builder.opset >= opset else { return nil }
      let inputs = [builder.input(), builder.indices(1), builder.input(2)]
      let axis = ONNXAttribute.integer(operation.axis)
      // The attribute is as old as its values other than none.
      return operation.reduction == .none
        ? builder.add("ScatterElements", inputs, ["axis": axis])
        : builder.add(
          "ScatterElements", inputs,
          ["axis": axis, "reduction": .string(operation.reduction.rawValue)])
    }
  ]

  static let nodes: [String: ONNXLayer.Build] = [
    "GatherND": { (layer) throws(WeighbridgeError) in
      let (input, indices) = (try layer.input(0), try layer.input(1))
      let batchAxes = try layer.integer("batch_dims", default: 0)
      return [try layer.gathered(input, at: indices, batchAxes: batchAxes)]
    },
    "Scatter": scatterElements,
    "ScatterElements": scatterElements,
    "ScatterND": { (layer) throws(WeighbridgeError) in
      let reduction = try layer.reduction()
      let (input, updates) = (try layer.input(0), try layer.input(2))
      let indices = try layer.input(1)
      guard reduction == .none, let positions = indices.tensor else {
        return [try layer.scattered(input, indices, updates, reduction)]
      }
      return [try layer.replacing(updates, in: input, at: positions)]
    },
    "TensorScatter": { (layer) throws(WeighbridgeError) in [try layer.cacheUpdated()] },
  ]

  private static let scatterElements: ONNXLayer.Build = { (layer) throws(WeighbridgeError) in
    let input = try layer.input()
    let axis = try layer.axis(of: input, default: 0)
    let operation = ScatterElements(axis: axis, reduction: try layer.reduction())
    return try layer.apply(operation, [input, try layer.input(1), try layer.input(2)])
  }
}

extension ONNXLayer {
  /// Reads what becomes of an element and its updates.
  fileprivate mutating func reduction() throws(WeighbridgeError) -> ScatterElements.Reduction {
    let name = try string("reduction", default: "none")
    guard let reduction = ScatterElements.Reduction(rawValue: name) else {
      throw malformed("has the reduction \(name), and none, add, mul, max or min is expected")
    }
    return reduction
  }

  /// Adds a cache in which new elements are written from an index on, which each of the batch has.
  fileprivate mutating func cacheUpdated() throws(WeighbridgeError) -> ONNXValue {
    let (cache, update) = (try input(0), try input(1))
    let axis = try self.axis(of: cache, default: -2)
    let mode = try string("mode", default: "linear")
    guard ["linear", "circular"].contains(mode), axis > 0 else {
      throw malformed(
        "has mode=\(mode) along axis \(axis), and linear or circular and not 0 are expected")
    }
    guard let shape = type(update).fixedShape, shape.count == type(cache).rank,
      let capacity = type(cache).shape[axis].value
    else {
      throw unsupported(
        "writes \(type(update)) into a cache \(type(cache)), and only known sizes can be read")
    }
    var ones = [Int](repeating: 1, count: shape.count)
    ones[axis] = shape[axis]
    let steps = newConstant(
      Tensor(.int64, shape: ones, (0..<shape[axis]).map(Double.init)), "steps")
    var places = steps
    if let starts = try optional(2) {
      let column = try apply(
        ExpandDims(axes: Array(1..<shape.count)),
        to: try apply(
          Cast(to: .int64), to: starts, role: "starts"), role: "column")
      places = try apply(Add(), to: column, steps, role: "places")
    }
    if mode == "circular" {
      places = try apply(
        BinaryMath(.floorModulo), to: places, number(Double(capacity), like: places, "capacity"),
        role: "turned")
    }
    let indices = try apply(BroadcastTo(target: shape), to: places, role: "indices")
    return try apply(
      ScatterElements(axis: axis, reduction: .none), [cache, indices, update])[0]
  }
}
