import Bytes

/// The location of the elements of a dataset (HDF5 file format specification 3.0, section
/// IV.A.2.i).
enum DataLayout: Sendable {
  /// In the message itself.
  case compact(Cursor)
  /// In one byte range, whose size older messages omit. Without an address, it was never written.
  case contiguous(address: Int?, byteCount: Int?)
  /// In chunks.
  case chunked(ChunkedLayout)
  /// In other datasets.
  case virtual

  init(_ body: Cursor) throws(WeighbridgeError) {
    var body = body
    let version = try body.version(1...5, of: "the data layout")
    if version < 3 {
      self = try Self.version1Or2(&body)
      return
    }
    let field = body
    let layoutClass = try body.byte()
    switch layoutClass {
    case 0: self = .compact(try body.slice(body.count(2)))
    case 1: self = .contiguous(address: try body.address(), byteCount: try body.length())
    case 2:
      self = .chunked(
        version == 3 ? try ChunkedLayout(version3: &body) : try ChunkedLayout(version4: &body))
    case 3 where version > 3: self = .virtual
    default: throw field.failure("the data layout is of class \(layoutClass), which is not known")
    }
  }

  /// Reads the remainder of a message of version 1 or 2.
  private static func version1Or2(_ body: inout Cursor) throws(WeighbridgeError) -> DataLayout {
    let field = body
    let rank = Int(try body.byte())
    let layoutClass = try body.byte()
    try body.skip(5)
    let address = layoutClass == 0 ? nil : try body.address()
    var sizes: [Int] = []
    for _ in 0..<rank { sizes.append(try body.count(4)) }
    switch layoutClass {
    case 0: return .compact(try body.slice(body.count(4)))
    case 1: return .contiguous(address: address, byteCount: nil)
    case 2: return .chunked(try ChunkedLayout(sizes, .bTree1, address, field))
    default: throw field.failure("the data layout is of class \(layoutClass), which is not known")
    }
  }
}
