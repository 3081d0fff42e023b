import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// Converts the function of an ML Program to a graph. Everything constant is computed at once; the
/// rest becomes operators of the catalog, channels-first as in Core ML.
struct MILImporter {
  /// The result of an import.
  struct Result {
    let graph: Graph
    let decisions: [Provenance.Decision]
    /// The classes of a classifier.
    let labels: [String]
  }

  private let function: MILFunction
  private let files: MILFiles
  private let opset: Int

  /// The opsets that are known: iOS 15 to 26.
  private static let opsets = 5...9

  /// - Throws: ``WeighbridgeError/Code/unsupported`` for several functions, and unknown opsets.
  init(_ program: MILProgram, _ files: MILFiles) throws(WeighbridgeError) {
    guard program.functions.count == 1 else {
      throw .unsupported(
        "has the functions \(program.functions.map(\.name).sorted()), and a program of one can be "
          + "read")
    }
    function = program.functions[0]
    guard function.opset.hasPrefix("CoreML"), let number = Int(function.opset.dropFirst(6)),
      Self.opsets.contains(number)
    else {
      throw .unsupported(
        "is for the opset \(function.opset), and CoreML5 to CoreML9 can be read")
    }
    (opset, self.files) = (number, files)
  }

  /// Imports the function.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with all unknown operators, or at the operation
  ///   that is not supported; ``WeighbridgeError/Code/malformed``.
  func run() throws(WeighbridgeError) -> Result {
    try checkOperators()
    var network = try network()
    var labels: [String] = []
    var outputs = function.block.outputs
    for (position, operation) in function.block.operations.enumerated() {
      if operation.type == "classify" {
        labels = try classes(operation, network)
        outputs = probabilities(operation)
      } else {
        network = try Self.add(operation, position, to: consume network)
      }
    }
    var ports: [Port] = []
    for name in outputs {
      guard let value = network.values[name] else {
        throw .malformed("no operation gives the output \(name)")
      }
      ports.append(Port(name: name, value: try network.output(name, value)))
    }
    return Result(
      graph: try Self.graph(network, ports), decisions: network.decisions, labels: labels)
  }

  /// The graph of some operations, with all their results as outputs.
  ///
  /// - Parameter units: The positions of the operations among those that are no constants.
  func graph(of units: Set<Int>) throws(WeighbridgeError) -> Graph {
    var network = try network()
    var (unit, names) = (0, [String]())
    for (position, operation) in function.block.operations.enumerated() {
      defer { if operation.type != "const" { unit += 1 } }
      guard operation.type == "const" || units.contains(unit), operation.type != "classify" else {
        continue
      }
      network = try Self.add(operation, position, to: consume network)
      names += operation.outputs.map(\.name)
    }
    let ports = names.compactMap { name -> Port? in
      if case .computed(let id)? = network.values[name] { Port(name: name, value: id) } else { nil }
    }
    return try Self.graph(network, ports)
  }

  /// The network with the inputs.
  private func network() throws(WeighbridgeError) -> MILNetwork {
    let names =
      function.inputs.map(\.name) + function.block.operations.flatMap(\.outputs).map(\.name)
    var network = MILNetwork(MILContext(files: files, opset: opset), names: Set(names))
    if function.block.computesHalves {
      network.decide("", "the program computes in float16, and is read as one of float32")
    }
    for input in function.inputs {
      try locating({ $0.at(layer: "the input \(input.name)") }) { () throws(WeighbridgeError) in
        try network.addInput(input.name, try TensorType(input.type))
      }
    }
    return network
  }

  /// The graph without what no output needs.
  private static func graph(
    _ network: consuming MILNetwork, _ ports: [Port]
  ) throws(WeighbridgeError) -> Graph {
    let full = try network.graph.finish(outputs: ports)
    return try GraphCopy(full, for: ports.map(\.value)).finish()
  }

  private func checkOperators() throws(WeighbridgeError) {
    let unknown = function.block.operations.filter {
      !["const", "classify"].contains($0.type) && MILOperators.nodes[$0.type] == nil
    }
    guard !unknown.isEmpty else { return }
    throw LayerProblems.error(
      unknown.map { "\(MILLayer.source($0).layer): \($0.type)" }
    ) { "has \($0) with an operator that cannot be read" }
  }

  /// Adds an operation.
  ///
  /// - Parameters:
  ///   - position: Its place in its block.
  ///   - scope: The origin of an operation in a block of another.
  static func add(
    _ operation: MILOperation, _ position: Int, _ scope: SourceScope? = nil,
    to network: consuming MILNetwork
  ) throws(WeighbridgeError) -> MILNetwork {
    do throws(WeighbridgeError) {
      guard operation.type != "const" else {
        try define(operation, &network)
        return network
      }
      guard let build = MILOperators.nodes[operation.type] else {
        throw .unsupported("the operator \(operation.type) cannot be read")
      }
      return try MILLayer(operation, scope: scope, network: consume network).built(by: build)
    } catch { throw error.at(layer: MILLayer.source(operation).place(position)) }
  }

  /// Defines a constant.
  static func define(
    _ operation: MILOperation, _ network: inout MILNetwork
  ) throws(WeighbridgeError) {
    guard let name = operation.outputs.first?.name, operation.outputs.count == 1,
      let value = operation.attributes.first(where: { $0.name == "val" })?.value
    else { throw .malformed("is a constant without a value") }
    if let texts = value.texts {
      network.context.texts[name] = texts
      return
    }
    let tensor = try network.context.files.tensor(value)
    network.countStored(tensor)
    try network.define(name, .constant(name, tensor))
  }

  // MARK: Classifiers

  private func classes(
    _ operation: MILOperation, _ network: borrowing MILNetwork
  ) throws(WeighbridgeError) -> [String] {
    switch operation.inputs.first(where: { $0.name == "classes" })?.bindings.first {
    case .value(let value)?:
      if let texts = value.texts { return texts }
      guard case .list(let values) = value.content else { break }
      return try values.map { (value) throws(WeighbridgeError) in
        try files.tensor(value).wholeNumbers.map { "\($0)" }.joined(separator: " ")
      }
    case .name(let name)?:
      if let texts = network.context.texts[name] { return texts }
    case nil: break
    }
    throw .malformed("has no classes, which are a list of texts or of numbers")
  }

  private func probabilities(_ operation: MILOperation) -> [String] {
    guard
      case .name(let name)? = operation.inputs.first(where: { $0.name == "probabilities" })?
        .bindings.first
    else { return [] }
    let classified = operation.outputs.map(\.name)
    return [name] + function.block.outputs.filter { !classified.contains($0) }
  }
}

extension MILBlock {
  /// Whether an operation gives numbers of float16.
  fileprivate var computesHalves: Bool {
    computed.flatMap(\.outputs).contains { output in
      if case .tensor(.float16, _) = output.type { true } else { false }
    }
  }
}
