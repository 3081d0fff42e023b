public import CWeighbridge
import JSON
import Vision
import Weighbridge

/// An open detector.
final class OpenDetector: ImageTarget {
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

  func result(for image: Image) throws -> JSONValue {
    .array(try detections(in: image).map(\.json))
  }

  func detections(in image: Image) throws -> [Detection] {
    interruption.reset()
    return try detector.detect(in: image)
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
  close(detector, OpenDetector.self, error)
}

/// `weighbridge_detector_file`
@_cdecl("weighbridge_detector_file")
public func detectInFile(
  _ detector: weighbridge_detector, _ path: UnsafePointer<CChar>?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  result(of: detector, OpenDetector.self, file: path, json, error)
}

/// `weighbridge_detector_pixels`
@_cdecl("weighbridge_detector_pixels")
public func detectInPixels(
  _ detector: weighbridge_detector, _ image: UnsafePointer<weighbridge_array>?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  result(of: detector, OpenDetector.self, pixels: image, json, error)
}

/// `weighbridge_detector_draw`
@_cdecl("weighbridge_detector_draw")
public func drawDetections(
  _ detector: weighbridge_detector, _ image: UnsafePointer<CChar>?,
  _ output: UnsafePointer<CChar>?, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(json, "json")
    let open = try HandleTable.shared.object(detector, OpenDetector.self)
    let output = try path(output, "output")
    guard ImageFormat(fileName: output) != nil else {
      throw Failure.mismatch("the picture's name ends in neither .png nor .jpg")
    }
    let image = try Image(contentsOf: try path(image, "image"))
    try open.access.perform {
      let detections = try open.detections(in: image)
      try image.annotated(with: detections.map { ImageAnnotation($0) }).write(to: output)
      result.pointee = try copy(.array(detections.map(\.json)))
    }
  }
}
