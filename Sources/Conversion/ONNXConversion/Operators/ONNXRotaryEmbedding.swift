import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Rotary embeddings.
extension ONNXLayer {
  /// Turns pairs of features by angles that grow with the place: (a, b) becomes (a cos - b sin, a sin + b cos).
  mutating func rotaryEmbedding() throws(WeighbridgeError) -> ONNXValue {
    let input = try input()
    let isFlat = type(input).rank == 3
    let isInterleaved = try flag("interleaved")
    let count = try integer("num_heads")
    let heads = try heads(of: input, count, role: "input")
    guard let depth = type(heads).shape[3].value else {
      throw unsupported("turns \(type(heads)), and only a known depth can be read")
    }
    let given = try integer("rotary_embedding_dim", default: 0)
    let width = given == 0 ? depth : given
    guard width % 2 == 0, (2...max(2, depth)).contains(width) else {
      throw malformed("turns \(width) of \(depth) features, expected an even number up to \(depth)")
    }
    let turned = try turned(
      try sliced(heads, from: 0, to: width, step: 1, role: "turned"), width,
      isInterleaved: isInterleaved)
    guard width < depth else {
      return isFlat ? try joined(turned) : try apply(Identity(), to: turned)
    }
    let rest = try sliced(heads, from: width, to: depth, step: 1, role: "rest")
    let whole = try apply(Concatenate(axis: 3), to: turned, rest, role: isFlat ? "whole" : "")
    return isFlat ? try joined(whole) : whole
  }

  /// Turns all features of heads.
  private mutating func turned(
    _ heads: ONNXValue, _ width: Int, isInterleaved: Bool
  ) throws(WeighbridgeError) -> ONNXValue {
    let half = width / 2
    let (first, second) =
      isInterleaved
      ? (
        try sliced(heads, from: 0, to: width, step: 2, role: "even"),
        try sliced(heads, from: 1, to: width, step: 2, role: "odd")
      )
      : (
        try sliced(heads, from: 0, to: half, step: 1, role: "first"),
        try sliced(heads, from: half, to: width, step: 1, role: "second")
      )
    let (cosine, sine) = (try angles(1, "cos"), try angles(2, "sin"))
    let products = try [(first, cosine), (second, sine), (first, sine), (second, cosine)]
      .enumerated().map {
        (position, pair) throws(WeighbridgeError) in
        try apply(Multiply(), to: pair.0, pair.1, role: "product_\(position)")
      }
    let real = try apply(Subtract(), to: products[0], products[1], role: "real")
    let imaginary = try apply(Add(), to: products[2], products[3], role: "imaginary")
    guard isInterleaved else {
      return try apply(Concatenate(axis: 3), to: real, imaginary, role: "features")
    }
    let pairs = try [real, imaginary].enumerated().map {
      (position, part) throws(WeighbridgeError) in
      try apply(ExpandDims(axes: [4]), to: part, role: "column_\(position)")
    }
    let joined = try apply(Concatenate(axis: 4), pairs, role: "pairs")[0]
    return try apply(
      ReshapeAxes(keptSizes(type(heads), 0..<3) + [.fixed(width)]), to: joined, role: "features")
  }

  /// The cosines or sines of a table `[places, features]`, at the given places, or of `[batch, time, features]`:
  /// `[batch, 1, time, features]`.
  private mutating func angles(
    _ position: Int, _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    var table = try input(position)
    if let places = try optional(3) {
      table = try apply(Gather(axis: 0), to: table, places, role: role)
    }
    guard type(table).rank == 3 else {
      throw malformed(
        "has angles \(type(table)), expected a table of three axes, or one of two axes with position_ids"
      )
    }
    return try apply(ExpandDims(axes: [1]), to: table, role: "\(role)_heads")
  }

  /// A part of the last of four axes.
  private mutating func sliced(
    _ value: ONNXValue, from start: Int, to stop: Int, step: Int, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    if start == 0, step == 1, type(value).shape[3].value == stop { return value }
    return try apply(
      Slice([Slice.Range(axis: 3, start: start, stop: stop, step: step)]), to: value, role: role)
  }
}
