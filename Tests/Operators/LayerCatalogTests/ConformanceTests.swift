import Bytes
import GraphIR
import LayerCatalog
import Testing
import _CatalogTesting

@Suite struct ConformanceTests {
  @Test("Every operator of the catalog has an example")
  func everyOperatorHasAnExample() {
    let kindsWithExamples = Set(OperatorExample.all.map { $0.operation.kind })
    #expect(Catalog.all.map { $0.kind }.filter { !kindsWithExamples.contains($0) } == [])
  }

  @Test("An operator is stored completely and read strictly", arguments: OperatorExample.all)
  func attributes(_ example: OperatorExample) {
    #expect(example.attributeProblems() == [])
  }

  @Test("The shape rule predicts the kernel's output types", arguments: OperatorExample.all)
  func types(_ example: OperatorExample) {
    #expect(example.typeProblems() == [])
  }

  @Test("Permuted inputs give permuted outputs", arguments: OperatorExample.all)
  func layout(_ example: OperatorExample) {
    #expect(example.layoutProblems() == [])
  }

  @Test("Many examples have a layout rule, and none of the products of axes is missing")
  func examples() {
    #expect(OperatorExample.all.count { $0.permutationCount > 0 } >= 50)
    #expect(OperatorExample.all.count { $0.operation is EinsumDense } == 6)
  }

  @Test("A decomposition computes what the operator computes", arguments: OperatorExample.all)
  func decomposition(_ example: OperatorExample) {
    #expect(example.decompositionProblems() == [])
  }

  @Test(
    "Operators decomposed again and again end in primitives", arguments: OperatorExample.all)
  func decompositionsEnd(_ example: OperatorExample) throws {
    var graphs = try example.decomposed().map { [$0] } ?? []
    var depth = 0
    while !graphs.isEmpty, depth < 16 {
      graphs = try graphs.flatMap { graph in
        try graph.nodes.compactMap { node in
          try (node.operation as? any CatalogOperator)?.decomposition.graph(
            node.inputs.map { graph[$0] }, source: node.source)
        }
      }
      depth += 1
    }
    #expect(graphs.isEmpty, "\(example) goes on after \(depth) decompositions")
  }

  @Test("At infinities and NaN, too, a decomposition computes what the operator computes")
  func specialNumbers() {
    let numbers = Tensor(
      .float64, shape: [2, 4], [-.infinity, .infinity, .nan, 0, -0.75, 0.25, 3, -9])
    let slopes: [any ElementwiseOperator] = [
      PiecewiseLinear(knots: [0, 1], slopes: [0, 1, 0], value: 0.5),
      PiecewiseLinear(knots: [-4, 4], slopes: [0.01, 0.125, 0], value: 1),
      PiecewiseLinear(knots: [0.5], slopes: [0, 0], value: -2),
      ReLU(slope: 0, threshold: 0.2, maximum: nil), ReLU(slope: 0, threshold: -1, maximum: 2),
      ReLU(slope: -0.5, threshold: 0, maximum: 1),
    ]
    let others = OperatorExample.all.compactMap { $0.operation as? any ElementwiseOperator }
    for operation in slopes + others {
      let example = OperatorExample(operation, inputs: [numbers])
      #expect(example.decompositionProblems() == [], "\(operation)")
    }
  }

  @Test("The number of threads does not change a bit", arguments: OperatorExample.all)
  func workers(_ example: OperatorExample) {
    #expect(example.workerProblems() == [])
  }

  @Test("Inputs that do not fit are refused", arguments: OperatorExample.all)
  func hostileTypes(_ example: OperatorExample) {
    #expect(example.hostileTypeProblems() == [])
  }
}
