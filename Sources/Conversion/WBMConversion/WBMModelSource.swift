package import Bytes
package import ConversionCore
package import GraphIR
import WBMFormat

/// A `.wbm` file as a source of a model.
package struct WBMModelSource: ModelSource {
  package static let format = "a .wbm file"
  package static let options: Set<APIName> = []

  /// The model, which is read when the file is opened.
  package let model: WBMModel

  package static func recognizes(_ bytes: RawSpan) -> Bool { WBMFile.recognizes(bytes) }

  package init(
    reading store: ByteStore, path: String, options: ReadOptions
  ) throws(WeighbridgeError) {
    model = try WBMModel(store, path: path)
  }

  package var files: [SourceFile] { [] }
  package var byteCount: Int { model.file.store.count }
  package var formatName: String { "wbm \(model.file.version)" }

  package func content() -> ModelContent { model.content }

  package static func outline(
    of store: ByteStore, path: String, options: ReadOptions
  ) -> ModelOutline? {
    nil
  }
}
