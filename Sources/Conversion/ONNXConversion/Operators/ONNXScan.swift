import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// A loop over the steps of a sequence, with states that are passed from step to step.
struct ONNXScan {
  /// The operator that the loop computes, in the file's order of axes.
  let operation: any CatalogOperator
  let recurrence: Recurrence
  /// `[batch, time, ...]`
  let sequence: String
  let sequenceType: TensorType
  /// `[batch, time]`, if there is one.
  let mask: String?
  /// The initial states; empty if they are 0.
  let states: [String]
  let stateCount: Int
  let stateType: TensorType
}

extension ONNXGraphBuilder {
  /// Adds one step: takes its element of the sequence and the previous states, and returns the new
  /// states.
  typealias Step =
    (inout ONNXGraphBuilder, ExportOperand, [ExportOperand]) throws(WeighbridgeError) ->
    [ExportOperand]

  /// Adds a loop.
  ///
  /// - Returns: The output, then the final states.
  mutating func add(
    _ scan: ONNXScan, _ step: Step
  ) throws(WeighbridgeError) -> [String] {
    // The output is the first state, unless a mask changes it.
    let carriesOutput = [.previous, .zero].contains(scan.recurrence.mask)
    var initialStates = scan.states
    if initialStates.isEmpty || carriesOutput {
      let zero = try zeros(scan.stateType, like: scan.sequence)
      if initialStates.isEmpty { initialStates = .init(repeating: zero, count: scan.stateCount) }
      if carriesOutput { initialStates.append(zero) }
    }
    let body = try body(of: scan, carriedCount: initialStates.count, step)
    let (type, loopType) = (scan.stateType.elementType, try loopType(scan.stateType.elementType))
    var sequence = scan.sequence
    if type != loopType {
      initialStates = initialStates.map { cast($0, to: loopType) }
      sequence = cast(sequence, to: loopType)
    }
    let scanned = [sequence] + (scan.mask.map { [$0] } ?? [])
    let direction = scan.recurrence.isReversed ? 1 : 0
    let returnsSequences = scan.recurrence.returnsSequences
    var attributes: [(name: String, value: ONNXAttribute)] = [
      ("body", .graph(body)), ("num_scan_inputs", .integer(scanned.count)),
      ("scan_input_axes", .integers(scanned.map { _ in 1 })),
      ("scan_input_directions", .integers(scanned.map { _ in direction })),
    ]
    if returnsSequences {
      attributes += [
        ("scan_output_axes", .integers([1])),
        ("scan_output_directions", .integers([direction])),
      ]
    }
    var outputs = add(
      "Scan", initialStates + scanned, attributes: attributes,
      outputCount: initialStates.count + (returnsSequences ? 1 : 0))
    if type != loopType { outputs = outputs.map { cast($0, to: type) } }
    let last = carriesOutput ? outputs[scan.stateCount] : outputs[0]
    return [returnsSequences ? outputs[initialStates.count] : last] + outputs[..<scan.stateCount]
  }

  /// Adds zeros of a type; an unknown batch size is taken from another value.
  private mutating func zeros(
    _ type: TensorType, like other: String
  ) throws(WeighbridgeError) -> String {
    let inner = type.shape.dropFirst().compactMap(\.value)
    guard inner.count == type.rank - 1 else {
      throw .unsupported(
        "has states of unknown size (\(type)), and only known sizes can be written")
    }
    let batch = type.shape[0].value.map { integers([$0]) } ?? dimensions(other, 0..<1)
    return add("Expand", [number(0), concatenate([batch, integers(inner)], axis: 0)])
  }

  private mutating func body(
    of scan: ONNXScan, carriedCount: Int, _ step: Step
  ) throws(WeighbridgeError) -> ONNXGraph {
    let states = (0..<carriedCount).map { unusedName("\(scan.sequence)/state_\($0)") }
    let frame = unusedName("\(scan.sequence)/step")
    let isUnmasked = scan.mask.map { unusedName("\($0)/step") }
    var frameType = scan.sequenceType
    frameType.shape.remove(at: 1)
    let (type, loopType) = (scan.stateType.elementType, try loopType(scan.stateType.elementType))
    for name in states + [frame] { types[name] = loopType }
    if let isUnmasked { types[isUnmasked] = .bool }
    let (nodes, outputs) = try body { (builder) throws(WeighbridgeError) in
      let convert = { (name: String, builder: inout ONNXGraphBuilder) in
        type == loopType ? name : builder.cast(name, to: type)
      }
      let states = states.map { convert($0, &builder) }
      let element = builder.value(convert(frame, &builder), frameType)
      let oldStates = states.prefix(scan.stateCount).map { builder.value($0, scan.stateType) }
      let newStates = try step(&builder, element, oldStates).map(\.name)
      var outputs = builder.masked(scan, states, newStates, isUnmasked)
      if type != loopType { outputs = outputs.map { builder.cast($0, to: loopType) } }
      // A body may output each value only once, and none of its inputs.
      if scan.recurrence.returnsSequences {
        let output = outputs[carriedCount > scan.stateCount ? carriedCount - 1 : 0]
        outputs.append(builder.add("Identity", [output]))
      }
      return outputs
    }
    let state = ONNXFeature.dimensions(scan.stateType)
    var inputs = states.map { ONNXFeature(name: $0, elementType: loopType, shape: state) }
    inputs.append(
      ONNXFeature(name: frame, elementType: loopType, shape: ONNXFeature.dimensions(frameType)))
    if let isUnmasked {
      inputs.append(
        ONNXFeature(
          name: isUnmasked, elementType: .bool,
          shape: ONNXFeature.dimensions(scan.sequenceType).prefix(1).map { $0 }))
    }
    return ONNXGraph(
      name: "\(scan.sequence)/body", summary: OperationRecord(scan.operation).text, nodes: nodes,
      inputs: inputs,
      outputs: outputs.map { ONNXFeature(name: $0, elementType: loopType, shape: state) })
  }

  /// Adds the states and, if it is carried, the output after a step that a mask may skip.
  private mutating func masked(
    _ scan: ONNXScan, _ oldStates: [String], _ newStates: [String], _ mask: String?
  ) -> [String] {
    guard let mask else { return newStates }
    let isUnmasked = unsqueeze(mask, Array(1..<scan.stateType.rank))
    var result = zip(newStates, oldStates).map { select(isUnmasked, $0, $1) }
    switch scan.recurrence.mask {
    case .previous: result.append(select(isUnmasked, newStates[0], oldStates[scan.stateCount]))
    case .zero: result.append(select(isUnmasked, newStates[0], number(0)))
    case .state, .none: break
    }
    return result
  }

  /// Adds a recurrent convolution as a loop.
  mutating func convLSTM(
    _ operation: ConvLSTM
  ) throws(WeighbridgeError) -> [String] {
    let stateCount = scope.outputTypes.count - 1
    let positions = RecurrentInputs(
      Array(operands.indices), operation.recurrence, stateCount: stateCount)
    let rank = type().rank - 1
    let order = operation.layout.axesToChannelsFirst(rank: rank)
    let inverseOrder = operation.layout.axesFromChannelsFirst(rank: rank)
    let withTime = { (axes: [Int]) in [0, 1] + axes.dropFirst().map { $0 + 1 } }
    let sequence = transpose(input(), withTime(order))
    var stateType = scope.outputTypes[1]
    stateType.shape = order.map { stateType.shape[$0] }
    var sequenceType = type()
    sequenceType.shape = withTime(order).map { sequenceType.shape[$0] }
    let converted = ConvLSTM(
      window: operation.window, layout: .channelsFirst, recurrence: operation.recurrence,
      hasBias: operation.hasBias, activation: operation.activation,
      recurrentActivation: operation.recurrentActivation)
    let scan = ONNXScan(
      operation: converted, recurrence: operation.recurrence, sequence: sequence,
      sequenceType: sequenceType,
      mask: positions.mask.map { input($0) },
      states: positions.states.map { transpose(input($0), order) },
      stateCount: stateCount, stateType: stateType)
    let weights = positions.weights.map { operands[$0] }
    let results = try add(scan) { (builder, frame, states) throws(WeighbridgeError) in
      try builder.step(converted, frame, states, weights: weights)
    }
    let output = transpose(
      results[0], operation.recurrence.returnsSequences ? withTime(inverseOrder) : inverseOrder)
    return [output] + results.dropFirst().map { transpose($0, inverseOrder) }
  }
}

extension ONNXFeature {
  /// Returns the axes of a type as the file states them.
  static func dimensions(_ type: TensorType) -> [Dimension] {
    type.shape.map { dimension in
      switch dimension {
      case .fixed(let value): .fixed(value)
      case .symbolic(let name): .named(name)
      case .unknown: .unknown
      }
    }
  }
}

extension ONNXLayer {
  /// Reads a loop over the steps of sequences: as a recurrent operator if it represents one, unrolled, with one
  /// body for each step, if there are few, otherwise with its body as a subgraph.
  mutating func scan() throws(WeighbridgeError) -> [ONNXValue] {
    let body = try body("body")
    let scanCount = try integer("num_scan_inputs", default: 0)
    if opset < 9 { return try batchedScan(body, scanCount) }
    let values = try allInputs()
    guard scanCount >= 1, scanCount <= values.count, body.inputs.count == values.count
    else {
      throw unsupported(
        "scans \(scanCount) sequences with a body of \(body.inputs.count.counted("input")), and "
          + "a body takes every state and one step of each sequence")
    }
    if let outputs = try recurrence(body, values) { return outputs }
    let stateCount = values.count - scanCount
    guard body.outputs.count >= stateCount else {
      throw malformed(
        "has a body that gives \(body.outputs.count.counted("value")), and there are "
          + "\(stateCount.counted("state"))")
    }
    let axes = try integers("scan_input_axes") ?? Array(repeating: 0, count: scanCount)
    let directions = try integers("scan_input_directions") ?? Array(repeating: 0, count: scanCount)
    let outputCount = body.outputs.count - stateCount
    let outputAxes = try integers("scan_output_axes") ?? Array(repeating: 0, count: outputCount)
    let outputDirections =
      try integers("scan_output_directions") ?? Array(repeating: 0, count: outputCount)
    guard axes.count == scanCount, directions.count == scanCount,
      outputAxes.count == outputCount, outputDirections.count == outputCount
    else {
      throw malformed(
        "has as many axes or directions as neither its sequences nor its lists, expected one for each"
      )
    }
    let (initialStates, sequences) = (
      Array(values[..<stateCount]), Array(values[stateCount...])
    )
    let count = try stepCount(sequences, axes)
    guard let count, count <= Self.maximumStepCount, network.mayUnroll else {
      var outputs = try loop(
        body, initialStates, sequences,
        try axes.enumerated().map { (index, axis) throws(WeighbridgeError) in
          try self.axis(axis, rank: type(sequences[index]).rank)
        }, directions)
      for index in 0..<outputCount {
        outputs[stateCount + index] = try list(
          outputs[stateCount + index], axis: outputAxes[index],
          isReversed: outputDirections[index] != 0, "output_\(index)")
      }
      return outputs
    }
    var (states, results) = try steps(
      of: body, states: initialStates, sequences: sequences, axes: axes, directions: directions,
      narrowTypes: node.inputs.indices.map(narrowType))
    for (index, values) in results.enumerated() {
      let ordered = outputDirections[index] == 0 ? values : values.reversed()
      states.append(try stacked(ordered, outputAxes[index], "output_\(index)"))
    }
    outputNarrowTypes = bodyNarrowTypes
    return states
  }

  /// Adds a loop over the steps of sequences whose body is a subgraph; returns the last states, and the lists of
  /// outputs along the first axis.
  private mutating func loop(
    _ body: ONNXGraph, _ states: [ONNXValue], _ sequences: [ONNXValue], _ axes: [Int],
    _ directions: [Int]
  ) throws(WeighbridgeError) -> [ONNXValue] {
    guard node.inputs.indices.allSatisfy({ narrowType($0) == nil }) else {
      throw unsupported(
        "scans elements of less than 8 bits over a number of steps that is known only when the model runs, "
          + "and a constant number is expected")
    }
    // Of sequences that differ in length, the shorter one has no element for the last step, which is an error.
    var lengths: [ONNXValue] = []
    for (index, sequence) in sequences.enumerated() {
      let shape = try apply(Shape(elementType: .int64), to: sequence, role: "shape_\(index)")
      lengths.append(
        try apply(
          Gather(axis: 0), to: shape,
          newConstant(Tensor(.int64, shape: [], [Double(axes[index])]), "axis_\(index)"),
          role: "length_\(index)"))
    }
    let count = lengths.count == 1 ? lengths[0] : try apply(Maximum(), lengths, role: "steps")[0]
    let outputs = try loop(
      count, newConstant(Tensor(.bool, shape: [], [1]), "condition"), states,
      reading: body.namesFromOutside, sequences + [count]
    ) { (layer, step, states, values) throws(WeighbridgeError) in
      let last = try layer.apply(
        Subtract(), to: values[sequences.count],
        layer.newConstant(Tensor(.int64, shape: [], [1]), "one"), role: "last")
      let back = try layer.apply(Subtract(), to: last, step, role: "back")
      var elements: [ONNXValue] = []
      for (index, sequence) in values[..<sequences.count].enumerated() {
        elements.append(
          try layer.apply(
            Gather(axis: axes[index]), to: sequence, directions[index] == 0 ? step : back,
            role: "input_\(index)"))
      }
      let outputs = try layer.run(body, states + elements, "body")
      return [layer.newConstant(Tensor(.bool, shape: [], [1]), "next_condition")] + outputs
    }
    guard bodyNarrowTypes.allSatisfy({ $0 == nil }) else {
      throw unsupported(
        "gives elements of less than 8 bits for a number of steps that is known only when the model runs, "
          + "and a constant number is expected")
    }
    return outputs
  }

  /// Moves the first axis of a list of outputs, whose order may be reversed, to its place.
  private mutating func list(
    _ value: ONNXValue, axis: Int, isReversed: Bool, _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let rank = type(value).rank
    let axis = try self.axis(axis, rank: rank)
    let ordered =
      isReversed ? try apply(Reverse(axes: [0]), to: value, role: "\(role)/reversed") : value
    let order = Array(1..<rank)
    return try transposed(
      ordered, Array(order[..<axis]) + [0] + Array(order[axis...]), role: "\(role)/ordered")
  }

  /// Reads a loop of opset 8, whose states and sequences have the batch as first and the time as second axis,
  /// and which is unrolled for each element of the batch.
  private mutating func batchedScan(
    _ body: ONNXGraph, _ scanCount: Int
  ) throws(WeighbridgeError) -> [ONNXValue] {
    guard try optional(0) == nil else {
      throw unsupported("gives the lengths of its sequences, and only whole ones can be read")
    }
    var values: [ONNXValue] = []
    for position in node.inputs.indices.dropFirst() { values.append(try input(position)) }
    let stateCount = values.count - scanCount
    let directions = try integers("directions") ?? Array(repeating: 0, count: scanCount)
    guard scanCount >= 1, stateCount >= 0, body.inputs.count == values.count,
      body.outputs.count >= stateCount, directions.count == scanCount,
      let batch = type(values[stateCount]).shape.first?.value, batch >= 1,
      values.allSatisfy({ type($0).shape.first?.value == batch })
    else {
      throw unsupported(
        "scans \(scanCount) of the sequences and states \(values.map { type($0) }) with a body of "
          + "\(body.inputs.count.counted("input")), expected a known number of examples first, and a body that takes "
          + "every state and one step of each sequence")
    }
    _ = try checkedSteps(batch)
    var results = [[ONNXValue]](repeating: [], count: body.outputs.count)
    for example in 0..<batch {
      let role = "example_\(example)"
      var parts: [ONNXValue] = []
      for (index, value) in values.enumerated() {
        parts.append(try element(value, example, 0, "\(role)/input_\(index)"))
      }
      let (states, lists) = try steps(
        of: body, states: Array(parts[..<stateCount]), sequences: Array(parts[stateCount...]),
        axes: directions.map { _ in 0 }, directions: directions,
        narrowTypes: node.inputs.indices.dropFirst().map(narrowType), prefix: "\(role)/")
      var outputs = states
      for (index, list) in lists.enumerated() {
        outputs.append(try stacked(list, 0, "\(role)/output_\(index)"))
      }
      for (index, output) in outputs.enumerated() { results[index].append(output) }
    }
    var outputs: [ONNXValue] = []
    for (index, list) in results.enumerated() {
      outputs.append(try stacked(list, 0, "output_\(index)"))
    }
    outputNarrowTypes = bodyNarrowTypes
    return outputs
  }

  /// Runs a body once for each step of its sequences.
  ///
  /// - Parameters:
  ///   - narrowTypes: The types of the states and sequences that have less than 8 bits.
  ///   - prefix: The start of the steps' names.
  /// - Returns: The last states, and the elements of each list of outputs, in the order of the steps.
  private mutating func steps(
    of body: ONNXGraph, states: [ONNXValue], sequences: [ONNXValue], axes: [Int], directions: [Int],
    narrowTypes: [ONNXNarrowType?], prefix: String = ""
  ) throws(WeighbridgeError) -> (states: [ONNXValue], results: [[ONNXValue]]) {
    let stateCount = states.count
    guard let steps = try stepCount(sequences, axes) else {
      throw unsupported(
        "loops over a number of steps that is known only when the model runs, and only "
          + "a constant number can be read")
    }
    _ = try checkedSteps(steps)
    var states = states
    var results = [[ONNXValue]](repeating: [], count: body.outputs.count - stateCount)
    var narrowTypes = narrowTypes
    for step in 0..<steps {
      var inputs = states
      for (index, sequence) in sequences.enumerated() {
        let time = directions[index] == 0 ? step : steps - 1 - step
        inputs.append(
          try element(sequence, time, axes[index], "\(prefix)step_\(step)/input_\(index)"))
      }
      let outputs = try run(body, inputs, "\(prefix)step_\(step)", narrowTypes: narrowTypes)
      narrowTypes.replaceSubrange(..<stateCount, with: bodyNarrowTypes[..<stateCount])
      states = Array(outputs[..<stateCount])
      for (index, output) in outputs[stateCount...].enumerated() { results[index].append(output) }
    }
    return (states, results)
  }

  /// Returns the number of steps of sequences; `nil` if it is known only when the model runs.
  private func stepCount(
    _ sequences: [ONNXValue], _ axes: [Int]
  ) throws(WeighbridgeError) -> Int? {
    var counts: Set<Int?> = []
    for (sequence, axis) in zip(sequences, axes) {
      let type = type(sequence)
      counts.insert(type.shape[try self.axis(axis, rank: type.rank)].value)
    }
    let known = counts.compactMap { $0 }
    guard known.count <= 1 else {
      throw malformed(
        "scans sequences of \(known.sorted()) steps, and all must have the same number")
    }
    return counts.contains(nil) ? nil : known.first
  }

  /// Adds one element of a sequence, without the time axis.
  private mutating func element(
    _ sequence: ONNXValue, _ time: Int, _ axis: Int, _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let axis = try self.axis(axis, rank: type(sequence).rank)
    let range = Slice.Range(axis: axis, start: time, stop: time + 1, step: 1)
    let slice = try apply(Slice([range]), to: sequence, role: role)
    return try apply(Squeeze(axes: [axis]), to: slice, role: "\(role)/squeeze")
  }

  /// Adds the outputs of all steps, stacked along a new axis.
  mutating func stacked(
    _ values: [ONNXValue], _ axis: Int, _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    guard let first = values.first else {
      throw malformed(
        "scans sequences without a step, and the lists of its outputs have a shape from one step on"
      )
    }
    let axis = try self.axis(axis, rank: type(first).rank + 1)
    var expanded: [ONNXValue] = []
    for (step, value) in values.enumerated() {
      expanded.append(
        try apply(ExpandDims(axes: [axis]), to: value, role: "\(role)/step_\(step)"))
    }
    return expanded.count == 1
      ? expanded[0] : try apply(Concatenate(axis: axis), expanded, role: role)[0]
  }
}
