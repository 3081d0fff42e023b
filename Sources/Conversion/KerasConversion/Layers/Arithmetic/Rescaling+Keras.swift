import Bytes
import ConversionCore
import GraphIR
import JSON
import LayerCatalog

extension Rescaling: KerasMapped {
  /// Keras: `Rescaling`.
  static let keras = KerasMapping([
    KerasLayerClass("Rescaling", masks: .passedSinceKeras3, casts: .all, shape: .same) {
      (layer, inputs) throws(WeighbridgeError) in
      // A list has an axis, which a result of its product with a single number has, too.
      let isList = ["scale", "offset"].contains { layer.unreadSettings[$0]?.array != nil }
      var inputs = inputs
      if isList, try layer.typedInput(inputs).type.rank == 0 {
        inputs = try layer.add(ReshapeAxes([.fixed(1)]), inputs, role: "vector")
      }
      let scale = try layer.realList("scale")
      let offset = try layer.realList("offset", default: [0])
      if scale.isEmpty || offset.isEmpty { throw .malformed("scale or offset is an empty list") }
      let operation = Rescaling(
        scale: scale.map(layer.constant), offset: offset.map(layer.constant))
      return try layer.add(operation, inputs)
    }
  ])
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    let numbers = { (list: [Double]) -> JSONValue in
      list.count == 1 ? .real(list[0]) : .array(list.map(JSONValue.real))
    }
    return try builder.layer(
      "Rescaling", ["scale": numbers(operation.scale), "offset": numbers(operation.offset)])
  }
}
