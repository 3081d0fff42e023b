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
    try builder.layer("Softmax", ["axis": .axes(operation.axes)])
  }

  /// The mask given in the call, or else that of its input, which is used since TensorFlow 2.4.
  private static func mask(
    _ layer: inout KerasLayer, of input: ValueID
  ) throws(WeighbridgeError) -> ValueID? {
    if let given = layer.takeTensors("mask", position: 1).first { return given }
    guard let mask = layer.mask(of: input), layer.version >= KerasVersion(2, 4) else { return nil }
    guard layer.version >= KerasVersion(2, 5) else {
      throw .unsupported(
        "the input has a mask, which TensorFlow 2.4 follows and TensorFlow 2.3 does not, and both"
          + " say that they are Keras \(layer.version) (\(APIName.kerasVersion) 2.5.0 or 2.3.0 tells)"
      )
    }
    return mask
  }

  /// Adds a masked softmax. Excluded elements are lowered so far that their shares vanish; where
  /// all are excluded, only the lowering is left of them in float32. Keras makes their shares 0
  /// from 3.10 on.
  private static func masked(
    _ layer: inout KerasLayer, _ operation: Softmax, _ input: ValueID, _ given: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    let (type, maskType) = (layer.graph.type(of: input), layer.graph.type(of: given))
    guard maskType.elementType == .bool, maskType.rank <= type.rank else {
      throw .unsupported("the mask \(maskType) does not fit \(type)")
    }
    var mask = given
    if maskType.rank < type.rank {
      let axes = Array(0..<type.rank - maskType.rank)
      mask = try layer.add(ExpandDims(axes: axes), [mask], role: "expand_mask")[0]
    }
    mask = try layer.add(Cast(to: type.elementType), [mask], role: "mask")[0]
    let depth = depth(layer.version, type)
    let lowering = try layer.add(
      Rescaling(scale: [depth], offset: [-depth]), [mask], role: "lowering")
    let lowered = try layer.add(Add(), [input] + lowering, role: "lowered")
    var outputs = try layer.add(operation, lowered)
    if layer.version >= KerasVersion(3, 10) {
      outputs = try layer.add(Multiply(), outputs + [mask], role: "masked")
    }
    layer.setMask(given, of: outputs[0])
    return outputs
  }

  /// The amount by which excluded elements are lowered.
  private static func depth(_ version: KerasVersion, _ type: TensorType) -> Double {
    guard type.elementType == .float16 else { return 1e9 }
    return version.major < 3 ? 65504 : 3e4
  }

  private static func kerasAxes(
    _ layer: inout KerasLayer, _ type: TensorType
  ) throws(WeighbridgeError) -> [Int] {
    let axes = try layer.axes("axis", of: type).sorted()
    // With two axes, older versions use the last one, whatever the setting.
    if type.rank < 2 || (type.rank == 2 && axes != [1]) {
      throw .unsupported("axis=\(axes) of \(type): versions of Keras do not agree on its meaning")
    }
    return axes
  }
}
