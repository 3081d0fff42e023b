import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Products of vectors and tensors, and diagonals of matrices.
extension KerasFunctionTable {
  static let products: [Entry] = [
    Entry(["Dot"]) { (call) throws(WeighbridgeError) in
      let (values, result) = try call.factors()
      let ranks = values.map { call.type(of: $0).rank }
      guard ranks[0] > 0, ranks[1] > 0 else { throw .unsupported("takes a tensor without axes") }
      return try call.addContraction(
        values, [ranks[0] - 1], [max(0, ranks[1] - 2)], as: result)
    },
    Entry(["Tensordot"], tf: ["tensordot"]) { (call) throws(WeighbridgeError) in
      try call.addTensorProduct()
    },
    Entry(["Inner"]) { (call) throws(WeighbridgeError) in
      let (values, result) = try call.factors()
      let ranks = values.map { call.type(of: $0).rank }
      guard ranks[0] > 0, ranks[1] > 0 else { throw .unsupported("takes a tensor without axes") }
      return try call.addContraction(values, [ranks[0] - 1], [ranks[1] - 1], as: result)
    },
    Entry(["Outer"]) { (call) throws(WeighbridgeError) in
      let terms = try call.pair()
      let values = try call.unified(
        terms, sharesRank: false, areNumbersTyped: call.areTensors(terms))
      let column = try call.part(ReshapeAxes([.rest, .fixed(1)]), values[0])
      return try call.add(
        Multiply(), [column, try call.part(ReshapeAxes([.fixed(1), .rest]), values[1])])
    },
    Entry(["Kron"]) { (call) throws(WeighbridgeError) in try call.addKroneckerProduct() },
    Entry(["Vdot"]) { (call) throws(WeighbridgeError) in
      let (values, result) = try call.factors()
      let lines = [
        try call.part(ReshapeAxes([.rest]), values[0]),
        try call.part(ReshapeAxes([.rest]), values[1]),
      ]
      return try call.addContraction(lines, [0], [0], as: result)
    },
    Entry(["CDist"]) { (call) throws(WeighbridgeError) in
      let values = try call.unified(try call.pair(), sharesRank: true)
      let type = call.type(of: values[0])
      guard type.elementType.isFloat, type.rank >= 2 else {
        throw .unsupported("takes lists of floating-point vectors, and not \(type)")
      }
      let first = try call.part(ExpandDims(axes: [type.rank - 1]), values[0])
      let second = try call.part(ExpandDims(axes: [type.rank - 2]), values[1])
      let squares = try call.part(UnaryMath(.square), try call.difference(first, second))
      let sums = try call.reduced(.sum, squares, [type.rank], keepDims: false)
      return try call.add(UnaryMath(.squareRoot), [sums])
    },
    Entry(["Cross"], tf: ["linalg.cross"]) { (call) throws(WeighbridgeError) in
      try call.addCrossProduct()
    },
    Entry(tf: ["linalg.matvec"]) { (call) throws(WeighbridgeError) in
      let terms = [try call.term("a", at: 0), try call.term("b", at: 1)]
      let transposes = try call.flag("transpose_a", default: false)
      for name in ["adjoint_a", "a_is_sparse", "b_is_sparse"] {
        try call.require(name, toBe: false, because: "use transpose_a")
      }
      let values = try call.unified(terms, sharesRank: false)
      let rank = call.type(of: values[1]).rank
      let column = try call.part(ExpandDims(axes: [rank]), values[1])
      let (matrix, vector) = try call.sameRank(values[0], column)
      let product = try call.part(MatMul(transposeA: transposes, transposeB: false), matrix, vector)
      return try call.add(Squeeze(axes: [call.type(of: product).rank - 1]), [product])
    },
    Entry(tf: ["linalg.adjoint"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("matrix", at: 0)
      guard type.rank >= 2 else { throw .malformed("takes matrices") }
      return try call.add(
        Transpose(axes: Array(0..<type.rank - 2) + [type.rank - 1, type.rank - 2]), [value])
    },
    Entry(["Trace"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      let diagonal = try call.takenDiagonal(of: value)
      let elementType = call.type(of: value).elementType
      let wide: ElementType =
        elementType.isFloat || elementType.byteCount > 2
        ? elementType : elementType == .bool || elementType.isSignedInteger ? .int32 : .uint32
      return try call.addLastSum(try call.value(.value(diagonal), as: wide))
    },
    Entry(tf: ["linalg.trace"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("x", at: 0)
      let axes = (type.rank - 2, type.rank - 1)
      return try call.addLastSum(try call.diagonal(of: value, axes: axes, offset: 0))
    },
    Entry(["Diagonal"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      return try call.result(try call.takenDiagonal(of: value))
    },
    Entry(tf: ["linalg.tensor_diag_part"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("input", at: 0)
      guard type.rank == 2 else {
        throw .unsupported("takes the diagonal of \(type), and two axes are supported")
      }
      return try call.result(try call.diagonal(of: value, axes: (0, 1), offset: 0))
    },
    Entry(tf: ["linalg.diag_part"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("input", at: 0)
      let offset = try call.integer("k", default: 0)
      call.ignore("padding_value", "align")
      let axes = (type.rank - 2, type.rank - 1)
      return try call.result(try call.diagonal(of: value, axes: axes, offset: offset))
    },
    Entry(tf: ["linalg.diag"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("diagonal", at: 0)
      let offset = try call.integer("k", default: 0)
      return try call.addDiagonalMatrix(value, offset: offset)
    },
    Entry(["Diag"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("x", at: 0)
      let offset = try call.integer("k", default: 0)
      return type.rank == 1
        ? try call.addDiagonalMatrix(value, offset: offset)
        : try call.result(try call.diagonal(of: value, axes: (0, 1), offset: offset))
    },
    Entry(["Diagflat"]) { (call) throws(WeighbridgeError) in
      let line = try call.part(ReshapeAxes([.rest]), try call.tensor("x", at: 0))
      return try call.addDiagonalMatrix(line, offset: try call.integer("k", default: 0))
    },
  ]
}

extension KerasFunction {
  /// Adds the products of all elements of one tensor with the whole of another, side by side.
  fileprivate mutating func addKroneckerProduct() throws(WeighbridgeError) -> [ValueID] {
    let terms = try pair()
    let values = try unified(terms, sharesRank: true, areNumbersTyped: areTensors(terms))
    let shapes = values.map { type(of: $0).shape }
    let sizes = try zip(shapes[0], shapes[1]).map { (pair) throws(WeighbridgeError) in
      guard let first = pair.0.value, let second = pair.1.value else {
        return ReshapeAxes.Size.rest
      }
      return .fixed(try Checked.product([first, second], of: "the size of an axis"))
    }
    guard sizes.count(where: { $0 == .rest }) <= 1 else {
      throw .unsupported(
        "takes \(type(of: values[0])) and \(type(of: values[1])), expected known sizes along all axes "
          + "but one")
    }
    let axes = sizes.indices
    let first = try part(ExpandDims(axes: axes.map { 2 * $0 + 1 }), values[0])
    let second = try part(ExpandDims(axes: axes.map { 2 * $0 }), values[1])
    return try add(ReshapeAxes(sizes), [try part(Multiply(), first, second)])
  }

  /// The two operands of a product, and the type of the result. Keras multiplies integers as
  /// floating-point numbers.
  fileprivate mutating func factors(
    keepsWideIntegers: Bool = false
  ) throws(WeighbridgeError) -> (values: [ValueID], result: ElementType) {
    var values = try unified(
      [try term("x1", "a", at: 0), try term("x2", "b", at: 1)], sharesRank: false)
    let result = type(of: values[0]).elementType
    if keepsWideIntegers, [.int32, .int64].contains(result) { return (values, result) }
    for index in values.indices { values[index] = try floating(values[index]) }
    return (values, result)
  }

  /// Adds the sum of the products along some axes of both tensors.
  fileprivate mutating func addContraction(
    _ values: [ValueID], _ first: [Int], _ second: [Int], as result: ElementType
  ) throws(WeighbridgeError) -> [ValueID] {
    let ranks = values.map { type(of: $0).rank }
    guard ranks[0] + ranks[1] <= 26 else { throw .unsupported("takes \(ranks) axes") }
    let letters = (0..<ranks[0] + ranks[1]).map { Character(Unicode.Scalar(UInt8(97 + $0))) }
    let lhs = Array(letters[..<ranks[0]])
    var rhs = Array(letters[ranks[0]...])
    for (axis, other) in zip(first, second) { rhs[other] = lhs[axis] }
    let output = (lhs + rhs).filter { letter in !first.contains { lhs[$0] == letter } }
    let sums = try add(Summation(inputs: [lhs, rhs], output: output), values)
    return type(of: sums[0]).elementType == result ? sums : try add(Cast(to: result), sums)
  }

  fileprivate mutating func addTensorProduct() throws(WeighbridgeError) -> [ValueID] {
    let (values, result) = try factors(keepsWideIntegers: true)
    let types = values.map { type(of: $0) }
    guard let written = try plain("axes", at: 2) else { throw missing("axes") }
    if let count = written.integer {
      guard count >= 0, count <= types[0].rank, count <= types[1].rank else {
        throw .malformed(
          "axes=\(count) of \(types[0]) and \(types[1]), expected at most "
            + "the axes of each")
      }
      let first = types[0].rank - count
      return try addContraction(
        values, Array(first..<types[0].rank), Array(0..<count), as: result)
    }
    let lists = (written.array ?? []).map { $0.integer.map { [$0] } ?? $0.integers ?? [] }
    guard lists.count == 2, lists[0].count == lists[1].count else {
      throw unexpected("axes", written, "a number, or a list of axes of each tensor")
    }
    var axes: [[Int]] = [[], []]
    for index in 0..<2 {
      for axis in lists[index] { axes[index].append(try KerasLayer.axis(axis, of: types[index])) }
      guard Set(axes[index]).count == axes[index].count else {
        throw .malformed("axes=\(written.text()), and different axes are expected")
      }
    }
    return try addContraction(values, axes[0], axes[1], as: result)
  }

  /// Adds the cross product of vectors of three elements along the last axis.
  fileprivate mutating func addCrossProduct() throws(WeighbridgeError) -> [ValueID] {
    let values = try unified(
      [try term("x1", "a", at: 0), try term("x2", "b", at: 1)], sharesRank: true)
    for name in ["axisa", "axisb", "axisc"] {
      try require(name, toBe: -1, because: "vectors stand along the last axis")
    }
    try require("axis", toBe: .null, because: "vectors stand along the last axis")
    let last = type(of: values[0]).rank - 1
    guard try size(last, of: values[0]) == 3, try size(last, of: values[1]) == 3 else {
      throw .unsupported("takes vectors that do not have 3 elements")
    }
    // a[1, 2, 0] · b[2, 0, 1] - a[2, 0, 1] · b[1, 2, 0].
    var turned: [[ValueID]] = [[], []]
    for (index, value) in values.enumerated() {
      for order in [[1.0, 2, 0], [2.0, 0, 1]] {
        let places = try add(constant: Tensor(.int32, shape: [3], order))
        turned[index].append(try part(Gather(axis: last), value, places))
      }
    }
    let products = [
      try product(turned[0][0], turned[1][1]), try product(turned[0][1], turned[1][0]),
    ]
    return try add(Subtract(), products)
  }

  fileprivate mutating func addLastSum(_ value: ValueID) throws(WeighbridgeError) -> [ValueID] {
    try add(Reduce(.sum, axes: [type(of: value).rank - 1], keepDims: false), [value])
  }

  /// Takes `offset`, `axis1` and `axis2`, and adds the diagonal.
  fileprivate mutating func takenDiagonal(
    of value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let type = self.type(of: value)
    let axes = (
      try axis("axis1", of: type, default: 0), try axis("axis2", of: type, default: 1)
    )
    return try diagonal(of: value, axes: axes, offset: try integer("offset", default: 0))
  }

  /// Adds a diagonal of matrices along two axes, as the last axis.
  mutating func diagonal(
    of value: ValueID, axes: (row: Int, column: Int), offset: Int
  ) throws(WeighbridgeError) -> ValueID {
    let rank = type(of: value).rank
    guard axes.row != axes.column, rank >= 2 else {
      throw .malformed("takes a diagonal of \(type(of: value)) along \(axes)")
    }
    guard
      type(of: value).shape[axes.column].value != nil
        || type(of: value).shape[axes.row].value == nil
    else { return try diagonal(of: value, axes: (axes.column, axes.row), offset: -offset) }
    // With fewer rows than columns, the diagonal ends at the last of them.
    let columns = try size(axes.column, of: value)
    let rows = type(of: value).shape[axes.row].value
    guard max(rows ?? 0, columns) <= 1 << 16, offset.magnitude <= 1 << 16 else {
      throw .limitExceeded("takes a diagonal of \(type(of: value))")
    }
    let others = (0..<rank).filter { $0 != axes.row && $0 != axes.column }
    let order = others + [axes.row, axes.column]
    let matrices = order == Array(0..<rank) ? value : try part(Transpose(axes: order), value)
    let line = try part(
      ReshapeAxes(
        others.indices.map { .axis($0) } + [rows.map { .fixed($0 * columns) } ?? .rest]), matrices)
    let longest = offset >= 0 ? columns - offset : columns
    let count = max(0, min(longest, rows.map { $0 + min(offset, 0) } ?? longest))
    let start = count == 0 ? 0 : offset >= 0 ? offset : -offset * columns
    let range = Slice.Range(
      axis: others.count, start: start,
      stop: count == 0 ? 0 : start + (count - 1) * (columns + 1) + 1,
      step: columns + 1)
    return try part(Slice([range]), line)
  }

  /// Adds square matrices with a diagonal from the last axis, and zeros.
  fileprivate mutating func addDiagonalMatrix(
    _ value: ValueID, offset: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    for name in ["num_rows", "num_cols"] {
      try require(name, toBe: -1, because: "the matrices are square")
    }
    guard try real("padding_value", default: 0) == 0 else {
      throw .unsupported("padding_value is not 0")
    }
    ignore("align")
    let rank = type(of: value).rank
    let count = type(of: value).shape[rank - 1].value
    guard offset.magnitude <= 1 << 12, count ?? 0 <= 1 << 12 - offset.magnitude else {
      throw .limitExceeded(
        "makes matrices of \(type(of: value)) with the diagonal \(offset), expected at most 4096 rows "
          + "and columns")
    }
    let zeros = [Int](repeating: 0, count: rank)
    let longer = Array(zeros.dropLast()) + [Int(offset.magnitude)]
    let padded =
      offset == 0 ? value : try part(Pad(before: zeros, after: longer, mode: .constant), value)
    // Above the main diagonal each row has its element, and below each column.
    let (line, other) = offset < 0 ? (rank - 1, rank) : (rank, rank - 1)
    let elements = try part(ExpandDims(axes: [line]), padded)
    let mask: ValueID
    if let count {
      let size = count + Int(offset.magnitude)
      let isDiagonal = (0..<size).flatMap { row in
        (0..<size).map { $0 - row == offset ? 1.0 : 0 }
      }
      let ones = [Int](repeating: 1, count: rank - 1)
      mask = try add(constant: Tensor(.bool, shape: ones + [size, size], isDiagonal))
    } else {
      let turned = try part(ExpandDims(axes: [other]), padded)
      let (row, column) = offset < 0 ? (elements, turned) : (turned, elements)
      let distances = try difference(
        try positions(along: rank, of: row), try positions(along: rank - 1, of: column))
      mask = try part(
        Comparison(.equal), distances, try number(Double(offset), like: distances))
    }
    return try add(
      Where(), [mask, elements, try number(0, like: elements)])
  }
}
