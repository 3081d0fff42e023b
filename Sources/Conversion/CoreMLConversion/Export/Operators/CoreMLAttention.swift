import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Means weighted by how well queries and keys match.
enum CoreMLAttention {
  static let rows: [CoreMLRow] = [
    CoreMLRow(outputsOf: DotProductAttention.self) {
      (operation, builder) throws(WeighbridgeError) in
      try builder.dotProductAttention(operation)
    },
    CoreMLRow(outputsOf: Attention.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.attention(operation) { (builder) throws(WeighbridgeError) in
        let weights = operation.masking.hasMask ? 4 : 3
        if operation.score == .dot {
          let products = try builder.matrixProduct(
            try builder.input(0), try builder.input(2), transposeB: true)
          guard operation.hasScale else { return products }
          return try builder.product(products, try builder.input(weights))
        }
        var sum = try builder.pairSums()
        if operation.hasScale { sum = try builder.product(sum, try builder.input(weights)) }
        let total = try builder.reduce(
          "reduceSum", try builder.activation("tanh", sum), [3], keeps: false)
        return try builder.product(total, try builder.input(builder.operands.count - 1))
      }
    },
    CoreMLRow(outputsOf: AdditiveAttention.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.attention(operation) { (builder) throws(WeighbridgeError) in
        var bent = try builder.activation("tanh", try builder.pairSums())
        if operation.hasScale {
          bent = try builder.product(bent, try builder.input(operation.masking.hasMask ? 4 : 3))
        }
        return try builder.reduce("reduceSum", bent, [3], keeps: false)
      }
    },
  ]
}

extension CoreMLNetworkBuilder {
  /// The sum of each query and each key, `[batch, queries, values, features]`.
  fileprivate mutating func pairSums() throws(WeighbridgeError) -> String {
    try sum(try expandDims(try input(0), [2]), try expandDims(try input(2), [1]))
  }

  fileprivate mutating func attention(
    _ operation: some AttentionOperator,
    _ scores: (inout CoreMLNetworkBuilder) throws(WeighbridgeError) -> String
  ) throws(WeighbridgeError) -> [String] {
    let (queries, keys) = (try dimensions(type(0))[1], try dimensions(type(1))[1])
    let shares = try shares(
      try scores(&self), operation.masking, maskPosition: operation.masking.hasMask ? 3 : nil,
      queries: queries, keys: keys, axes: [2])
    let output = try matrixProduct(shares, try input(1))
    return operation.returnsAttentionWeights ? [output, shares] : [output]
  }

  fileprivate mutating func dotProductAttention(
    _ operation: DotProductAttention
  ) throws(WeighbridgeError) -> [String] {
    let rank = type().rank
    let (keys, values) = (try everyHead(1), try everyHead(2))
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
    let products = try einsum(
      (try input(0), type(0), query), (keys.name, keys.type, key), to: result)
    let first = operation.axes[0]
    let last = Array(result.count - operation.axes.count..<result.count)
    let shares = try shares(
      try linear(products, scale: operation.scale), operation.masking,
      maskPosition: operation.masking.hasMask ? 3 : nil, queries: try dimensions(type(0))[first],
      keys: try dimensions(keys.type)[first], axes: last)
    var dimensions: [Character: Int] = [:]
    for (letters, type) in [(query, type(0)), (key, keys.type)] {
      for (letter, dimension) in zip(letters, try self.dimensions(type)) {
        dimensions[letter] = dimension
      }
    }
    let sharesType = TensorType(.float32, result.map { dimensions[$0] ?? 1 })
    var output = query
    output[rank - 1] = value[rank - 1]
    let means = try einsum(
      (shares, sharesType, result), (values.name, values.type, value), to: output)
    return operation.returnsAttentionWeights ? [means, shares] : [means]
  }

  /// A key or value with as many heads as the query, each one of its own standing for neighbours.
  private mutating func everyHead(
    _ position: Int
  ) throws(WeighbridgeError) -> (name: String, type: TensorType) {
    let axis = type().rank - 2
    let (wanted, own) = (try dimensions(type(0))[axis], try dimensions(type(position))[axis])
    if wanted == own { return (try input(position), type(position)) }
    let name = try gather(
      try input(position), axis: axis, (0..<wanted).map { $0 / (wanted / max(1, own)) })
    var type = type(position)
    type.shape[axis] = .fixed(wanted)
    return (name, type)
  }

  /// The values' weights for each query.
  ///
  /// - Parameter axes: Those of the values, at the end of the scores.
  private mutating func shares(
    _ scores: String, _ masking: AttentionMasking, maskPosition: Int?, queries: Int, keys: Int,
    axes: [Int]
  ) throws(WeighbridgeError) -> String {
    var rules: [String] = []
    if let maskPosition { rules.append(try input(maskPosition)) }
    if let near = Self.near(masking, queries: queries, keys: keys) {
      rules.append(try numbers(near, shape: [queries, keys]))
    }
    guard !rules.isEmpty else { return try softmax(scores, axes) }
    var seen = try chain("multiplyBroadcastable", rules)
    if masking.fullyMaskedRows == .unmasked {
      let any = try reduce("reduceMax", seen, Array(-axes.count..<0))
      seen = try add("maxBroadcastable", [seen, try add("logicalNot", [any])])
    }
    // The lowest number rather than minus infinity: who sees nothing then sees all alike.
    let all = try softmax(try choose(seen, scores, try number(-1e30)), axes)
    return masking.fullyMaskedRows == .zero ? try product(all, seen) : all
  }

  /// Which values lie where a query sees them, 1 or 0, `[queries, values]`, if not all do.
  private static func near(_ masking: AttentionMasking, queries: Int, keys: Int) -> [Double]? {
    guard masking.isCausal || masking.window != nil else { return nil }
    return (0..<queries).flatMap { query in
      (0..<keys).map { key in
        let isFar = masking.window.map { abs(key - query) >= $0 } ?? false
        return isFar || (masking.isCausal && key > query) ? 0 : 1
      }
    }
  }
}
