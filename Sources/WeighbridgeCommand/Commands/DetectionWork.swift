import JSON
import Vision
import Weighbridge

/// Finds the objects in one picture after the other and prints them.
struct DetectionWork {
  let detector: Detector
  let target: AnnotationTarget?
  let general: GeneralOptions

  /// Does all pictures; one that cannot be read among several is reported, and the others are done.
  ///
  /// - Throws: ``ExitStatus/input`` at the end when a picture of several could not be read; the error
  ///   itself for a single one, and for everything that is not the picture's fault.
  func run(_ paths: [String]) throws {
    var results: [JSONValue] = []
    var failureCount = 0
    let progress = ProgressBar(count: paths.count, isQuiet: general.quiet)
    for (position, path) in paths.enumerated() {
      progress.show(position, path)
      let picture: Picture
      do throws(WeighbridgeError) {
        picture = try Picture(contentsOf: path)
      } catch {
        guard paths.count > 1 else { throw error }
        progress.clear()
        Console.message("error: \(error)")
        failureCount += 1
        continue
      }
      let detections = try detections(in: picture, path)
      try target?.write(picture, detections, position: position)
      let result = PictureDetections(path: path, picture: picture, detections: detections)
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
      Console.message("\(failureCount) of \(paths.count) pictures could not be read")
      throw ExitStatus.input
    }
  }

  private func detections(
    in picture: Picture, _ path: String
  ) throws(WeighbridgeError) -> [Detection] {
    do throws(WeighbridgeError) {
      return try detector.detect(in: picture)
    } catch {
      throw error.at(file: path)
    }
  }
}
