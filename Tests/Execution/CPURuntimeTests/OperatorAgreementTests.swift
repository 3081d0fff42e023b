import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import Verifier
import _CatalogTesting

/// The CPU engine on single operators, against their reference kernels.
@Suite struct OperatorAgreementTests {
  @Test("An operator agrees with its reference kernel", arguments: OperatorExample.all)
  func agreement(_ example: OperatorExample) throws {
    let graph = try example.graph()
    let inputs = example.dataPositions.map { example.inputs[$0] }
    let expected = try ReferenceRuntime(workers: Workers(count: 2))
      .run(graph, inputs: inputs) { _ in }
    for threads in 1...2 {
      let actual = try runtime(threads).run(graph, inputs: inputs) { _ in }
      #expect(actual.map(\.type) == expected.map(\.type))
      for (actual, expected) in zip(actual, expected) {
        let difference = TensorDifference(actual: actual, expected: expected)
        #expect(difference.isWithin(example.operation.tolerance), "\(threads): \(difference)")
      }
    }
  }

  @Test(
    "An operator agrees with its reference kernel in other types of floats",
    arguments: OperatorExample.all, [ElementType.float16, .bfloat16, .float64])
  func otherTypes(_ example: OperatorExample, _ type: ElementType) throws {
    let example = example.converted(to: type)
    let graph = try example.graph()
    let inputs = example.dataPositions.map { example.inputs[$0] }
    try expectAgreement(graph, inputs) { output in
      let isNarrow = type != .float64 && output == type
      return isNarrow ? Tolerance.standard(for: type) : example.operation.tolerance
    }
  }

  @Test(
    "An operator agrees with its reference kernel on inputs with permuted memory order",
    arguments: OperatorExample.all)
  func otherMemoryOrders(_ example: OperatorExample) throws {
    let inputs = example.dataPositions.map { example.inputs[$0] }
    let orders: [@Sendable (Int) -> [Int]] = [
      { Array((0..<$0).reversed()) }, { Array(1..<$0) + [0] }, { [$0 - 1] + Array(0..<$0 - 1) },
    ]
    for order in orders {
      let graph = try example.graph(order: { $0 > 1 ? order($0) : Array(0..<$0) })
      let transposed = inputs.map { $0.shape.count > 1 ? $0.permuted(order($0.shape.count)) : $0 }
      try expectAgreement(graph, transposed) { _ in example.operation.tolerance }
    }
  }

  @Test(
    "Broadcast products agree with the reference for every order of axes in memory",
    arguments: [[1, 1, 5, 3], [3, 1, 1, 5], [1, 4, 1, 32], [2, 1, 5, 8], [2, 3, 4, 17]])
  func combinations(_ shape: [Int]) throws {
    for order in [Int].permutations(of: 4) {
      let dimensions = order.map { shape[$0] }
      for wholeAxes in 0..<16 {
        let second = dimensions.indices.map { wholeAxes >> $0 & 1 == 1 ? dimensions[$0] : 1 }
        var builder = GraphBuilder()
        let input = try builder.addInput("input", TensorType(.float32, shape))
        let weight = try builder.addWeight("weight", numbers(second, seed: wholeAxes))
        let scope = SourceScope(layer: "node", className: "node")
        let transposed = try builder.addNode(
          Transpose(axes: order), named: "turned", inputs: [input], source: scope)[0]
        let product = try builder.addNode(
          Multiply(), named: "product", inputs: [transposed, weight], source: scope)[0]
        let graph = try builder.finish(outputs: [Port(name: "output", value: product)])
        try expectAgreement(graph, [numbers(shape, seed: 99)]) { _ in Multiply().tolerance }
      }
    }
  }

  private func numbers(_ shape: [Int], seed: Int) -> Tensor {
    .random(.float32, shape: shape, in: -1...1, seed: UInt64(seed))
  }

  /// - Parameter tolerance: That of an output of some type.
  private func expectAgreement(
    _ graph: Graph, _ inputs: [Tensor], within tolerance: (ElementType) -> Tolerance
  ) throws {
    let expected = try ReferenceRuntime(workers: Workers(count: 2))
      .run(graph, inputs: inputs) { _ in }
    let actual = try runtime(2).run(graph, inputs: inputs) { _ in }
    #expect(actual.map(\.type) == expected.map(\.type))
    for (actual, expected) in zip(actual, expected) {
      let difference = TensorDifference(actual: actual, expected: expected)
      #expect(
        difference.isWithin(tolerance(expected.elementType)),
        "\(inputs.map(\.shape)): \(difference)")
    }
  }

  @Test("An output that nothing reads is still passed to the observer")
  func unreadOutputs() throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("input", TensorType(.float32, [2, 6, 50]))
    let scope = SourceScope(layer: "node", className: "node")
    let parts = try builder.addNode(
      Split(axis: 1, sizes: [1, 2, 2, 1]), named: "parts", inputs: [input], source: scope)
    let graph = try builder.finish(outputs: [Port(name: "output", value: parts[3])])
    let inputs = [numbers([2, 6, 50], seed: 7)]
    var (actual, expected) = ([[Double]](), [[Double]]())
    _ = try runtime(2).run(graph, inputs: inputs) { actual = $0.outputs.map(\.doubles) }
    _ = try ReferenceRuntime(workers: Workers(count: 2)).run(graph, inputs: inputs) {
      expected = $0.outputs.map(\.doubles)
    }
    #expect(!expected.isEmpty && actual == expected)
  }

  @Test("Only these operators run on their reference kernels")
  func referenceKernels() throws {
    var kinds: Set<String> = []
    for example in OperatorExample.all {
      let inputs = example.dataPositions.map { example.inputs[$0] }
      _ = try runtime(2).run(example.graph(), inputs: inputs) { result in
        if result.kernel == .reference { kinds.insert(example.operation.kind) }
      }
    }
    let whole: Set = [
      "non_max_suppression", "bit_cast", "box_selection", "fill", "non_zero", "reshape_to",
      "hashed_crossing", "gather_elements",
      "index_lookup", "clahe", "shape",
      "stft", "sort", "hashing",
      // Composed of casts to integers, or of integers.
      "bitwise_math", "category_encoding", "discretization", "scatter_elements",
    ]
    // With whole numbers, with other proportions, and along other axes.
    let partly: Set = [
      "add", "subtract", "multiply", "unary_math", "binary_math", "cast", "reduce", "cumsum",
      "cumprod", "matmul", "center_crop", "resizing", "einsum_dense",
    ]
    #expect(kinds == whole.union(partly))
  }

  @Test("Two runs give the same bits", arguments: OperatorExample.all)
  func repetition(_ example: OperatorExample) throws {
    let compiled = try CompiledGraph(
      example.graph(), CPURuntime.Options(workers: Workers(count: 2)))
    let inputs = example.dataPositions.map { example.inputs[$0] }
    let first = try compiled.run(inputs).map { $0.contiguousBytes() }
    let second = try compiled.run(inputs).map { $0.contiguousBytes() }
    #expect(first == second)
  }

  /// Operators that make whole numbers of what they take, which NaN has none for.
  private static let finiteOnly: Set = [
    "category_encoding", "hashed_crossing", "embedding", "index_lookup", "hashing",
  ]

  @Test("NaN and infinities propagate as in the reference", arguments: OperatorExample.all)
  func specialNumbers(_ example: OperatorExample) throws {
    let graph = try example.graph()
    let inputs = example.dataPositions.map { example.inputs[$0].withSpecialNumbers }
    let reference = ReferenceRuntime(workers: Workers(count: 2))
    let dropsOutOfRange = (example.operation as? CategoryEncoding)?.dropsOutOfRange == true
    guard dropsOutOfRange || !Self.finiteOnly.contains(example.operation.kind) else {
      let refusal = #expect(throws: WeighbridgeError.self) {
        _ = try reference.run(graph, inputs: inputs) { _ in }
      }
      let own = #expect(throws: WeighbridgeError.self) {
        _ = try runtime(2).run(graph, inputs: inputs) { _ in }
      }
      #expect(own?.code == refusal?.code)
      return
    }
    let expected = try reference.run(graph, inputs: inputs) { _ in }
    let actual = try runtime(2).run(graph, inputs: inputs) { _ in }
    #expect(actual.map(\.type) == expected.map(\.type))
    for (actual, expected) in zip(actual, expected) {
      let (actual, expected) = (actual.doubles, expected.doubles)
      #expect(actual.map(\.isNaN) == expected.map(\.isNaN))
      #expect(actual.map(\.isFinite) == expected.map(\.isFinite))
    }
  }

  /// Operators that leave open which of two zeros is the larger one, and resizing, where the
  /// reference adds elements times 0 to those that it copies.
  private static let leavesSignsOpen: Set = [
    "maximum", "minimum", "relu", "global_max_pooling", "resizing",
  ]

  @Test(
    "Zeros have the sign that the reference gives them",
    arguments: OperatorExample.all.filter { !leavesSignsOpen.contains($0.operation.kind) })
  func signsOfZeros(_ example: OperatorExample) throws {
    let graph = try example.graph()
    let inputs = example.dataPositions.map { example.inputs[$0].withZeros }
    let expected = try ReferenceRuntime(workers: Workers(count: 2))
      .run(graph, inputs: inputs) { _ in }
    let actual = try runtime(2).run(graph, inputs: inputs) { _ in }
    #expect(actual.map(\.type) == expected.map(\.type))
    let pairs = zip(actual.flatMap(\.doubles), expected.flatMap(\.doubles))
    let zeros = pairs.filter { $0 == 0 && $1 == 0 }
    #expect(zeros.map(\.0.sign) == zeros.map(\.1.sign))
  }

  private func runtime(_ threads: Int) -> CPURuntime {
    CPURuntime(CPURuntime.Options(workers: Workers(count: threads)))
  }
}

extension OperatorExample {
  /// A graph of the operator alone.
  ///
  /// - Parameter order: For a number of axes, the order in which the graph takes them; it
  ///   transposes them back for the operator.
  func graph(order: (Int) -> [Int]) throws(WeighbridgeError) -> Graph {
    try graph { (builder, name, tensor) throws(WeighbridgeError) in
      let axes = order(tensor.shape.count)
      let type = TensorType(tensor.elementType, axes.map { tensor.shape[$0] })
      let value = try builder.addInput(name, type)
      guard axes != Array(axes.indices) else { return value }
      return try builder.addNode(
        Transpose(axes: axes.inversePermutation), named: "turned \(name)", inputs: [value],
        source: SourceScope(layer: "turned", className: "turned"))[0]
    }
  }
}

extension Tensor {
  /// The same tensor with a NaN and an infinity among its floating-point numbers.
  /// Every third element is 0, and the next is -0.
  fileprivate var withZeros: Tensor {
    guard elementType.isFloat else { return self }
    let numbers = doubles.enumerated().map { index, number in [0, -0.0, number][index % 3] }
    return Tensor(elementType, shape: shape, numbers)
  }

  fileprivate var withSpecialNumbers: Tensor {
    guard elementType.isFloat, count >= 2 else { return self }
    var numbers = doubles
    numbers[0] = .nan
    numbers[count / 2] = .infinity
    return Tensor(elementType, shape: shape, numbers)
  }
}

extension [Int] {
  /// All orders of the first whole numbers.
  fileprivate static func permutations(of count: Int) -> [[Int]] {
    guard count > 0 else { return [[]] }
    return permutations(of: count - 1).flatMap { shorter in
      (0..<count).map { position in
        Array(shorter[..<position] + [count - 1] + shorter[position...])
      }
    }
  }
}
