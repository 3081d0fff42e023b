package import Bytes
package import GraphIR

/// Builds the nodes of a composite operator in a graph.
///
/// Values that are combined must have the same rank; axes of size 1 are broadcast.
package struct Composition {
  /// The operator's inputs, in the order of its slots.
  package let inputs: [ValueID]
  private var graph: GraphBuilder
  private let source: SourceScope
  /// The composite operator; `nil` for another formula.
  private let owner: (any CatalogOperator)?

  /// Begins a formula in a graph.
  init(
    of owner: (any CatalogOperator)?, inputs: [ValueID], graph: GraphBuilder, source: SourceScope
  ) {
    (self.owner, self.inputs, self.graph, self.source) = (owner, inputs, graph, source)
  }

  /// The graph of the formula alone.
  func finish(_ outputs: [ValueID]) throws(WeighbridgeError) -> Graph {
    try graph.finish(
      outputs: outputs.enumerated().map { Port(name: "output \($0)", value: $1) })
  }

  /// The decomposition given by a formula.
  package static func of(
    _ formula:
      @escaping @Sendable (inout Composition) throws(WeighbridgeError) -> ValueID
  ) -> Decomposition {
    outputs { (make) throws(WeighbridgeError) in [try formula(&make)] }
  }

  /// The decomposition of an operator with several outputs.
  ///
  /// - Parameter owner: The operator, which its formula must not name.
  package static func outputs(
    for owner: (any CatalogOperator)? = nil,
    _ formula:
      @escaping @Sendable (inout Composition) throws(WeighbridgeError) -> [ValueID]
  ) -> Decomposition {
    .nodes { (graph, inputs, source) throws(WeighbridgeError) in
      var composition = Composition(of: owner, inputs: inputs, graph: graph, source: source)
      let outputs = try formula(&composition)
      graph = composition.graph
      return outputs
    }
  }

  /// The type of a value.
  package func type(_ value: ValueID) -> TensorType { graph.type(of: value) }

  /// The size of an axis.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when it is dynamic.
  package func size(_ value: ValueID, axis: Int) throws(WeighbridgeError) -> Int {
    let type = type(value)
    guard axis < type.rank else { throw .malformed("\(type) has no axis \(axis)") }
    guard let size = type.shape[axis].value else {
      throw .unsupported("the size of axis \(axis) of \(type) must be known")
    }
    return size
  }

  /// The sizes of all axes.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when one is dynamic.
  package func sizes(_ value: ValueID) throws(WeighbridgeError) -> [Int] {
    var sizes: [Int] = []
    for axis in 0..<type(value).rank { sizes.append(try size(value, axis: axis)) }
    return sizes
  }

  /// Adds an operator with one output.
  package mutating func callAsFunction(
    _ operation: any Operator, _ inputs: ValueID...
  ) throws(WeighbridgeError) -> ValueID {
    try apply(operation, inputs)
  }

  /// Adds an operator with one output, which takes a list of tensors.
  package mutating func apply(
    _ operation: any Operator, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> ValueID {
    try outputs(of: operation, inputs)[0]
  }

  /// Adds an operator with several outputs.
  package mutating func outputs(
    of operation: any Operator, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    let kind = Swift.type(of: operation).kind
    if let owner, Swift.type(of: owner).kind == kind {
      throw .malformed(
        "the decomposition of \(kind) names \(kind) itself, and must end in other "
          + "operators")
    }
    return try graph.addNode(
      operation, named: "\(source.callName)/\(kind)", inputs: inputs, source: source)
  }

  /// Adds a constant.
  package mutating func constant(_ tensor: Tensor) throws(WeighbridgeError) -> ValueID {
    try graph.addConstant(tensor, named: "\(source.callName)/constant")
  }

  /// Adds a constant of one element with the element type and rank of a value.
  package mutating func number(
    _ number: Double, like value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let type = type(value)
    let shape = [Int](repeating: 1, count: type.rank)
    return try constant(Tensor(type.elementType, shape: shape, [number]))
  }
}

// The building blocks of formulas.
extension Composition {
  package mutating func sum(_ x: ValueID, _ y: ValueID) throws(WeighbridgeError) -> ValueID {
    try self(Add(), x, y)
  }

  package mutating func difference(
    _ x: ValueID, _ y: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    try self(Subtract(), x, y)
  }

  package mutating func product(_ x: ValueID, _ y: ValueID) throws(WeighbridgeError) -> ValueID {
    try self(Multiply(), x, y)
  }

  package mutating func quotient(_ x: ValueID, _ y: ValueID) throws(WeighbridgeError) -> ValueID {
    try self(BinaryMath(.divide), x, y)
  }

  package mutating func squareRoot(_ x: ValueID) throws(WeighbridgeError) -> ValueID {
    try self(UnaryMath(.squareRoot), x)
  }

  /// x + number.
  package mutating func offset(
    _ x: ValueID, by number: Double
  ) throws(WeighbridgeError) -> ValueID {
    try self(Rescaling(scale: [1], offset: [number]), x)
  }

  /// x · scale + offset. The default offset leaves the sign of zeros as it is.
  package mutating func linear(
    _ x: ValueID, scale: Double, offset: Double = -0.0
  ) throws(WeighbridgeError) -> ValueID {
    try self(Rescaling(scale: [scale], offset: [offset]), x)
  }

  /// The positive part, max(x, 0).
  package mutating func positivePart(_ x: ValueID) throws(WeighbridgeError) -> ValueID {
    try self(ReLU(slope: 0, threshold: 0, maximum: nil), x)
  }

  package mutating func clipped(
    _ x: ValueID, _ minimum: Double, _ maximum: Double
  ) throws(WeighbridgeError) -> ValueID {
    try self(Clip(minimum: minimum, maximum: maximum), x)
  }

  /// Whether x is greater than a number.
  package mutating func isGreater(
    _ x: ValueID, _ number: Double
  ) throws(WeighbridgeError) -> ValueID {
    try self(Comparison(.greater), x, try self.number(number, like: x))
  }

  /// The elements of x where a condition is true, and those of y elsewhere.
  package mutating func chosen(
    _ condition: ValueID, _ x: ValueID, _ y: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    try self(Where(), condition, x, y)
  }

  /// x mapped so that the order of all values is reversed, without overflow: -x for floating-point
  /// numbers, -1 - x for signed integers, and the type's maximum minus x for unsigned ones.
  /// Applying it twice yields x.
  package mutating func orderReversed(_ x: ValueID) throws(WeighbridgeError) -> ValueID {
    let type = type(x).elementType
    if type.isFloat { return try self(UnaryMath(.negative), x) }
    let largest = Double(UInt64.max >> UInt64(64 - 8 * type.byteCount))
    let last = try number(type.isSignedInteger ? -1 : largest, like: x)
    return try self(Subtract(overflow: .wrap), last, x)
  }

  /// The elements in a range along an axis.
  package mutating func slice(
    _ x: ValueID, _ range: Range<Int>, axis: Int
  ) throws(WeighbridgeError) -> ValueID {
    let range = Slice.Range(
      axis: axis, start: range.lowerBound, stop: range.upperBound, step: 1)
    return try self(Slice([range]), x)
  }

  /// Splits an axis into equal parts.
  package mutating func split(
    _ x: ValueID, into count: Int, axis: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    let size = try size(x, axis: axis) / count
    return try outputs(
      of: Split(axis: axis, sizes: [Int](repeating: size, count: count)), [x])
  }

  /// The matrix product along the last two axes.
  package mutating func matrixProduct(
    _ x: ValueID, _ y: ValueID, transposeB: Bool = false
  ) throws(WeighbridgeError) -> ValueID {
    try self(MatMul(transposeA: false, transposeB: transposeB), x, y)
  }

  /// Weighted sums of floating-point numbers along an axis; `rows` has a row of weights for each
  /// index of the output.
  package mutating func weightedSums(
    _ x: ValueID, axis: Int, _ rows: [[Double]]
  ) throws(WeighbridgeError) -> ValueID {
    let type = type(x)
    let order = (0..<type.rank).filter { $0 != axis } + [axis]
    let matrix = Tensor(
      type.elementType, shape: [rows.count, rows.first?.count ?? 0], rows.flatMap { $0 })
    let sums = try self(Dense(hasBias: false), try transposed(x, order), try constant(matrix))
    return try transposed(sums, order.inversePermutation)
  }

  /// The mean over axes, which are kept with size 1.
  package mutating func mean(_ x: ValueID, _ axes: [Int]) throws(WeighbridgeError) -> ValueID {
    axes.isEmpty ? x : try self(Reduce(.mean, axes: axes, keepDims: true), x)
  }

  /// x with its axes permuted: axis i of the result is axis `axes[i]` of x.
  package mutating func transposed(
    _ x: ValueID, _ axes: [Int]
  ) throws(WeighbridgeError) -> ValueID {
    axes == Array(axes.indices) ? x : try self(Transpose(axes: axes), x)
  }

  /// Reshapes a weight that has one axis for each of `axes`, so that it broadcasts against a value:
  /// the value's element type, and size 1 along all other axes.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the sizes along these axes differ.
  package mutating func aligned(
    _ weight: ValueID, to axes: [Int], of value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let (type, weightType) = (type(value), type(weight))
    guard weightType.rank == axes.count, axes.allSatisfy(type.shape.indices.contains),
      zip(weightType.shape, axes).allSatisfy({ $0.agrees(with: type.shape[$1]) })
    else {
      throw .malformed("the weight \(weightType) does not fit the axes \(axes) of \(type)")
    }
    var shape = [Int](repeating: 1, count: type.rank)
    for (position, axis) in axes.enumerated() { shape[axis] = try size(weight, axis: position) }
    let isCast = weightType.elementType != type.elementType
    let same = isCast ? try self(Cast(to: type.elementType), weight) : weight
    return try self(ReshapeAxes(shape.map { .fixed($0) }), same)
  }
}
