import Bytes
import GraphIR
import LayerCatalog
import Testing
import _CatalogTesting

/// An operator whose decomposition names the operator itself.
private struct SelfNaming: FormulaOperator, ExactOperator, PlainOperator {
  static let kind = "self_naming"
  static let version = 1
  static let declaration = OperatorDeclaration<Self>("y = y", of: .any)

  func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    try make(SelfNaming(), make.inputs[0])
  }

  func permutingAxes(_ axes: [Int]) -> SelfNaming? { nil }
}

/// Composite operators, whose kernels follow from their decompositions.
@Suite struct CompositeTests {
  /// The composite operators with a reference kernel of their own, and why.
  private static let ownKernels = [
    "additive_attention": "the decomposition holds the sums of all pairs at once",
    "argmin": "shares its kernel with argmax",
    "attention": "the decomposition holds the scores of all pairs at once",
    "average": "shares its kernel with the other operators that combine tensors",
    "cumprod": "the decomposition takes the square of the size of the axis",
    "dot_product_attention": "the decomposition holds the scores of all pairs at once",
    "local_response_normalization": "the decomposition is a product with a matrix, mostly of zeros",
    "log_softmax": "is an activation in cells of recurrent layers",
    "logical_or": "shares its kernel with the other operators of booleans",
    "minimum": "shares its kernel with the other operators that combine tensors",
    "prelu": "is computed with the weight of each element",
    "resizing": "the decomposition is a product with a matrix, mostly of zeros",
    "slice": "is a primitive without steps",
    "sparsemax": "is an activation in cells of recurrent layers",
    "unit_normalization": "is an activation in cells of recurrent layers",
    "upsampling": "the decomposition is a product with a matrix, mostly of zeros",
  ]

  @Test("Only these composite operators have a reference kernel of their own")
  func ownKernels() {
    var kinds: Set<String> = []
    for (kind, examples) in Dictionary(grouping: OperatorExample.all, by: { $0.operation.kind }) {
      let areComposite = examples.allSatisfy {
        if case .nodes = $0.operation.decomposition { true } else { false }
      }
      // What computes element by element is also called for single elements.
      let isOwn =
        !(examples[0].operation is any CompositeOperator)
        && !(examples[0].operation is any ElementwiseOperator)
      if areComposite, isOwn { kinds.insert(kind) }
    }
    #expect(kinds == Set(Self.ownKernels.keys))
  }

  @Test("Many operators follow from their decompositions, and few are primitives")
  func counts() {
    let operations = OperatorExample.all.map(\.operation)
    let composites = operations.filter { $0 is any CompositeOperator }.map(\.kind)
    #expect(Set(composites).count >= 27)
    let composed = operations.filter {
      if case .nodes = $0.decomposition { true } else { false }
    }
    let primitives = Set(operations.map(\.kind)).subtracting(composed.map(\.kind))
    #expect(primitives.count <= 46, "\(primitives.sorted())")
  }

  @Test("A decomposition that names its own operator is refused")
  func selfNaming() {
    let reason = "the decomposition of self_naming names self_naming itself"
    let type = TensorType(.float32, [2])
    let shape = #expect(throws: ShapeError.self) {
      _ = try SelfNaming().checkedOutputTypes(of: [type])
    }
    #expect(shape?.reason == reason)
    let kernel = #expect(throws: WeighbridgeError.self) {
      _ = try SelfNaming().evaluate(
        [Tensor(.float32, shape: [2], [1, 2])], workers: Workers(count: 1))
    }
    #expect(kernel?.reason == reason)
    let graph = #expect(throws: WeighbridgeError.self) {
      _ = try SelfNaming().decomposition.graph(
        [Value(name: "x", type: type)], source: SourceScope(layer: "x", className: "x"))
    }
    #expect(graph?.reason == reason)
  }
}
