import Bytes
import GraphIR
import KerasFormat
import LayerCatalog

/// Einstein summation of one or two tensors.
extension KerasFunctionTable {
  static let summations: [Entry] = [
    Entry(["Einsum"]) { (call) throws(WeighbridgeError) in
      guard let subscripts = try call.string("subscripts") else { throw call.missing("subscripts") }
      var terms: [KerasFunction.Term] = []
      for operand in call.takeRest(from: 0) { terms.append(try call.term(operand)) }
      var values = try call.unified(terms, sharesRank: false)
      let sum = try Summation(subscripts, ranks: values.map { call.type(of: $0).rank })
      let type = call.type(of: values[0]).elementType
      if type.isFloat { return try call.add(sum, values) }
      // Keras adds the products of 8-bit integers exactly, and others in float32.
      for index in values.indices {
        values[index] = try call.converted(
          values[index], to: type == .int8 ? .int32 : .float32, role: "operand_\(index)")
      }
      if type == .int8 { return try call.add(sum, values) }
      call.resultRole = "sum"
      let result = try call.add(sum, values)
      call.resultRole = ""
      return try call.add(Cast(to: type), result)
    }
  ]
}

/// The subscripts of an Einstein summation.
private struct Summation {
  let inputs: [[Character]]
  let output: [Character]

  /// Reads `ab,bc->ac`; without an arrow the output has the letters that occur once, in
  /// alphabetical order.
  init(_ text: String, ranks: [Int]) throws(WeighbridgeError) {
    let sides = text.filter { $0 != " " }.split(separator: "->", omittingEmptySubsequences: false)
    inputs = sides[0].split(separator: ",", omittingEmptySubsequences: false).map { Array($0) }
    let all = inputs.flatMap { $0 }
    let once = Set(all).filter { letter in all.count { $0 == letter } == 1 }
    output = sides.count == 2 ? Array(sides[1]) : once.sorted()
    let isPlain = (inputs + [output]).allSatisfy { letters in
      Set(letters).count == letters.count && letters.allSatisfy { $0.isASCII && $0.isLetter }
    }
    guard sides.count <= 2, isPlain, (1...2).contains(inputs.count),
      Set(output).isSubset(of: all)
    else {
      throw .unsupported(
        "subscripts=\(text); one or two tensors are supported, each of different letters")
    }
    guard inputs.map(\.count) == ranks else {
      throw .malformed("subscripts=\(text) do not fit tensors of \(ranks) axes")
    }
  }

  /// The letters of an input that occur in neither the output nor another input.
  func unsharedLetters(of input: Int) -> Set<Character> {
    var others = Set(output)
    for other in inputs.indices where other != input { others.formUnion(inputs[other]) }
    return Set(inputs[input]).subtracting(others)
  }
}

extension KerasFunction {
  /// The letter of an axis of size 1 that is in no tensor.
  private static let unitAxis: Character = "1"

  private typealias Step = (operation: any CatalogOperator, role: String)

  fileprivate mutating func add(
    _ sum: Summation, _ values: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    if values.count == 1 {
      let (steps, remaining) = Self.stepsToSum(sum.unsharedLetters(of: 0), of: sum.inputs[0])
      return try addChain(steps + Self.stepsToAlign(remaining, as: sum.output), values[0])
    }
    var (operands, letters): ([ValueID], [[Character]]) = ([], [])
    for (index, value) in values.enumerated() {
      let (steps, remaining) = Self.stepsToSum(
        sum.unsharedLetters(of: index), of: sum.inputs[index])
      operands.append(try addSteps(steps, value))
      letters.append(remaining)
    }
    let common = letters[0].filter(letters[1].contains)
    let contracted = common.filter { !sum.output.contains($0) }
    let rows = letters[0].filter { !common.contains($0) }
    let columns = letters[1].filter { !common.contains($0) }
    guard rows.count <= 1, columns.count <= 1, contracted.count == 1 else {
      return try addBroadcastProduct(operands, letters, contracted, to: sum.output)
    }
    let batch = sum.output.filter(common.contains)
    let (row, column) = (rows.first ?? Self.unitAxis, columns.first ?? Self.unitAxis)
    let lhs = try aligned(operands[0], letters[0], as: batch + [row] + contracted)
    let rhs = try aligned(operands[1], letters[1], as: batch + contracted + [column])
    return try add(
      MatMul(transposeA: false, transposeB: false), [lhs, rhs],
      then: Self.stepsToAlign(batch + [row, column], as: sum.output))
  }

  /// Adds the product of both tensors, broadcast to all axes, and its sum along some of them.
  private mutating func addBroadcastProduct(
    _ values: [ValueID], _ letters: [[Character]], _ contracted: [Character],
    to output: [Character]
  ) throws(WeighbridgeError) -> [ValueID] {
    let factors = try zip(values, letters).map { (value, letters) throws(WeighbridgeError) in
      try aligned(value, letters, as: output + contracted)
    }
    return try add(
      Multiply(), factors,
      then: Self.stepsToSum(Set(contracted), of: output + contracted).steps)
  }

  /// Adds an operator and the steps after it.
  private mutating func add(
    _ operation: some CatalogOperator, _ values: [ValueID], then steps: [Step]
  ) throws(WeighbridgeError) -> [ValueID] {
    if steps.isEmpty { return try add(operation, values) }
    return try addChain(steps, try addOne(operation, values, role: "product"))
  }

  private mutating func addSteps(
    _ steps: [Step], _ value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    var value = value
    for step in steps { value = try layer.add(step.operation, [value], role: step.role)[0] }
    return value
  }

  private mutating func aligned(
    _ value: ValueID, _ letters: [Character], as order: [Character]
  ) throws(WeighbridgeError) -> ValueID {
    try addSteps(Self.stepsToAlign(letters, as: order), value)
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
