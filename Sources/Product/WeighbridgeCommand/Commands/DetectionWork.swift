import JSON
import Vision
import Weighbridge

/// Finds the objects in one image after the other and prints them.
struct DetectionWork {
  let detector: Detector
  let target: AnnotationTarget?
  let general: GeneralOptions

  /// Does all images; one that cannot be read among several is reported, and the others are done.
  ///
  /// - Throws: ``ExitStatus/input`` at the end when an image of several could not be read; the error
  ///   itself for a single one, and for everything that is not the image's fault.
  func run(_ paths: [String]) throws {
    var results: [JSONValue] = []
    var failureCount = 0
    let progress = ProgressBar(count: paths.count, isQuiet: general.quiet)
    for (position, path) in paths.enumerated() {
      progress.show(position, path)
      let image: Image
      do throws(WeighbridgeError) {
        image = try Image(contentsOf: path)
      } catch {
        guard paths.count > 1 else { throw error }
        progress.clear()
        Console.message("error: \(error)")
        failureCount += 1
        continue
      }
      let detections = try detections(in: image, path)
      try target?.write(image, detections, position: position)
      let result = ImageDetections(path: path, image: image, detections: detections)
      if general.json {
        results.append(result.json)
      } else {
        progress.clear()
        Console.printLine(result.text)
      }
    }
    progress.clear()
    if general.json { Console.printLine(JSONValue.array(results).text(indented: true)) }
    guard failureCount == 0 else {
      Console.message("\(failureCount) of \(paths.count) images could not be read")
      throw ExitStatus.input
    }
  }

  private func detections(
    in image: Image, _ path: String
  ) throws(WeighbridgeError) -> [Detection] {
    do throws(WeighbridgeError) {
      return try detector.detect(in: image)
    } catch {
      throw error.at(file: path)
    }
  }
}
