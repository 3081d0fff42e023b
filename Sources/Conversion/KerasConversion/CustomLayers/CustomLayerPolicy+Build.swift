package import Bytes
package import GraphIR
import JSON
package import KerasFormat
import LayerCatalog

extension CustomLayerPolicy.Builder {
  /// Adds a layer's nodes.
  ///
  /// - Parameters:
  ///   - className: The name of its class in newer versions of Keras.
  ///   - stated: The types of its outputs that the file states, by their positions.
  /// - Throws: Also ``WeighbridgeError/Code/mismatch`` when a layer's replacement has other outputs
  ///   than the file states.
  package func build(
    _ layer: inout KerasLayer, _ inputs: [ValueID], className: String,
    stated: () -> [Int: KerasStatedType]
  ) throws(WeighbridgeError) -> [ValueID] {
    switch self {
    case .catalog(let build):
      let outputs = try build(&layer, inputs)
      try layer.passMasks(of: className, from: inputs, to: outputs)
      return outputs
    case .function(let name):
      throw .malformed("the function \(name.text) is called as a layer, which only classes can be")
    case .kept: return try Self.keep(&layer, inputs, shapes: nil, stated())
    case .entry(let entry):
      var stated = stated()
      let lambda = layer.lambdaShape
      let outputs = try entry.mapping.build(&layer, inputs, place: entry.place) {
        (layer, shapes) throws(WeighbridgeError) in
        try Self.keep(&layer, inputs, shapes: shapes, stated)
      }
      if stated[0] == nil, let lambda, let output = outputs.first {
        let name = layer.graph.type(of: output).elementType.rawValue
        stated[0] = KerasStatedType(shape: [nil] + lambda, dtype: name)
      }
      try Self.check(outputs, &layer, stated, entry)
      return outputs
    }
  }

  /// Checks that the mapping's outputs have the types that the file states, unless the mapping
  /// overrules them.
  private static func check(
    _ outputs: [ValueID], _ layer: inout KerasLayer, _ stated: [Int: KerasStatedType],
    _ entry: CustomLayers.Entry
  ) throws(WeighbridgeError) {
    let place = entry.place
    for (position, stated) in stated.sorted(by: { $0.key < $1.key }) {
      guard outputs.indices.contains(position) else {
        throw .mismatch(
          "\(place) gives \(outputs.count.counted("output")), and output \(position) is used")
      }
      let type = layer.graph.type(of: outputs[position])
      let shape = stated.shape.map { $0.map(Dimension.fixed) ?? .unknown }
      let isSameType = type.elementType.rawValue == stated.dtype
      if isSameType, type.agrees(with: type.with(shape: shape)) { continue }
      let claim =
        "\(place) makes \(type), and the file says that the layer makes \(stated.dtype) \(shape)"
      guard entry.mapping.overrulesShape else {
        throw .mismatch(
          "\(claim); if the file is wrong, say \"overrule_shape\": true in \(place)"
            + (entry.mapping.isList ? ", whose list then goes under \"steps\"" : ""))
      }
      layer.decideOnce("\(claim); the file is overruled")
    }
  }

  /// Keeps a layer as it is. Where its outputs are not stated, it is assumed to have one, with as
  /// many axes as its first input, all of unknown size.
  private static func keep(
    _ layer: inout KerasLayer, _ inputs: [ValueID], shapes: [[Int?]]?,
    _ stated: [Int: KerasStatedType]
  ) throws(WeighbridgeError) -> [ValueID] {
    guard let first = inputs.first else {
      throw .unsupported("takes nothing, so it cannot be kept as it is")
    }
    let type = layer.graph.type(of: first)
    var outputs: [Opaque.Output] = []
    if let shapes {
      outputs = shapes.map { Opaque.Output(elementType: type.elementType, dimensions: $0) }
    } else if let last = stated.keys.max() {
      for position in 0...last {
        guard let stated = stated[position], let elementType = ElementType(rawValue: stated.dtype)
        else {
          throw .unsupported(
            "the type of its output \(position) is not known, so it cannot be kept")
        }
        outputs.append(Opaque.Output(elementType: elementType, dimensions: stated.shape))
      }
    } else if let shape = layer.lambdaShape {
      outputs = [Opaque.Output(elementType: type.elementType, dimensions: [nil] + shape)]
    } else {
      outputs = [
        Opaque.Output(
          elementType: type.elementType, dimensions: [Int?](repeating: nil, count: type.rank))
      ]
      layer.hasGuessedShape = true
      layer.decideOnce(
        "the file does not state its output shape; assumed to have \(type.rank.counted("axis")), like its "
          + "input (to set it, give a mapping with \"keep\" and \"output_shapes\")")
    }
    return try layer.addOpaque(inputs, outputs: outputs)
  }
}

extension CustomLayers.Entry {
  /// The builder for a function, which has neither settings nor weights.
  package var function: KerasMapping.Build {
    { (layer, inputs) throws(WeighbridgeError) in
      try mapping.build(&layer, inputs, place: place, kept: Self.refuse)
    }
  }

  private static func refuse(
    _ layer: inout KerasLayer, _ shapes: [[Int?]]?
  ) throws(WeighbridgeError) -> [ValueID] {
    throw .mismatch("a function inside a layer cannot be kept as it is")
  }
}

extension KerasModelRecord {
  /// The types of a call's outputs that the file states, by their position.
  package func statedOutputs(of call: KerasCallReference) -> [Int: KerasStatedType] {
    if statedTypes.isEmpty { return [:] }
    var result: [Int: KerasStatedType] = [:]
    let name = layers[call.layer].name
    // More outputs than any unknown layer has.
    for position in 0..<64 {
      let reference = KerasTensorReference(layer: name, call: call.call, tensor: position)
      if let type = statedTypes[reference] { result[position] = type }
    }
    return result
  }
}
