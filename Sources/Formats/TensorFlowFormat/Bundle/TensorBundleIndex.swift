import Bytes
import ProtobufWire

/// What the index of a tensor bundle has.
struct TensorBundleIndex {
  /// The number of files with tensors.
  let shardCount: Int
  /// The tensors by their names.
  private(set) var tensors: [String: TensorBundleEntry] = [:]
  /// The parts of tensors that are stored in slices, by ``TensorSlice/key(of:)``.
  private(set) var slices: [[UInt8]: TensorBundleEntry] = [:]

  /// Reads the header and the entry of each tensor.
  init(_ bytes: RawSpan) throws(WeighbridgeError) {
    let table = try SortedTable(bytes)
    guard let first = table.entries.first, first.key.isEmpty else {
      throw .malformed("is a table without the header of a checkpoint")
    }
    shardCount = try TensorBundleHeader(bytes, first.value).shardCount
    for entry in table.entries.dropFirst() {
      let isSlice = entry.key[0] == 0
      let name = String(decoding: entry.key, as: UTF8.self)
      do throws(WeighbridgeError) {
        let tensor = try TensorBundleEntry(bytes, entry.value)
        guard tensor.shard < shardCount else {
          throw .malformed("is in file \(tensor.shard + 1), expected one of \(shardCount)")
        }
        if isSlice { slices[entry.key] = tensor } else { tensors[name] = tensor }
      } catch {
        throw WeighbridgeError(error.code, "the tensor \(name) \(error.reason)")
          .at(.byte(entry.value.lowerBound))
      }
    }
  }
}

/// What a tensor bundle says about itself: a `BundleHeaderProto`.
private struct TensorBundleHeader {
  /// The number of files with tensors.
  private(set) var shardCount = 0
  private var isBigEndian = false
  /// The oldest version of the format that a reader must know.
  private var requiredVersion = 0

  init(_ bytes: RawSpan, _ message: Range<Int>) throws(WeighbridgeError) {
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1: shardCount = try Checked.count(field.integer(), of: "the number of files")
      case 2: isBigEndian = try field.integer() != 0
      case 3:
        try WireField.forEach(in: bytes, field.range()) { (field) throws(WeighbridgeError) in
          if field.number == 2 { requiredVersion = try field.integer() }
        }
      default: throw .unsupported("has the unknown field \(field.number) in its header")
      }
    }
    guard !isBigEndian else {
      throw .unsupported(
        "has numbers in big-endian order; those in little-endian order can be read")
    }
    guard requiredVersion <= 1 else {
      throw .unsupported("needs version \(requiredVersion) of the format; version 1 can be read")
    }
    guard (1...1 << 16).contains(shardCount) else {
      throw .malformed("says that its tensors are in \(shardCount) files, expected 1 to 65,536")
    }
  }
}
