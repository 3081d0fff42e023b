import Bytes
import GraphIR
import KerasFormat
import LayerCatalog

/// Einstein summation of any number of tensors.
extension KerasFunctionTable {
  static let summations: [Entry] = [
    Entry(["Einsum"], tf: ["raw_ops.Einsum"]) { (call) throws(WeighbridgeError) in
      let key = if case .operation = call.name { "subscripts" } else { "equation" }
      guard let subscripts = try call.string(key) else { throw call.missing(key) }
      var terms: [KerasFunction.Term] = []
      for operand in call.takeRest(from: 0) { terms.append(try call.term(operand)) }
      let isExact = terms.allSatisfy { call.has($0, .int8) }
      var values = try call.unified(terms, sharesRank: false)
      guard let first = values.first else { throw call.missing("the tensors") }
      let sum = try Summation(subscripts, ranks: values.map { call.type(of: $0).rank })
      let type = call.type(of: first).elementType
      let isJAX = call.layer.writer.isJAX
      if type.isFloat || isJAX && type.isInteger && !isExact { return try call.add(sum, values) }
      // On TensorFlow, Keras adds the products of 8-bit integers exactly, and others in float32.
      for index in values.indices {
        values[index] = try call.converted(
          values[index], to: isExact ? .int32 : .float32, role: "operand_\(index)")
      }
      if isExact { return try call.add(sum, values) }
      call.resultRole = "sum"
      let result = try call.add(sum, values)
      call.resultRole = ""
      return try call.add(Cast(to: type), result)
    }
  ]
}

extension KerasFunction {
  private typealias Step = (operation: any CatalogOperator, role: String)

  /// A tensor with a letter for each axis.
  private struct Labelled {
    var value: ValueID
    var letters: [Character]
  }

  /// Adds a summation.
  mutating func add(
    _ sum: Summation, _ values: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    var operands: [Labelled] = []
    for (value, letters) in zip(values, sum.inputs) {
      operands.append(try withoutRepetition(Labelled(value: value, letters: letters)))
    }
    while operands.count > 2 {
      // The letters that the result or another tensor has.
      var needed = Set(sum.output)
      for other in operands.dropFirst(2) { needed.formUnion(other.letters) }
      let pair = Array(operands[..<2])
      var kept: [Character] = []
      for letter in pair[0].letters + pair[1].letters
      where needed.contains(letter) && !kept.contains(letter) {
        kept.append(letter)
      }
      let (product, steps) = try contracted(pair, to: kept)
      operands.replaceSubrange(
        ..<2, with: [Labelled(value: try addSteps(steps, product), letters: kept)])
    }
    let (product, steps) = try contracted(operands, to: sum.output)
    return try addChain(steps, product)
  }

  /// Replaces axes that have the same letter by their diagonal.
  private mutating func withoutRepetition(
    _ operand: Labelled
  ) throws(WeighbridgeError) -> Labelled {
    var operand = operand
    while let second = operand.letters.indices.first(where: {
      operand.letters[..<$0].contains(operand.letters[$0])
    }) {
      let letter = operand.letters[second]
      let first = operand.letters.firstIndex(of: letter) ?? 0
      guard try size(first, of: operand.value) == size(second, of: operand.value) else {
        throw .malformed("the axes \(first) and \(second) of \(type(of: operand.value)) differ")
      }
      operand.value = try diagonal(of: operand.value, axes: (first, second), offset: 0)
      operand.letters.remove(at: second)
      operand.letters.remove(at: first)
      operand.letters.append(letter)
    }
    return operand
  }

  /// Contracts one or two tensors.
  ///
  /// - Returns: A value, and the steps that give it the axes of the output.
  private mutating func contracted(
    _ operands: [Labelled], to output: [Character]
  ) throws(WeighbridgeError) -> (ValueID, [Step]) {
    var operands = operands
    for index in operands.indices {
      // Axes that no other tensor has and the output lacks.
      var others = Set(output)
      for other in operands.indices where other != index {
        others.formUnion(operands[other].letters)
      }
      let summed = Set(operands[index].letters).subtracting(others)
      let (steps, remaining) = Self.stepsToSum(summed, of: operands[index].letters)
      if operands.count == 1 {
        return (operands[0].value, steps + Self.stepsToAlign(remaining, as: output))
      }
      operands[index] = Labelled(
        value: try addSteps(steps, operands[index].value), letters: remaining)
    }
    let common = operands[0].letters.filter(operands[1].letters.contains)
    let summed = common.filter { !output.contains($0) }
    guard !summed.isEmpty, type(of: operands[0].value).elementType.isFloat else {
      // The product of both tensors, broadcast to all axes, and its sum along some of them.
      let factors = try operands.map { (operand) throws(WeighbridgeError) in
        try aligned(operand, as: output + summed)
      }
      return (
        try addOne(Multiply(), factors, role: "product"),
        Self.stepsToSum(Set(summed), of: output + summed).steps
      )
    }
    return try product(of: operands, summed, to: output)
  }

  /// Adds a matrix product. Axes that only one tensor has, but for one of rows and one of columns,
  /// are leading axes of size 1 of the other.
  private mutating func product(
    of operands: [Labelled], _ summed: [Character], to output: [Character]
  ) throws(WeighbridgeError) -> (ValueID, [Step]) {
    let (first, second) = (operands[0].letters, operands[1].letters)
    let rows = first.filter { !second.contains($0) }
    let columns = second.filter { !first.contains($0) }
    let leading = output.filter { $0 != rows.last && $0 != columns.last }
    let (row, column) = (rows.last ?? Self.unitAxis, columns.last ?? Self.unitAxis)
    let lhs = try matrix(operands[0], leading + [row] + summed, last: summed.count)
    let rhs = try matrix(operands[1], leading + summed + [column], at: leading.count, summed.count)
    return (
      try part(MatMul(transposeA: false, transposeB: false), lhs, rhs),
      Self.stepsToAlign(leading + [row, column], as: output)
    )
  }

  private mutating func matrix(
    _ operand: Labelled, _ order: [Character], last count: Int
  ) throws(WeighbridgeError) -> ValueID {
    try matrix(operand, order, at: order.count - count, count)
  }

  /// Sorts the axes of a tensor and merges some that are next to each other.
  private mutating func matrix(
    _ operand: Labelled, _ order: [Character], at first: Int, _ count: Int
  ) throws(WeighbridgeError) -> ValueID {
    let value = try aligned(operand, as: order)
    if count == 1 { return value }
    var sizes = order.indices.map { ReshapeAxes.Size.axis($0) }
    sizes.replaceSubrange(first..<first + count, with: [.rest])
    return try part(ReshapeAxes(sizes), value)
  }

  /// The letter of an axis of size 1 that is in no tensor.
  private static let unitAxis: Character = "1"

  private mutating func addSteps(
    _ steps: [Step], _ value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    var value = value
    for step in steps { value = try layer.add(step.operation, [value], role: step.role)[0] }
    return value
  }

  private mutating func aligned(
    _ operand: Labelled, as order: [Character]
  ) throws(WeighbridgeError) -> ValueID {
    try addSteps(Self.stepsToAlign(operand.letters, as: order), operand.value)
  }

  private static func stepsToSum(
    _ summed: Set<Character>, of letters: [Character]
  ) -> (steps: [Step], remaining: [Character]) {
    let axes = letters.indices.filter { summed.contains(letters[$0]) }
    if axes.isEmpty { return ([], letters) }
    let operation = Reduce(.sum, axes: axes, keepDims: false)
    return ([(operation, "sum")], letters.filter { !summed.contains($0) })
  }

  /// The steps that sort axes into an order, removing and adding axes of size 1.
  private static func stepsToAlign(_ letters: [Character], as order: [Character]) -> [Step] {
    var steps: [Step] = []
    let unitAxes = letters.indices.filter { letters[$0] == unitAxis }
    if !unitAxes.isEmpty { steps.append((Squeeze(axes: unitAxes), "squeeze")) }
    let kept = letters.filter { $0 != unitAxis }
    let axes = order.compactMap(kept.firstIndex)
    if axes != Array(kept.indices) { steps.append((Transpose(axes: axes), "transpose")) }
    let missing = order.indices.filter { !kept.contains(order[$0]) }
    if !missing.isEmpty { steps.append((ExpandDims(axes: missing), "expand_dims")) }
    return steps
  }
}
