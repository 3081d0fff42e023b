import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import JSON
import LayerCatalog
import ProtobufWire

/// Custom layers, which an app implements, and what the user says about them.
struct CoreMLCustomLayers: Sendable {
  private let mappings: any CustomLayerMappings

  init(_ mappings: any CustomLayerMappings) { self.mappings = mappings }

  /// Refuses unknown layers, all of them in one error, and the user's entries that match no layer.
  func check(_ layers: [CoreMLLayer]) throws(WeighbridgeError) {
    var custom: [CustomLayer] = []
    for (index, layer) in layers.enumerated() where layer.kind == "custom" {
      custom.append(
        try locating({ $0.at(layer: layer.name) }) { () throws(WeighbridgeError) in
          try CustomLayer(layer, position: index)
        })
    }
    try mappings.check(custom)
  }

  /// Adds the layers that replace a custom layer, or the layer unchanged.
  func build(_ layer: inout CoreMLLayerImport) throws(WeighbridgeError) -> [CoreMLBlob] {
    let custom = try CustomLayer(layer.definition, position: 0)
    var weights: [Tensor] = []
    for (record, weight) in zip(layer.records("weights"), custom.weights) {
      weights.append(
        try layer.tensor("weight", in: ["weight": .record(record)], shape: weight.shape))
    }
    layer.ignore("className", "parameters", "description")
    switch try mappings.mapping(of: custom) {
    case .kept(let shapes): return try keep(&layer, custom, weights, shapes)
    case .replaced(let summary, let build):
      var values: [ValueID] = []
      var images: CoreMLImages?
      for blob in layer.inputs {
        let image = try layer.images(blob)
        images = images ?? image
        values.append(image.value)
      }
      let outputs = try build(&layer.network.graph, layer.source, values, weights)
      layer.decide(summary)
      return try blobs(outputs, like: images, &layer)
    }
  }

  /// The outputs of the layers that replace one: images in the axes of its first input.
  private func blobs(
    _ outputs: [ValueID], like images: CoreMLImages?, _ layer: inout CoreMLLayerImport
  ) throws(WeighbridgeError) -> [CoreMLBlob] {
    var blobs: [CoreMLBlob] = []
    for output in outputs {
      let isImage = layer.type(output).rank == CoreMLAxis.image.count
      if isImage, let images {
        blobs.append(try layer.tensor(output, like: images))
      } else {
        blobs.append(try layer.fullRankBlob(output))
      }
    }
    return blobs
  }

  /// Keeps a layer as it is.
  ///
  /// - Parameter shapes: The shapes of its outputs; by default images of unknown dimensions.
  private func keep(
    _ layer: inout CoreMLLayerImport, _ custom: CustomLayer, _ weights: [Tensor],
    _ shapes: [[Int?]]?
  ) throws(WeighbridgeError) -> [CoreMLBlob] {
    guard let first = layer.inputs.first else {
      throw layer.unsupported("takes no inputs, and a layer can be kept as it is if it takes some")
    }
    var values: [ValueID] = []
    for blob in layer.inputs { values.append(try layer.value(blob, CoreMLAxis.image)) }
    for (weight, tensor) in zip(custom.weights, weights) {
      values.append(try layer.addWeight(weight.name, tensor))
    }
    let openImage = [Int?](repeating: nil, count: CoreMLAxis.image.count)
    let dimensions = shapes ?? layer.definition.outputs.map { _ in openImage }
    guard dimensions.allSatisfy({ $0.count == openImage.count }) else {
      throw layer.unsupported(
        "makes outputs of the shapes \(dimensions), and a layer can be kept as it is if it makes images "
          + "[batch, channels, height, width]")
    }
    let operation = Opaque(
      className: custom.className, settings: JSONValue.object(custom.settings).text(),
      inputCount: layer.inputs.count, weightNames: custom.weights.map(\.name),
      outputs: dimensions.map { Opaque.Output(elementType: .float32, dimensions: $0) })
    return try layer.network.graph.addNode(operation, inputs: values, source: layer.source)
      .map { CoreMLBlob($0, CoreMLAxis.image, rank: first.rank) }
  }
}

extension CustomLayer {
  /// Describes a custom layer of a network; its weights are vectors of numbers.
  fileprivate init(_ layer: CoreMLLayer, position: Int) throws(WeighbridgeError) {
    var settings = JSONObject()
    for entry in layer.settings.records("parameters") {
      settings[entry.string("key")] = entry.record("value").flatMap(Self.parameter) ?? .null
    }
    var weights: [(name: String, shape: [Int])] = []
    for (index, record) in layer.settings.records("weights").enumerated() {
      weights.append(("weight_\(index)", [try CoreMLWeights(record).count]))
    }
    self.init(
      position: position, name: layer.name, className: layer.settings.string("className"),
      settings: settings, description: layer.settings.string("description"), weights: weights)
  }

  private static func parameter(_ value: ProtobufRecord) -> JSONValue? {
    switch value.fields.first?.value {
    case .double(let number): .real(number)
    case .string(let string): .string(string)
    case .integer(let number): .integer(number)
    case .boolean(let flag): .bool(flag)
    default: nil
    }
  }
}
