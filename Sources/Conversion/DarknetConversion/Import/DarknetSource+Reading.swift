package import Bytes
package import ConversionCore
import DarknetFormat
import GraphIR

extension DarknetSource: ModelSource {
  package static let format = "a darknet .cfg"
  package static let options = Set<APIName>.darknetOptions

  package static func recognizes(_ bytes: RawSpan) -> Bool {
    DarknetConfiguration.recognizes(bytes)
  }

  package init(
    reading store: ByteStore, path: String, options: ReadOptions
  ) throws(WeighbridgeError) {
    try self.init(store, path: path, options: options)
  }

  package var byteCount: Int {
    (files.first { $0.role == "weights" } ?? files[0]).store.count
  }

  package var formatName: String { "darknet" }

  package static func outline(
    of store: ByteStore, path: String, options: ReadOptions
  ) -> ModelOutline? {
    var options = options
    options.deferredWeightLimit = 0  // shapes do not depend on the weights
    return (try? Self(store, path: path, options: options, isInspectionOnly: true))?.outline()
  }
}

/// A darknet `.weights` file without its `.cfg`.
package enum DarknetWeightsAlone {
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    DarknetWeightsHeader.recognizes(bytes)
  }

  /// Returns the header and the number of values after it.
  package static func outline(of store: ByteStore) -> ModelOutline? {
    guard let header = try? DarknetWeightsHeader(store, fork: .alexeyab) else { return nil }
    var outline = ModelOutline(format: "darknet weights", byteCount: store.count)
    outline.provenance.framework = "darknet"
    outline.provenance.frameworkVersion = header.version
    let count = (store.count - header.byteCount) / 4
    outline.weights = [("all layers together", TensorType(.float32, [count]))]
    outline.notes = ["trained on \(header.seen) images, counting repetitions"]
    return outline
  }
}
