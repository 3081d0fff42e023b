import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension Softmax: KerasMapped {
  /// Keras: `Softmax(axis=-1)`, where `axis` may be a list, and a mask may exclude elements.
  static let keras = KerasMapping([
    .elementwise("Softmax") { (layer, inputs) throws(WeighbridgeError) in
      let input = try layer.onlyInput(inputs)
      let axes = try kerasAxes(&layer, layer.graph.type(of: input))
      guard let mask = try mask(&layer, of: input) else {
        return try layer.add(Softmax(axes: axes), inputs)
      }
      return try masked(&layer, Softmax(axes: axes), input, mask)
    }
  ])
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    let isLast = operation.axes == [builder.outputType.rank - 1]
    if builder.format == .tensorFlowJS, builder.fusion.hasMasks, isLast {
      // TensorFlow.js 4 gives its layer Softmax the mask of steps, and an activation none.
      return try builder.layer("Activation", ["activation": "softmax"])
    }
    return try builder.layer("Softmax", ["axis": .axes(operation.axes)])
  }

  /// The mask given in the call, or else that of its input, which is used since TensorFlow 2.4.
  private static func mask(
    _ layer: inout KerasLayer, of input: ValueID
  ) throws(WeighbridgeError) -> ValueID? {
    if let callMask = layer.takeTensors("mask", position: 1).first { return callMask }
    guard let mask = layer.mask(of: input), layer.version >= KerasVersion(2, 4) else { return nil }
    guard layer.version >= KerasVersion(2, 5) else {
      throw .unsupported(
        "the input has a mask, which TensorFlow 2.4 applies and TensorFlow 2.3 ignores; both call "
          + "themselves Keras \(layer.version), so give \(APIName.kerasVersion), 2.5.0 or 2.3.0"
      )
    }
    return mask
  }

  /// Adds a masked softmax. A large negative number is added to masked elements, so that their
  /// probabilities vanish. Where all are masked, nothing else is left of them in float32; from 3.10
  /// on, Keras sets their probabilities to 0.
  private static func masked(
    _ layer: inout KerasLayer, _ operation: Softmax, _ input: ValueID, _ callMask: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    let (type, maskType) = (layer.graph.type(of: input), layer.graph.type(of: callMask))
    guard maskType.elementType == .bool, maskType.rank <= type.rank else {
      throw .unsupported("the mask \(maskType) does not fit \(type)")
    }
    var mask = callMask
    if maskType.rank < type.rank {
      let axes = Array(0..<type.rank - maskType.rank)
      mask = try layer.add(ExpandDims(axes: axes), [mask], role: "expand_mask")[0]
    }
    mask = try layer.add(Cast(to: type.elementType), [mask], role: "mask")[0]
    let maskPenalty = maskPenalty(layer.version, type)
    let maskBias = try layer.add(
      Rescaling(scale: [maskPenalty], offset: [-maskPenalty]), [mask], role: "mask_bias")
    let maskedLogits = try layer.add(Add(), [input] + maskBias, role: "masked_logits")
    var outputs = try layer.add(operation, maskedLogits)
    if layer.version >= KerasVersion(3, 10) {
      outputs = try layer.add(Multiply(), outputs + [mask], role: "masked")
    }
    layer.setMask(callMask, of: outputs[0])
    return outputs
  }

  /// The number that is subtracted from masked elements.
  private static func maskPenalty(_ version: KerasVersion, _ type: TensorType) -> Double {
    guard type.elementType == .float16 else { return 1e9 }
    return version.major < 3 ? 65504 : 3e4
  }

  private static func kerasAxes(
    _ layer: inout KerasLayer, _ type: TensorType
  ) throws(WeighbridgeError) -> [Int] {
    let axes = try layer.axes("axis", of: type).sorted()
    // With two axes, older versions use the last one, whatever the setting.
    let isAmbiguous = type.rank < 2 || (type.rank == 2 && axes != [1])
    if isAmbiguous, layer.version < KerasVersion(2, 15) {
      throw .unsupported(
        "axis=\(axes) of \(type), which older versions of Keras than 2.15 read as the last axis or "
          + "refuse; which version does what was never compared")
    }
    return axes
  }
}
