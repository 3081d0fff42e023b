import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TensorFlowFormat

/// Converts what a signature of a TensorFlow graph computes to a graph.
///
/// Everything constant is computed at once. The rest becomes operators of the catalog, with the axes
/// as in TensorFlow and the weights in their canonical order.
struct TensorFlowImporter {
  /// The result of an import.
  struct Result {
    let graph: Graph
    let decisions: [Provenance.Decision]
  }

  let program: TensorFlowProgram
  private let signature: TensorFlowSignature
  private let context: TensorFlowContext

  /// - Throws: What ``TensorFlowProgram`` throws.
  init(
    _ graph: TensorFlowGraph, _ signature: TensorFlowSignature, _ context: TensorFlowContext
  ) throws(WeighbridgeError) {
    program = try TensorFlowProgram(
      graph, results: signature.outputs.map(\.value), reserved: signature.inputs.map(\.name))
    self.signature = signature
    self.context = context
  }

  /// - Throws: ``WeighbridgeError/Code/unsupported`` with all unknown operators, or at the operation
  ///   that is not supported; ``WeighbridgeError/Code/malformed``.
  func run() throws(WeighbridgeError) -> Result {
    let inputs = Set(signature.inputs.map { TensorFlowSignature.operation(of: $0.value) })
    try TensorFlowUnsupportedOperators(program.operations, inputs: inputs).check()
    let names = program.operations.flatMap { operation in
      (0..<16).map { operation.value($0) }
    }
    var network = TensorFlowNetwork(
      context, names: Set(names + signature.inputs.map(\.name)))
    for port in signature.inputs { try addInput(port, to: &network) }
    for (position, operation) in program.operations.enumerated()
    where !inputs.contains(operation.name) {
      network = try Self.add(operation, position, to: consume network)
    }
    var ports: [Port] = []
    for (port, value) in zip(signature.outputs, program.results) {
      guard let result = network.values[value] else {
        throw .unsupported("the output \(port.name) is \(value), a result that cannot be read")
      }
      ports.append(Port(name: port.name, value: try network.output(port.name, result)))
    }
    let fullGraph = try network.graph.finish(outputs: ports)
    let pruned = try GraphCopy(fullGraph, for: ports.map(\.value)).finish()
    return Result(graph: pruned, decisions: network.decisions)
  }

  private func addInput(
    _ port: TensorFlowSignature.Port, to network: inout TensorFlowNetwork
  ) throws(WeighbridgeError) {
    try locating({ $0.at(layer: "the input \(port.name)") }) { () throws(WeighbridgeError) in
      let type = try port.tensorType()
      try network.addInput(port.name, type)
      let name = TensorFlowSignature.operation(of: port.value)
      if name != port.name, let value = network.values[port.name] {
        try network.define(name, value)
      }
    }
  }

  private static func add(
    _ operation: TensorFlowOperation, _ position: Int, to network: consuming TensorFlowNetwork
  ) throws(WeighbridgeError) -> TensorFlowNetwork {
    do throws(WeighbridgeError) {
      guard let build = TensorFlowOperators.builder(operation.kind) else {
        throw .unsupported("the operator \(operation.kind) cannot be read")
      }
      return try TensorFlowLayer(operation, network: consume network).built(by: build)
    } catch {
      throw error.at(layer: TensorFlowLayer.source(operation).place(position))
    }
  }
}

extension TensorFlowSignature.Port {
  /// The type in the graph.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for strings, and an unknown number of axes.
  func tensorType() throws(WeighbridgeError) -> TensorType {
    let elementType = try type.requiredElementType()
    guard let shape else {
      throw .unsupported(
        "has an unknown number of axes; give the signature a shape when it is saved")
    }
    return TensorType(elementType, shape.map { $0 < 0 ? .unknown : .fixed($0) })
  }
}
