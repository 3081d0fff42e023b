import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import Verifier
import _CatalogTesting

/// NaN, infinities, zeros and huge numbers that arise inside of a graph, so that its inputs do not
/// show them.
@Suite struct SpecialNumbersTests {
  private static let options = CPURuntime.Options(workers: Workers(count: 2))

  @Test(
    "What an operator makes of special numbers is what the reference makes of them",
    arguments: OperatorExample.all + [OperatorExample(LeakyReLU(slope: 0), shapes: [[2, 9]])],
    [ElementType.float32, .float16, .bfloat16])
  func operators(_ example: OperatorExample, _ type: ElementType) throws {
    let example = type == .float32 ? example : example.converted(to: type)
    let graph = try example.quotientGraph()
    let engine = try CompiledGraph(graph, Self.options)
    let data = example.dataPositions.map { example.inputs[$0] }
    for (seed, number) in SpecialNumbers.all.enumerated() {
      // Alone in one of the inputs, so that its spread shows.
      for (position, tensor) in data.enumerated() where tensor.elementType.isFloat {
        guard tensor.count > 0 else { continue }
        var changed = data
        changed[position] = tensor.setting(seed * 7919 % tensor.count, to: number)
        try expectAgreement(
          graph, engine, changed, example, "\(number) in input \(position) of \(example)")
      }
    }
    // Huge numbers of both signs would cancel each other, in an order that differs.
    let others = SpecialNumbers.all.filter { $0 != -1e15 }
    let mixed = data.map { $0.elementType.isFloat ? $0.mixed(with: others) : $0 }
    try expectAgreement(graph, engine, mixed, example, "all in \(example)")
  }

  private func expectAgreement(
    _ graph: Graph, _ engine: CompiledGraph, _ data: [Tensor], _ example: OperatorExample,
    _ comment: String
  ) throws {
    let inputs = data.flatMap { $0.elementType.isFloat ? $0.asQuotient : [$0] }
    try SpecialNumbers.expectAgreement(graph, engine, inputs, comment) { actual, expected in
      let isNarrow = expected.elementType == .float16 || expected.elementType == .bfloat16
      let tolerance =
        isNarrow ? Tolerance.standard(for: expected.elementType) : example.operation.tolerance
      let widened = Tolerance(
        absolute: max(tolerance.absolute, 1e-6), relative: max(tolerance.relative, 1e-5))
      return TensorDifference(actual: actual, expected: expected).isWithin(widened)
    }
  }

  @Test(
    "Verification finds that both engines agree on each operator", arguments: OperatorExample.all)
  func verification(_ example: OperatorExample) throws {
    let check = EnginesCheck(
      engine: CPURuntime(Self.options), reference: ReferenceRuntime(workers: Workers(count: 2)),
      tolerances: { ($0 as? any CatalogOperator)?.tolerance },
      operationCount: { $0.operationCount($1) })
    let content = ModelContent(
      graph: try example.graph(), description: ModelDescription(), provenance: Provenance())
    let results = try check.run(VerificationSubject(content: content))
    #expect(!results.contains { $0.status == .failed }, "\(results)")
  }

  static let functionOperators = OperatorExample.all.map(\.operation).filter {
    $0 is any ElementwiseOperator
  }

  @Test(
    "A function of special numbers is the same in whole vectors and in the rest of a row",
    arguments: functionOperators.indices)
  func functions(_ index: Int) throws {
    let operation = Self.functionOperators[index]
    for length in [1, 5, 8, 16, 17, 31, 33, 40, 67] {
      var builder = GraphBuilder()
      let quotient = try builder.addQuotient("x", TensorType(.float32, [2, .fixed(length)]))
      let output = try builder.addNode(
        operation, named: "y", inputs: [quotient],
        source: SourceScope(layer: "y", className: operation.kind))
      let graph = try builder.finish(outputs: [Port(name: "y", value: output[0])])
      let engine = try CompiledGraph(graph, Self.options)
      for start in stride(from: 0, to: SpecialNumbers.ofFunctions.count, by: 2 * length) {
        let numbers = (0..<2 * length).map {
          SpecialNumbers.ofFunctions[(start + $0) % SpecialNumbers.ofFunctions.count]
        }
        let inputs = Tensor(.float32, shape: [2, length], numbers).asQuotient
        try SpecialNumbers.expectAgreement(graph, engine, inputs, "\(operation) of \(length)") {
          SpecialNumbers.areClose($0, $1, Tolerance(absolute: 2e-6, relative: 2e-5))
        }
      }
    }
  }
}

extension OperatorExample {
  /// A graph of the operator alone, whose floating-point inputs are quotients.
  fileprivate func quotientGraph() throws(WeighbridgeError) -> Graph {
    try graph { (builder, name, tensor) throws(WeighbridgeError) in
      tensor.elementType.isFloat
        ? try builder.addQuotient(name, tensor.type) : try builder.addInput(name, tensor.type)
    }
  }
}

extension Tensor {
  /// The same numbers with every other one replaced.
  fileprivate func mixed(with others: [Double]) -> Tensor {
    let numbers = doubles.enumerated().map { index, number in
      index % 2 == 0 ? others[index / 2 % others.count] : number
    }
    return Tensor(elementType, shape: shape, numbers)
  }
}
