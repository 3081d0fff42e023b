import Bytes
import Foundation
import GraphIR
import WBMConversion
import Weighbridge

/// Bytes that determine operators, settings and connections.
struct FuzzedGraph {
  private var bytes: ArraySlice<UInt8>

  /// An operator from a sample, with the types of its inputs.
  private struct SampleOperator: Sendable {
    let operation: any Operator
    let inputs: [TensorType]
    let constants: [Tensor?]
  }

  /// The operators of all `.wbm` samples.
  private static let sampleOperators: [SampleOperator] = FuzzTarget.wbm
    .paths(in: FileManager.default.currentDirectoryPath)
    .filter { !$0.contains("Hostile") }
    .flatMap { path -> [SampleOperator] in
      guard let graph = try? Model(contentsOf: path).content.graph else { return [] }
      return graph.nodes.map { node in
        SampleOperator(
          operation: node.operation, inputs: node.inputs.map { graph[$0].type },
          constants: node.inputs.map { graph[$0].constant })
      }
    }

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  private mutating func number(below limit: Int) -> Int {
    let low = Int(bytes.popFirst() ?? 0)
    guard limit > 256 else { return low % max(1, limit) }
    return (low << 8 | Int(bytes.popFirst() ?? 0)) % limit
  }

  /// Returns the graph; throws if the chosen parts do not fit together.
  consuming func graph() throws -> Graph {
    precondition(!Self.sampleOperators.isEmpty, "no samples here: start in the project's folder")
    var builder = GraphBuilder()
    var values: [ValueID] = []
    for index in 0..<1 + number(below: 8) {
      let part = Self.sampleOperators[number(below: Self.sampleOperators.count)]
      let inputs = try inputs(of: part, &builder, &values, index)
      let scope = SourceScope(layer: "layer\(index)", className: "Fuzz")
      values += try builder.addNode(
        part.operation, named: "layer\(index)", inputs: inputs, source: scope)
    }
    guard let last = values.last else { throw WeighbridgeError(.malformed, "no nodes") }
    return try builder.finish(outputs: [Port(name: "output", value: last)])
  }

  /// Chooses for each input one of the existing values, or a new input or weight of the sample's
  /// type.
  private mutating func inputs(
    of part: SampleOperator, _ builder: inout GraphBuilder, _ values: inout [ValueID], _ index: Int
  ) throws -> [ValueID] {
    var inputs: [ValueID] = []
    for (position, type) in part.inputs.enumerated() {
      let choice = number(below: 4)
      if let constant = part.constants[position] {
        inputs.append(try builder.addWeight("layer\(index)/\(position)", constant))
      } else if choice > 0, !values.isEmpty {
        inputs.append(values[max(0, values.count - choice)])
      } else {
        let id = try builder.addInput("input\(index)_\(position)", type)
        values.append(id)
        inputs.append(id)
      }
    }
    return inputs
  }
}
