import Bytes

/// The shape of a dataset or attribute (HDF5 file format specification 3.0, section IV.A.2.b).
struct Dataspace: Sendable {
  /// The sizes of the dimensions, slowest first; empty for a scalar; `nil` for a null dataspace,
  /// which has no elements.
  let shape: [Int]?
  /// The maximum sizes of the dimensions; `nil` for an unlimited one.
  let largestShape: [Int?]

  /// The largest number of dimensions in HDF5.
  private static let rankLimit = 32

  init(_ body: Cursor) throws(WeighbridgeError) {
    var body = body
    let version = try body.version(1...2, of: "the dataspace")
    let place = body
    let rank = Int(try body.byte())
    guard rank <= Self.rankLimit else {
      throw place.failure(
        "the dataspace has \(rank) dimensions; HDF5 has at most \(Self.rankLimit)")
    }
    let hasLargest = try body.byte() & 1 != 0
    let type = try body.byte()
    if version == 1 { try body.skip(4) }
    guard version == 1 || (type == 0 && rank == 0) || type == 1 || (type == 2 && rank == 0) else {
      throw place.failure("the dataspace has the type \(type) with \(rank) dimensions")
    }
    var (shape, largest) = ([Int](), [Int?]())
    for _ in 0..<rank { shape.append(try body.length()) }
    for size in shape {
      largest.append(size)
      guard hasLargest else { continue }
      let place = body
      let value = try body.unsigned(body.widths.length)
      let isUnlimited = value == .max >> (64 - 8 * UInt64(body.widths.length))
      largest[largest.count - 1] = isUnlimited ? nil : Int(clamping: value)
      guard isUnlimited || value >= size else {
        throw place.failure("the dataspace has a dimension of \(size), which may have \(value)")
      }
    }
    self.shape = version == 2 && type == 2 ? nil : shape
    largestShape = largest
  }
}
