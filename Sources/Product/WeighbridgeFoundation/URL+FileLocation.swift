public import Weighbridge

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension URL: FileLocation {
  /// The path of a file URL.
  ///
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` for a URL of another scheme.
  public func filePath() throws(WeighbridgeError) -> String {
    guard isFileURL else {
      throw WeighbridgeError(
        .mismatch, "the URL \(absoluteString) is not that of a file: download it first")
    }
    return path(percentEncoded: false)
  }
}
