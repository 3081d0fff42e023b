import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Recurrent operators that PyTorch lacks: a submodule with a method for one step, and a loop.
extension PyTorchBuilder {
  /// The states after a step, for its element of the sequence and the states before it.
  typealias Step = (
    inout PyTorchBuilder, ExportOperand, [ExportOperand]
  ) throws(WeighbridgeError) -> [ExportOperand]

  /// Adds the submodule, and calls it.
  ///
  /// - Parameter sequence: `[batch, time, ...]`
  mutating func looped(
    _ recurrence: Recurrence, _ sequence: ExportOperand, _ inputs: RecurrentInputs<ExportOperand>,
    stateCount: Int, _ step: Step
  ) throws(WeighbridgeError) -> [String] {
    let stateType = scope.outputTypes[1]
    let names = Array(["h", "c"].prefix(stateCount))
    var cell = PyTorchBuilder(
      trainable: trainable, replacedTypes: replacedTypes, reserved: ["mask", "x", "t"] + names)
    cell.scope = scope
    cell.scope.prefix = "cell"
    var elementType = sequence.type
    elementType.shape.remove(at: 1)
    let element = cell.addInput(elementType)
    let states = names.map { _ in cell.addInput(stateType) }
    let results = try step(&cell, element, states)
    let needed = cell.statements.needed(for: results.map(\.name), renaming: [:])
    let method = PythonMethod(
      name: "step",
      parameters: zip(["x"] + names, [element] + states).map { ($0, $1.name) },
      statements: needed, results: results.map { "\($0)" })
    adopt(cell)
    let type = PythonClass(
      name: "Recurrence", members: cell.members, methods: [method],
      otherLines: try Self.loop(recurrence, stateType, names, hasStates: !inputs.states.isEmpty))
    let module = module(type)
    let arguments = PythonExpression.list(
      ([sequence] + (inputs.mask.map { [$0] } ?? []) + inputs.states).map { "\($0)" })
    return try add(values: "\(module)(\(arguments))", isLayer: true)
  }

  /// The lines of the method that repeats the step.
  private static func loop(
    _ recurrence: Recurrence, _ state: TensorType, _ names: [String], hasStates: Bool
  ) throws(WeighbridgeError) -> [String] {
    let sizes = state.shape.dropFirst().compactMap(\.value)
    guard sizes.count == state.rank - 1 else {
      throw .unsupported("begins with states \(state), whose sizes must be known")
    }
    let hasMask = recurrence.mask != .none
    let parameters = ["x"] + (hasMask ? ["mask"] : []) + (hasStates ? names : [])
    let types = (["y"] + names).map { _ in "Tensor" }.joined(separator: ", ")
    let shape = sizes.map(String.init).joined(separator: ", ")
    let zeros = "x.new_zeros(x.shape[0], \(shape))"
    var lines = [
      "",
      "def forward(self, \(parameters.map { "\($0): Tensor" }.joined(separator: ", "))) -> "
        + "tuple[\(types)]:",
    ]
    if !hasStates { lines += names.map { "    \($0) = \(zeros)" } }
    lines.append("    y = \(hasStates ? "torch.zeros_like(h)" : zeros)")
    if let rate = recurrence.stateDropout {
      lines.append("    kept = F.dropout(torch.ones_like(h), \(rate.python), self.training)")
    }
    if recurrence.returnsSequences { lines.append("    outputs: list[Tensor] = []") }
    let steps = recurrence.isReversed ? "x.shape[1] - 1, -1, -1" : "x.shape[1]"
    lines.append("    for t in range(\(steps)):")
    let ones = sizes.map { _ in ", 1" }.joined()
    lines += step(recurrence, names, ones: ones).map { "        \($0)" }
    if recurrence.returnsSequences {
      lines.append("        outputs.append(y)")
      let order = recurrence.isReversed ? "outputs[::-1]" : "outputs"
      lines.append("    return torch.stack(\(order), 1), \(names.joined(separator: ", "))")
    } else {
      lines.append("    return y, \(names.joined(separator: ", "))")
    }
    return lines
  }

  /// The lines of one step: a masked one keeps the states.
  private static func step(
    _ recurrence: Recurrence, _ names: [String], ones: String
  ) -> [String] {
    let states = names.joined(separator: ", ")
    let isDropped = recurrence.stateDropout != nil
    let given = (isDropped ? ["h * kept"] + names.dropFirst() : names).joined(separator: ", ")
    guard recurrence.mask != .none else {
      return ["\(states) = self.step(x[:, t], \(given))", "y = h"]
    }
    let new = names.map { "new_\($0)" }
    var lines = [
      "\(new.joined(separator: ", ")) = self.step(x[:, t], \(given))",
      "keep = mask[:, t].reshape(-1\(ones))",
    ]
    let rest = ["zero": "torch.zeros_like(y)", "previous": "y"][recurrence.mask.rawValue]
    if let rest { lines.append("y = torch.where(keep, new_h, \(rest))") }
    lines += zip(names, new).map { "\($0) = torch.where(keep, \($1), \($0))" }
    if rest == nil { lines.append("y = h") }
    return lines
  }
}
