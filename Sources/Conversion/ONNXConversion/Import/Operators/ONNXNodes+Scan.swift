import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

extension ONNXLayer {
  /// A loop over the steps of sequences: the recurrent operator that it is, or one body for each
  /// step.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the number of steps is known only when the
  ///   model runs.
  mutating func scan() throws(WeighbridgeError) -> [ONNXValue] {
    let body = try body("body")
    let scanned = try integer("num_scan_inputs", default: 0)
    let values = try allInputs()
    guard opset >= 9, scanned >= 1, scanned <= values.count, body.inputs.count == values.count
    else {
      throw unsupported(
        "a Scan of \(scanned) sequences with \(body.inputs.count) inputs of its body")
    }
    if let outputs = try recurrence(body, values) { return outputs }
    let stateCount = values.count - scanned
    guard body.outputs.count >= stateCount else {
      throw malformed("a Scan whose body gives \(body.outputs.count) of \(stateCount) states")
    }
    let axes = try integers("scan_input_axes") ?? Array(repeating: 0, count: scanned)
    let directions = try integers("scan_input_directions") ?? Array(repeating: 0, count: scanned)
    let outputCount = body.outputs.count - stateCount
    let outputAxes = try integers("scan_output_axes") ?? Array(repeating: 0, count: outputCount)
    let outputDirections =
      try integers("scan_output_directions") ?? Array(repeating: 0, count: outputCount)
    guard axes.count == scanned, directions.count == scanned,
      outputAxes.count == outputCount, outputDirections.count == outputCount
    else { throw malformed("a Scan whose settings do not fit its body") }
    let sequences = Array(values[stateCount...])
    let steps = try stepCount(sequences, axes)
    var states = Array(values[..<stateCount])
    var results = [[ONNXValue]](repeating: [], count: outputCount)
    for step in 0..<steps {
      var inputs = states
      for (index, sequence) in sequences.enumerated() {
        let place = directions[index] == 0 ? step : steps - 1 - step
        inputs.append(try part(sequence, place, axes[index], "step_\(step)/input_\(index)"))
      }
      let outputs = try run(body, inputs, "step_\(step)")
      states = Array(outputs[..<stateCount])
      for (index, output) in outputs[stateCount...].enumerated() { results[index].append(output) }
    }
    for (index, parts) in results.enumerated() {
      let ordered = outputDirections[index] == 0 ? parts : parts.reversed()
      states.append(try stacked(ordered, outputAxes[index], "output_\(index)"))
    }
    return states
  }

  private func stepCount(
    _ sequences: [ONNXValue], _ axes: [Int]
  ) throws(WeighbridgeError) -> Int {
    var counts: Set<Int> = []
    for (sequence, axis) in zip(sequences, axes) {
      let type = type(sequence)
      let place = try self.axis(axis, rank: type.rank)
      guard let count = type.shape[place].value else {
        throw unsupported("a loop over a number of steps that is known only when the model runs")
      }
      counts.insert(count)
    }
    guard let count = counts.first, counts.count == 1 else {
      throw malformed("sequences of \(counts.sorted()) steps")
    }
    return try checkedSteps(count)
  }

  private mutating func part(
    _ sequence: ONNXValue, _ place: Int, _ axis: Int, _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let axis = try self.axis(axis, rank: type(sequence).rank)
    let range = Slice.Range(axis: axis, start: place, stop: place + 1, step: 1)
    let slice = try apply(Slice([range]), to: sequence, role: role)
    return try apply(Squeeze(axes: [axis]), to: slice, role: "\(role)/squeeze")
  }

  /// What each step gave, along a new axis.
  mutating func stacked(
    _ parts: [ONNXValue], _ axis: Int, _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    guard let first = parts.first else { throw malformed("a loop without steps") }
    let axis = try self.axis(axis, rank: type(first).rank + 1)
    var expanded: [ONNXValue] = []
    for (step, part) in parts.enumerated() {
      expanded.append(
        try apply(ExpandDims(axes: [axis]), to: part, role: "\(role)/step_\(step)"))
    }
    return expanded.count == 1
      ? expanded[0] : try apply(Concatenate(axis: axis), expanded, role: role)[0]
  }
}
