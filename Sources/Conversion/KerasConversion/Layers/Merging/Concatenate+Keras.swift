import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension Concatenate: KerasMapped {
  /// Keras: `Concatenate(axis=-1)`.
  static let keras = KerasMapping([
    KerasLayerClass("Concatenate", masks: .ownRule, casts: .floats, shape: .unknown) {
      (layer, inputs) throws(WeighbridgeError) in
      guard let first = inputs.first else { throw .malformed("has no inputs") }
      let written = try layer.integer("axis", default: -1)
      let axis = try KerasLayer.axis(written, of: layer.graph.type(of: first))
      let inputs = try layer.promoted(inputs)
      let outputs = try layer.add(Concatenate(axis: axis), inputs)
      layer.setMask(try layer.concatenatedMask(inputs, axis: axis), of: outputs[0])
      return outputs
    }
  ])
  static let kerasRow: KerasRow? = KerasRow(Concatenate.self) {
    (operation, builder) throws(WeighbridgeError) in
    guard builder.form == .archive || builder.operands.allSatisfy({ $0.constant == nil }) else {
      throw .unsupported("Keras 2.15 does not load a Concatenate of constants")
    }
    return try builder.layer("Concatenate", ["axis": .integer(operation.axis)], builder.operands)
  }
}

extension KerasLayer {
  /// Values in the type that Keras 3 puts them together in; Keras 2 takes values of one type.
  fileprivate mutating func promoted(
    _ values: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    guard version.major >= 3, let first = values.first else { return values }
    var type = graph.type(of: first).elementType
    for value in values {
      type = try ElementType.promoted(type, graph.type(of: value).elementType)
    }
    var result: [ValueID] = []
    for (index, value) in values.enumerated() {
      result.append(try cast(value, to: type, role: "input_cast_\(index)"))
    }
    return result
  }
}
