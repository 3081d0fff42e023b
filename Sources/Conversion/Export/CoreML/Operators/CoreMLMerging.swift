import Bytes
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Several tensors made one.
enum CoreMLMerging {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Add.self) { (_, draft) throws(WeighbridgeError) in
      try draft.merge("add", "addBroadcastable")
    },
    CoreMLRow(Subtract.self) { (_, draft) throws(WeighbridgeError) in
      try draft.requireEqualShapes()
      return try draft.difference(try draft.input(0), try draft.input(1))
    },
    CoreMLRow(Multiply.self) { (_, draft) throws(WeighbridgeError) in
      try draft.merge("multiply", "multiplyBroadcastable")
    },
    CoreMLRow(Average.self) { (_, draft) throws(WeighbridgeError) in
      let merged = try draft.merge("average", "addBroadcastable")
      guard draft.axes == .exact else { return merged }
      return try draft.linear(merged, scale: 1 / Double(draft.operands.count))
    },
    CoreMLRow(Maximum.self) { (_, draft) throws(WeighbridgeError) in
      try draft.merge("max", "maxBroadcastable")
    },
    CoreMLRow(Minimum.self) { (_, draft) throws(WeighbridgeError) in
      try draft.merge("min", "minBroadcastable")
    },
    CoreMLRow(Concatenate.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.concatenate(try draft.allInputs(), axis: operation.axis)
    },
    CoreMLRow(ExpandDims.self) { (operation, draft) throws(WeighbridgeError) in
      guard draft.axes == .exact else {
        return try draft.reshape(try draft.input(), to: draft.outputType)
      }
      return try draft.expandDims(try draft.input(), operation.axes)
    },
    CoreMLRow(Dot.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.dot(operation)
    },
  ]
}

extension CoreMLDraft {
  /// Inputs combined element by element.
  ///
  /// - Parameters:
  ///   - kind: The layer for any number of inputs of one shape.
  ///   - broadcasting: The layer for two inputs whose shapes fit.
  fileprivate mutating func merge(
    _ kind: String, _ broadcasting: String
  ) throws(WeighbridgeError) -> String {
    try requireEqualShapes()
    let inputs = try allInputs()
    return axes == .images ? try add(kind, inputs) : try chain(broadcasting, inputs)
  }

  /// Refuses, with the axes of images, inputs that are repeated along some of them.
  fileprivate func requireEqualShapes() throws(WeighbridgeError) {
    guard axes == .images, Set(operands.map(\.type.shape)).count > 1 else { return }
    throw Self.needsExactAxes("combining the shapes \(operands.map(\.type.shape))")
  }

  fileprivate mutating func dot(_ operation: Dot) throws(WeighbridgeError) -> String {
    let axes = [operation.firstAxis, operation.secondAxis]
    // a is the batch, b the sum.
    var free = (UInt8(ascii: "c")...UInt8(ascii: "z")).map { Character(UnicodeScalar($0)) }[...]
    let letters = [0, 1].map { position in
      (0..<type(position).rank).map { axis in
        axis == 0 ? "a" : axis == axes[position] ? "b" : free.removeFirst()
      } as [Character]
    }
    var factors: [String] = []
    for position in [0, 1] {
      let x = try input(position)
      factors.append(
        operation.normalizes
          ? try apply(UnitNormalization(axes: [axes[position]]), to: x, type(position)) : x)
    }
    let rest = letters.flatMap { $0.dropFirst().filter { $0 != "b" } }
    let product = try einsum(
      (factors[0], type(0), letters[0]), (factors[1], type(1), letters[1]), to: ["a"] + rest)
    return rest.isEmpty ? try expandDims(product, [1]) : product
  }
}
