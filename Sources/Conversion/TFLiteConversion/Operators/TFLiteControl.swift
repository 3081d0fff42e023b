import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Loops and branches that only a run decides.
enum TFLiteControl {
  static let rows: [TFLiteRow] = [
    TFLiteRow(outputsOf: Conditional.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.branches(operation)
    },
    TFLiteRow(outputsOf: Loop.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.loop(operation)
    },
  ]
}

extension TFLiteBuilder {
  /// Builds a graph that takes values; constants among them are its own.
  private func graph(
    _ role: String, _ values: [ExportOperand],
    _ build: (inout TFLiteBuilder, [ExportOperand]) throws(WeighbridgeError) -> [ExportOperand]
  ) throws(WeighbridgeError) -> TFLiteSubgraph {
    var builder = TFLiteBuilder(reserved: [], replacedTypes: replacedTypes)
    builder.scope = scope
    builder.scope.prefix += "/\(role)"
    let inputs = values.map { value in
      value.constant == nil
        ? builder.addInput(builder.unusedName("\(builder.scope.prefix)/input"), value.type) : value
    }
    let outputs = try build(&builder, inputs)
    return TFLiteSubgraph(
      builder.scope.prefix, builder,
      inputs: inputs.filter { $0.constant == nil }.map(\.name), outputs: outputs.map(\.name))
  }

  /// Values of which each is given by an operator of its own.
  private mutating func copied(
    _ values: [ExportOperand]
  ) throws(WeighbridgeError) -> [ExportOperand] {
    try values.map { (value) throws(WeighbridgeError) in
      try cast(value, to: value.type.elementType)
    }
  }

  fileprivate mutating func branches(
    _ operation: Conditional
  ) throws(WeighbridgeError) -> [String] {
    let captured = Array(operands.dropFirst())
    let graphs = try zip(["then", "else"], operation.subgraphs).map {
      (role, subgraph) throws(WeighbridgeError) in
      try graph(role, captured) { (builder, inputs) throws(WeighbridgeError) in
        try builder.copied(try builder.emit(subgraph, inputs: inputs))
      }
    }
    return try add(
      .ifElse, [operands[0]] + captured.filter { $0.constant == nil }, subgraphs: graphs,
      types: scope.outputTypes
    ).map(\.name)
  }

  /// Writes a loop. What is collected is a state that becomes longer with each step. It begins with zeros, which
  /// are left out in the end: LiteRT's loops stop at a state without elements.
  fileprivate mutating func loop(_ loop: Loop) throws(WeighbridgeError) -> [String] {
    let (stateCount, types) = (loop.stateCount, scope.outputTypes)
    let captured = Array(operands[(2 + stateCount)...])
    var start = Array(operands[2..<2 + stateCount])
    for state in start where state.type.shape.contains(0) {
      throw .unsupported(
        "begins with a state \(state.type), and LiteRT's loops stop at one without elements")
    }
    for type in types[stateCount...] { start.append(try zeros(before: type)) }
    start += [operands[1], .constant(Tensor(.int64, shape: [], [0]))]
    // What a step gets: values that change, which have the types of the results, and others.
    let changing = zip(start, types + start.suffix(2).map(\.type)).map {
      ExportOperand(name: $0.name, type: $1, constant: nil)
    }
    // A loop that takes more steps is an error.
    let isLimited =
      operands[0].constant.map { $0.wrappedIntegers[0] <= Loop.maximumStepCount } ?? true
    let others = (isLimited ? [operands[0]] : []) + captured
    let condition = try graph("condition", changing + others) {
      (builder, inputs) throws(WeighbridgeError) in
      let (isRunning, step) = (inputs[types.count], inputs[types.count + 1])
      guard isLimited else { return try builder.copied([isRunning]) }
      let isWithin = try builder.binary(.less, step, inputs[types.count + 2], as: .bool)
      return [try builder.binary(.logicalAnd, isRunning, isWithin)]
    }
    let body = try graph("body", changing + others) { (builder, inputs) throws(WeighbridgeError) in
      let step = inputs[types.count + 1]
      let outputs = try builder.emit(
        loop.body,
        inputs: [step] + inputs[..<stateCount] + inputs.suffix(captured.count))
      var next = try builder.copied(Array(outputs[1..<1 + stateCount]))
      for (list, value) in zip(inputs[stateCount..<types.count], outputs[(1 + stateCount)...]) {
        next.append(
          try builder.concatenated(
            [list, try builder.expanded(value, 0)], axis: 0, as: list.type))
      }
      next += try builder.copied([outputs[0]])
      let one = ExportOperand.constant(Tensor(.int64, shape: [], [1]))
      next.append(try builder.binary(.add, step, one))
      return next + inputs[(types.count + 2)...].filter { $0.constant == nil }
    }
    let values = start + others.filter { $0.constant == nil }
    let end = try add(
      .whileLoop, values, subgraphs: [condition, body],
      types: changing.map(\.type) + values[changing.count...].map(\.type))
    var outputs = Array(end[..<stateCount])
    for list in end[stateCount..<types.count] {
      let rest = Slice.Range(axis: 0, start: 1, stop: .max, step: 1)
      outputs.append(try sliced(list, [rest], as: list.type))
    }
    return outputs.map(\.name)
  }

  /// Zeros that stand before the first of the values of a type that are collected. Sizes that are not known are those
  /// of the same name that an operand has.
  private mutating func zeros(
    before type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand {
    var sources: [Int: (value: ExportOperand, axis: Int)] = [:]
    for (axis, size) in type.shape.enumerated().dropFirst() where size.value == nil {
      guard let source = self.axis(ofSize: size) else {
        throw .unsupported(
          "collects values along \(type), and TFLite needs to know the sizes after the first; fixed input "
            + "shapes may determine them (\(APIName.inputShapes))")
      }
      sources[axis] = source
    }
    let first = type.with(shape: [1] + type.shape.dropFirst())
    return try add(
      .fill, try shape(first.shape, from: sources), scalar(0, type.elementType), as: first)
  }
}
