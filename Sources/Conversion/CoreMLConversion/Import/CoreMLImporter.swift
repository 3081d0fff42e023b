import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// Converts a Core ML model to a graph. The networks and the non-maximum suppression of a pipeline
/// become one graph.
struct CoreMLImporter {
  /// The result of an import.
  struct Result {
    let graph: Graph
    let description: ModelDescription
    let decisions: [Provenance.Decision]
    /// Whether a detector's outputs are its heads, not the boxes left after suppression.
    let hasHeads: Bool
  }

  /// The newest version whose networks are known to have only the layers of version 5.
  private static let newestVersion = 10

  /// The file's bytes, which contain the weights.
  let store: ByteStore
  /// The files of an ML Program's constants.
  var files: MILFiles?
  let custom: any CustomLayerMappings

  /// Imports a model.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` with all
  ///   layers that are not known.
  func run(_ model: CoreMLModel) throws(WeighbridgeError) -> Result {
    guard (1...Self.newestVersion).contains(model.specificationVersion) else {
      throw .unsupported(
        "is of version \(model.specificationVersion) of Core ML's specification; versions 1 to "
          + "\(Self.newestVersion) can be read")
    }
    let members = try Self.members(of: model)
    if let program = members[0].program { return try run(program, model, members) }
    try checkLayers(members)
    var interface = CoreMLFeatures(model.description)
    var network = CoreMLGraph()
    try interface.addInputs(
      of: members[0].network, read: Self.readNames(members), to: &network)
    for (position, member) in members.enumerated() {
      let prefix = members.count { $0.network != nil } > 1 ? "\(member.name)/" : ""
      // A member sees only the features that existed before it.
      let features = network.blobs
      if let layers = member.network {
        try interface.addMeanImages(of: layers, to: &network, store)
        network = try add(layers, prefix: prefix, to: consume network)
      } else if let suppression = member.suppression {
        try interface.add(suppression, to: &network)
      }
      if position < members.count - 1 {
        try interface.exposeOutputs(
          of: member.description, alongside: features, in: &network)
      }
    }
    let outputs = try interface.outputs(of: members, in: &network)
    let graph = try network.graph.finish(outputs: outputs)
    return Result(
      graph: graph, description: interface.description(of: graph, members),
      decisions: network.decisions + interface.decisions,
      hasHeads: members.allSatisfy { $0.suppression == nil })
  }

  // MARK: Members

  /// A network, or the non-maximum suppression of its boxes.
  struct Member {
    let name: String
    let description: CoreMLDescription
    var network: CoreMLNetwork?
    var program: MILProgram?
    var classes: CoreMLClasses?
    var suppression: CoreMLSuppression?
  }

  static func members(of model: CoreMLModel) throws(WeighbridgeError) -> [Member] {
    switch model.content {
    case .pipeline(let pipeline), .pipelineClassifier(let pipeline),
      .pipelineRegressor(let pipeline):
      var members: [Member] = []
      for (position, inner) in pipeline.models.enumerated() {
        let name =
          pipeline.names.indices.contains(position)
          ? pipeline.names[position] : "model\(position)"
        members.append(try member(inner, name: name))
      }
      guard let first = members.first, first.network != nil || first.program != nil else {
        throw .unsupported(
          "is a pipeline that does not begin with a network, and pipelines that do can be read")
      }
      guard members.dropFirst().allSatisfy({ $0.program == nil }) else {
        throw .unsupported(
          "is a pipeline with an ML Program after another model, and one at the beginning can be "
            + "read")
      }
      return members
    default: return [try member(model, name: "")]
    }
  }

  private static func member(
    _ model: CoreMLModel, name: String
  ) throws(WeighbridgeError) -> Member {
    var member = Member(name: name, description: model.description)
    switch model.content {
    case .neuralNetwork(let network), .neuralNetworkRegressor(let network):
      member.network = network
    case .neuralNetworkClassifier(let network, let classes):
      (member.network, member.classes) = (network, classes)
    case .nonMaximumSuppression(let suppression): member.suppression = suppression
    case .program(let program): member.program = program
    case .pipeline, .pipelineClassifier, .pipelineRegressor:
      throw .unsupported("is a pipeline of pipelines, and pipelines of networks can be read")
    }
    return member
  }

  /// The names that any layer reads.
  static func readNames(_ members: [Member]) -> Set<String> {
    Set(members.flatMap { $0.network?.layers.flatMap(\.inputs) ?? [] })
  }

  // MARK: Layers

  /// Refuses all layers that cannot be read, in one error.
  private func checkLayers(_ members: [Member]) throws(WeighbridgeError) {
    let layers = members.flatMap { $0.network?.layers ?? [] }
    let unknown = layers.filter {
      CoreMLOperators.builders[$0.kind] == nil && $0.kind != "custom"
    }
    if !unknown.isEmpty {
      throw LayerProblems.error(unknown.map { "\($0.name): \($0.kind)" }) {
        "has \($0) of a kind that cannot be read"
      }
    }
    try CoreMLCustomLayers(custom).check(layers)
  }

  func add(
    _ layers: CoreMLNetwork, prefix: String, to network: consuming CoreMLGraph
  ) throws(WeighbridgeError) -> CoreMLGraph {
    for (position, definition) in layers.layers.enumerated() {
      var layer = definition
      let label = "#\(position) \(layer.name) (\(layer.kind))"
      layer.name = prefix + layer.name
      do throws(WeighbridgeError) {
        let build = CoreMLOperators.builders[layer.kind] ?? CoreMLCustomLayers(custom).build
        network = try CoreMLLayerImport(
          layer, store: store, network: consume network
        ).built(by: build)
      } catch { throw error.at(layer: label) }
    }
    return network
  }
}
