package import Bytes
package import HDF5File

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
  /// The array: its path in the file, element type, shape in Keras' axis order, and storage.
  package let dataset: HDF5Dataset
  /// The name within its layer, such as `kernel`, or `att/query_dense/vars/0` in a layer of layers.
  package let localName: String

  /// The full path in the file, for errors.
  package var path: String { dataset.path }
  /// The type of the elements.
  package var elementType: ElementType { dataset.elementType }
  /// The sizes in Keras' axis order; empty for a scalar.
  package var shape: [Int] { dataset.shape }
}

extension KerasFile {
  /// The weights grouped as in the file, independently of a model and without the training state.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for
  ///   datasets that are not numeric.
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
