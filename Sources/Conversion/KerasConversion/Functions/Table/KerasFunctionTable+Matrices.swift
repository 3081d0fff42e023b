import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Matrix products, and other functions of whole matrices and images.
extension KerasFunctionTable {
  static let matrices: [Entry] = [
    Entry(["Matmul"], tf: ["linalg.matmul", "matmul"]) { (call) throws(WeighbridgeError) in
      let terms = [try call.term("x1", "a", at: 0), try call.term("x2", "b", at: 1)]
      let transposesFirst = try call.flag("transpose_a", "adjoint_a", default: false)
      let transposesSecond = try call.flag("transpose_b", "adjoint_b", default: false)
      for name in ["adjoint_a", "adjoint_b", "a_is_sparse", "b_is_sparse"] {
        try call.require(name, toBe: false, because: "use transpose_a or transpose_b")
      }
      // Keras 3 adds the products of 8-bit matrices exactly.
      let isExact = terms.allSatisfy { call.rank(of: $0) != 1 && call.has($0, .int8) }
      return try call.addProduct(
        terms, transposing: transposesFirst, transposesSecond,
        exactTypes: isExact ? [.int8: .int32] : [:])
    },
    Entry(tf: ["linalg.matrix_transpose"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("a", at: 0)
      let rank = call.type(of: value).rank
      guard rank >= 2 else { throw .malformed("takes matrices") }
      call.ignore("conjugate")
      return try call.add(
        Transpose(axes: Array(0..<rank - 2) + [rank - 1, rank - 2]), [value])
    },
    Entry(["Tril"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      let last = try call.integer("k", default: 0)
      return try call.addBand(value, from: nil, to: last)
    },
    Entry(["Triu"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      let first = try call.integer("k", default: 0)
      return try call.addBand(value, from: first, to: nil)
    },
    Entry(tf: ["linalg.band_part"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("input", at: 0)
      let (lower, upper) = (try call.integer("num_lower"), try call.integer("num_upper"))
      return try call.addBand(
        value, from: lower < 0 ? nil : -lower, to: upper < 0 ? nil : upper)
    },
  ]
}

extension KerasFunction {
  /// Whether a term has an element type by itself.
  func has(_ term: Term, _ elementType: ElementType) -> Bool {
    switch term {
    case .value(let value): type(of: value).elementType == elementType
    case .constant(let constant): constant.elementType == elementType
    }
  }

  /// Adds a matrix product, after adding missing leading axes.
  ///
  /// - Parameter exactTypes: The types of integers that Keras 3 multiplies exactly, and those of their
  ///   products; it multiplies others in float32, and casts the result back.
  fileprivate mutating func addProduct(
    _ terms: [Term], transposing transposesFirst: Bool, _ transposesSecond: Bool,
    exactTypes: [ElementType: ElementType]
  ) throws(WeighbridgeError) -> [ValueID] {
    var values = try unified(terms, sharesRank: false, areNumbersTyped: true)
    let common = type(of: values[0]).elementType
    let result = isOperation ? exactTypes[common] ?? common : common
    // JAX multiplies all of them exactly.
    let isJAX = layer.writer.isJAX && common.isInteger
    let isExact = common.isFloat || !isOperation || isJAX || exactTypes[common] != nil
    for index in values.indices {
      values[index] = try converted(
        values[index], to: isExact ? result : .float32, role: "factor_\(index)")
    }
    let ranks = values.map { type(of: $0).rank }
    // A vector on the right is treated as a matrix with one column.
    let isVector = ranks[1] == 1
    if isVector { values[1] = try addOne(ExpandDims(axes: [1]), [values[1]], role: "column") }
    values = try unified(values.map { .value($0) }, sharesRank: true)
    // A vector on the left is treated as a matrix with one row.
    guard !ranks.contains(0) else { throw .malformed("multiplies a tensor without axes") }
    let operation = MatMul(transposeA: transposesFirst, transposeB: transposesSecond)
    var rest: [(operation: any CatalogOperator, role: String)] = []
    let last = type(of: values[0]).rank - 1
    let surplus = (ranks[0] == 1 ? [last - 1] : []) + (isVector ? [last] : [])
    if !surplus.isEmpty { rest.append((Squeeze(axes: surplus), "squeeze")) }
    if !isExact { rest.append((Cast(to: result), "cast")) }
    if rest.isEmpty { return try add(operation, values) }
    return try addChain(rest, try addOne(operation, values, role: "product"))
  }

  /// Replaces by 0 the elements of matrices, along the last two axes, outside of a band of diagonals.
  ///
  /// - Parameters:
  ///   - first: The band's first diagonal, as column - row; `nil` where it begins with the matrix.
  ///   - last: Its last diagonal.
  fileprivate mutating func addBand(
    _ value: ValueID, from first: Int?, to last: Int?
  ) throws(WeighbridgeError) -> [ValueID] {
    let type = self.type(of: value)
    guard type.rank >= 2 else { throw .unsupported("takes matrices and has \(type)") }
    let mask: ValueID
    if let rows = type.shape[type.rank - 2].value, let columns = type.shape[type.rank - 1].value {
      guard rows <= 1 << 14, columns <= 1 << 14 else {
        throw .limitExceeded("has \(type), expected at most 16384 rows and columns")
      }
      let elements = (0..<rows).flatMap { row in
        (0..<columns).map { column in
          let diagonal = column - row
          return diagonal >= first ?? diagonal && diagonal <= last ?? diagonal ? 1.0 : 0
        }
      }
      let ones = [Int](repeating: 1, count: type.rank - 2)
      mask = try add(constant: Tensor(.bool, shape: ones + [rows, columns], elements))
    } else {
      mask = try band(of: value, from: first, to: last)
    }
    return try add(Where(), [mask, value, try number(0, like: value)])
  }

  /// Whether an element is in the band, where the number of rows or columns is not known.
  private mutating func band(
    of value: ValueID, from first: Int?, to last: Int?
  ) throws(WeighbridgeError) -> ValueID {
    let rank = type(of: value).rank
    let rows = try positions(along: rank - 2, of: value)
    let diagonals = try difference(try positions(along: rank - 1, of: value), rows)
    var conditions: [ValueID] = []
    for (relation, bound) in [(Comparison.Relation.greaterOrEqual, first), (.lessOrEqual, last)] {
      guard let bound else { continue }
      let limit = Double(min(max(-1 << 30, bound), 1 << 30))
      conditions.append(
        try part(Comparison(relation), diagonals, try number(limit, like: diagonals)))
    }
    switch conditions.count {
    case 0: return try part(Comparison(.equal), diagonals, diagonals)
    case 1: return conditions[0]
    default: return try part(LogicalAnd(), conditions[0], conditions[1])
    }
  }

  /// The positions along an axis, int32; the size of all other axes is 1.
  mutating func positions(
    along axis: Int, of value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let others = (0..<type(of: value).rank).filter { $0 != axis }
    let line =
      others.isEmpty
      ? value : try part(Slice(others.map { .init(axis: $0, start: 0, stop: 1, step: 1) }), value)
    let ones = try part(Cast(to: .int32), try part(FullLike(value: 1), line))
    return try part(CumSum(axis: axis, isExclusive: true, isReversed: false), ones)
  }

  /// Adds a resized image.
  ///
  /// - Parameter interpolation: That of TensorFlow's operation; `nil` where it is an argument.
  mutating func addResize(
    _ interpolation: ResizingInterpolation? = nil
  ) throws(WeighbridgeError) -> [ValueID] {
    let value = try tensor("images", at: 0)
    let size = try integers("size", at: 1) ?? []
    guard size.count == 2, Resizing.problem(size) == nil, type(of: value).rank == 4 else {
      throw .unsupported(
        "resizes \(type(of: value)) to \(size), expected a batch of "
          + "images and two sizes")
    }
    let interpolation = if let interpolation { interpolation } else { try takeInterpolation() }
    try require("preserve_aspect_ratio", toBe: false, because: "the output size would differ")
    let fit = try fit()
    let antialiases = try flag("antialias", default: false)
    let operation = Resizing(
      dimensions: size, interpolation: interpolation, antialiases: antialiases,
      fit: fit, layout: try layout())
    // TensorFlow returns float32, or the input's type for nearest neighbor.
    let keepsType = isOperation || interpolation == .nearest
    return try layer.addResized(
      operation, value, to: keepsType ? type(of: value).elementType : .float32)
  }

  /// Takes `crop_to_aspect_ratio` and `pad_to_aspect_ratio`.
  private mutating func fit() throws(WeighbridgeError) -> ResizingFit {
    let crops = try flag("crop_to_aspect_ratio", default: false)
    let pads = try flag("pad_to_aspect_ratio", default: false)
    let fill = try real("fill_value", default: 0)
    try require("fill_mode", toBe: "constant", because: "Keras itself has no other")
    guard !crops || !pads else {
      throw .malformed(
        "both crops and pads to the aspect ratio, and Keras allows "
          + "only one of the two")
    }
    return crops ? .crop : pads ? .pad(fill) : .stretch
  }

  mutating func takeInterpolation() throws(WeighbridgeError) -> ResizingInterpolation {
    let method: String? =
      if case .operation = name { try string("interpolation") } else { try string("method") }
    guard let interpolation = ResizingInterpolation(rawValue: method ?? "bilinear") else {
      throw .unsupported("the interpolation \(method ?? "") is not supported")
    }
    return interpolation
  }
}
