public import CWeighbridge
import JSON
import Vision
import Weighbridge

/// An open detector.
final class OpenDetector: HandleTarget {
  static let kind: UInt64 = 3
  static let title = "a detector"

  let access = ExclusiveAccess()
  private let detector: Detector
  private let interruption: Interruption

  init(_ model: Model, _ options: UnsafePointer<weighbridge_detect_options>?) throws {
    var interruption = Interruption()
    detector = try Detector(model, options: try DetectOptions(options, &interruption))
    self.interruption = interruption
  }

  /// Returns the detections in an image as the JSON that the header describes.
  func detect(in image: Image) throws -> JSONValue {
    interruption.reset()
    return .array(try detector.detect(in: image).map(\.json))
  }
}

/// `weighbridge_detector_open`
@_cdecl("weighbridge_detector_open")
public func openDetector(
  _ model: weighbridge_model, _ options: UnsafePointer<weighbridge_detect_options>?,
  _ detector: UnsafeMutablePointer<weighbridge_detector>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(detector, "detector")
    let open = try OpenDetector(OpenModel.of(model).model, options)
    result.pointee = HandleTable.shared.add(open)
  }
}

/// `weighbridge_detector_close`
@_cdecl("weighbridge_detector_close")
public func closeDetector(
  _ detector: weighbridge_detector, _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    try HandleTable.shared.remove(detector, OpenDetector.self) { (open) throws(Failure) in
      try open.access.close()
    }
  }
}

/// `weighbridge_detector_file`
@_cdecl("weighbridge_detector_file")
public func detectInFile(
  _ detector: weighbridge_detector, _ path: UnsafePointer<CChar>?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  detect(detector, json, error) { try Image(contentsOf: try CInterface.path(path, "path")) }
}

/// `weighbridge_detector_pixels`
@_cdecl("weighbridge_detector_pixels")
public func detectInPixels(
  _ detector: weighbridge_detector, _ image: UnsafePointer<weighbridge_array>?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  detect(detector, json, error) { try Image(try required(image, "image")) }
}

private func detect(
  _ detector: weighbridge_detector, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?, in image: () throws -> Image
) -> weighbridge_status {
  perform(error) {
    let result = try required(json, "json")
    let open = try HandleTable.shared.object(detector, OpenDetector.self)
    let image = try image()
    try open.access.perform { result.pointee = try copy(try open.detect(in: image)) }
  }
}

extension Image {
  /// Copies an image from the caller's memory.
  fileprivate init(_ pointer: UnsafePointer<weighbridge_array>) throws(Failure) {
    let array = try weighbridge_array(pointer)
    let shape = try array.checkedShape("image")
    guard array.element_type == weighbridge_element_type(WEIGHBRIDGE_UINT8), shape.count == 3,
      shape[2] == 3, shape[0] > 0, shape[1] > 0
    else {
      throw .mismatch("an image is uint8 [height, width, 3], and its shape is \(shape)")
    }
    let count = shape[0] * shape[1] * 3
    // The caller guarantees this many bytes.
    let pixels = UnsafeRawBufferPointer(
      start: try array.elements(byteCount: count, "image"), count: count)
    self.init(width: shape[1], height: shape[0], pixels: [UInt8](pixels))
  }
}
