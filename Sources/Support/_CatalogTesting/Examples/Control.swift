import Bytes
import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Loops and branches, on whole numbers, which every engine computes alike.
  static let control: [OperatorExample] = loops + branches

  private static let table = TensorType(.int64, [2, 3])
  private static let number = TensorType(.int64, [Int]())

  /// A loop that ends by its condition, one that gives no states, and one whose state grows.
  private static let loops = [
    OperatorExample(
      Loop(
        body: subgraph([number, table, table, number]) {
          (builder, inputs) throws(WeighbridgeError) in
          let sum = try builder.add(Add(overflow: .wrap), [inputs[1], inputs[2]])
          let total = try builder.add(
            Reduce(.sum, axes: [0, 1], keepDims: false, overflow: .wrap), [sum])
          return [try builder.add(Comparison(.less), [total, inputs[3]]), sum, sum]
        }, stateCount: 1, capturedCount: 2),
      inputs: [scalar(7), flag(true), digits([2, 3]), digits([2, 3]), scalar(60)]),
    OperatorExample(
      Loop(
        body: subgraph([number, TensorType(.bool, [Int]())]) {
          (builder, inputs) throws(WeighbridgeError) in
          [inputs[1], try builder.add(Multiply(overflow: .wrap), [inputs[0], inputs[0]])]
        }, stateCount: 0, capturedCount: 1),
      inputs: [scalar(4), flag(true), flag(true)]),
    OperatorExample(
      Loop(
        body: subgraph([
          number, TensorType(.int64, [.unknown, 2]), TensorType(.bool, [Int]()),
          TensorType(.int64, [3, 2]),
        ]) { (builder, inputs) throws(WeighbridgeError) in
          [inputs[2], try builder.add(Concatenate(axis: 0), [inputs[1], inputs[3]])]
        }, stateCount: 1, capturedCount: 2),
      inputs: [scalar(3), flag(true), digits([1, 2]), flag(true), digits([3, 2])]),
  ]

  /// Branches whose outputs differ in size.
  private static let branches = [true, false].map { isMet in
    OperatorExample(
      Conditional(
        first: subgraph([table, TensorType(.int64, [4, 3])]) {
          (builder, inputs) throws(WeighbridgeError) in
          [try builder.add(Add(overflow: .wrap), [inputs[0], inputs[0]])]
        },
        second: subgraph([table, TensorType(.int64, [4, 3])]) {
          (builder, inputs) throws(WeighbridgeError) in [inputs[1]]
        }, capturedCount: 2),
      inputs: [flag(isMet), digits([2, 3]), digits([4, 3])])
  }

  private static func flag(_ isTrue: Bool) -> Tensor {
    Tensor(.bool, shape: [], [isTrue ? 1 : 0])
  }

  private static func scalar(_ number: Double) -> Tensor { Tensor(.int64, shape: [], [number]) }

  private static func digits(_ shape: [Int]) -> Tensor {
    Tensor(.int64, shape: shape, (0..<shape.reduce(1, *)).map { Double($0 % 7) - 2 })
  }

  /// A subgraph with inputs of some types.
  private static func subgraph(
    _ types: [TensorType],
    _ build: (inout GraphBuilder, [ValueID]) throws(WeighbridgeError) -> [ValueID]
  ) -> Subgraph {
    do throws(WeighbridgeError) {
      var builder = GraphBuilder()
      var inputs: [ValueID] = []
      for (position, type) in types.enumerated() {
        inputs.append(try builder.addInput("input_\(position)", type))
      }
      let outputs = try build(&builder, inputs)
      return try Subgraph(
        builder.finish(
          outputs: outputs.enumerated().map { Port(name: "output_\($0)", value: $1) }))
    } catch { preconditionFailure("\(error)") }
  }
}

extension GraphBuilder {
  /// Adds an operator with one output.
  fileprivate mutating func add(
    _ operation: any CatalogOperator, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> ValueID {
    try addNode(
      operation, inputs: inputs, source: SourceScope(layer: operation.kind, className: "Body"))[0]
  }
}
