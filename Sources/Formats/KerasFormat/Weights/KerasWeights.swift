package import Bytes
package import HDF5File

/// The weights of one layer, in the order in which Keras lists them.
package struct KerasWeightGroup: Hashable, Sendable {
  /// The layer's name.
  package let layerName: String
  /// The weights; empty for a layer without any.
  package let weights: [KerasWeight]
}

/// One weight: a named array in a Keras file.
package struct KerasWeight: Hashable, Sendable {
  /// The name as `weight_names` has it, such as `conv2d_1_1/kernel:0`.
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
