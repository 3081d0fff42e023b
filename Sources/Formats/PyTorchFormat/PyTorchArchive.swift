import Bytes
import ZipArchive

/// The form since PyTorch 1.6: a ZIP archive with `data.pkl` and a member for each storage.
enum PyTorchArchive {
  private static let memberLimit = 1 << 20
  private static let memoryLimit = 1 << 34

  static func read(_ store: ByteStore) throws(WeighbridgeError) -> PyTorchContents {
    let members = try store.withBytes { (bytes) throws(WeighbridgeError) in
      try ZipDirectory(bytes, memberLimit: memberLimit).members
    }
    let ending = "/data.pkl"
    guard let pickle = members.first(where: { $0.name.hasSuffix(ending) }) else {
      throw .malformed("has no data.pkl")
    }
    let folder = pickle.name.dropLast(ending.utf8.count)
    var memory = memoryLimit
    let content = try ZipReader.contents(of: pickle, in: store, memory: &memory)
    try checkByteOrder(members, folder, store, &memory)
    var reader = PickleReader(content.1)
    let root = try content.0.withBytes { (bytes) throws(WeighbridgeError) in
      try reader.read(bytes)
    }
    let byName = Dictionary(members.map { ($0.name, $0) }) { first, _ in first }
    var storages: [String: PyTorchElements] = [:]
    for key in reader.storages.keys.sorted() {
      guard let member = byName["\(folder)/data/\(key)"] else {
        throw .malformed("has no member data/\(key), which holds the elements of a tensor")
      }
      let (elements, range) = try ZipReader.contents(of: member, in: store, memory: &memory)
      storages[key] = PyTorchElements(store: elements, range: range)
    }
    return PyTorchContents(root: root, reader: reader, storages: storages)
  }

  private static func checkByteOrder(
    _ members: [ZipDirectory.Member], _ folder: Substring, _ store: ByteStore, _ memory: inout Int
  ) throws(WeighbridgeError) {
    guard let member = members.first(where: { $0.name == "\(folder)/byteorder" }) else { return }
    let (text, range) = try ZipReader.contents(of: member, in: store, memory: &memory)
    let end = min(range.upperBound, range.lowerBound + 16)
    let order = text.withBytes { $0.copied(range.lowerBound..<end) }
    guard order == Array("little".utf8) else {
      throw .unsupported(
        "has the byte order \(String(decoding: order, as: UTF8.self)), and little is read")
    }
  }
}
