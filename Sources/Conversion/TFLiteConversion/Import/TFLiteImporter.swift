import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Converts the operators of a TFLite file to a graph.
///
/// Everything constant is computed at once: halves of weights that are widened, and arithmetic on
/// shapes. The rest becomes operators of the catalog, channels-last as in TFLite, with the weights in
/// their canonical order.
struct TFLiteImporter {
  /// The result of an import.
  struct Result {
    let graph: Graph
    let decisions: [Provenance.Decision]
  }

  private let file: TFLiteFile
  /// The positions of the operators to import; `nil` for all, and then the outputs of the model.
  private let positions: Set<Int>?

  /// - Parameter positions: The positions of the operators to import; `nil` for all.
  init(_ file: TFLiteFile, positions: Set<Int>? = nil) {
    (self.file, self.positions) = (file, positions)
  }

  /// Imports the first graph of the file.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with all unknown operators, or at the operator
  ///   that is not supported; ``WeighbridgeError/Code/malformed``.
  func run() throws(WeighbridgeError) -> Result {
    if positions == nil { try TFLiteUnsupportedOperators(file).check() }
    let (scopes, graph) = (file.scopes, file.graphs[0])
    let scope = scopes[0]
    var network = TFLiteNetwork(
      TFLiteContext(file: file, scopes: scopes), names: Set(scopes.flatMap(\.names)))
    try Self.addConstants(scope, to: &network)
    try Self.addInputs(scope, to: &network)
    for (position, node) in graph.operators.enumerated()
    where positions?.contains(position) ?? true {
      let source = Self.source(node, scope)
      network = try Self.add(
        node, scope, source, place: source.place(position), keepsNames: true,
        to: consume network)
    }
    let ports = try positions == nil ? outputs(scope, &network) : allOutputs(scope, &network)
    let fullGraph = try network.graph.finish(outputs: ports)
    let pruned = try GraphCopy(fullGraph, for: ports.map(\.value)).finish()
    return Result(graph: pruned, decisions: network.decisions)
  }

  /// Defines the tensors whose elements are in the file.
  static func addConstants(
    _ scope: TFLiteScope, to network: inout TFLiteNetwork
  ) throws(WeighbridgeError) {
    let others = Set(scope.graph.inputs + scope.graph.operators.flatMap(\.outputs))
    for (position, tensor) in scope.graph.tensors.enumerated() where !others.contains(position) {
      let name = scope.names[position]
      try locating({ $0.at(layer: "the tensor \(name)") }) { () throws(WeighbridgeError) in
        guard let elements = try network.context.file.constant(tensor) else { return }
        if network.context.depth == 0 { network.countStored(elements) }
        try network.define(name, .constant(name, elements))
      }
    }
  }

  private static func addInputs(
    _ scope: TFLiteScope, to network: inout TFLiteNetwork
  ) throws(WeighbridgeError) {
    for tensor in scope.graph.inputs {
      try locating({ $0.at(layer: "the input \(scope.names[tensor])") }) {
        () throws(WeighbridgeError) in
        try network.addInput(scope.names[tensor], try scope.graph.tensors[tensor].type())
      }
    }
  }

  /// The model's outputs under their names in the signature.
  private func outputs(
    _ scope: TFLiteScope, _ network: inout TFLiteNetwork
  ) throws(WeighbridgeError) -> [Port] {
    var ports: [Port] = []
    let names = file.outputNames
    var used = UniqueNames()
    for tensor in scope.graph.outputs {
      let name = used.unused(names[tensor] ?? scope.names[tensor])
      guard let value = network.values[scope.names[tensor]] else {
        throw .malformed("no operator gives the output \(name)")
      }
      ports.append(Port(name: name, value: try network.output(name, value)))
    }
    return ports
  }

  /// All results of the operators that were imported.
  private func allOutputs(
    _ scope: TFLiteScope, _ network: inout TFLiteNetwork
  ) throws(WeighbridgeError) -> [Port] {
    var ports: [Port] = []
    for node in scope.graph.operators {
      for tensor in node.outputs {
        let name = scope.names[tensor]
        guard case .computed(let id)? = network.values[name] else { continue }
        ports.append(Port(name: name, value: id))
      }
    }
    return ports
  }

  /// Adds an operator to a network.
  ///
  /// - Parameters:
  ///   - place: The operator's location for errors; `nil` when the caller adds it.
  ///   - keepsNames: Whether the operator's results keep their names in the file.
  static func add(
    _ node: TFLiteFile.Operator, _ scope: TFLiteScope, _ source: SourceScope,
    place: String? = nil, keepsNames: Bool, to network: consuming TFLiteNetwork
  ) throws(WeighbridgeError) -> TFLiteNetwork {
    do throws(WeighbridgeError) {
      guard !node.code.isCustom, let entry = TFLiteOperators.entry(node.code.name) else {
        throw .unsupported("the operator \(node.code.name) cannot be read")
      }
      if let expected = entry.options, node.options != nil, node.optionsType != expected {
        throw .malformed(
          "has options of the kind \(node.optionsType), and \(node.code.name) has \(expected)")
      }
      if let tensor = node.outputs.first(where: { network.values[scope.names[$0]] != nil }) {
        throw .malformed(
          "gives \(scope.names[tensor]), which is an input, a weight or given before")
      }
      return try TFLiteLayer(
        node, scope: scope, source: source, keepsNames: keepsNames, network: consume network
      ).built(by: entry.build)
    } catch { throw place.map { error.at(layer: $0) } ?? error }
  }

  static func source(_ node: TFLiteFile.Operator, _ scope: TFLiteScope) -> SourceScope {
    SourceScope(
      layer: node.outputs.first.map { scope.names[$0] } ?? node.code.name,
      className: node.code.name)
  }
}

extension TFLiteFile {
  /// The graphs with the names of their tensors, of which no two are the same.
  var scopes: [TFLiteScope] {
    var used = UniqueNames()
    return graphs.enumerated().map { index, graph in
      TFLiteScope(graph, known: index == 0 ? inputNames : [:], used: &used)
    }
  }

  /// The signature of the first graph, if it has one.
  private var signature: Signature? { signatures.first { $0.graph == 0 } }

  /// The names of the inputs in the signature, by the positions of their tensors.
  var inputNames: [Int: String] { Self.names(signature?.inputs ?? []) }

  /// The names of the outputs in the signature, by the positions of their tensors.
  var outputNames: [Int: String] { Self.names(signature?.outputs ?? []) }

  private static func names(_ ports: [(name: String, tensor: Int)]) -> [Int: String] {
    Dictionary(
      ports.filter { !$0.name.isEmpty }.map { ($0.tensor, $0.name) },
      uniquingKeysWith: { first, _ in first })
  }
}

extension TFLiteFile.Tensor {
  /// The type in the graph.
  ///
  /// - Throws: What ``elementType()`` throws.
  func type() throws(WeighbridgeError) -> TensorType {
    TensorType(try elementType(), shape.map { size in size.map { .fixed($0) } ?? .unknown })
  }
}
