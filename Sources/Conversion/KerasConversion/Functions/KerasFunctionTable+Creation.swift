import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions that create tensors from numbers alone, with shapes known before the model runs.
extension KerasFunctionTable {
  static let creation =
    entries([Names(tf: ["zeros"], 0.0), Names(tf: ["ones"], 1.0)]) {
      (call, number) throws(WeighbridgeError) in
      try call.addFilled(call.shape("shape"), with: number, call.elementType("dtype") ?? .float32)
    } + others

  private static let others: [Entry] = [
    Entry(tf: ["fill"]) { (call) throws(WeighbridgeError) in
      let shape = try call.shape("dims")
      guard let value = try call.plain("value", at: 1), let number = value.real else {
        throw call.missing("value")
      }
      return try call.addFilled(
        shape, with: number, value.integer == nil ? .float32 : .int32)
    },
    Entry(tf: ["range"]) { (call) throws(WeighbridgeError) in
      var (start, limit) = (0, try call.integer("start", at: 0))
      if let written = try call.plain("limit", at: 1) {
        guard let last = written.integer else {
          throw call.unexpected("limit", written, "an integer")
        }
        (start, limit) = (limit, last)
      }
      let step = try call.integer("delta", at: 2, default: 1)
      return try call.addRange(
        start, limit, step, try call.elementType("dtype") ?? .int32)
    },
  ]
}

extension KerasFunction {
  /// The largest number of elements of such a tensor, more than any model needs.
  private static let limit = 1 << 24

  fileprivate mutating func shape(_ name: String) throws(WeighbridgeError) -> [Int] {
    guard let shape = try integers(name, at: 0) else { throw missing(name) }
    return shape
  }

  fileprivate mutating func addFilled(
    _ shape: [Int], with number: Double, _ type: ElementType
  ) throws(WeighbridgeError) -> [ValueID] {
    guard shape.count <= 32, shape.allSatisfy({ $0 >= 0 }),
      try Checked.product(shape, of: "the size of the tensor") <= Self.limit
    else { throw .limitExceeded("makes a tensor of the shape \(shape)") }
    let count = shape.reduce(1, *)
    return try addConstant(Tensor(type, shape: shape, [Double](repeating: number, count: count)))
  }

  fileprivate mutating func addRange(
    _ start: Int, _ limit: Int, _ step: Int, _ type: ElementType
  ) throws(WeighbridgeError) -> [ValueID] {
    guard step != 0, max(start.magnitude, limit.magnitude) <= Self.limit else {
      throw .limitExceeded("counts from \(start) to \(limit) by \(step)")
    }
    let numbers = stride(from: start, to: limit, by: step).map(Double.init)
    return try addConstant(Tensor(type, shape: [numbers.count], numbers))
  }

  private mutating func addConstant(_ tensor: Tensor) throws(WeighbridgeError) -> [ValueID] {
    guard [.float32, .float64, .int32, .int64].contains(tensor.elementType) else {
      throw .unsupported("dtype=\(tensor.elementType.rawValue) is not supported")
    }
    let outputs = try add(Identity(), [try add(constant: tensor)])
    noteConstant(tensor, outputs[0])
    return outputs
  }
}
