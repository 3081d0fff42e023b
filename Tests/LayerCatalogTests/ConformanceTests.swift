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

  @Test("The shape rule says what the kernel makes", arguments: OperatorExample.all)
  func types(_ example: OperatorExample) {
    #expect(example.typeProblems() == [])
  }

  @Test("Permuted inputs give permuted outputs", arguments: OperatorExample.all)
  func layout(_ example: OperatorExample) {
    #expect(example.layoutProblems() == [])
  }

  @Test("A decomposition computes what the operator computes", arguments: OperatorExample.all)
  func decomposition(_ example: OperatorExample) {
    #expect(example.decompositionProblems() == [])
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
