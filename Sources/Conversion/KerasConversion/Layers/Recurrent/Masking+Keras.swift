import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

extension Masking: KerasMapped {
  /// Keras: `Masking(mask_value=0.0)`. The mask travels on beside the output.
  static let keras = KerasMapping([
    KerasLayerClass("Masking", masks: .ownRule, casts: .floats, shape: .same) {
      (layer, inputs) throws(WeighbridgeError) in
      let value = try layer.real("mask_value", default: 0)
      let outputs = try layer.add(Masking(value: value), [try layer.onlyInput(inputs)])
      layer.setMask(outputs[1], of: outputs[0])
      return [outputs[0]]
    }
  ])
  static let kerasRow: KerasRow? = KerasRow(outputsOf: Masking.self) {
    (operation, builder) throws(WeighbridgeError) in
    let last = builder.type().rank - 1
    let differs = try builder.compare(.notEqual, builder[0], builder.number(operation.value))
    let any = try builder.reduce(.any, differs, [last])
    let factor = try builder.function(.cast, [any], to: builder.type().elementType)
    let output = try builder.function(.multiply, [builder[0], factor], type: builder.type())
    guard builder.scope.isWanted[1] else { return [output, any] }
    let mask = try builder.reduce(
      .any, differs, [last], keeps: false, type: builder.scope.outputTypes[1])
    return [output, mask]
  }
}
