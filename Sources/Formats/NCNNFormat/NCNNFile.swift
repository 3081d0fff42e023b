package import Bytes

/// How the numbers of an array of weights are stored.
package enum NCNNEncoding: UInt32, Hashable, Sendable {
  case float32 = 0
  case float16 = 0x0130_6B47

  /// The bytes of a number.
  package var byteCount: Int { self == .float32 ? 4 : 2 }

  /// How many zeros stand behind numbers of so many bytes.
  static func padding(_ byteCount: Int) -> Int { (4 - byteCount % 4) % 4 }
}

/// An array of weights in a `.bin` file.
package struct NCNNWeight: Hashable, Sendable {
  /// How its numbers are stored.
  package let encoding: NCNNEncoding
  /// Where the numbers are in the file, little-endian.
  package let range: Range<Int>
}

/// A network with its weights: a `.param` file and the `.bin` file beside it. The weights stand one
/// behind the other in the order of the layers, each beginning at a multiple of four bytes.
package struct NCNNFile: Hashable, Sendable {
  /// The layers.
  package let model: NCNNModel
  /// The weights of each layer.
  package let weights: [[NCNNWeight]]

  /// Finds the weights. Every byte must belong to one of them.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for other
  ///   number types, and what ``NCNNLayer/weightSlots()`` throws.
  package init(
    _ model: NCNNModel, weights bytes: borrowing RawSpan
  ) throws(WeighbridgeError) {
    var cursor = ByteCursor(0..<bytes.byteCount)
    var weights: [[NCNNWeight]] = []
    for (position, layer) in model.layers.enumerated() {
      var own: [NCNNWeight] = []
      do throws(WeighbridgeError) {
        for slot in try layer.weightSlots() { own.append(try Self.weight(slot, &cursor, bytes)) }
      } catch { throw error.at(layer: "#\(position) \(layer.name) (\(layer.type))") }
      weights.append(own)
    }
    guard cursor.remaining == 0 else {
      throw .malformed("has \(cursor.remaining) bytes behind the last weight")
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
      guard let known = NCNNEncoding(rawValue: tag) else {
        throw .unsupported("weights of the type \(tag), and float32 and float16 are known")
          .at(.byte(start))
      }
      encoding = known
    }
    let size = try Checked.product([slot.count, encoding.byteCount], of: "its size")
    let range = try cursor.skip(size, in: bytes)
    for place in try cursor.skip(NCNNEncoding.padding(size), in: bytes)
    where bytes[byte: place] != 0 {
      throw .malformed("the padding is not 0").at(.byte(place))
    }
    return NCNNWeight(encoding: encoding, range: range)
  }
}
