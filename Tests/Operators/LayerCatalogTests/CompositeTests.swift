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

/// Two operators, each of which the other is composed of.
private struct First: FormulaOperator, ExactOperator, PlainOperator {
  static let kind = "first"
  static let version = 1
  static let declaration = OperatorDeclaration<Self>("y = second(x)", of: .any)

  func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    try make(Second(), make.inputs[0])
  }

  func permutingAxes(_ axes: [Int]) -> First? { nil }
}

private struct Second: FormulaOperator, ExactOperator, PlainOperator {
  static let kind = "second"
  static let version = 1
  static let declaration = OperatorDeclaration<Self>("y = first(x)", of: .any)

  func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    try make(First(), make.inputs[0])
  }

  func permutingAxes(_ axes: [Int]) -> Second? { nil }
}

/// Composite operators, whose kernels follow from their decompositions.
@Suite struct CompositeTests {
  /// The composite operators with a reference kernel of their own, and why.
  private static let ownKernels = [
    "additive_attention": "the decomposition holds the sums of all pairs at once",
    "attention": "the decomposition holds the scores of all pairs at once",
    "cumprod": "the decomposition takes the square of the size of the axis",
    "dot_product_attention": "the decomposition holds the scores of all pairs at once",
    "local_response_normalization": "the decomposition is a product with a matrix, mostly of zeros",
    "locally_connected": "the decomposition holds the elements of all windows at once",
    "resizing": "the decomposition is a product with a matrix, mostly of zeros",
    "scatter_elements": "the decomposition compares each index with each place",
    "slice": "is a primitive without steps",
    "stft": "the decomposition holds the samples of all frames at once",
    "upsampling": "the decomposition is a product with a matrix, mostly of zeros",
  ]

  @Test("Only these composite operators have a reference kernel of their own")
  func ownKernels() {
    var kinds: Set<String> = []
    for (kind, examples) in Dictionary(grouping: OperatorExample.all, by: { $0.operation.kind }) {
      let areComposite = examples.allSatisfy {
        if case .nodes = $0.operation.decomposition { true } else { false }
      }
      if areComposite, !(examples[0].operation is any CompositeOperator) { kinds.insert(kind) }
    }
    #expect(kinds == Set(Self.ownKernels.keys))
  }

  @Test("Many operators follow from their decompositions, and few are primitives")
  func counts() {
    let operations = OperatorExample.all.map(\.operation)
    let composites = operations.filter { $0 is any CompositeOperator }.map(\.kind)
    #expect(Set(composites).count >= 60)
    let composed = operations.filter {
      if case .nodes = $0.decomposition { true } else { false }
    }
    let primitives = Set(operations.map(\.kind)).subtracting(composed.map(\.kind))
    #expect(primitives.count <= 49, "\(primitives.sorted())")
  }

  @Test("A shape rule agrees with the decomposition, also where a size is unknown")
  func shapeRules() {
    var count = 0
    let source = SourceScope(layer: "x", className: "x")
    for example in OperatorExample.all {
      for (position, type) in example.types.enumerated() {
        for axis in type.shape.indices {
          var types = example.types
          types[position].shape[axis] = .unknown
          let values = types.map { Value(name: "x", type: $0) }
          guard let stated = try? example.operation.checkedOutputTypes(of: types),
            let graph = try? example.operation.decomposition.graph(values, source: source)
          else { continue }
          let made = graph.outputs.map { graph[$0.value].type }
          #expect(
            stated.count == made.count && zip(stated, made).allSatisfy { $0.agrees(with: $1) },
            "\(example) of \(types): \(stated) and \(made)")
          count += 1
        }
      }
    }
    #expect(count >= 450)
  }

  @Test("A composite operator rounds its outputs only, once")
  func rounding() throws {
    var count = 0
    let workers = Workers(count: 2)
    for example in OperatorExample.all {
      let inputs = example.inputs
      guard example.operation is any CompositeOperator, !(example.operation is any ExactOperator),
        inputs.contains(where: { $0.elementType == .float32 })
      else { continue }
      let exact = inputs.map { input in
        input.elementType == .float32 ? Tensor(.float64, shape: input.shape, input.doubles) : input
      }
      let rounded = try example.operation.evaluate(inputs, workers: workers)
      let unrounded = try example.operation.evaluate(exact, workers: workers)
      for (rounded, unrounded) in zip(rounded, unrounded) where rounded.elementType == .float32 {
        let expected = Tensor(.float32, shape: unrounded.shape, unrounded.doubles)
        #expect(rounded.contiguousBytes() == expected.contiguousBytes(), "\(example)")
        count += 1
      }
    }
    #expect(count >= 60)
  }

  @Test("A decomposition that names its own operator is refused")
  func selfNaming() {
    expectRefusal(
      of: SelfNaming(), "the decomposition of self_naming names self_naming itself")
  }

  @Test("A decomposition that names its own operator through another is refused")
  func mutualNaming() {
    expectRefusal(
      of: First(), "the decomposition of first names first itself, through second")
  }

  private func expectRefusal(of operation: some CatalogOperator, _ reason: String) {
    let type = TensorType(.float32, [2])
    let shape = #expect(throws: ShapeError.self) {
      _ = try operation.checkedOutputTypes(of: [type])
    }
    #expect(shape?.reason.contains(reason) == true, "\(String(describing: shape))")
    let kernel = #expect(throws: WeighbridgeError.self) {
      _ = try operation.evaluate(
        [Tensor(.float32, shape: [2], [1, 2])], workers: Workers(count: 1))
    }
    #expect(kernel?.reason.contains(reason) == true, "\(String(describing: kernel))")
    let graph = #expect(throws: WeighbridgeError.self) {
      _ = try operation.decomposition.graph(
        [Value(name: "x", type: type)], source: SourceScope(layer: "x", className: "x"))
    }
    #expect(graph?.reason.contains("itself") == true, "\(String(describing: graph))")
  }
}
