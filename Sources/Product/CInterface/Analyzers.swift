public import CWeighbridge
import ImageSearch
import JSON
import Vision
import Weighbridge

/// An open analyzer.
///
/// The features are used only by the thread that has access.
final class OpenAnalyzer: HandleTarget, @unchecked Sendable {
  static let kind: UInt64 = 4
  static let title = "an analyzer"

  let access = ExclusiveAccess()
  let identity: String
  private let analyzer: ImageAnalyzer
  private let interruption: Interruption
  /// The features of the last image and, below, their description for the caller.
  private let memory = OutputMemory()
  private var record = OpenAnalyzer.record(count: 0)

  init(_ model: Model, _ pointer: UnsafePointer<weighbridge_analyze_options>?) throws {
    var interruption = Interruption()
    analyzer = try ImageAnalyzer(model, options: try AnalyzeOptions(pointer, &interruption))
    identity = analyzer.identity.hexadecimal
    self.interruption = interruption
  }

  /// Analyzes an image.
  ///
  /// - Parameter features: Receives the location of the features, unless it is `NULL`.
  /// - Returns: The JSON that the header describes.
  func analyze(
    _ image: Image, _ features: UnsafeMutablePointer<weighbridge_array>?
  ) throws -> JSONValue {
    var array = try weighbridge_array(features)
    interruption.reset()
    let analysis = try analyzer.analyze(image)
    record = Self.record(count: analysis.features?.count ?? 0)
    record.describe(&array)
    array.data = analysis.features.map(store)
    features?.pointee = array
    return .object([
      "width": .integer(analysis.width), "height": .integer(analysis.height),
      "detections": analysis.detections.map { JSONValue.array($0.map(\.json)) } ?? .null,
    ])
  }

  private func store(_ features: [Float]) -> UnsafeMutableRawPointer {
    let buffer = memory.buffer(byteCount: record.byteCount)
    // The buffer has the size of all features.
    buffer.assumingMemoryBound(to: Float.self).update(from: features, count: features.count)
    return buffer
  }

  private static func record(count: Int) -> ArrayRecord {
    ArrayRecord("features", .float32, shape: [Int64(count)])
  }
}

extension AnalyzeOptions {
  init(
    _ pointer: UnsafePointer<weighbridge_analyze_options>?, _ interruption: inout Interruption
  ) throws {
    self.init()
    let cOptions = try weighbridge_analyze_options(pointer)
    features = try string(cOptions.features, "features")
    detection = try DetectOptions(cOptions.detect, &interruption)
  }
}

/// `weighbridge_analyzer_open`
@_cdecl("weighbridge_analyzer_open")
public func openAnalyzer(
  _ model: weighbridge_model, _ options: UnsafePointer<weighbridge_analyze_options>?,
  _ analyzer: UnsafeMutablePointer<weighbridge_analyzer>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(analyzer, "analyzer")
    let open = try OpenAnalyzer(OpenModel.of(model).model, options)
    result.pointee = HandleTable.shared.add(open)
  }
}

/// `weighbridge_analyzer_close`
@_cdecl("weighbridge_analyzer_close")
public func closeAnalyzer(
  _ analyzer: weighbridge_analyzer, _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    try HandleTable.shared.remove(analyzer, OpenAnalyzer.self) { (open) throws(Failure) in
      try open.access.close()
    }
  }
}

/// `weighbridge_analyzer_identity`
@_cdecl("weighbridge_analyzer_identity")
public func identifyAnalyzer(
  _ analyzer: weighbridge_analyzer, _ digest: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(digest, "digest")
    result.pointee = try copy(HandleTable.shared.object(analyzer, OpenAnalyzer.self).identity)
  }
}

/// `weighbridge_analyzer_image`
@_cdecl("weighbridge_analyzer_image")
public func analyzeImage(
  _ analyzer: weighbridge_analyzer, _ file: UnsafeRawPointer?, _ byteCount: Int,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ features: UnsafeMutablePointer<weighbridge_array>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(json, "json")
    let open = try HandleTable.shared.object(analyzer, OpenAnalyzer.self)
    guard byteCount >= 0 else { throw Failure.invalidArgument("byte_count is \(byteCount)") }
    // The caller guarantees this many bytes.
    let bytes = UnsafeRawBufferPointer(start: try required(file, "file"), count: byteCount)
    let image = try Image(file: [UInt8](bytes))
    try open.access.perform { result.pointee = try copy(try open.analyze(image, features)) }
  }
}
