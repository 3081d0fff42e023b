package import Bytes
import Digests
package import GraphIR
import WBMFormat

extension WBMExporter {
  /// A SHA-256 digest of what a model computes and how its inputs and outputs are interpreted: the
  /// graph, the weights, image settings, labels and detector. The author and license, the
  /// provenance and the reference sets are left out.
  ///
  /// The digest is that of the header that a `.wbm` file of the model would have, so a model and
  /// the `.wbm` file written from it have the same digest.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when a string contains a NUL;
  ///   ``WeighbridgeError/Code/limitExceeded`` when there is not enough memory for a digest.
  /// - Complexity: Reads each weight once.
  package static func identity(of content: ModelContent) throws(WeighbridgeError) -> [UInt8] {
    var reduced = ModelContent(
      graph: content.graph, description: ModelDescription(), provenance: Provenance())
    let description = content.description
    reduced.description.inputs = description.inputs
    reduced.description.outputs = description.outputs
    for index in reduced.description.inputs.indices {
      reduced.description.inputs[index].summary = nil
    }
    for index in reduced.description.outputs.indices {
      reduced.description.outputs[index].summary = nil
    }
    reduced.description.labels = description.labels
    reduced.description.detector = description.detector
    var (header, tensors) = try header(of: reduced)
    var stream = try XXH3Stream()
    for (index, tensor) in tensors.enumerated() {
      stream.reset()
      tensor.withPieces { stream.update($0) }
      let (name, type) = (header.tensors[index].name, tensor.elementType)
      header.tensors[index] = WBMTensor(name: name, elementType: type, shape: tensor.shape)
      header.tensors[index].digest = stream.digest()
    }
    return try sha256(of: ByteStore(try header.serialized()))
  }
}
