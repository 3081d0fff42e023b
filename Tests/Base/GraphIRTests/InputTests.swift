import Bytes
import GraphIR
import Testing

/// Arrays for a graph's inputs: checked, and generated.
@Suite struct InputTests {
  private let batch = Dimension.symbolic("batch")

  /// Two inputs of floats that share the axis "batch", and their sum.
  private func graph() throws -> Graph {
    var builder = GraphBuilder()
    let x = try builder.addInput("x", TensorType(.float32, [batch, 3]))
    let y = try builder.addInput("y", TensorType(.float32, [batch, .unknown]))
    let sum = try builder.addNode(Sum(), named: "s", inputs: [x, y], source: .layer("l"))
    return try builder.finish(outputs: [Port(name: "z", value: sum[0])])
  }

  @Test(
    "Arrays must match the inputs in number and type, and each other along axes of the same name")
  func checks() throws {
    let graph = try graph()
    let valid = TensorType(.float32, [2, 3])
    try graph.check(inputs: [valid, valid])
    try graph.check(inputs: [
      Tensor(.float32, shape: [0, 3], []), Tensor(.float32, shape: [0, 3], []),
    ])
    for types in [
      [valid], [valid, valid, valid], [valid, TensorType(.float64, [2, 3])],
      [TensorType(.float32, [2, 4]), valid], [TensorType(.float32, [2, 3, 1]), valid],
      [valid, TensorType(.float32, [5, 3])], [TensorType(.float32, [batch, 3]), valid],
    ] {
      let error = #expect(throws: WeighbridgeError.self) { try graph.check(inputs: types) }
      #expect(error?.code == .mismatch, "\(types)")
    }
    let error = #expect(throws: WeighbridgeError.self) {
      try graph.check(inputs: [valid, TensorType(.float32, [5, 3])])
    }
    #expect(error?.reason == "the axis batch has 2 elements in x, but 5 in y")
  }

  @Test("Open dimensions are 1 in the batch and 32 elsewhere, and alike for one name")
  func shapes() throws {
    let inputs = try graph().generatedInputs(.random(seed: 1))
    #expect(inputs.map(\.shape) == [[1, 3], [1, 32]])
    let numbers = inputs.flatMap(\.doubles)
    #expect(numbers.allSatisfy { (0..<1).contains($0) } && Set(numbers).count > 30)
    let repeated = try graph().generatedInputs(.random(seed: 1))
    #expect(inputs.map(\.doubles) == repeated.map(\.doubles))
    #expect(try graph().generatedInputs(.random(seed: 2))[0].doubles != inputs[0].doubles)
    let ones = try graph().generatedInputs(.ones)
    #expect(ones.allSatisfy { $0.doubles.allSatisfy { $0 == 1 } })
  }

  @Test("Indices stay below what their operator takes, also behind a cast")
  func indices() throws {
    for rows in [1, 5, 1000] {
      var builder = GraphBuilder()
      let x = try builder.addInput("x", TensorType(.float32, [200]))
      let whole = try builder.addNode(
        Casting(to: .int32), named: "c", inputs: [x], source: .layer("l"))
      let table = try builder.addWeight(
        "t", Tensor(.float32, shape: [rows, 2], [Double](repeating: 0, count: 2 * rows)))
      let found = try builder.addNode(
        Rows(), named: "r", inputs: [whole[0], table], source: .layer("l"))
      let graph = try builder.finish(outputs: [Port(name: "y", value: found[0])])
      let numbers = try graph.generatedInputs(.random(seed: 3))[0].doubles
      #expect(numbers.allSatisfy { $0 == $0.rounded() && $0 >= 0 && $0 < Double(rows) })
      #expect((numbers.max() ?? 0) >= Double(rows) / 2 - 1)
      let ones = try graph.generatedInputs(.ones)[0].doubles
      #expect(ones.allSatisfy { $0 == (rows == 1 ? 0 : 1) })
    }
  }

  @Test(
    "Generated integers are 0 or 1 unless an operator says otherwise; uint8 inputs take any value")
  func wholeNumbers() throws {
    var builder = GraphBuilder()
    let types = [ElementType.int64, .bool, .uint8]
    let ids = try types.map { try builder.addInput($0.rawValue, TensorType($0, [500])) }
    let graph = try builder.finish(
      outputs: ids.enumerated().map { Port(name: "\($0)", value: $1) })
    let numbers = try graph.generatedInputs(.random(seed: 4)).map(\.doubles)
    #expect(Set(numbers[0]) == [0, 1] && Set(numbers[1]) == [0, 1])
    #expect((numbers[2].max() ?? 0) > 200 && (numbers[2].max() ?? 0) < 256)
  }

  @Test("An input of more than 2^28 elements is over the limit, however large")
  func limits() throws {
    for shape in [[1 << 28 + 1], [1 << 40, 1 << 40]] {
      var builder = GraphBuilder()
      let x = try builder.addInput("x", TensorType(.float32, shape))
      let graph = try builder.finish(outputs: [Port(name: "y", value: x)])
      let error = #expect(throws: WeighbridgeError.self) { _ = try graph.generatedInputs(.ones) }
      #expect(error?.code == .limitExceeded, "\(shape)")
    }
  }
}
