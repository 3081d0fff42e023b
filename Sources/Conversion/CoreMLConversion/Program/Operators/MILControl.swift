import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Loops and branches that only a run decides. Their blocks compute in float32.
enum MILControl {
  static let rows: [MILRow] = [
    MILRow(outputsOf: Conditional.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.inFloat32 { (builder) throws(WeighbridgeError) in
        try builder.branches(operation)
      }
    },
    MILRow(outputsOf: Loop.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.inFloat32 { (builder) throws(WeighbridgeError) in try builder.loop(operation) }
    },
  ]
}

extension MILBuilder {
  /// Values of which each is given by an operation of its own.
  private mutating func copied(
    _ values: [ExportOperand]
  ) throws(WeighbridgeError) -> [ExportOperand] {
    try values.map { (value) throws(WeighbridgeError) in try unary("identity", value) }
  }

  fileprivate mutating func branches(
    _ operation: Conditional
  ) throws(WeighbridgeError) -> [String] {
    let (condition, captured) = (self[0], Array(operands.dropFirst()))
    var types: [[TensorType]] = []
    let blocks = try operation.subgraphs.map { (subgraph) throws(WeighbridgeError) in
      try block([]) { (builder, _) throws(WeighbridgeError) in
        let outputs = try builder.emit(subgraph, inputs: captured)
        types.append(outputs.map(\.type))
        return try builder.copied(outputs)
      }
    }
    for (one, other) in zip(types[0], types[1])
    where zip(one.shape, other.shape).contains(where: {
      $0.value != nil && $1.value != nil && $0 != $1
    }) {
      throw .unsupported(
        "gives \(one) or \(other), and both branches of Core ML's cond give the same sizes")
    }
    return try add(
      "cond", ["pred": .value(condition)], blocks: blocks, types: scope.outputTypes
    ).map(\.name)
  }

  /// Writes a loop. What is collected is written to lists.
  fileprivate mutating func loop(_ loop: Loop) throws(WeighbridgeError) -> [String] {
    let (stateCount, types) = (loop.stateCount, scope.outputTypes)
    let captured = Array(operands[(2 + stateCount)...])
    let maximum = self[0]
    var start = [self[1], ExportOperand.constant(Tensor(.int64, shape: [], [0]))]
    start += operands[2..<2 + stateCount]
    let elements = try types[stateCount...].map { (type) throws(WeighbridgeError) in
      try element(type)
    }
    for element in elements { start.append(try list(element)) }
    let counters = start[..<2].map(\.type)
    let changing: [TensorType] = counters + Array(types[..<stateCount]) + elements
    let isLimited = maximum.constant.map { $0.wrappedIntegers[0] <= Loop.maximumStepCount } ?? true
    let firstList = 2 + stateCount
    func markLists(_ values: [ExportOperand], _ builder: inout MILBuilder) {
      for (list, element) in zip(values[firstList...], elements) {
        builder.setList(list, of: element)
      }
    }
    let condition = try block(changing) { (builder, inputs) throws(WeighbridgeError) in
      markLists(inputs, &builder)
      guard isLimited else { return try builder.copied([inputs[0]]) }
      let isWithin = try builder.binary("less", inputs[1], maximum, as: .bool)
      return [try builder.binary("logical_and", inputs[0], isWithin)]
    }
    let body = try block(changing) { (builder, inputs) throws(WeighbridgeError) in
      markLists(inputs, &builder)
      let outputs = try builder.emit(
        loop.body, inputs: [inputs[1]] + inputs[2..<firstList] + captured)
      let one = ExportOperand.constant(Tensor(.int64, shape: [], [1]))
      var next = try builder.copied([outputs[0]])
      next.append(try builder.binary("add", inputs[1], one))
      next += try builder.copied(Array(outputs[1..<1 + stateCount]))
      for (position, element) in elements.enumerated() {
        var value = outputs[1 + stateCount + position]
        if value.type.rank == 0 { value = try builder.expanded(value, [0]) }
        let list = try builder.add(
          "list_write",
          [
            "ls": .value(inputs[firstList + position]), "index": .value(inputs[1]),
            "value": .value(value),
          ], as: element)
        builder.setList(list, of: element)
        next.append(list)
      }
      return next
    }
    let results = try add(
      "while_loop", ["loop_vars": .values(start)], blocks: [condition, body], types: changing)
    markLists(results, &self)
    var outputs = results[2..<firstList].map(\.name)
    for (position, list) in results[firstList...].enumerated() {
      let steps = TensorType(.int32, [.unknown])
      let places = try add(
        "range_1d", ["start": 0, "end": .value(results[1]), "step": 1], as: steps)
      let type = elements[position].with(shape: [.unknown] + elements[position].shape)
      let values = try add(
        "list_gather", ["ls": .value(list), "indices": .value(places)], as: type)
      outputs.append(
        (types[stateCount + position].rank == 1 ? try squeezed(values, [1]) : values).name)
    }
    return outputs
  }

  /// The type of what a loop collects in each step: as a vector where it has no axes.
  private func element(_ type: TensorType) throws(WeighbridgeError) -> TensorType {
    let sizes = type.shape.dropFirst().compactMap(\.value)
    guard sizes.count == type.rank - 1 else {
      throw .unsupported(
        "collects values along \(type), and Core ML needs to know the sizes after the first; fixed input "
          + "shapes may determine them (\(APIName.inputShapes))")
    }
    return type.with(shape: sizes.isEmpty ? [1] : Array(type.shape.dropFirst()))
  }

  /// Adds an empty list of elements of a type.
  private mutating func list(_ element: TensorType) throws(WeighbridgeError) -> ExportOperand {
    let sizes = element.shape.compactMap(\.value).map {
      ExportOperand.constant(Tensor(.int32, shape: [], [Double($0)]))
    }
    let list = try add(
      "make_list",
      [
        "init_length": 1, "dynamic_length": true, "elem_shape": .values(sizes),
        "dtype": .text(fileType(element.elementType).milName),
      ], as: element)
    setList(list, of: element)
    return list
  }
}
