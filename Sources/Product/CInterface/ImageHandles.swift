import CWeighbridge
import JSON
import Vision
import Weighbridge

/// An open model for images, whose result for an image is JSON.
protocol ImageTarget: HandleTarget {
  /// Lets one thread at a time use it.
  var access: ExclusiveAccess { get }

  /// Returns the result for an image as the JSON that the header describes.
  func result(for image: Image) throws -> JSONValue
}

/// Closes a handle.
func close<Target: ImageTarget>(
  _ handle: UInt64, _: Target.Type, _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    try HandleTable.shared.remove(handle, Target.self) { (open) throws(Failure) in
      try open.access.close()
    }
  }
}

/// Returns the result for a file.
func result<Target: ImageTarget>(
  of handle: UInt64, _: Target.Type, file path: UnsafePointer<CChar>?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  result(of: handle, Target.self, json, error) {
    try Image(contentsOf: try CInterface.path(path, "path"))
  }
}

/// Returns the result for an image in the caller's memory.
func result<Target: ImageTarget>(
  of handle: UInt64, _: Target.Type, pixels: UnsafePointer<weighbridge_array>?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  result(of: handle, Target.self, json, error) { try Image(try required(pixels, "image")) }
}

private func result<Target: ImageTarget>(
  of handle: UInt64, _: Target.Type, _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?, image: () throws -> Image
) -> weighbridge_status {
  perform(error) {
    let result = try required(json, "json")
    let open = try HandleTable.shared.object(handle, Target.self)
    let image = try image()
    try open.access.perform { result.pointee = try copy(try open.result(for: image)) }
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
