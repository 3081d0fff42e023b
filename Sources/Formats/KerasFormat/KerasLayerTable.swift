import Bytes
import JSON

/// The layers of a model by name, used to resolve and check references.
struct KerasLayerTable {
  let builders: [KerasLayerBuilder]
  let indices: [String: Int]
  /// The parsed `inbound_nodes` of each layer, with Keras' own numbering of calls.
  private let calls: [[KerasCall]]
  /// The number of a layer's first call in Keras' numbering, for references from other layers.
  let firstCalls: [Int]
  /// The same for references from the model's outputs.
  private let firstCallsOfOutputs: [Int]

  /// - Parameter outputs: The model's outputs, with Keras' own numbering of calls.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when two layers share a name or a node is not
  ///   well-formed; ``WeighbridgeError/Code/unsupported`` for constants as inputs.
  init(
    _ builders: [KerasLayerBuilder], outputs: [KerasTensorReference] = []
  ) throws(WeighbridgeError) {
    var indices: [String: Int] = [:]
    var calls: [[KerasCall]] = []
    for builder in builders {
      if let other = indices.updateValue(builder.layer.index, forKey: builder.layer.name) {
        throw .malformed("the layer #\(other) has the name \"\(builder.layer.name)\" too")
          .at(layer: builder.layer.label)
      }
      calls.append(
        try locating({ $0.at(layer: builder.layer.label) }) { () throws(WeighbridgeError) in
          try KerasNodeParser.calls(in: builder.nodes, isFunction: builder.layer.function != nil)
        })
    }
    self.builders = builders
    self.indices = indices
    self.calls = calls
    if builders.contains(where: \.hasArguments) {
      // Keras 3 counts from 0, but in the list of outputs, it counts a Functional's calls from 1.
      firstCalls = builders.map { _ in 0 }
      firstCallsOfOutputs = Self.firstCalls(
        builders.map { $0.layer.isModel && $0.layer.className != "Sequential" }, indices, outputs)
    } else {
      firstCalls = Self.firstCalls(
        builders.map(\.layer.isModel), indices, calls.joined().flatMap(\.allInputs) + outputs)
      firstCallsOfOutputs = firstCalls
    }
  }

  /// The layers with their calls. Every reference is to an existing call.
  func layers() throws(WeighbridgeError) -> [KerasLayerRecord] {
    try builders.map { (builder) throws(WeighbridgeError) in
      try locating({ $0.at(layer: builder.layer.label) }) { () throws(WeighbridgeError) in
        try layer(builder)
      }
    }
  }

  /// The layers of a Sequential: each is called once, with the output of the one before it.
  func chain() -> [KerasLayerRecord] {
    builders.map { builder in
      let inputs =
        builder.layer.index == 0
        ? [] : [KerasTensorReference(layer: builders[builder.layer.index - 1].layer.name)]
      return builder.record([KerasCall(inputs: inputs)])
    }
  }

  /// The references under `input_layers` or `output_layers`: `["x", 0, 0]`, or a list of such.
  func references(in json: JSONReader) throws(WeighbridgeError) -> [KerasTensorReference] {
    let unresolved = try KerasNodeParser.references(in: json)
    var references: [KerasTensorReference] = []
    for reference in unresolved {
      do throws(WeighbridgeError) {
        references.append(try resolved(reference, firstCallsOfOutputs))
      } catch {
        throw json.failure(error.reason)
      }
    }
    return references
  }

  private func layer(_ builder: KerasLayerBuilder) throws(WeighbridgeError) -> KerasLayerRecord {
    guard builder.nodes != nil else { throw .malformed("the layer has no inbound_nodes") }
    var resolvedCalls: [KerasCall] = []
    for call in calls[builder.layer.index] {
      let arguments = try call.tensorArguments.map { (argument) throws(WeighbridgeError) in
        KerasTensorArgument(name: argument.name, tensors: try resolved(argument.tensors))
      }
      resolvedCalls.append(
        KerasCall(
          inputs: try resolved(call.inputs), inputKeys: call.inputKeys,
          inputConstants: call.inputConstants, tensorArguments: arguments,
          arguments: call.arguments, operands: call.operands))
    }
    if builder.layer.className == "InputLayer" {
      guard resolvedCalls.isEmpty else {
        throw .malformed("an input takes the output of another layer")
      }
      resolvedCalls = [KerasCall(inputs: [])]
    }
    return builder.record(resolvedCalls)
  }

  private func resolved(
    _ references: [KerasTensorReference]
  ) throws(WeighbridgeError) -> [KerasTensorReference] {
    var result: [KerasTensorReference] = []
    for reference in references { result.append(try resolved(reference, firstCalls)) }
    return result
  }

  func resolved(
    _ reference: KerasTensorReference, _ firstCalls: [Int]
  ) throws(WeighbridgeError) -> KerasTensorReference {
    guard let index = indices[reference.layer] else {
      throw .malformed("refers to the layer \"\(reference.layer)\", which the model does not have")
    }
    let count = max(calls[index].count, builders[index].layer.className == "InputLayer" ? 1 : 0)
    let call = reference.call - firstCalls[index]
    guard (0..<count).contains(call) else {
      throw .malformed(
        "refers to call \(reference.call) of the layer \"\(reference.layer)\", which has \(count)"
          + (firstCalls[index] == 0 ? "" : ", counted from \(firstCalls[index])"))
    }
    return KerasTensorReference(layer: reference.layer, call: call, tensor: reference.tensor)
  }

  /// Keras counts the calls of a nested model from 1 if the model was first called on its own
  /// inputs (always the case for Model and Functional). Keras writes only calls that an output
  /// needs, so every call is referred to: if no reference is to call 0, the count starts at 1.
  private static func firstCalls(
    _ mayCountFromOne: [Bool], _ indices: [String: Int], _ references: [KerasTensorReference]
  ) -> [Int] {
    var firstCalls = mayCountFromOne.map { $0 ? 1 : 0 }
    for reference in references where reference.call == 0 {
      if let index = indices[reference.layer] { firstCalls[index] = 0 }
    }
    return firstCalls
  }
}
