import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Constants, and tensors filled with one number.
enum ONNXConstants: ONNXFamily {
  static let nodes: [String: ONNXLayer.Build] = [
    "Constant": { (layer) throws(WeighbridgeError) in
      layer.readNarrowType(of: "value")
      return [.constant(layer.node.outputs.first ?? "", try layer.constantValue())]
    },
    "ConstantOfShape": { (layer) throws(WeighbridgeError) in
      layer.readNarrowType(of: "value")
      let number =
        try layer.tensor("value") ?? Tensor(.float32, shape: [1], [0])
      return [try layer.filled(with: number, try layer.input())]
    },
    "EyeLike": { (layer) throws(WeighbridgeError) in [try layer.identityMatrix()] },
    "Expand": { (layer) throws(WeighbridgeError) in
      let (input, shape) = (try layer.input(0), try layer.input(1))
      guard let dimensions = shape.tensor?.integers else {
        return [try layer.expanded(input, to: shape)]
      }
      let ones = [Int](repeating: 1, count: dimensions.count)
      let axes = layer.newConstant(Tensor(.bool, shape: ones, [1]), "axes")
      let aligned = try layer.aligned([input, axes])
      let rank = layer.type(aligned[0]).rank
      // A size of 1 keeps the input's size.
      let target =
        [Int](repeating: -1, count: rank - dimensions.count) + dimensions.map { $0 == 1 ? -1 : $0 }
      let inputShape = layer.type(aligned[0]).shape
      let changed = zip(target, inputShape).map { $1.value == $0 ? -1 : $0 }
      return [try layer.apply(BroadcastTo(target: changed), to: aligned[0])]
    },
    "Range": { (layer) throws(WeighbridgeError) in
      if let range = try layer.dynamicRange() { return [range] }
      return [
        try layer.range(
          from: try layer.input(0), to: try layer.input(1), by: try layer.input(2), role: "")
      ]
    },
  ]
}

extension ONNXLayer {
  /// A matrix of an input's shape with ones on a diagonal.
  fileprivate mutating func identityMatrix() throws(WeighbridgeError) -> ONNXValue {
    let type = type(try input())
    let number = try integer("dtype") ?? Int(type.elementType.onnxNumber)
    let diagonal = try integer("k", default: 0)
    guard let shape = type.fixedShape, shape.count == 2,
      let elementType = ElementType(onnxNumber: number),
      (-1 << 24...1 << 24).contains(diagonal)
    else {
      throw unsupported(
        "makes a matrix like \(type), and only one of two axes of known sizes can be read")
    }
    let count = try Checked.product(shape + [8], of: "a matrix")
    try network.countConstant(TensorType(elementType, shape), byteCount: count)
    let elements = (0..<shape[0]).flatMap { row in
      (0..<shape[1]).map { $0 - row == diagonal ? 1.0 : 0 }
    }
    return newConstant(Tensor(elementType, shape: shape, elements), "matrix")
  }

  fileprivate mutating func constantValue() throws(WeighbridgeError) -> Tensor {
    if let tensor = try tensor("value") { return tensor }
    if let number = try integer("value_int") { return Tensor(.int64, shape: [], [Double(number)]) }
    if let numbers = try integers("value_ints") {
      return Tensor(.int64, shape: [numbers.count], numbers.map(Double.init))
    }
    if let numbers = try floats("value_floats") {
      return Tensor(.float32, shape: [numbers.count], numbers)
    }
    guard has("value_float") else {
      throw unsupported(
        "holds a constant that is no tensor of numbers (such as a string or a sparse tensor), and only those "
          + "can be read")
    }
    return Tensor(.float32, shape: [], [try float("value_float", default: 0)])
  }

  /// Adds the numbers from 0 up to a size that is known only when the model runs; returns `nil` for
  /// other ranges.
  fileprivate mutating func dynamicRange() throws(WeighbridgeError) -> ONNXValue? {
    guard case .dimensions(let end, false, let type) = try input(1),
      end.contains(where: { $0.number == nil }), try input(0).tensor?.doubles == [0],
      try input(2).tensor?.doubles == [1]
    else { return nil }
    let one = Tensor(type, shape: [1], [1])
    let ones = try filled(with: one, .dimensions(end, isList: true), role: "ones")
    return try apply(
      CumSum(axis: 0, isExclusive: true, isReversed: false), to: ones)
  }
}
