package import Bytes
import HDF5File

/// The weights of one layer, in the order in which Keras lists them.
package struct KerasWeightGroup: Hashable, Sendable {
  /// The layer's name.
  package let layerName: String
  /// The weights; empty for a layer without any.
  package let weights: [KerasWeight]
  /// The lines of the vocabulary that a `.keras` archive has for it; `nil` for none.
  package var vocabulary: [String]?
}

/// A weight: a named array in a Keras file.
package struct KerasWeight: Hashable, Sendable {
  /// The name as given in `weight_names`, such as `conv2d_1_1/kernel:0`.
  package let name: String
  /// The name within its layer, such as `kernel`, or `att/query_dense/vars/0` in a layer of layers.
  package let localName: String
  /// The path or key in the file.
  package let path: String
  /// The type of the elements.
  package let elementType: ElementType
  /// The sizes in Keras' axis order; empty for a scalar.
  package let shape: [Int]
}

extension KerasWeight {
  /// A weight that is a dataset of an HDF5 file.
  init(name: String, dataset: HDF5Dataset, localName: String) {
    self.init(
      name: name, localName: localName, path: dataset.path, elementType: dataset.elementType,
      shape: dataset.shape)
  }
}

extension KerasFile {
  package func listedGroups() throws(WeighbridgeError) -> [KerasWeightGroup] {
    guard container != .legacyHDF5 else { return weightGroups }
    var names: [String] = []
    var groups: [String: [KerasWeight]] = [:]
    for member in try file.members(below: "/") where member.kind == .dataset {
      let parts = member.path.split(separator: "/").map(String.init)
      guard !parts.contains(where: KerasObjectTree.trainingGroups.contains) else { continue }
      let object = parts.dropLast().filter { $0 != "vars" }.joined(separator: "/")
      if groups[object] == nil { names.append(object) }
      groups[object, default: []].append(
        KerasWeight(
          name: parts.joined(separator: "/"), dataset: try file.dataset(at: member.path),
          localName: parts.last ?? ""))
    }
    return names.map { KerasWeightGroup(layerName: $0, weights: groups[$0] ?? []) }
  }
}
