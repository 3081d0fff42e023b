package import Bytes
package import ConversionCore
package import CoreMLConversion
import CoreMLFormat
package import KerasConversion
import KerasFormat
package import ONNXConversion
import ONNXFormat

extension KerasSource: ModelSource {
  package static let format = "a Keras file"
  package static let options = Set<APIName>.kerasOptions

  package static func recognizes(_ bytes: RawSpan) -> Bool {
    KerasFile.recognizes(bytes) || KerasTensorFlowFile.recognizes(bytes)
      || TensorFlowJSFile.recognizes(bytes)
  }

  package var byteCount: Int { weightByteCount }

  package init(
    reading store: ByteStore, path: String, options: ReadOptions
  ) throws(WeighbridgeError) {
    store.advise(.sequential)
    try self.init(store, path: path, options: options)
  }

  package static func outline(
    of store: ByteStore, path: String, options: ReadOptions
  ) -> ModelOutline? {
    if let source = try? KerasSource(store, path: path, options: options) {
      return source.outline()
    }
    // An architecture given by the user may be what is invalid.
    guard options.architecture == nil else { return nil }
    return weightOutline(store, path: path)
      ?? KerasFragment(store, path: path).map {
        outline($0, store, path: path, options: options)
      }
  }
}

extension CoreMLSource: ModelSource {
  package static let format = "a Core ML model"
  package static let options = Set<APIName>.coreMLOptions

  package static func recognizes(_ bytes: RawSpan) -> Bool { CoreMLReader.recognizes(bytes) }

  package init(
    reading store: ByteStore, path: String, options: ReadOptions
  ) throws(WeighbridgeError) {
    try self.init(store, path, try CoreMLPackage(at: path), options)
  }

  package var formatName: String { "coreml" }

  package static func outline(
    of store: ByteStore, path: String, options: ReadOptions
  ) -> ModelOutline? {
    let package = (try? CoreMLPackage(at: path)) ?? nil
    return (try? CoreMLSource(store, path, package, options, isInspectionOnly: true))?.outline()
  }

  /// Opens a file with what the user says about custom layers.
  private init(
    _ store: ByteStore, _ path: String, _ package: CoreMLPackage?, _ options: ReadOptions,
    isInspectionOnly: Bool = false
  ) throws(WeighbridgeError) {
    let (custom, customFile) = try CustomLayerPolicy.opened(options)
    try self.init(
      store, path: package?.model ?? path, package: package, options: options, custom: custom,
      customFile: customFile, isInspectionOnly: isInspectionOnly)
  }
}

extension ONNXSource: ModelSource {
  package static let format = "an ONNX file"
  package static let options = Set<APIName>.onnxOptions

  package static func recognizes(_ bytes: RawSpan) -> Bool { ONNXFile.recognizes(bytes) }

  package init(
    reading store: ByteStore, path: String, options: ReadOptions
  ) throws(WeighbridgeError) {
    try self.init(store, path: path, options: options)
  }

  package var formatName: String { "onnx opset \(opset)" }

  package static func outline(
    of store: ByteStore, path: String, options: ReadOptions
  ) -> ModelOutline? {
    (try? ONNXSource(store, path: path, options: options, isInspectionOnly: true))?.outline()
  }
}
