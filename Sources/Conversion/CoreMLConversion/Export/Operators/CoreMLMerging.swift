import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Several tensors made one.
enum CoreMLMerging {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Add.self) { (_, builder) throws(WeighbridgeError) in
      try builder.merge("add", "addBroadcastable")
    },
    CoreMLRow(Subtract.self) { (_, builder) throws(WeighbridgeError) in
      try builder.requireEqualShapes()
      return try builder.difference(try builder.input(0), try builder.input(1))
    },
    CoreMLRow(Multiply.self) { (_, builder) throws(WeighbridgeError) in
      try builder.merge("multiply", "multiplyBroadcastable")
    },
    CoreMLRow(Average.self) { (_, builder) throws(WeighbridgeError) in
      let merged = try builder.merge("average", "addBroadcastable")
      guard builder.axes == .exact else { return merged }
      return try builder.linear(merged, scale: 1 / Double(builder.operands.count))
    },
    CoreMLRow(Maximum.self) { (_, builder) throws(WeighbridgeError) in
      try builder.merge("max", "maxBroadcastable")
    },
    CoreMLRow(Minimum.self) { (_, builder) throws(WeighbridgeError) in
      try builder.merge("min", "minBroadcastable")
    },
    CoreMLRow(Concatenate.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.concatenate(try builder.allInputs(), axis: operation.axis)
    },
    CoreMLRow(ExpandDims.self) { (operation, builder) throws(WeighbridgeError) in
      guard builder.axes == .exact else {
        return try builder.reshape(try builder.input(), to: builder.outputType)
      }
      return try builder.expandDims(try builder.input(), operation.axes)
    },
  ]
}

extension CoreMLNetworkBuilder {
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
}
