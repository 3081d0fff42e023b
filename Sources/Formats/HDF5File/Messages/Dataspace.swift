import Bytes

/// The shape of a dataset or attribute (HDF5 file format specification 3.0, section IV.A.2.b).
struct Dataspace: Sendable {
  /// The sizes of the dimensions, slowest first; empty for a scalar; `nil` for a null dataspace,
  /// which has no elements.
  let shape: [Int]?
  /// The maximum sizes of the dimensions; `nil` for an unlimited one.
  let maximumShape: [Int?]

  /// The largest number of dimensions in HDF5.
  private static let rankLimit = 32

  init(_ body: Cursor) throws(WeighbridgeError) {
    var body = body
    let version = try body.version(1...2, of: "the dataspace")
    let field = body
    let rank = Int(try body.byte())
    guard rank <= Self.rankLimit else {
      throw field.failure(
        "the dataspace has \(rank) dimensions; HDF5 has at most \(Self.rankLimit)")
    }
    let hasMaximum = try body.byte() & 1 != 0
    let type = try body.byte()
    if version == 1 { try body.skip(4) }
    guard version == 1 || (type == 0 && rank == 0) || type == 1 || (type == 2 && rank == 0) else {
      throw field.failure("the dataspace has the type \(type) with \(rank) dimensions")
    }
    var (shape, maximumShape) = ([Int](), [Int?]())
    for _ in 0..<rank { shape.append(try body.length()) }
    for size in shape {
      maximumShape.append(size)
      guard hasMaximum else { continue }
      let field = body
      let value = try body.unsigned(body.widths.length)
      let isUnlimited = value == .max >> (64 - 8 * UInt64(body.widths.length))
      maximumShape[maximumShape.count - 1] = isUnlimited ? nil : Int(clamping: value)
      guard isUnlimited || value >= size else {
        throw field.failure("the dataspace has a dimension of \(size) above its maximum \(value)")
      }
    }
    self.shape = version == 2 && type == 2 ? nil : shape
    self.maximumShape = maximumShape
  }
}
