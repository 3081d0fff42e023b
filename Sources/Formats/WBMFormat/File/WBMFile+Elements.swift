package import Bytes
import Digests
package import TensorEncoding

extension WBMFile {
  /// The stored elements of the tensor at an index of the table.
  package func encodedElements(ofTensor index: Int) -> EncodedElements {
    let tensor = header.tensors[index]
    return EncodedElements(
      tensor.encoding, tensor.elementType, shape: tensor.shape, store: store,
      range: range(ofTensor: index))
  }

  /// Decodes the elements of the tensor at an index of the table.
  ///
  /// - Throws: ``WeighbridgeError/Code/damaged`` when their digest does not match.
  package func decodedElements(ofTensor index: Int) throws(WeighbridgeError) -> [UInt8] {
    let title = header.tensors[index].title(index)
    let bytes: [UInt8]
    do {
      bytes = try encodedElements(ofTensor: index).decoded()
    } catch {
      throw .damaged("\(title) cannot be decoded: \(error.reason)").at(file: path)
    }
    guard unsafe XXH3Digest(of: bytes.span.bytes) == header.tensors[index].decodedDigest else {
      throw .damaged("\(title) does not decode to what was written").at(file: path)
    }
    return bytes
  }
}
