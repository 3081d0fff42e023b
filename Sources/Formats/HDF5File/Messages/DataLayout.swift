import Bytes

/// The location of the elements of a dataset (HDF5 file format specification 3.0, section
/// IV.A.2.i).
enum DataLayout: Sendable {
  /// In the message itself.
  case compact(Cursor)
  /// In one run, whose size older messages omit; without an address, it was never written.
  case contiguous(address: Int?, byteCount: Int?)
  /// In chunks.
  case chunked(ChunkedLayout)
  /// In other datasets.
  case virtual

  init(_ body: Cursor) throws(WeighbridgeError) {
    var body = body
    let version = try body.version(1...5, of: "the data layout")
    if version < 3 {
      self = try Self.old(&body)
      return
    }
    let place = body
    let layout = try body.byte()
    switch layout {
    case 0: self = .compact(try body.part(body.count(2)))
    case 1: self = .contiguous(address: try body.address(), byteCount: try body.length())
    case 2:
      self = .chunked(
        version == 3 ? try ChunkedLayout(version3: &body) : try ChunkedLayout(version4: &body))
    case 3 where version > 3: self = .virtual
    default: throw place.failure("the data layout is of class \(layout), which is not known")
    }
  }

  /// Versions 1 and 2.
  private static func old(_ body: inout Cursor) throws(WeighbridgeError) -> DataLayout {
    let place = body
    let rank = Int(try body.byte())
    let layout = try body.byte()
    try body.skip(5)
    let address = layout == 0 ? nil : try body.address()
    var sizes: [Int] = []
    for _ in 0..<rank { sizes.append(try body.count(4)) }
    switch layout {
    case 0: return .compact(try body.part(body.count(4)))
    case 1: return .contiguous(address: address, byteCount: nil)
    case 2: return .chunked(try ChunkedLayout(sizes, .bTree1, address, place))
    default: throw place.failure("the data layout is of class \(layout), which is not known")
    }
  }
}
