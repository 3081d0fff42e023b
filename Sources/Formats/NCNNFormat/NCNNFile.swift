package import Bytes

/// The encoding of an array of weights.
package enum NCNNEncoding: UInt32, Hashable, Sendable {
  case float32 = 0
  case float16 = 0x0130_6B47

  /// The size of an element in bytes.
  package var byteCount: Int { self == .float32 ? 4 : 2 }

  /// The number of zero bytes that follow `byteCount` bytes of elements.
  static func padding(_ byteCount: Int) -> Int { (4 - byteCount % 4) % 4 }
}

/// An array of weights in a `.bin` file.
package struct NCNNWeight: Hashable, Sendable {
  /// The encoding of the elements.
  package let encoding: NCNNEncoding
  /// The range of the elements in the file, little-endian.
  package let range: Range<Int>
}

/// A network with its weights: a `.param` file and a `.bin` file. The weights are consecutive in
/// the order of the layers, each aligned to four bytes.
package struct NCNNFile: Hashable, Sendable {
  /// The layers.
  package let model: NCNNModel
  /// The weights of each layer.
  package let weights: [[NCNNWeight]]

  /// Locates the weights. Every byte must be part of a weight.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for other
  ///   number types, and the errors of ``NCNNLayer/weightSlots()``.
  package init(
    _ model: NCNNModel, weights bytes: borrowing RawSpan
  ) throws(WeighbridgeError) {
    var cursor = ByteCursor(0..<bytes.byteCount)
    var weights: [[NCNNWeight]] = []
    for (index, layer) in model.layers.enumerated() {
      var layerWeights: [NCNNWeight] = []
      do throws(WeighbridgeError) {
        for slot in try layer.weightSlots() {
          layerWeights.append(try Self.weight(slot, &cursor, bytes))
        }
      } catch { throw error.at(layer: "#\(index) \(layer.name) (\(layer.type))") }
      weights.append(layerWeights)
    }
    guard cursor.remaining == 0 else {
      throw .malformed("has \(cursor.remaining) bytes after the last weight")
        .at(.byte(cursor.offset))
    }
    self.model = model
    self.weights = weights
  }

  private static func weight(
    _ slot: NCNNWeightSlot, _ cursor: inout ByteCursor, _ bytes: borrowing RawSpan
  ) throws(WeighbridgeError) -> NCNNWeight {
    var encoding = NCNNEncoding.float32
    if slot.isTagged {
      let start = cursor.offset
      let tag = try cursor.integer(UInt32.self, from: bytes)
      guard let tagged = NCNNEncoding(rawValue: tag) else {
        throw .unsupported("has weights of type \(tag); only float32 and float16 can be read")
          .at(.byte(start))
      }
      encoding = tagged
    }
    let size = try Checked.product([slot.count, encoding.byteCount], of: "its size")
    let range = try cursor.skip(size, in: bytes)
    for offset in try cursor.skip(NCNNEncoding.padding(size), in: bytes)
    where bytes[byte: offset] != 0 {
      throw .malformed("the padding is not 0").at(.byte(offset))
    }
    return NCNNWeight(encoding: encoding, range: range)
  }
}
