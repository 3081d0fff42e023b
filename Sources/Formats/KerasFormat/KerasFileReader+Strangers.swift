import Bytes
import HDF5File

extension KerasFileReader {
  /// What a file is that Keras did not write: whose it is, where that can be told, and what it holds.
  func stranger() throws(WeighbridgeError) -> WeighbridgeError {
    let owner = try owner().map { "; it is \($0)" } ?? ""
    return WeighbridgeError(
      .malformed,
      "is an HDF5 file, but not one that Keras wrote: it has no model_config and no layer_names "
        + "attribute\(owner); it has: \(try contents())"
    ).at(file: file.path)
  }

  /// What programs put at the root of their files.
  private static let marks = [
    ("PYTABLES_FORMAT_VERSION", "a table of pandas or PyTables"), ("_NCProperties", "netCDF data"),
    ("encoding-type", "data of AnnData"),
  ]

  private func owner() throws(WeighbridgeError) -> String? {
    let matlab = Array("MATLAB ".utf8)
    let isMatlab = file.store.withBytes { bytes in
      bytes.byteCount >= matlab.count && bytes.copied(0..<matlab.count) == matlab
    }
    if isMatlab { return "a file of MATLAB" }
    for (attribute, owner) in Self.marks where try file.hasAttribute(attribute, of: "/") {
      return owner
    }
    return nil
  }

  /// The first members that have none themselves: data sets with their types, and empty groups.
  private func contents() throws(WeighbridgeError) -> String {
    let members = try file.members(below: "/")
    let parents = Set(
      members.map { String($0.path[..<($0.path.lastIndex(of: "/") ?? $0.path.startIndex)]) })
    var names: [String] = []
    for member in members where !parents.contains(member.path) {
      guard names.count < 10 else { return names.joined(separator: ", ") + ", ..." }
      // Texts and tables have no number type.
      let dataset = member.kind == .dataset ? try? file.dataset(at: member.path) : nil
      names.append(
        member.path.dropFirst() + (dataset.map { " \($0.elementType) \($0.shape)" } ?? ""))
    }
    return names.isEmpty ? "nothing" : names.joined(separator: ", ")
  }
}
