public import Bytes

/// A drawing that can be written as SVG, PNG or JPEG.
public struct Plot: Sendable {
  let graphic: Graphic

  /// Writes an SVG file, which appears under its name only when it is complete.
  ///
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/outputFailed``.
  public func writeSVG(to path: String) throws(WeighbridgeError) {
    let text = Array(try graphic.svg().utf8)
    var file = try AtomicFile(path: path)
    try unsafe file.append(text.span.bytes)
    try file.commit(replacing: true)
  }

  /// Writes a PNG or JPEG file, depending on the name's extension.
  ///
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/outputFailed``.
  public func writeImage(to path: String) throws(WeighbridgeError) {
    try graphic.image.write(to: path)
  }
}
