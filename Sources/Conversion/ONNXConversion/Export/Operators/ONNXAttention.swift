import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Means weighted by how well queries and keys match.
enum ONNXAttention {
  static let rows: [ONNXRow] = [
    ONNXRow(outputsOf: DotProductAttention.self) {
      (operation, builder) throws(WeighbridgeError) in
      try builder.dotProductAttention(operation)
    },
    ONNXRow(outputsOf: Attention.self) { (operation, builder) throws(WeighbridgeError) in
      builder.attention(operation) { builder in
        let weights = operation.masking.hasMask ? 4 : 3
        if operation.score == .dot {
          let keys = builder.transpose(builder.input(2), [0, 2, 1])
          let products = builder.add("MatMul", [builder.input(0), keys])
          guard operation.hasScale else { return products }
          return builder.add("Mul", [products, builder.input(weights)])
        }
        var sum = builder.pairSums()
        if operation.hasScale { sum = builder.add("Mul", [sum, builder.input(weights)]) }
        let total = builder.reduce("ReduceSum", builder.add("Tanh", [sum]), [3], keeps: false)
        let last = builder.operands.count - 1
        return builder.add("Mul", [total, builder.input(last)])
      }
    },
    ONNXRow(outputsOf: AdditiveAttention.self) { (operation, builder) throws(WeighbridgeError) in
      builder.attention(operation) { builder in
        var bent = builder.add("Tanh", [builder.pairSums()])
        if operation.hasScale {
          bent = builder.add("Mul", [bent, builder.input(operation.masking.hasMask ? 4 : 3)])
        }
        return builder.reduce("ReduceSum", bent, [3], keeps: false)
      }
    },
  ]
}

extension ONNXGraphBuilder {
  /// The sum of each query and each key, `[batch, queries, values, features]`.
  fileprivate mutating func pairSums() -> String {
    add("Add", [unsqueeze(input(0), [2]), unsqueeze(input(2), [1])])
  }

  fileprivate mutating func attention(
    _ operation: some AttentionOperator, _ scores: (inout ONNXGraphBuilder) -> String
  ) -> [String] {
    let (query, value) = (input(0), input(1))
    let places = PlacedAxes(
      query: query, queryType: type(0), queryAxis: 1, key: value, keyType: type(1), keyAxis: 1)
    let shares = shares(
      scores(&self), operation.masking, mask: operation.masking.hasMask ? input(3) : nil, places,
      axes: [2])
    let output = add("MatMul", [shares, value])
    return operation.returnsAttentionWeights ? [output, shares] : [output]
  }

  fileprivate mutating func dotProductAttention(
    _ operation: DotProductAttention
  ) throws(WeighbridgeError) -> [String] {
    let rank = type().rank
    let inputs = [input(0), try everyHead(1), try everyHead(2)]
    var free = (UInt8(ascii: "a")...UInt8(ascii: "z")).map { Character(UnicodeScalar($0)) }[...]
    let query = (0..<rank).map { _ in free.removeFirst() }
    var key = query
    for axis in operation.axes { key[axis] = free.removeFirst() }
    var value = key
    value[rank - 1] = free.removeFirst()
    let batch = (0..<rank - 2).filter { !operation.axes.contains($0) }
    let result =
      batch.map { query[$0] } + [query[rank - 2]] + operation.axes.map { query[$0] }
      + operation.axes.map { key[$0] }
    let products = einsum([inputs[0], inputs[1]], [query, key], to: result)
    let scores = add("Mul", [products, number(operation.scale)])
    let places = PlacedAxes(
      query: inputs[0], queryType: type(0), queryAxis: operation.axes[0], key: inputs[1],
      keyType: type(1), keyAxis: operation.axes[0])
    let last = result.count - operation.axes.count..<result.count
    let shares = shares(
      scores, operation.masking, mask: operation.masking.hasMask ? input(3) : nil, places,
      axes: Array(last))
    var output = query
    output[rank - 1] = value[rank - 1]
    let means = einsum([shares, inputs[2]], [result, value], to: output)
    return operation.returnsAttentionWeights ? [means, shares] : [means]
  }

  /// A key or value with as many heads as the query, each one of its own standing for neighbours.
  private mutating func everyHead(_ position: Int) throws(WeighbridgeError) -> String {
    let axis = type().rank - 2
    let (wanted, own) = (type(0).shape[axis], type(position).shape[axis])
    guard let wanted = wanted.value, let own = own.value, own > 0 else {
      throw WeighbridgeError(.unsupported, "ONNX wants the numbers of heads known")
    }
    if wanted == own { return input(position) }
    let operand = operands[position]
    return try apply(
      Repeat(axis: axis, count: wanted / own), to: input(position), operand.type)
  }

  /// The values' weights for each query.
  ///
  /// - Parameter axes: Those of the values, at the end of the scores.
  private mutating func shares(
    _ scores: String, _ masking: AttentionMasking, mask: String?, _ places: PlacedAxes, axes: [Int]
  ) -> String {
    let rules = (mask.map { [$0] } ?? []) + near(masking, places)
    guard !rules.isEmpty else { return softmax(scores, axes) }
    var seen = chain("And", rules)
    if masking.fullyMaskedRows == .unmasked {
      let any = reduce("ReduceMax", cast(seen, to: .int32), Array(-axes.count..<0))
      seen = add("Or", [seen, add("Not", [cast(any, to: .bool)])])
    }
    // The lowest number rather than minus infinity: who sees nothing then sees all alike.
    let lowest = elementType == .float16 ? -65504 : -1e30
    let all = softmax(choose(seen, scores, number(lowest)), axes)
    return masking.fullyMaskedRows == .zero ? choose(seen, all, number(0)) : all
  }

  /// The softmax along axes.
  private mutating func softmax(_ input: String, _ axes: [Int]) -> String {
    if axes.count == 1 { return add("Softmax", [input], ["axis": .integer(axes[0])]) }
    let powers = add("Exp", [add("Sub", [input, reduce("ReduceMax", input, axes)])])
    return add("Div", [powers, reduce("ReduceSum", powers, axes)])
  }

  /// Which values lie where a query sees them, `[queries, values]`, if not all do.
  private mutating func near(_ masking: AttentionMasking, _ places: PlacedAxes) -> [String] {
    guard masking.isCausal || masking.window != nil else { return [] }
    let query = unsqueeze(range(places.query, places.queryType, axis: places.queryAxis), [1])
    let key = range(places.key, places.keyType, axis: places.keyAxis)
    var rules: [String] = []
    if masking.isCausal { rules.append(add("LessOrEqual", [key, query])) }
    if let window = masking.window {
      let distance = add("Abs", [add("Sub", [key, query])])
      rules.append(add("Less", [distance, number(Double(window), .int64)]))
    }
    return rules
  }
}

/// The axes of queries and keys along which places count.
private struct PlacedAxes {
  let query: String
  let queryType: TensorType
  let queryAxis: Int
  let key: String
  let keyType: TensorType
  let keyAxis: Int
}
