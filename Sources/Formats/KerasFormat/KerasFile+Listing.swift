package import Bytes
import HDF5File

extension KerasFile {
  /// The weights in the groups in which the file has them, whatever model they belong to. Those of
  /// training are left out.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for data
  ///   sets that are no numbers.
  package func listedGroups() throws(WeighbridgeError) -> [KerasWeightGroup] {
    guard container != .named else { return weightGroups }
    var names: [String] = []
    var groups: [String: [KerasWeight]] = [:]
    for member in try file.members(below: "/") where member.kind == .dataset {
      let parts = member.path.split(separator: "/").map(String.init)
      guard !parts.contains(where: KerasObjectTree.training.contains) else { continue }
      let owner = parts.dropLast().filter { $0 != "vars" }.joined(separator: "/")
      if groups[owner] == nil { names.append(owner) }
      groups[owner, default: []].append(
        KerasWeight(
          name: parts.joined(separator: "/"), dataset: try file.dataset(at: member.path),
          localName: parts.last ?? ""))
    }
    return names.map { KerasWeightGroup(layerName: $0, weights: groups[$0] ?? []) }
  }
}
