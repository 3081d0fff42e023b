import Vision
import Weighbridge

/// Finds the objects in one image after the other and prints them.
struct DetectionWork {
  let detector: Detector
  let target: AnnotationTarget?
  let general: GeneralOptions

  /// Does all images; one that cannot be read among several is reported, and the others are done.
  ///
  /// - Throws: As ``ImageBatch/run(_:_:)``.
  func run(_ paths: [String]) throws {
    try ImageBatch(general: general, failureStatus: .input).run(paths) { image, path, position in
      let detections = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
        try detector.detect(in: image)
      }
      try target?.write(image, detections, position: position)
      let result = ImageDetections(path: path, image: image, detections: detections)
      return ImageBatch.Result(json: result.json, text: result.text)
    }
  }
}
